"""The words a seat reads in hold'em, after the paper's section 5.2.1. Changing a byte makes a new protocol version.

With `shots: 1` each decision is asked after one worked example, an exchange about another hand: a variant.

No line but the example's answer is a declared action: the form has a placeholder.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from ...core.questions import Message
from ...documents.library import DOCUMENTS
from ...table.decision import IllegalPolicy, answer_terms
from ...table.prompt_lines import TOOL, example_of, form_of
from .rules import STREETS, ActionKind, Hand, Legal, PlayedAction, in_bb

TAG = "ACTION:"

SYSTEM = """\
You are playing heads-up no-limit Texas hold'em against one opponent. The blinds are 0.5 BB (button) \
and 1 BB, and both players start every hand with {stack} BB. All amounts are in big blinds (BB), with two decimals at \
most. A hand ends when a player folds, or at the showdown.

{answers}

You see the current hand only. You may think before you answer. Declare your action on the last line of \
your answer, in exactly this form:
ACTION: <action>
where <action> is fold, check, call, bet <amount>, raise to <amount> or all-in. The amount of a bet or raise is your \
total for this betting round. Only the last line that starts with ACTION: counts. It must hold one legal action and \
nothing else."""

SYSTEMS_KEPT: Final = 64
"""System prompts that are kept in memory: each hand begins with the same two."""
REMINDER = "Declare one legal action on the last line, in the form ACTION: <action>"

EXAMPLE_QUESTION = (
    "You hold two aces before the flop. Both players started with {stack} BB, the opponent has raised to {raised} BB, "
    "and you may fold, call, or raise to a total from {least} to {stack} BB."
)
"""Without labelled lines: a small model goes on with them, and who reads labels finds those of the decision alone."""
EXAMPLE_ANSWER = f"The best hand raises.\n{TAG} raise to {{amount}}"
"""One short thought stands in it, since a bare action would tell a model not to think."""
EXAMPLE_STACK, EXAMPLE_RAISED, EXAMPLE_LEAST, EXAMPLE_AMOUNT = 8, 1, 2, 3
"""In stacks of the hand that is played: what each player of the example has, the opponent's raise, the least total
after it, and the total of the example's raise.

Nobody can bet three stacks with one, so the example's action is legal in no hand of a run, whoever repeats it. Fold,
check, call and all-in would be.
"""


def _turn(hand: Sequence[str], chips: Sequence[str], history: str, position: str, legal: str) -> str:
    (hole, board), (pot, to_call, mine, theirs) = hand, chips
    return f"""\
Hole cards: [{hole}]
Board: [{board}]
Pot: {pot} BB | To call: {to_call} BB
Stacks: you {mine} BB | opponent {theirs} BB
Action: {history}
Position: {position}
Legal actions: {legal}"""


_END = form_of(REMINDER)
_BRIEFING = "\nOpponent profile:\n{briefing}"

TEMPLATES = {
    "holdem/system": SYSTEM,
    "holdem/reminder": REMINDER,
    "holdem/form": _END,
    "holdem/example": f"{EXAMPLE_QUESTION}\n{EXAMPLE_ANSWER}",
    "holdem/turn": _turn(
        ("{hole}", "{board}"), ("{pot}", "{to_call}", "{mine}", "{theirs}"), "{history}", "{position}", "{legal}"
    ),
    "holdem/briefing": _BRIEFING,
}

_SIZED = {ActionKind.BET: "bet", ActionKind.RAISE: "raise to"}
_WORDS = {ActionKind.FOLD: "fold", ActionKind.CHECK: "check", ActionKind.CALL: "call"}


class PokerTerms(msgspec.Struct, frozen=True):
    """Both stacks at the start of a hand, and the treatment of answers. `tokens_max` 0: no limit shown."""

    stack_chips: int
    illegal: IllegalPolicy = IllegalPolicy.SUBSTITUTE
    tokens_max: int = 0


@lru_cache(maxsize=SYSTEMS_KEPT)
def system_message(patterns: tuple[str, ...], terms: PokerTerms) -> Message:
    """The system prompt, with the behaviour that a patterned opponent must keep."""
    constraints = "".join(f"\n\nYou must keep this rule in every hand: {text}" for text in patterns)
    answers = answer_terms(terms.illegal, terms.tokens_max, "action", "hand")
    return Message(SYSTEM.format(stack=in_bb(terms.stack_chips), answers=answers) + constraints, "system")


def example_exchange(stack_chips: int) -> tuple[Message, Message]:
    """The worked example where both players of a hand start with these chips."""
    question = EXAMPLE_QUESTION.format(
        raised=in_bb(EXAMPLE_RAISED * stack_chips),
        stack=in_bb(EXAMPLE_STACK * stack_chips),
        least=in_bb(EXAMPLE_LEAST * stack_chips),
    )
    return example_of(question, REMINDER, EXAMPLE_ANSWER.format(amount=in_bb(EXAMPLE_AMOUNT * stack_chips)))


def turn_message(
    hand: Hand, player: int, briefing: str, tool: str = "", documents: str = "", request: str = ""
) -> Message:
    """The user prompt of `player`, who is to act. `tool`: its tool's answer; `documents`: passages found.

    `request`: for something but an action.
    """
    text = _turn(
        (", ".join(hand.hole(player)), ", ".join(hand.board)),
        tuple(map(in_bb, (hand.pot_chips, hand.to_call_chips, hand.stacks[player], hand.stacks[1 - player]))),
        _history(hand.history, player),
        "Big blind" if player else "Button",
        _legal(hand.legal()),
    )
    text += f"\n{request}" if request else ""
    text += DOCUMENTS + documents if documents else ""
    text += TOOL + tool if tool else ""
    text += _BRIEFING.format(briefing=briefing) if briefing else ""
    return Message(text if request else text + _END, "user")


def _history(history: list[PlayedAction], player: int) -> str:
    streets: list[list[str]] = [[] for _ in STREETS]
    for played in history:
        streets[played.street].append(_sentence(played, player))
    told = [f"{name}: {', '.join(done)}" for name, done in zip(STREETS, streets, strict=True) if done]
    return "; ".join(told) or "none"


def _sentence(played: PlayedAction, player: int) -> str:
    who = "you" if played.player == player else "opponent"
    all_in = " all-in" if played.all_in else ""
    kind, to_chips = played.action.kind, played.action.to_chips
    words = _WORDS[kind] if kind in _WORDS else f"{_SIZED[kind]} {in_bb(to_chips)} BB"
    return f"{who} {words}{all_in}"


def _legal(legal: Legal) -> str:
    words = [_WORDS[kind] for kind in legal.kinds if kind in _WORDS]
    if legal.max_to_chips:
        verb = "bet" if legal.kinds[-1] is ActionKind.BET else "raise to a total"
        words.append(f"{verb} from {in_bb(legal.min_to_chips)} to {in_bb(legal.max_to_chips)} BB")
    return ", ".join(words)
