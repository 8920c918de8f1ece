"""`agzamov plan --from`: what a pilot's bundle says of spreads, draws, errors and careers, and what is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner, Result
from scipy import stats

from agzamov_harness.cli import main
from agzamov_harness.planning.pilot_bundles import Correlation, Pilot, correlation, deviation
from agzamov_harness.planning.spreads import assumed_spreads
from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.scoring.game_planning import Deviation, PilotFigures
from agzamov_verify.scoring.sample_sizes import CAREER_ICC, detectable, one_match
from agzamov_verify.scoring.units.score_constants import CHESS, POKER
from bundles.bundle_factory import SMALL, make

RATINGS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss 1979, table 2: six targets, four judges; ICC(1,1) is .17 (their table 4)."""

PLAN = """\
title: After a pilot
seats: {agent: {kind: reference}}
matches:
  - {phase: 1, game: chess960, a: agent, b: agent, games: 500}
  - {phase: 1, game: holdem, a: agent, b: agent, hands: 10000}
"""
SD = Deviation(Fraction(182), Fraction(125), Fraction(332), 10)
PILOT = Pilot(("0123456789abcdef",), {POKER: PilotFigures({"session_sd": SD}, {}, "pilot 01234567")}, (3, 1_000), {})


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    matches = [
        {"phase": 1, "game": "chess960", "a": "dice", "b": "dice", "games": 6, "block_games": 2},
        {"phase": 1, "game": "holdem", "a": "dice", "b": "dice", "hands": 40, "block_hands": 20},
    ]
    return make({**SMALL, "matches": matches}, tmp_path_factory.mktemp("pilot"))


def command(folder: Path, *options: object) -> Result:
    path = folder / "plan.yaml"
    path.write_text(PLAN)
    return CliRunner().invoke(main, ["plan", str(path), "--details", *map(str, options)])


def test_the_intraclass_correlation_is_that_of_shrout_and_fleiss() -> None:
    found = correlation([RATINGS])
    assert found is not None
    assert float(found.value) == pytest.approx(0.17, abs=0.005)
    assert (found.low, float(found.high)) == (0, pytest.approx(0.72, abs=0.005))
    assert found.careers == 6


def test_the_correlation_of_two_matches_is_about_each_ones_own_mean() -> None:
    shifted = [[value + 100 for value in career] for career in RATINGS]
    one, two = correlation([RATINGS]), correlation([RATINGS, shifted])
    assert one is not None
    assert two is not None
    assert two.value == one.value
    assert two.high < one.high


def test_careers_without_variation_or_repetition_give_no_correlation() -> None:
    assert correlation([[[1, 1], [1, 1]]]) is None
    assert correlation([RATINGS[:1]]) is None
    assert correlation([]) is None


def test_a_deviation_has_the_chi_square_interval() -> None:
    values = [3, -2, 8, 1, 0, -9, 4, 4, 6, -1]
    found = deviation([[Fraction(value) for value in values]])
    assert found is not None
    sd, df = float(np.std(values, ddof=1)), len(values) - 1
    expected = [sd * (df / stats.chi2.ppf(p, df)) ** 0.5 for p in (0.975, 0.025)]
    assert float(found.value) == pytest.approx(sd)
    assert [float(found.low), float(found.high)] == pytest.approx(expected)


def test_a_deviation_is_about_each_matchs_own_mean() -> None:
    one, other = [[Fraction(value + by) for value in (1, 5, 3, 9)] for by in (0, 1_000)]
    alone, both = deviation([one]), deviation([one, other])
    assert alone is not None
    assert both is not None
    assert both.value == alone.value
    assert both.units == 8


def test_too_few_values_or_no_variation_give_no_deviation() -> None:
    assert deviation([[Fraction(1), Fraction(2)]]) is None
    assert deviation([[Fraction(1)] * 9]) is None
    assert deviation([]) is None


def test_a_pilot_gives_the_range_and_an_option_stands_before_it() -> None:
    plan = plan_from(yaml.safe_load(PLAN))
    raw = [methods[0].sd for methods in assumed_spreads(plan, {}, PILOT).scorings[POKER]]
    assert raw == [125, 182, 332]
    (by_option,) = assumed_spreads(plan, {"session_sd": Fraction(90)}, PILOT).scorings[POKER]
    assert by_option[0].sd == 90


def test_a_pilots_correlation_is_taken_where_it_has_careers() -> None:
    plan = plan_from(yaml.safe_load(PLAN))
    measured = Correlation(Fraction(1, 20), Fraction(0), Fraction(1, 5), 10)
    icc = assumed_spreads(plan, {}, PILOT._replace(icc={CHESS: measured})).icc
    assert (icc[CHESS].value, icc[POKER]) == (Fraction(1, 20), CAREER_ICC)
    assert icc[CHESS].source == "ICC of careers 0.050: 95 % 0.000 to 0.200, 10 careers, pilot 01234567"
    assert assumed_spreads(plan, {"icc": Fraction(1, 4)}, PILOT).icc[POKER].value == Fraction(1, 4)


def test_what_a_pilot_measured_is_planned_with_and_named(bundle: Path, tmp_path: Path) -> None:
    found = command(tmp_path, "--from", bundle)
    assert found.exit_code == 0, found.output
    told = " ".join(found.output.split())
    assert "sessions, pilot " in told
    assert "low end of its 95 % interval" in told
    assert "decisions had no legal action at the first attempt" in told
    assert max(map(len, found.output.splitlines())) <= 100
    document: dict[str, Any] = json.loads(command(tmp_path, "--from", bundle, "--json").output)
    (raw,) = [row for row in document["detectable"] if row["method"] == "raw"]
    (middle,) = [row for row in document["spreads"] if (row["game"], row["spread"]) == (POKER, "middle")]
    sd = float(middle["source"].split()[4])
    expected = detectable(one_match(poker_scorings_of(sd), 10_000, Fraction(1, 20)))
    assert float(raw["one_match"][1]) == pytest.approx(expected, rel=0.01)


def poker_scorings_of(sd: float) -> Any:
    from_pilot = Deviation(Fraction(sd), Fraction(sd), Fraction(sd), 10)
    plan = plan_from(yaml.safe_load(PLAN))
    pilot = PILOT._replace(figures={POKER: PilotFigures({"session_sd": from_pilot}, {}, PILOT.source)})
    return assumed_spreads(plan, {}, pilot).scorings[POKER][1][0]


def test_a_pilot_that_fails_its_check_is_refused(bundle: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    for path in bundle.rglob("*"):
        target = changed / path.relative_to(bundle)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            target.write_bytes(path.read_bytes())
    results = changed / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes().replace(b"1", b"2", 1))
    found = command(tmp_path, "--from", changed)
    assert found.exit_code == 1
    assert "expected a bundle that passes its check" in found.output


def test_a_pilot_that_is_named_twice_is_refused(bundle: Path, tmp_path: Path) -> None:
    found = command(tmp_path, "--from", bundle, "--from", bundle)
    assert found.exit_code == 1
    assert "expected every run once, found" in found.stderr
    assert "again: it is named twice; leave one out" in found.stderr


def test_a_folder_that_is_no_bundle_is_refused(tmp_path: Path) -> None:
    found = command(tmp_path, "--from", tmp_path)
    assert found.exit_code == 2
    assert "this folder is not a bundle" in found.output
