"""Phase 3: both seats have a memory of their own, each is asked and audited by its name, and a shift comes between."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.checks.check_log import Number
from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import (
    Answer,
    Chat,
    EndGame,
    Export,
    Exported,
    Hit,
    Hits,
    Kept,
    MemoryQuestion,
    Planted,
    Question,
    Search,
    Settled,
    Store,
    Stored,
)
from agzamov_verify.core.seat_letters import memory_name
from agzamov_verify.games.chess.game import GAME
from agzamov_verify.plan.manifest import MemoryPin
from agzamov_verify.table.prompt_lines import NOTHING_REMEMBERED, read_page
from bundles.bundle_factory import (
    Draft,
    check,
    edited,
    entries,
    failed_steps,
    make,
    questions,
    retell,
    stream_name,
    told,
    world_of,
)

A, B = MEMORIES = memory_name(0), memory_name(1)
CAREERS, GAMES = 2, 6
REAL = {"augmentation": "memory", "arm": "real"}
PLAN: dict[str, Any] = {
    "title": "An arms race",
    "seats": {"agent": {"kind": "random"}, "rival": {"kind": "random", "patterns": ["castles_early"]}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 6},
    "systems": {
        "late": {"kind": "memory", "server": "full_text", "half_life_games": 2},
        "notes": {"kind": "memory", "server": "full_text"},
    },
    "matches": [
        {
            "phase": 3,
            "game": "chess960",
            "a": "agent",
            "b": "rival",
            "games": CAREERS * GAMES,
            "careers": CAREERS,
            "condition": {**REAL, "system": "late"},
            "b_condition": {**REAL, "system": "notes"},
            "shifts": [{"after": 4, "patterns": ["never_retreats"]}],
        }
    ],
}
SEALED = dict.fromkeys(PLAN["systems"], MemoryPin("0" * 64, "1" * 64, "a memory of this process", "1"))
MATCH = "p3-chess960-memory_real_late-agent-rival"
STREAM = stream_name(MATCH)


class Memory:
    """A memory in a dictionary that gives everything it holds; a career begins with an export."""

    def __init__(self) -> None:
        self.live: dict[str, Kept] = {}

    def __call__(self, question: MemoryQuestion) -> Answer:
        match question:
            case Export(attempt=0):
                self.live.clear()
                return Exported((), more=False)
            case Store():
                kept = Kept(question.content, (), question.entry, (question.number,), question.kind)
                self.live[question.entry] = kept
                return Stored()
            case Search():
                return Hits(tuple(Hit(kept.content, entry) for entry, kept in self.live.items())[: question.hits_max])
            case EndGame():
                return Settled(len(self.live))
            case Export():
                return Exported(tuple(self.live.values()), more=False)
            case _:
                raise AssertionError(question)


Lie: TypeAlias = Callable[[MemoryQuestion], str]
"""Whose memory answers a question; that of the seat that asks, if it is the truth."""


def truth(question: MemoryQuestion) -> str:
    return question.to


def searches_of_a_in_b(question: MemoryQuestion) -> str:
    return B if isinstance(question, Search) else question.to


def searches_of_b_in_a(question: MemoryQuestion) -> str:
    return A if isinstance(question, Search) else question.to


def exchanged_dumps(question: MemoryQuestion) -> str:
    is_dump = isinstance(question, Export) and question.attempt
    return MEMORIES[1 - MEMORIES.index(question.to)] if is_dump else question.to


def one_store(question: MemoryQuestion) -> str:
    return A


def world(lie: Lie = truth) -> Callable[[Question], Answer]:
    seats, memories = world_of(plan_from(PLAN), None), {to: Memory() for to in MEMORIES}

    def answer(question: Question) -> Answer:
        return memories[lie(question)](question) if isinstance(question, MemoryQuestion) else seats(question)

    return answer


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Draft:
    return Draft.of(make(PLAN, tmp_path_factory.mktemp("arms"), world(), memories=SEALED))


def test_both_stores_are_begun_empty_audited_and_named(honest: Draft, tmp_path: Path) -> None:
    verdict = check(honest.write(tmp_path))
    assert verdict.level == "V1", told(verdict)
    remark = verdict.steps[Number.MEMORY - 1].remark
    assert remark.startswith(f"{2 * CAREERS} stores began empty; {2 * CAREERS * GAMES} entries stored")


def test_each_seat_is_told_what_its_own_store_gave_and_nothing_else(honest: Draft) -> None:
    """Both note every game: seat A what seat B did, seat B what seat A did."""
    stored, given = {to: list[str]() for to in MEMORIES}, {to: list[str]() for to in MEMORIES}
    for question, entry in zip(questions(honest, STREAM), entries(honest, STREAM), strict=True):
        match question, entry.answer:
            case Store(to=to, content=content), _:
                stored[to].append(content)
            case Search(to=to), Hits(hits):
                given[to] = [hit.content for hit in hits]
            case Planted(), _:
                continue
            case Chat(to=seat, messages=messages), _:
                own = given[A if seat == "agent" else B]
                assert read_page(messages).profile == ("\n".join(own) or NOTHING_REMEMBERED)
                assert own == stored[A if seat == "agent" else B]
    assert [len(some) for some in stored.values()] == [GAMES, GAMES]
    assert stored[A] != stored[B]


@pytest.mark.parametrize(
    ("lie", "whose"),
    [(searches_of_a_in_b, A), (searches_of_b_in_a, B), (exchanged_dumps, A), (exchanged_dumps, B), (one_store, A)],
)
def test_what_one_seat_is_given_of_the_others_memory_is_found(lie: Lie, whose: str, tmp_path: Path) -> None:
    """The bundle is whole but for the lie: every prompt and figure follows from the answers that it records."""
    verdict = check(make(PLAN, tmp_path, world(lie), memories=SEALED))
    assert failed_steps(verdict) == [Number.MEMORY]
    places = [finding.place for finding in verdict.findings]
    assert any(place.endswith("to memory_b") is (whose == B) for place in places), told(verdict)


def exchanged(story: list[Entry]) -> list[Entry]:
    """The first searches of both seats that gave something with each other's answers."""
    found = [at for at, entry in enumerate(story) if isinstance(entry.answer, Hits) and entry.answer.hits]
    first = next(at for at in found if story[at].question.to == A)
    second = next(at for at in found if story[at].question.to == B)
    return edited(edited(story, first, answer=story[second].answer), second, answer=story[first].answer)


def renamed(story: list[Entry]) -> list[Entry]:
    """The first entry stored of seat A stands as one of seat B."""
    at = next(at for at, entry in enumerate(story) if isinstance(entry.answer, Stored))
    return edited(story, at, question=msgspec.structs.replace(story[at].question, to=B))


@pytest.mark.parametrize("edit", [exchanged, renamed])
def test_records_of_two_memories_that_were_exchanged_afterwards_diverge(
    honest: Draft, tmp_path: Path, edit: Callable[[list[Entry]], list[Entry]]
) -> None:
    draft = honest.copy()
    retell(draft, STREAM, edit(entries(draft, STREAM)))
    assert failed_steps(check(draft.write(tmp_path)))[0] == Number.REPLAY


def test_seat_b_keeps_other_patterns_after_a_shift_in_each_career(honest: Draft) -> None:
    """Its system message changes at the same game of every career; seat A's never does."""
    told_to = {
        seat: {
            question.game: question.messages[0].content
            for question in questions(honest, STREAM)
            if isinstance(question, Chat) and question.to == seat
        }
        for seat in ("agent", "rival")
    }
    assert len(set(told_to["agent"].values())) == 1
    texts = list(told_to["rival"].values())
    before, after = (GAME.patterns[name] for name in ("castles_early", "never_retreats"))
    assert [before in text for text in texts] == [True] * 4 + [False] * 2
    assert [after in text for text in texts] == [False] * 4 + [True] * 2
