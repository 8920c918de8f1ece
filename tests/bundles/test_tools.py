"""Tools in a bundle: honest answers are made again, one tampered answer is found and named, and the control works."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from agzamov_verify.checks.check_log import Number, Status, Step
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.checks.seat_replies import Recomputed
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.cli import main
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import (
    Answer,
    Calculate,
    Calculated,
    Chat,
    Examine,
    Examined,
    Question,
    Reply,
    ToolCall,
)
from agzamov_verify.core.script import drive
from agzamov_verify.games.holdem.calculator import calculate
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.show.text import verdict_report
from agzamov_verify.table import scripted_players
from agzamov_verify.table.game import Block
from bundles.bundle_factory import ALL_REPLIES, MODEL, check, engine_path, failed_steps, make, told, world_of
from conditions import arms_of

ARMS = arms_of("tools")
CHESS: dict[str, Any] = {"phase": 2, "game": "chess960", "a": "novice", "b": "novice", "games": 2}
HANDS: dict[str, Any] = {"phase": 2, "game": "holdem", "a": "novice", "b": "novice", "hands": 10, "block_hands": 10}
PLAN: dict[str, Any] = {
    "title": "Tools",
    "seats": {"novice": {"kind": "novice"}},
    "systems": {"tools": {"kind": "tools", "candidates_max": 2, "nodes": 5_000, "comparisons_max": 990}},
    "chess960": {"adjudication": {"policy": "none"}, "plies_max": 8},
    "holdem": {"session_hands": 10},
}
needs_engine = pytest.mark.skipif(engine_path() is None, reason="no Stockfish 15.1 here")
DICE = Dice(bytes(32))


def plan(
    *matches: dict[str, Any], arms: tuple[str, ...] = ("naked", "placebo", "real"), **changes: Any
) -> dict[str, Any]:
    conditions = [{**match, "condition": ARMS[arm]} for match in matches for arm in arms]
    return {**PLAN, "matches": conditions, **changes}


def of_tools(verdict: Verdict) -> Step:
    return verdict.steps[Number.TOOLS - 1]


def lying(wished: dict[str, Any], lie: Callable[[Question, Answer], Answer]) -> Callable[[Question], Answer]:
    """The plan's own world, but for what `lie` makes of the answers."""
    world = world_of(msgspec.convert(wished, Plan), engine_path())
    return lambda question: lie(question, world(question))


def test_a_calculators_answers_are_all_computed_again(tmp_path: Path) -> None:
    verdict = check(make(plan(HANDS), tmp_path), limits=ALL_REPLIES)
    assert (verdict.level, verdict.recomputed) == ("V1", Recomputed.ALL), told(verdict)
    assert of_tools(verdict).status is Status.PASS
    assert of_tools(verdict).remark.startswith("all ")
    assert of_tools(verdict).remark.endswith("answers of the calculator made again")


def test_of_many_answers_a_random_sample_is_computed_again_and_the_report_says_so(tmp_path: Path) -> None:
    verdict = check(make(plan(HANDS), tmp_path), limits=VerificationLimits(seat_replies_max=5))
    assert (verdict.level, verdict.recomputed) == ("V1", Recomputed.A_SAMPLE), told(verdict)
    assert "5 of " in of_tools(verdict).remark
    said = r"answers of the calculator made again, drawn at random: of the \d+ not drawn at most"
    assert re.search(said, of_tools(verdict).remark)


def test_a_run_without_tools_has_no_such_step(tmp_path: Path) -> None:
    verdict = check(make(plan(HANDS, arms=("naked",)), tmp_path))
    assert of_tools(verdict).status is Status.NOT_APPLICABLE


@pytest.mark.parametrize("arm", ["real", "placebo"])
def test_one_tampered_equity_is_found_at_its_entry(arm: str, tmp_path: Path) -> None:
    """In the placebo arm too, where nobody is told it."""
    wished, told_wrong = plan(HANDS, arms=("naked", arm)), []

    def better(question: Question, answer: Answer) -> Answer:
        if (
            not isinstance(answer, Calculated)
            or told_wrong
            or not isinstance(question, Calculate)
            or not question.board
        ):
            return answer
        told_wrong.append(f"game {question.game} turn {question.turn}")
        return msgspec.structs.replace(answer, equity_permille=(answer.equity_permille + 1) % 1001)

    verdict = check(make(wished, tmp_path, lying(wished, better)), limits=ALL_REPLIES)
    assert failed_steps(verdict) == [Number.TOOLS], told(verdict)
    (finding,) = verdict.findings
    assert told_wrong[0] in finding.place
    assert f"p2-holdem-tools_{arm}_tools-novice-b0000" in finding.place
    assert " entry " in finding.place
    assert "equity_permille" in finding.expected


def test_a_seat_that_names_no_legal_moves_is_warned_of(tmp_path: Path) -> None:
    wished = plan(CHESS, arms=("naked", "real"), seats={"novice": MODEL})

    def names_none(question: Question) -> Answer:
        assert isinstance(question, Chat)
        return Reply(text="I pass.")

    verdict = check(make(wished, tmp_path, names_none), limits=ALL_REPLIES)
    assert of_tools(verdict).status is Status.NOT_APPLICABLE
    expected = "tools: at 8 of 8 decisions of chess the seat proposed no legal move for the engine to"
    expected += " examine, so the tool had no effect there"
    assert expected in verdict.warnings
    result, measured = " ".join(verdict_report.text(verdict).split()).split(" Measured ")[:2]
    assert "But at 8 of 8 decisions of chess the seat proposed no legal move for the engine to examine" in result
    assert "But at" not in measured


def test_tool_calls_of_a_model_are_computed_again_too(tmp_path: Path) -> None:
    system = {**PLAN["systems"]["tools"], "use": "model", "calls_max": 1}
    wished = plan(HANDS, seats={"novice": MODEL}, systems={"tools": system})

    def calls_once(question: Question) -> Answer:
        if isinstance(question, Calculate):
            return calculate(question)
        assert isinstance(question, Chat)
        if question.with_tools and not question.attempt:
            return Reply(text="", tool_calls=(ToolCall("{}", "calculate_odds"),))
        return Reply(text=scripted_players.scripted_reply("random", question.messages, question.seed))

    verdict = check(make(wished, tmp_path, calls_once), limits=ALL_REPLIES)
    assert verdict.level == "V1", told(verdict)
    assert of_tools(verdict).remark.endswith("answers of the calculator made again")


# --- with the engine -----------------------------------------------------------------------------


@pytest.mark.slow
@needs_engine
def test_an_engines_answers_are_asked_again_and_without_an_engine_not_checked(tmp_path: Path) -> None:
    made = make(plan(CHESS), tmp_path)
    verdict = check(made, engine_path(), limits=ALL_REPLIES)
    assert verdict.level == "V1", told(verdict)
    assert of_tools(verdict).remark.endswith("answers of the engine made again")
    without = check(made, limits=ALL_REPLIES)
    assert (without.level, of_tools(without).status) == ("V0", Status.NOT_CHECKED)
    assert failed_steps(without) == []


@pytest.mark.slow
@needs_engine
@pytest.mark.parametrize("part", ["centipawns", "line"])
def test_one_tampered_finding_of_an_engine_is_found(part: str, tmp_path: Path) -> None:
    wished, done = plan(CHESS, arms=("naked", "real")), []

    def better(question: Question, answer: Answer) -> Answer:
        if not isinstance(question, Examine) or not isinstance(answer, Examined) or done:
            return answer
        first, *rest = answer.moves
        if " " not in first.line:
            return answer  # nothing to leave out of it
        value = {"line": question.candidates[0]} if part == "line" else {"centipawns": 10_000, "mate": None}
        done.append(question.turn)
        return Examined((msgspec.structs.replace(first, **value), *rest))

    verdict = check(make(wished, tmp_path, lying(wished, better)), engine_path(), limits=ALL_REPLIES)
    assert failed_steps(verdict) == [Number.TOOLS], told(verdict)
    assert len(verdict.findings) == 1
    assert f"turn {done[0]}" in verdict.findings[0].place


def calling(wished: dict[str, Any], tool: str, lie: Callable[[Examined], Examined]) -> Callable[[Question], Answer]:
    """A model that calls a tool of the engine before each move that it plays by chance; `lie` is told once."""
    world, lied = world_of(msgspec.convert(wished, Plan), engine_path()), []

    def answer(question: Question) -> Answer:
        if isinstance(question, Chat):
            if question.with_tools and question.messages[-1].role == "user":
                return Reply(text="", tool_calls=(ToolCall("{}", tool),))
            return Reply(text=scripted_players.scripted_reply("random", question.messages, question.seed))
        found = world(question)
        if isinstance(found, Examined) and not lied:
            lied.append(question.turn)
            return lie(found)
        return found

    return answer


def honest(found: Examined) -> Examined:
    return found


def better(found: Examined) -> Examined:
    first, *rest = found.moves
    return Examined((msgspec.structs.replace(first, centipawns=9_999, mate=None), *rest))


def turned(found: Examined) -> Examined:
    return Examined(found.moves[::-1])


@pytest.mark.slow
@needs_engine
@pytest.mark.parametrize(
    ("tool", "lie"),
    [
        ("evaluate_position", honest),
        ("evaluate_position", better),
        ("best_lines", honest),
        ("best_lines", better),
        ("best_lines", turned),
    ],
)
@pytest.mark.parametrize("arm", ["placebo", "real"])
def test_every_tool_that_a_model_calls_is_asked_again_with_as_many_nodes(
    tool: str, lie: Callable[[Examined], Examined], arm: str, tmp_path: Path
) -> None:
    system = {**PLAN["systems"]["tools"], "use": "model", "calls_max": 1, "offers": [tool]}
    wished = plan(CHESS, arms=("naked", arm), seats={"novice": MODEL}, systems={"tools": system})
    verdict = check(make(wished, tmp_path, calling(wished, tool, lie)), engine_path(), limits=ALL_REPLIES)
    assert failed_steps(verdict) == ([] if lie is honest else [Number.TOOLS]), told(verdict)
    assert len(verdict.findings) == (0 if lie is honest else 1)


@needs_engine
def test_a_game_is_shown_with_what_its_tools_found(tmp_path: Path) -> None:
    shown = []
    made = make(plan(CHESS, HANDS, arms=("naked", "real")), tmp_path)
    for game in ("p2-chess960-tools_real_tools-novice-g00000", "p2-holdem-tools_real_tools-novice-h0000000"):
        done = CliRunner().invoke(main, ["show", str(made), "--game", game, "--prompts"])
        assert done.exit_code == 0, done.output
        shown.append(done.output)
    chess, holdem = shown
    assert "-- tool_a examines 2 moves with 5,000 nodes each" in chess
    assert "CANDIDATES: " in chess
    assert "Your tool's answer:" in chess
    assert "showdowns of " in holdem
    assert "Equity against one random hand:" in holdem


# --- the positive control ------------------------------------------------------------------------


def blocks(wished: dict[str, Any], arm: str) -> list[Block]:
    """The blocks of an arm's match, played by the plan's own world."""
    planned = msgspec.convert(wished, Plan)
    match = planned.matches[list(ARMS).index(arm)]
    world = world_of(planned, engine_path())
    try:
        return [drive(block_script(stream, planned, DICE), world) for stream in streams_of(match)]
    finally:
        world.close()


def chips_of_a(arm: str) -> int:
    """Net chips of seat A in 120 hands: the standard deviation is about 22,000 without a tool, whatever the decks."""
    wished = plan({**HANDS, "hands": 120, "block_hands": 120})
    (block,) = blocks(wished, arm)
    return sum(record.net_chips * (1 if index % 2 == 0 else -1) for index, record in enumerate(block.records))


@pytest.mark.slow
def test_a_calculator_is_worth_much_to_a_novice_and_its_placebo_nothing() -> None:
    big_blinds = {arm: chips_of_a(arm) / 100 for arm in ARMS}
    assert big_blinds["real"] - big_blinds["naked"] > 500
    assert big_blinds["placebo"] - big_blinds["naked"] < (big_blinds["real"] - big_blinds["naked"]) / 2


@needs_engine
@pytest.mark.parametrize(
    ("games", "margin"),
    [pytest.param(8, 1, marks=pytest.mark.slow), pytest.param(16, 2, marks=pytest.mark.exhaustive)],
)
def test_an_engine_is_worth_much_to_a_novice_and_its_placebo_nothing(games: int, margin: int) -> None:
    rules = {"adjudication": {"policy": "material", "threshold_points": 3, "plies": 4}, "plies_max": 60}
    wished = plan({**CHESS, "games": games, "block_games": games}, chess960=rules)
    halfpoints = {}
    for arm in ARMS:
        (block,) = blocks(wished, arm)
        white = [record.ending.white_halfpoints for record in block.records]
        halfpoints[arm] = sum(points if index % 2 == 0 else 2 - points for index, points in enumerate(white))
    assert halfpoints["real"] > max(halfpoints["naked"], halfpoints["placebo"]) + margin
