"""The words a seat reads in a sit-and-go of hold'em, whose rules text is made of the settings."""

from typing import Final

import msgspec

from ...core.questions import Message
from ...poker.actions import in_bb
from ...table.decision import IllegalPolicy, answer_terms
from ...table.prompt_lines import form_of
from .positions import ALONE, position_names
from .prompt import FORFEIT, REMINDER, TURN_BRIEFING, hand_fields
from .rules import RingHand

SIGN: Final = "Sit-and-go, hand "

SYSTEM: Final = """\
You are playing a sit-and-go of no-limit Texas hold'em: a tournament at one table of {seats}. Every player starts with \
{stack} BB and keeps what is left from hand to hand; who has no chips left is out. It ends when one player has all \
chips, and after hand {hands_max} at the latest: then larger stacks finish higher. Only the order in which players \
finish counts. Of players who go out in one hand, who had more chips at its beginning finishes higher; with equal \
stacks they tie.

{blinds} All amounts are in BB, with two decimals at most: 1 BB is the big blind of the first level, in every level. \
Players are named by their positions: {positions}, and fewer of them when players are out. BTN has the button, SB the \
small blind and BB the big blind, whatever it is. The button moves to the next player still in after every hand. \
Before the flop the first player left of the big blind acts first, and after it the first player left of the button \
who is still in. With two players left the button has the small blind and acts first before the flop, and they are \
named {alone}.

A bet is at least the big blind. A raise adds at least as much to the bet as the largest bet or raise of this betting \
round did, and at least the big blind; only all of your stack may be less. Who has acted in a betting round may raise \
again in it only if the bet has grown by at least that much since. Where a check is free there is no fold. Who is \
all-in can win of each other player no more than was matched; the rest is a side pot. Equal hands share a pot, and \
what cannot be shared evenly goes to the first of them to the left of the button. A hand ends when all but one have \
folded, or at the showdown.

{answers}{forfeit}

You see the current hand only. You may think before you answer. Declare your action on the last line of \
your answer, in exactly this form:
ACTION: <action>
where <action> is fold, check, call, bet <amount>, raise to <amount> or all-in. The amount of a bet or raise is your \
total for this betting round. Only the last line that starts with ACTION: counts. It must hold one legal action and \
nothing else."""

FIXED: Final = "The small blind is {small} BB, the big blind 1 BB, and they never rise."
RISING: Final = (
    "The big blind is {first} BB in the first {hands}, then {then} BB for {hands} each, and stays at the last of "
    "these; the small blind is half of it."
)

_TURN: Final = """\
{sign}{number}: {left} of {seats} players left, blinds {small} BB and {big} BB
Your cards: [{hole}]
Board: [{board}]
Position: {position}
Players: {players}
Pot: {pot} BB | To call: {to_call} BB
Pots of earlier rounds: {pots}
Action: {history}"""

TEMPLATES: Final = {
    "holdem_sit_and_go/system": SYSTEM,
    "holdem_sit_and_go/fixed_blinds": FIXED,
    "holdem_sit_and_go/rising_blinds": RISING,
    "holdem_sit_and_go/forfeit": FORFEIT,
    "holdem_sit_and_go/reminder": REMINDER,
    "holdem_sit_and_go/form": form_of(REMINDER),
    "holdem_sit_and_go/turn": _TURN,
    "holdem_sit_and_go/briefing": TURN_BRIEFING,
}


class SitAndGoTerms(msgspec.Struct, frozen=True):
    """The settings that the rules text is made of. `tokens_max` 0: no limit shown."""

    seats: int
    stack_chips: int
    big_blinds_chips: tuple[int, ...]
    level_hands: int
    hands_max: int
    illegal: IllegalPolicy
    tokens_max: int = 0


class Level(msgspec.Struct, frozen=True):
    """The hand of a sit-and-go of so many seats that is played, from 1, and its big blind."""

    big_blind_chips: int
    number: int
    seats: int


def sit_and_go_system(patterns: tuple[str, ...], terms: SitAndGoTerms) -> Message:
    """The system prompt, with the behaviour that a patterned opponent must keep."""
    constraints = "".join(f"\n\nYou must keep this rule in every hand: {text}" for text in patterns)
    text = SYSTEM.format(
        seats=terms.seats,
        stack=in_bb(terms.stack_chips),
        hands_max=terms.hands_max,
        blinds=_blinds(terms),
        positions=", ".join(position_names(terms.seats)),
        alone=" and ".join(ALONE),
        answers=answer_terms(terms.illegal, terms.tokens_max, "action", "hand"),
        forfeit=FORFEIT if terms.illegal is IllegalPolicy.RETRY_THEN_FORFEIT else "",
    )
    return Message(text + constraints, "system")


def _blinds(terms: SitAndGoTerms) -> str:
    first, *then = map(in_bb, terms.big_blinds_chips)
    if not then:
        return FIXED.format(small=in_bb(terms.big_blinds_chips[0] // 2))
    hands = "hand" if terms.level_hands == 1 else f"{terms.level_hands} hands"
    return RISING.format(first=first, then=", ".join(then), hands=hands)


def sit_and_go_turn(hand: RingHand, place: int, level: Level, briefing: str) -> Message:
    """The user prompt of the player at a place of the hand, who is to act."""
    blinds = in_bb(level.big_blind_chips // 2), in_bb(level.big_blind_chips)
    text = _TURN.format(
        sign=SIGN,
        number=level.number,
        left=hand.seats,
        seats=level.seats,
        small=blinds[0],
        big=blinds[1],
        **hand_fields(hand, place),
    )
    text += TURN_BRIEFING.format(briefing=briefing) if briefing else ""
    return Message(text + form_of(REMINDER), "user")
