"""A declared rule ends a match early: the run stops at the look, and verification asks for exactly those games."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_verify import bundle
from agzamov_verify.cli import main
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.show.text.first_screen import OPEN_ENDED
from agzamov_verify.table.game import Block, StreamPlan
from bundles.bundle_factory import MODEL, SEATS, Draft, check, failed_steps, forget, make, reseal, stream_name, told

CHESS = "p1-chess960-naked-agent"
WATCHED = {
    "title": "Watched",
    "seats": {**SEATS, "agent": MODEL},
    "chess960": {"adjudication": {"policy": "none"}, "illegal": "retry_then_forfeit", "plies_max": 4},
    "matches": [{"phase": 1, "game": "chess960", "a": "agent", "b": "agent", "games": 40, "block_games": 2}],
    "analysis": {"sequential": [{"match": CHESS, "alternative": "greater", "blocks_per_look": 5}]},
}
ENDS = 10  # eight won pairs are enough for the rule, and it looks after every fifth


def seat_a_wins(question: Question) -> Answer:
    """The seat that is not A gives nothing legal, and forfeits."""
    assert isinstance(question, Chat)
    index, moves = int(question.game.rpartition("-g")[2]), ("a2a3", "a7a6", "b2b3", "b7b6")
    is_a = question.turn % 2 == index % 2
    return Reply(text=f"MOVE: {moves[question.turn] if is_a else 'resign'}")


@pytest.fixture(scope="module")
def early(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(WATCHED, tmp_path_factory.mktemp("early"), seat_a_wins)


def test_the_run_ends_at_the_look_and_is_believed(early: Path) -> None:
    draft = Draft.of(early)
    assert draft.streams() == [stream_name(CHESS, block) for block in range(ENDS)]
    verdict = check(early)
    assert verdict.level == "V1", told(verdict)
    (watched,) = draft.json(bundle.ANALYSIS_FILE)["sequential"]
    assert (watched["observations"], watched["planned"], watched["ended_early"]) == (ENDS, 20, True)
    assert (watched["decision"]["reason"], watched["decision"]["n"]) == ("above", 8)
    assert float(watched["confidence"]["low"]) > 0.5


def test_a_game_after_the_end_is_named_as_one_that_the_rule_left_out(early: Path) -> None:
    done = CliRunner().invoke(main, ["show", str(early), "--game", f"{CHESS}-g00030"])
    last = f"{CHESS}-g{2 * ENDS - 1:05d}"
    why = f"in this bundle: its match was stopped by its rule, after {last}"
    assert (done.exit_code, done.output) == (2, f"error: no game '{CHESS}-g00030' {why}\n")


def test_it_says_so_to_whoever_looks(early: Path) -> None:
    shown = " ".join(CliRunner().invoke(main, ["show", str(early), "--details"]).output.split())
    assert (
        "watched p1-chess960-naked-agent (greater, against 0.5000 score, alpha 0.05): above at observation 8" in shown
    )
    assert "10 of 20 observations, ended early" in shown
    assert "may end early by its declared rule" in shown


@pytest.mark.slow
def test_the_interval_of_a_match_that_may_end_early_is_marked(tmp_path: Path) -> None:
    session = {"phase": 1, "game": "holdem", "a": "agent", "b": "benchmark", "hands": 40, "block_hands": 2}
    watched = "p1-holdem-naked-agent-benchmark"
    rule = {"match": watched, "alternative": "greater", "blocks_per_look": 5, "clip_chips": 10000}
    contest = {
        "seats": {**WATCHED["seats"], "benchmark": {"kind": "benchmark"}},
        "holdem": {"session_hands": 2},
        "matches": [session],
        "analysis": {"sequential": [rule]},
    }
    made = make({**WATCHED, **contest}, tmp_path, lambda _: Reply(text="ACTION: call"))
    shown = CliRunner().invoke(main, ["show", str(made)]).output
    assert OPEN_ENDED in shown
    row = r"^Phase 1, hold'em, agent v benchmark +40 hands +[-+0-9.]+ \[[^]]+\]\* bb/100 "
    assert re.search(row, shown, re.MULTILINE)


def test_a_match_of_fixed_size_is_not_said_to_be_open(tiny: Path) -> None:
    assert OPEN_ENDED not in CliRunner().invoke(main, ["show", str(tiny)]).output


def test_no_test_of_a_fixed_size_is_made_of_it(early: Path) -> None:
    verdicts = Draft.of(early).json(bundle.ANALYSIS_FILE)["hypotheses"]
    assert {verdict["status"] for verdict in verdicts} == {"not tested by this run"}
    assert "of no fixed length: p1-chess960-naked-agent" in verdicts[0]["reason"]
    scored = CliRunner().invoke(main, ["score", "--json", str(early)])
    assert json.loads(scored.output)["bundles"][0]["open_ended"] == [CHESS]


def test_games_hidden_after_a_look_are_missing(early: Path, tmp_path: Path) -> None:
    draft = Draft.of(early)
    forget(draft, stream_name(CHESS, ENDS - 1))
    reseal(draft)
    verdict = check(draft.write(tmp_path))
    assert 8 in failed_steps(verdict)
    assert f"missing ['{stream_name(CHESS, ENDS - 1)}']" in told(verdict)


def test_an_end_at_an_earlier_look_is_found(early: Path, tmp_path: Path) -> None:
    draft = Draft.of(early)
    forget(draft, *(stream_name(CHESS, block) for block in range(5, ENDS)))
    reseal(draft)
    assert 8 in failed_steps(check(draft.write(tmp_path)))


def test_a_run_that_plays_on_after_its_end_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def all_of_them(match: Match, _plan: Plan, _blocks: list[Block]) -> list[StreamPlan]:
        return list(streams_of(match))

    monkeypatch.setattr("agzamov_harness.run.runner.streams_due", all_of_them)
    verdict = check(make(WATCHED, tmp_path, seat_a_wins))
    assert failed_steps(verdict) == [8]
    assert f"too many ['{stream_name(CHESS, ENDS)}'" in told(verdict)


def test_without_looks_the_same_rule_only_reports(tmp_path: Path) -> None:
    rule = {**WATCHED["analysis"]["sequential"][0], "blocks_per_look": 0}  # type: ignore[index]
    made = make({**WATCHED, "analysis": {"sequential": [rule]}}, tmp_path, seat_a_wins)
    assert len(Draft.of(made).streams()) == 20
    (watched,) = Draft.of(made).json(bundle.ANALYSIS_FILE)["sequential"]
    assert (watched["decision"]["n"], watched["ended_early"]) == (8, False)
