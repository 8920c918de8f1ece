"""Unusable answers of a game: decisions whose first attempt gave no legal action, why, and what followed.

They are the faults that a seat's tally counts: each is found again by reading its answer as the game read it.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from ..core.questions import Chat, NoReply, Planted, Reply
from ..memory.tool_calls import closing_observation
from ..plan.manifest import Plan
from ..table.declared import Accepted, Fault, FaultKind
from .replayed_game import NOT_YET, PlayedGame
from .views import VIEWS

Given: TypeAlias = Reply | NoReply
Reader: TypeAlias = Callable[[Given], "Accepted[object] | Fault"]


class Consequence(StrEnum):
    """What followed an unusable answer."""

    REPLACED = "replaced"
    ASKED_AGAIN = "asked again"
    LOST = "lost"


class UnusableAnswer(NamedTuple):
    """One of them. `place`: who gave it; `why`: a sentence without its full stop, which quotes foreign text."""

    turn: int
    place: int
    kind: FaultKind
    why: str
    then: Consequence


def unusable_answers(played: PlayedGame, plan: Plan, replaced: frozenset[int]) -> Iterator[UnusableAnswer]:
    """The unusable answers of a game in order. `replaced`: the turns whose action was drawn from the seed."""
    view = VIEWS[played.match.game]
    if not view.error_classes(played.record):
        return
    attempts, acted = _attempts(played), view.actions(played.record)
    for turn, (place, read) in enumerate(view.readers(played, plan)):
        fault = read(attempts[turn][0]) if turn in attempts else None
        if isinstance(fault, Fault):
            lost = Consequence.ASKED_AGAIN if turn in acted else Consequence.LOST
            yield UnusableAnswer(turn, place, fault.kind, fault.why, Consequence.REPLACED if turn in replaced else lost)


def _attempts(played: PlayedGame) -> dict[int, list[Given]]:
    """The answers at each turn that were read as decisions: those that call a tool are not."""
    found: dict[int, list[Given]] = {}
    for question, answer in played.asked:
        if not isinstance(question, Chat) or isinstance(question, Planted) or not isinstance(answer, Reply | NoReply):
            continue
        last = question.messages[-1]
        if closing_observation(question.messages) is not None or NOT_YET in last.content:
            continue
        answers = found.setdefault(question.turn, [])
        if last.role == "tool" and answers:
            answers.pop()  # it called the tool whose answer this is
        answers.append(answer)
    return found
