"""What `agzamov plan` offers of a match against the benchmark player, and of that match alone."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from agzamov_harness.commands.plan_command import plan_command
from agzamov_harness.run.plan_file import read_plan
from agzamov_verify.games.holdem.planning import BENCHMARK_CUTS, CUTS
from agzamov_verify.games.holdem.range_methods import RangeMethod
from agzamov_verify.plan.plan_problems import problems
from agzamov_verify.scoring.departures import departures

PLAN = """\
title: Benchmark
seats: {agent: {kind: reference}, bank: {kind: benchmark}}
matches:
  - {phase: 1, game: holdem, a: agent, b: agent, hands: 10000}
"""
BENCHMARK = "  - {phase: 1, game: holdem, a: agent, b: bank, hands: 10000}\n"
ROW = re.compile(r"^  ((?:mirrored, )?range(?: adjusted)?)  ", re.MULTILINE)
ROWS = ["range", "range adjusted", "mirrored, range", "mirrored, range adjusted"]


READY = Path(__file__).parents[2] / "manifests" / "benchmark.yaml"


def told(text: str, folder: Path) -> str:
    path = folder / "plan.yaml"
    path.write_text(text)
    result = CliRunner().invoke(plan_command, [str(path), "--details"])
    assert result.exit_code == 0
    return result.output


def test_a_match_against_the_benchmark_player_is_offered_the_range_methods(tmp_path: Path) -> None:
    self_play, _, against_benchmark = told(PLAN + BENCHMARK, tmp_path).partition("p1-holdem-naked-agent-bank")
    assert ROW.findall(self_play) == []
    assert ROW.findall(against_benchmark) == ROWS


def test_a_plan_without_the_benchmark_player_says_nothing_of_it(tmp_path: Path) -> None:
    assert ROW.findall(told(PLAN, tmp_path)) == []


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_most_variance_is_taken_out_by_a_range_method(mirrored: bool) -> None:
    cuts = {cut.method: cut for cut in (*CUTS, *BENCHMARK_CUTS) if cut.mirrored == mirrored}
    assert all(1 <= cut.least <= cut.greatest for cut in cuts.values())
    assert max(cuts.values(), key=lambda cut: cut.least).method is RangeMethod.RANGE_ADJUSTED


def test_the_ready_plan_can_be_run_and_departs_in_its_opponent_alone() -> None:
    plan = read_plan(READY)
    assert problems(plan) == []
    assert departures(plan) == ("p1-holdem-naked-reference-benchmark: benchmark is the opponent, self-play required",)
