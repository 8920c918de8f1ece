"""`agzamov plan` of Phases 3 and 5: what shifts, positions and probes can show, by scipy and by the scorer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from statsmodels.stats.power import TTestPower

from agzamov_harness.cli import main
from agzamov_harness.planning.phase_figures import share_effect
from agzamov_verify.scoring.hypotheses.declarations import REGISTRY
from agzamov_verify.scoring.inference.clusters import share_of_clusters
from harness.phase_plans import MANIFESTS, forecast, told

STRESS = json.loads(Path("verify/agzamov_verify/games/chess/stress_positions.json").read_text())["positions"]
ICC, CAREERS = 0.011, 5
HELD = (0.1, 0.3, 0.5)
EXPLORATORY = sum(one.contrast is not None and str(one.id).startswith("E") for one in REGISTRY)
SHIFTS = 18
"""Of manifests/phase3.yaml: three in each of six matches."""


def figures(name: str, match: str, *options: str) -> list[Any]:
    return [row for row in forecast(name, *options)["figures"] if any(match in one for one in row["matches"])]


def effects(row: Mapping[str, Any]) -> list[float]:
    return [float(effect) for effect in row["effects"]]


def needed(n: int, alpha: float, side: str, power: float = 0.8) -> float:
    """The effect in standard deviations of one value, by statsmodels."""
    return float(TTestPower().solve_power(nobs=n, alpha=alpha, power=power, alternative=side))


# --- Phase 3 -------------------------------------------------------------------------------------


def test_a_drop_is_planned_over_careers_from_five_sessions_to_five() -> None:
    """Each career has the difference of two means of five sessions; 18 shifts are one family."""
    drops = [
        row for row in figures("phase3", "holdem-memory_real_full_text-") if "shift" in row["test"] + row["figure"]
    ]
    own, found = drops
    of_career = [sd * (2 / 5) ** 0.5 for sd in (90, 182, 397)]
    assert effects(own) == pytest.approx([needed(CAREERS, 0.05, "two-sided") * sd for sd in of_career], rel=1e-4)
    assert effects(found) == pytest.approx(
        [needed(CAREERS, 0.05 / SHIFTS, "larger") * sd for sd in of_career], rel=1e-4
    )
    assert (own["over"], found["test"]) == ("5 careers", "one-sided 5 %, the first found of 18 shifts (Holm)")


def test_what_is_printed_for_a_drop_in_chess_is_found_by_the_test_in_four_of_five_runs() -> None:
    """25 start pairs before and after, 35 % draws; losses turn into draws and draws into wins before the shift."""
    own, found = [
        row for row in figures("phase3", "chess960-memory_real_full_text-") if "points" in row.get("unit", "")
    ][1:]
    for row, alpha, side in ((own, 0.05, "two-sided"), (found, 0.05 / SHIFTS, "greater")):
        draw = np.random.default_rng(5)
        games = draw.random((20_000, CAREERS, 2, 50))
        won = 0.325 + np.array([effects(row)[1], 0.0]).reshape(1, 1, 2, 1)
        points = np.where(games < won, 1.0, np.where(games < won + 0.35, 0.5, 0.0)).mean(axis=3)
        drops = points[:, :, 0] - points[:, :, 1]
        p = stats.ttest_1samp(drops, 0, axis=1, alternative=side).pvalue
        assert (p < alpha).mean() == pytest.approx(0.8, abs=0.02)


def test_a_result_of_the_arms_race_has_the_mde_of_five_careers() -> None:
    result, *_ = figures("phase3", "holdem-memory_real_full_text-")
    units = 375
    sd = [sd * ((1 + (units / CAREERS - 1) * ICC) / (units / CAREERS)) ** 0.5 for sd in (90, 182, 397)]
    assert effects(result) == pytest.approx([needed(CAREERS, 0.05, "two-sided") * one for one in sd], rel=1e-4)


def test_recovery_has_words_and_no_figure() -> None:
    (row,) = [row for row in figures("phase3", "chess960-memory_real_full_text-") if row["figure"] == "recovery τ"]
    assert "effects" not in row
    assert row["words"].startswith("no figure: ")
    assert "from 50 to the 100 or 80 games until the next shift or the end" in row["words"]


def test_e4_is_planned_over_careers_at_the_level_of_a_single_finding() -> None:
    """Two arms with a store each, in both games, one-sided at 5 % over the hypotheses of its family."""
    (e4,) = [test for test in forecast("phase3")["exploratory"] if test["id"] == "E4"]
    poker = e4["rows"][1]
    units = 375
    sd = [one * (2 * (1 + (units / CAREERS - 1) * ICC) / (units / CAREERS)) ** 0.5 for one in (90, 182, 397)]
    errors = needed(CAREERS, 0.05 / EXPLORATORY, "larger", 0.8**0.5)
    assert effects(poker) == pytest.approx([errors * one for one in sd], rel=1e-4)
    assert poker["over"] == "5 careers"


def test_shifts_that_are_too_near_have_words_and_no_figure() -> None:
    rows = figures("phase3", "chess960-memory_real_full_text-", "--small")
    assert [row for row in rows if "shift" in row["figure"] and "effects" in row] == []
    assert all(
        row["words"].startswith("no figure: careers of 8 starts") for row in rows if row["figure"] == "drop at a shift"
    )
    assert any(row["figure"] == "drop at a shift" for row in rows)


# --- Phase 5 -------------------------------------------------------------------------------------


def of_class(part: str, arm: str, figure: str) -> Any:
    (row,) = [row for row in figures("phase5", f"{arm}-{part}-model-") if row["figure"] == figure]
    return row


@pytest.mark.parametrize("part", ["slight", "severe"])
def test_a_recovery_rate_over_careers_is_planned_by_kishs_design_effect(part: str) -> None:
    row = of_class(part, "memory_real_full_text", "recovery rate")
    sd = [(rate * (1 - rate) / 30 * (1 + 29 * ICC)) ** 0.5 for rate in HELD]
    assert effects(row) == pytest.approx([needed(CAREERS, 0.05, "two-sided") * one for one in sd], rel=1e-4)
    assert (row["unit"], row["over"]) == ("share of games", "5 careers")


@pytest.mark.parametrize("held", [15, 45, 75])
def test_a_recovery_rate_of_positions_is_planned_as_the_scorer_computes_its_own(held: int) -> None:
    """150 games on the worse side of which so many were held: the `mde` of the report."""
    own = share_of_clusters([1] * held + [0] * (150 - held), [1] * 150).mde
    assert own
    planned = share_effect(held / 150, 150, 0, 0.0)
    assert planned == pytest.approx(float(own.decimal), rel=0.005)
    row = of_class("slight", "memory_naked", "recovery rate")
    assert effects(row)[HELD.index(held / 150)] == pytest.approx(planned, abs=1e-6)


@pytest.mark.parametrize("part", ["slight", "severe"])
def test_a_survival_index_spreads_as_the_shipped_collapse_points_do(part: str) -> None:
    """Of ten games from each position one, three or five are held for 100 moves, the rest lost as the engine loses."""
    left = [100 - one["collapse_moves"] for one in STRESS if one["part"] == part]
    sd = [float(np.std([moves * held for moves in left for held in [1] * n + [0] * (10 - n)])) for n in (1, 3, 5)]
    row = of_class(part, "memory_naked", "survival index")
    assert effects(row) == pytest.approx([needed(150, 0.05, "two-sided") * one for one in sd], rel=1e-4)
    assert (row["unit"], row["over"]) == ("moves", "150 positions")


def test_points_from_uneven_positions_spread_as_two_games_of_unequal_sides() -> None:
    """Enumerated: each side's worse game is drawn or won with half of the share held; both colours are a pair."""
    sd = []
    for rate in HELD:
        game = {0: 1 - rate, 1: rate / 2, 2: rate / 2}
        pairs = {(a, b): p * q for a, p in game.items() for b, q in game.items()}
        values = {(a, b): (a + 2 - b) / 4 for a, b in pairs}
        mean = sum(values[one] * p for one, p in pairs.items())
        assert mean == pytest.approx(0.5)
        sd.append(sum((values[one] - mean) ** 2 * p for one, p in pairs.items()) ** 0.5)
    row = of_class("severe", "memory_naked", "result of both colours")
    assert effects(row) == pytest.approx([needed(150, 0.05, "two-sided") * one for one in sd], rel=1e-4)


def test_e3_is_found_at_the_printed_effect_as_often_as_promised() -> None:
    """Two classes, each a difference of arms over five careers: Welch's t, with the root of 80 % against each."""
    (e3,) = [test for test in forecast("phase5")["exploratory"] if test["id"] == "E3"]
    slight = pair_variance(0.3)
    other = {"slight less equal": (1 - 0.35) / 8, "slight less severe": slight}
    for row, variance in zip(e3["rows"], other.values(), strict=True):
        errors = [one / 150 * (2 + 29 * ICC) for one in (slight, variance)]
        df = int(sum(errors) ** 2 / sum(error**2 / (CAREERS - 1) for error in errors))
        critical = stats.t.ppf(1 - 0.05 / EXPLORATORY, df)
        power = stats.nct.sf(critical, df, effects(row)[1] / sum(errors) ** 0.5)
        assert power == pytest.approx(0.8**0.5, abs=0.003)
        assert row["over"] == "5 careers"


def pair_variance(rate: float) -> float:
    game = {0: 1 - rate, 1: rate / 2, 2: rate / 2}
    mean = sum(value * p for value, p in game.items())
    return 2 * sum((value - mean) ** 2 * p for value, p in game.items()) / 16


def test_accuracy_is_what_the_exact_binomial_test_finds() -> None:
    """Of 30: 29 right for above 85 % at 5 %, and none at 5 % over the family; two mates for below 30 % there."""
    alone = 0.05 / EXPLORATORY
    assert alone < 0.85**30
    assert stats.binom.sf(28, 30, 0.85) < 0.05 < stats.binom.sf(27, 30, 0.85)
    words = of_class("slight", "memory_naked", "evaluation accuracy (E6)")["words"]
    assert "no count of 30 is enough where nothing else is found" in words
    assert "(p below 0.05) with at least 29 right of 30, which is so with 80 % probability if truly 97.2 % are" in words
    assert stats.binom.sf(28, 30, 0.9725) == pytest.approx(0.8, abs=0.005)
    assert stats.binom.cdf(2, 30, 0.3) < alone < stats.binom.cdf(3, 30, 0.3)
    words = of_class("mate", "memory_naked", "calculation accuracy (E6)")["words"]
    assert "with at most 2 right of 30, which is so with 80 % probability if truly 5.16 % are" in words
    assert stats.binom.cdf(2, 30, 0.0516) == pytest.approx(0.8, abs=0.005)


def test_efficiency_has_a_greatest_mde_and_says_how_little_it_may_spread() -> None:
    words = of_class("won", "memory_real_full_text", "calculation efficiency")["words"]
    most = needed(30, 0.05, "two-sided") * 0.5 * (30 / 29) ** 0.5
    assert f"at most {most:.2f}" in words
    drafts = sum(one.contrast is not None and str(one.id).startswith("draft") for one in REGISTRY)
    df = 58
    critical = stats.t.ppf(1 - 0.05 / drafts, df)
    spread = float(words.split("their SD is ")[1].split()[0])
    error = spread * (2 / 30) ** 0.5
    assert stats.nct.sf(critical, df, 0.1 / error) == pytest.approx(0.9, abs=0.05)


def test_what_no_formula_plans_is_said_in_words() -> None:
    row = of_class("severe", "memory_naked", "GQI under pressure")
    assert row["words"].startswith("no figure: ")
    assert "effects" not in row


@pytest.mark.parametrize("name", ["phase3", "phase5"])
def test_no_match_of_these_phases_is_told_from_an_equal_opponent(name: str) -> None:
    """That figure was all that a plan said of them; a match from a won ending is never between equals."""
    text = told(name)
    assert "equal opponent" not in text
    assert "MDE, two arms" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert forecast(name)["detectable"] == []


def test_the_first_lines_say_what_the_phases_can_show() -> None:
    three, five = (" ".join(told(name).split()) for name in ("phase3", "phase5"))
    assert (
        "E4 is found with 80 % probability if the true effect is at least 0.19 points of win rate in Chess960" in three
    )
    assert (
        "A drop at a shift is found with 80 % probability if it is at least 0.23 points of score in Chess960" in three
    )
    assert "E3 is found with 80 % probability if the true effect is at least 0.25 points, slight less equal" in five
    assert "A recovery rate is told from a given one with 80 % probability if it differs by at least 0.16" in five


@pytest.mark.slow
def test_the_share_held_can_be_replaced() -> None:
    row = next(
        row
        for row in figures("phase5", "memory_naked-slight-model-", "--held", "0.2")
        if row["figure"] == "recovery rate"
    )
    assert effects(row) == pytest.approx([share_effect(0.2, 150, 0, 0.0)], abs=1e-6)
    refused = CliRunner().invoke(main, ["plan", str(MANIFESTS / "phase5.yaml"), "--held", "1"])
    assert (refused.exit_code, "expected a share between 0 and 1, found '1'" in refused.output) == (2, True)
