"""The words a seat reads at a table of hold'em. No list of legal actions: the rules text says what is possible."""

from typing import Final

import msgspec

from ...core.questions import Message
from ...documents.library import DOCUMENTS
from ...poker.actions import STREETS, ActionKind, PlayedAction, in_bb
from ...table.decision import IllegalPolicy, answer_terms
from ...table.prompt_lines import form_of
from .positions import position_names
from .rules import RingHand

TAG: Final = "ACTION:"

SYSTEM: Final = """\
You are playing no-limit Texas hold'em at a table of {seats}. The small blind is {small_blind} BB, the big blind 1 BB, \
and every player starts every hand with {stack} BB. All amounts are in big blinds (BB), with two decimals at most. \
Players are named by their positions: {positions}. BTN has the button, SB the small blind and BB the big blind. \
Before the flop {first} acts first, and after it the first player left of the button who is still in.

A bet is at least 1 BB. A raise adds at least as much to the bet as the largest bet or raise of this betting round \
did, and at least 1 BB; only all of your stack may be less. Who has acted in a betting round may raise again in it \
only if the bet has grown by at least that much since. Where a check is free there is no fold. Who is all-in can win \
of each other player no more than was matched; the rest is a side pot. Equal hands share a pot, and what cannot be \
shared evenly goes to the first of them to the left of the button. A hand ends when all but one have folded, or at \
the showdown.

{answers}{forfeit}

You see the current hand only. You may think before you answer. Declare your action on the last line of \
your answer, in exactly this form:
ACTION: <action>
where <action> is fold, check, call, bet <amount>, raise to <amount> or all-in. The amount of a bet or raise is your \
total for this betting round. Only the last line that starts with ACTION: counts. It must hold one legal action and \
nothing else."""

FORFEIT: Final = " To lose the hand is to fold: what you have put in is lost, and the others play on."

REMINDER: Final = "Declare one legal action on the last line, in the form ACTION: <action>"

_TURN: Final = """\
Your hand: [{hole}]
Board: [{board}]
Position: {position}
Players: {players}
Pot: {pot} BB | To call: {to_call} BB
Pots of earlier rounds: {pots}
Action: {history}"""
TURN_BRIEFING: Final = "\nOpponent profile:\n{briefing}"

TEMPLATES: Final = {
    "holdem_ring/system": SYSTEM,
    "holdem_ring/forfeit": FORFEIT,
    "holdem_ring/reminder": REMINDER,
    "holdem_ring/form": form_of(REMINDER),
    "holdem_ring/turn": _TURN,
    "holdem_ring/briefing": TURN_BRIEFING,
}
FOLDED: Final = "folded"


class RingTerms(msgspec.Struct, frozen=True):
    """The settings that the rules text is made of. `tokens_max` 0: no limit shown."""

    seats: int
    stack_chips: int
    small_blind_chips: int
    illegal: IllegalPolicy
    tokens_max: int = 0


def system_message(patterns: tuple[str, ...], terms: RingTerms) -> Message:
    """The system prompt, with the behaviour that a patterned opponent must keep."""
    constraints = "".join(f"\n\nYou must keep this rule in every hand: {text}" for text in patterns)
    names = position_names(terms.seats)
    text = SYSTEM.format(
        seats=terms.seats,
        small_blind=in_bb(terms.small_blind_chips),
        stack=in_bb(terms.stack_chips),
        positions=", ".join(names),
        first=names[3 % terms.seats],
        answers=answer_terms(terms.illegal, terms.tokens_max, "action", "hand"),
        forfeit=FORFEIT if terms.illegal is IllegalPolicy.RETRY_THEN_FORFEIT else "",
    )
    return Message(text + constraints, "system")


def turn_message(hand: RingHand, place: int, briefing: str, documents: str = "") -> Message:
    """The user prompt of the player at a place, who is to act. `documents`: passages found."""
    text = _TURN.format(**hand_fields(hand, place))
    text += DOCUMENTS + documents if documents else ""
    text += TURN_BRIEFING.format(briefing=briefing) if briefing else ""
    return Message(text + form_of(REMINDER), "user")


def hand_fields(hand: RingHand, place: int) -> dict[str, str]:
    """The fields of a user message that tell the hand to the player at a place."""
    names = position_names(hand.seats)
    return {
        "hole": ", ".join(hand.hole(place)),
        "board": ", ".join(hand.board),
        "position": names[place],
        "players": "; ".join(_player(hand, at, names[at], place) for at in range(hand.seats)),
        "pot": in_bb(hand.pot_chips),
        "to_call": in_bb(hand.to_call_chips),
        "pots": _pots(hand, place, names),
        "history": _history(hand.history, place, names),
    }


def _player(hand: RingHand, at: int, name: str, place: int) -> str:
    """A player's stack and bet: "SB 99.5 BB, bet 0.5 BB"."""
    who = f"{name} (you)" if at == place else name
    if not hand.live[at]:
        return f"{who} {FOLDED}"
    bet = f", bet {in_bb(hand.bets[at])} BB" if hand.bets[at] else ""
    return f"{who} {in_bb(hand.stacks[at])} BB{bet}"


def _pots(hand: RingHand, place: int, names: tuple[str, ...]) -> str:
    """The pots and who can win them; "none" before the flop."""
    told = []
    for number, pot in enumerate(hand.pots):
        who = ", ".join("you" if at == place else names[at] for at in pot.places)
        told.append(f"{'side' if number else 'main'} {in_bb(pot.chips)} BB ({who})")
    return "; ".join(told) if told and hand.street else "none"


def _history(history: list[PlayedAction], place: int, names: tuple[str, ...]) -> str:
    streets = []
    for street, name in enumerate(STREETS):
        done = [_sentence(played, place, names) for played in history if played.street == street]
        if done:
            streets.append(f"{name}: {', '.join(done)}")
    return "; ".join(streets) or "none"


def _sentence(played: PlayedAction, place: int, names: tuple[str, ...]) -> str:
    who = "you" if played.player == place else names[played.player]
    all_in = " all-in" if played.all_in else ""
    match played.action.kind:
        case ActionKind.BET:
            return f"{who} bet {in_bb(played.action.to_chips)} BB{all_in}"
        case ActionKind.RAISE:
            return f"{who} raise to {in_bb(played.action.to_chips)} BB{all_in}"
        case kind:
            return f"{who} {kind.value}{all_in}"
