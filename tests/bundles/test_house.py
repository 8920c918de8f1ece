"""A run against the house: its bundle passes, is is scored by ranges, and a house that left its policy is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.ledger import Number
from agzamov_verify.questions import Answer, Chat, Question, Reply
from agzamov_verify.scoring.agzamov.cells import AGAINST_HOUSE, cells_of
from agzamov_verify.scoring.agzamov.norm import load_score_norm
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from bundles.workshop import (
    Draft,
    check,
    failed_steps,
    fit_laps,
    make,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    world_of,
)

MATCH = "p1-holdem-naked-agent-house"
STREAM = f"{MATCH}-b00000"
PLAN = {
    "title": "Against the house",
    "seats": {"agent": {"kind": "reference"}, "house": {"kind": "house"}},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 4},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "house", "hands": 8, "block_hands": 8},
    ],
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("house"))


def passive(question: Chat) -> str:
    """Legal everywhere, and not what the policy does."""
    free = "Legal actions: check" in question.messages[1].content
    return "ACTION: check" if free else "ACTION: fold"


def told_again(honest: Path, say: Callable[[Chat], str]) -> Draft:
    """The owner plays the match again with another house, and seals everything that follows from it."""
    draft = Draft.of(honest)
    world = world_of(draft.manifest.plan, None)

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat) and question.seat == "house":
            return Reply(text=say(question))
        return world(question)

    put(draft, STREAM, recorded(draft, STREAM, answer))
    fit_laps(draft, STREAM)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return draft


def test_a_run_against_the_house_passes(honest: Path) -> None:
    verdict = check(honest)
    assert not verdict.findings
    assert verdict.level == "V1"
    assert verdict.results is not None
    assert f"{MATCH}: house is the opponent, self-play required" in verdict.results.departures


def test_the_range_methods_are_in_the_analysis_of_that_match_alone(honest: Path) -> None:
    self_play, against_house = Draft.of(honest).json(bundle.ANALYSIS_FILE)["matches"]
    assert list(self_play["adjusted"]) == ["all_in", "baseline", "card_luck", "raw"]
    assert list(against_house["adjusted"]) == ["all_in", "baseline", "card_luck", "range", "range_luck", "raw"]
    assert against_house["adjusted"]["range_luck"] != against_house["adjusted"]["raw"]


def test_play_against_the_house_is_nobodys_baseline(honest: Path) -> None:
    verdict = check(honest)
    assert verdict.manifest is not None
    cells = cells_of(verdict.manifest, verdict.blocks)
    assert [cell.key.part for cell in cells] == ["", AGAINST_HOUSE]
    evidence = Evidence(cells, load_score_norm("agz-0.1"), lambda _: bytes(32), 100)
    assert list(evidence.cells) == [cells[0].key]


def test_a_house_that_plays_otherwise_is_refused(honest: Path, tmp_path: Path) -> None:
    verdict = check(told_again(honest, passive).write(tmp_path))
    assert failed_steps(verdict) == [Number.REPLAY]
    (first, *_) = verdict.findings
    assert first.place.startswith(f"game {MATCH}-h")
    assert first.expected.startswith("the house's ")


def test_a_house_that_gives_no_action_is_refused(honest: Path, tmp_path: Path) -> None:
    """Even where the action that chance puts in its place is the one that the policy takes."""
    verdict = check(told_again(honest, lambda _: "I would rather not say.").write(tmp_path))
    assert failed_steps(verdict) == [Number.REPLAY]


def test_the_same_house_told_again_passes(honest: Path, tmp_path: Path) -> None:
    """The way back by itself does no harm: only the defects above do."""
    draft = Draft.of(honest)
    seats = world_of(draft.manifest.plan, None)

    def say(question: Chat) -> str:
        answer = seats(question)
        assert isinstance(answer, Reply)
        return answer.text

    assert not check(told_again(honest, say).write(tmp_path)).failed
