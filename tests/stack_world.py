"""The world of a full stack in the tests: scripted players, a memory in this process, a calculator and an engine."""

from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.core.questions import (
    Answer,
    Calculate,
    Chat,
    EndGame,
    Examine,
    Examined,
    ExaminedMove,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    Question,
    Reply,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.plan.manifest import MemoryPin, Plan
from agzamov_verify.table import scripted_players
from bundles.bundle_factory import SUBMITTER, make, world_of
from conditions import arms_of

FULL = arms_of("full")
PIN = MemoryPin("0" * 64, "0" * 64, "recent", "1")
SYSTEMS: dict[str, Any] = {
    "recent": {"kind": "memory", "server": "recent", "hits_max": 3},
    "tool": {"kind": "tools", "candidates_max": 3, "nodes": 5_000, "comparisons_max": 990},
    "basics": {"kind": "rag"},
    "full": {"kind": "full", "memory": "recent", "tools": "tool", "documents": "basics"},
}
CHESS: dict[str, Any] = {"phase": 2, "game": "chess960", "a": "novice", "b": "habit", "games": 4, "careers": 1}
HANDS: dict[str, Any] = {"phase": 2, "game": "holdem", "a": "novice", "b": "habit", "hands": 12, "careers": 1}
PLAN: dict[str, Any] = {
    "title": "Full stack",
    "seats": {
        "novice": {"kind": "novice"},
        "habit": {"kind": "novice", "patterns": ["pushes_rook_pawns", "min_raises_pairs"]},
    },
    "systems": SYSTEMS,
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
    "holdem": {"session_hands": 4},
}


def plan_of(*matches: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A plan of the three arms of each match."""
    conditions = [{**match, "condition": condition} for match in matches for condition in FULL.values()]
    return {**PLAN, "matches": conditions, **changes}


class CareerStores:
    """A store for each career and each seat's memory: streams are played side by side, so questions come in any order.

    The first question of a career, an export that is no second attempt, begins an empty one.
    """

    def __init__(self) -> None:
        self._begun: dict[tuple[str, str], dict[int, list[Kept]]] = {}

    def of(self, question: Any) -> list[Kept]:
        """The entries of the career that a question to a memory is of."""
        match, _, number = question.game.rpartition("-")
        begun, result = self._begun.setdefault((match, question.to), {}), int(number[1:])
        if isinstance(question, Export) and not question.attempt:
            begun[result] = []
        return begun[max(first for first in begun if first <= result)]


class StackWorld:
    """Novices, the memory `recent`, the calculator, and an engine that likes a later candidate of the alphabet more.

    `note`: what every search gives in the place of the entries; empty for the entries themselves.
    """

    def __init__(self, note: str = "") -> None:
        self.note = note
        self.stores = CareerStores()

    def __call__(self, question: Question) -> Answer:
        match question:
            case Chat():
                return Reply(text=scripted_players.scripted_reply("novice", question.messages, question.seed))
            case Calculate():
                return calculate(question)
            case Examine():
                order = sorted(question.candidates)
                return Examined(tuple(ExaminedMove(37 * order.index(one), one, None) for one in question.candidates))
            case _:
                return self.remembered(question)

    def remembered(self, question: Question) -> Answer:
        """The memory's answer; the first question of a career finds it empty."""
        live = self.stores.of(question)
        match question:
            case Export():
                return Exported(tuple(live), more=False)
            case Store():
                live.append(Kept(question.content, (), question.entry, (question.number,), question.kind))
                return Stored()
            case Search():
                last = [Hit(kept.content, kept.entry) for kept in live[::-1][: question.hits_max]]
                return Hits((Hit(self.note, "e00001"),) if self.note and last else tuple(last))
            case EndGame():
                return Settled(len(live))
            case _:
                raise AssertionError(question)


def bundle_of(
    wished: dict[str, Any], folder: Path, engine: Path | None = None, key: Ed25519PrivateKey = SUBMITTER
) -> Path:
    """A bundle of such a plan: scripted seats, this world for all else, and the engine itself where one is given."""
    world, seats = StackWorld(), world_of(msgspec.convert(wished, Plan), engine)

    def answer(question: Question) -> Answer:
        is_seats = isinstance(question, Chat) or (engine and isinstance(question, Examine))
        return seats(question) if is_seats else world(question)

    return make(wished, folder, answer, key=key, memories={"recent": PIN})
