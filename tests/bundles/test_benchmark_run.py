"""A run against the benchmark player: its bundle passes, is scored by ranges; a player off its policy is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agzamov_verify import bundle
from agzamov_verify.checks.check_log import Number
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.scoring.hypotheses.evidence import Evidence
from agzamov_verify.scoring.match_cells import cells_of
from agzamov_verify.scoring.units.cells import AGAINST_BENCHMARK
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.table.scripted_players import with_words_as_tokens
from bundles.bundle_factory import (
    Draft,
    check,
    failed_steps,
    fit_calls,
    make,
    put,
    recorded,
    reindex,
    rescore,
    reseal,
    world_of,
)

MATCH = "p1-holdem-naked-agent-benchmark"
STREAM = f"{MATCH}-b00000"
PLAN = {
    "title": "Against the benchmark player",
    "seats": {"agent": {"kind": "reference"}, "benchmark": {"kind": "benchmark"}},
    "holdem": {"session_hands": 2},
    "matches": [
        {"phase": 1, "game": "holdem", "a": "agent", "b": "agent", "hands": 4, "block_hands": 4},
        {"phase": 1, "game": "holdem", "a": "agent", "b": "benchmark", "hands": 8, "block_hands": 8},
    ],
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(PLAN, tmp_path_factory.mktemp("benchmark"))


def passive(question: Chat) -> str:
    """Legal everywhere, and not what the policy does."""
    free = "Legal actions: check" in question.messages[1].content
    return "ACTION: check" if free else "ACTION: fold"


def told_again(honest: Path, say: Callable[[Chat], str]) -> Draft:
    """The owner plays the match again with another policy, and seals everything that follows from it."""
    draft = Draft.of(honest)
    world = world_of(draft.manifest.plan, None)

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat) and question.to == "benchmark":
            return with_words_as_tokens("benchmark", question.messages, say(question))
        return world(question)

    put(draft, STREAM, recorded(draft, STREAM, answer))
    fit_calls(draft, STREAM)
    reindex(draft)
    rescore(draft)
    reseal(draft)
    return draft


def test_a_run_against_the_benchmark_player_passes(honest: Path) -> None:
    verdict = check(honest)
    assert not verdict.findings
    assert verdict.level == "V1"
    assert verdict.results is not None
    assert f"{MATCH}: benchmark is the opponent, self-play required" in verdict.results.departures


def test_the_range_methods_are_in_the_analysis_of_that_match_alone(honest: Path) -> None:
    self_play, against_benchmark = Draft.of(honest).json(bundle.ANALYSIS_FILE)["matches"]
    assert list(self_play["adjusted"]) == ["all_in", "baseline", "raw", "street_equity"]
    every_method = ["all_in", "baseline", "range", "range_adjusted", "raw", "street_equity"]
    assert list(against_benchmark["adjusted"]) == every_method
    assert against_benchmark["adjusted"]["range_adjusted"] != against_benchmark["adjusted"]["raw"]


def test_play_against_the_benchmark_player_is_nobodys_baseline(honest: Path) -> None:
    verdict = check(honest)
    assert verdict.manifest is not None
    cells = cells_of(verdict.manifest, verdict.blocks)
    assert [cell.key.part for cell in cells] == ["", AGAINST_BENCHMARK]
    evidence = Evidence(cells, load_score_constants("agz-0.1"), lambda _: bytes(32), 100)
    assert list(evidence.cells) == [cells[0].key]


def test_a_benchmark_player_that_plays_otherwise_is_refused(honest: Path, tmp_path: Path) -> None:
    verdict = check(told_again(honest, passive).write(tmp_path))
    assert failed_steps(verdict) == [Number.REPLAY, Number.SEATS]
    (first, *_) = verdict.findings
    assert first.place.startswith(f"game {MATCH}-h")
    assert first.expected.startswith("the benchmark player's ")


def test_a_benchmark_player_that_gives_no_action_is_refused(honest: Path, tmp_path: Path) -> None:
    """Even where the action that chance puts in its place is the one that the policy takes."""
    verdict = check(told_again(honest, lambda _: "I would rather not say.").write(tmp_path))
    assert failed_steps(verdict) == [Number.REPLAY, Number.SEATS]


def test_the_same_benchmark_player_told_again_passes(honest: Path, tmp_path: Path) -> None:
    """The way back by itself does no harm: only the defects above do."""
    draft = Draft.of(honest)
    seats = world_of(draft.manifest.plan, None)

    def say(question: Chat) -> str:
        answer = seats(question)
        assert isinstance(answer, Reply)
        return answer.text

    assert not check(told_again(honest, say).write(tmp_path)).failed
