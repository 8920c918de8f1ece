"""Contrasts against scipy: paired where the starts are one, Welch's where they are not, and both games together."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_ind

from agzamov_verify.games.chess.cell import PAIR_WINS
from agzamov_verify.scoring.hypotheses.contrasts import (
    Joint,
    Weighted,
    all_of,
    any_of,
    combined,
    courses_differ,
    equivalent,
    estimated,
    one_way,
    shrunk,
    weighed,
)
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import Units
from agzamov_verify.scoring.learning.curve import risings, tau_grid
from agzamov_verify.scoring.units.score_constants import load_score_constants

HOW = Resamples(bytes(32), 500, Bootstrap.EXPANDED)
GREATER, TWO_SIDED = Alternative.GREATER, Alternative.TWO_SIDED
ONE = Fraction(1)


def units(seed: int, n: int = 60, level: float = 0.5, starts: str = "", scale: Scale = PAIR_WINS) -> Units:
    drawn = np.random.default_rng(seed).binomial(2, level, n)
    return Units(tuple(map(int, drawn)), scale, starts)


def p_of(tested: Joint) -> float:
    assert tested.p is not None
    return float(tested.p)


def test_cells_on_the_same_starts_are_compared_pair_by_pair() -> None:
    a, b = units(1, level=0.6, starts="run"), units(2, starts="run")
    found = weighed("", [Weighted(a, ONE), Weighted(b, -ONE)], GREATER, HOW)
    assert p_of(found) == pytest.approx(stats.ttest_rel(a.values, b.values, alternative="greater").pvalue, rel=1e-4)
    assert found.parts[0].test.method == "t-one-sample"


def test_each_sample_of_a_contrast_has_its_sd_in_the_published_unit() -> None:
    """Careers on one side and units on the other: the second SD had the first one's factor, so it was far too small."""
    real = units(1, 10, scale=Scale(PAIR_WINS.unit, PAIR_WINS.factor / 50))
    naked = units(2, 60)
    found = estimated([Weighted(real, ONE), Weighted(naked, -ONE)], HOW)
    assert found.sd
    expected = [np.std(one.values, ddof=1) * float(one.scale.factor) for one in (real, naked)]
    assert [float(sd.decimal) for sd in found.sd] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("other", ["", "another run"])
def test_cells_on_other_starts_are_compared_by_welchs_test(other: str) -> None:
    a, b = units(1, level=0.6, starts="run"), units(2, 40, starts=other)
    found = weighed("", [Weighted(a, ONE), Weighted(b, -ONE)], TWO_SIDED, HOW)
    assert p_of(found) == pytest.approx(stats.ttest_ind(a.values, b.values, equal_var=False).pvalue, rel=1e-4)


def test_a_contrast_of_two_units_of_measure_is_taken_on_their_common_scale() -> None:
    """H3 lays win rates and big blinds on one scale: scipy's Welch test of the rescaled values says the same."""
    chess = shrunk(units(1, level=0.7), Fraction(1, 4), "share")
    chips = [int(value) for value in np.random.default_rng(3).normal(300, 9000, 80)]
    poker = shrunk(Units(tuple(chips), Scale("bb/100", Fraction(1, 100)), ""), Fraction(50), "share")
    found = weighed("", [Weighted(chess, ONE), Weighted(poker, -ONE)], TWO_SIDED, HOW)
    rescaled = [value / 2 / 0.25 for value in chess.values], [value / 100 / 50 for value in poker.values]
    assert p_of(found) == pytest.approx(stats.ttest_ind(*rescaled, equal_var=False).pvalue, rel=1e-4)
    estimate = found.parts[0].estimate
    assert estimate is not None
    assert estimate.value is not None
    assert float(estimate.value.decimal) == pytest.approx(np.mean(rescaled[0]) - np.mean(rescaled[1]), abs=1e-5)
    assert estimate.unit == "share"


def test_a_control_of_two_arms_is_one_sample_and_not_two() -> None:
    """Welch and Satterthwaite by hand: the control's variance counts in full, however many arms it stands against."""
    arms, control = [units(1, level=0.6), units(2, level=0.7)], units(3)
    halved = [shrunk(one, Fraction(2)) for one in (*arms, control)]
    groups = [Weighted(halved[0], ONE), Weighted(halved[2], -ONE), Weighted(halved[1], ONE), Weighted(halved[2], -ONE)]
    parts = [
        np.var(one.values, ddof=1) / 60 * share for one, share in zip((*arms, control), (0.25, 0.25, 1), strict=True)
    ]
    away = (np.mean(arms[0].values) + np.mean(arms[1].values)) / 2 - np.mean(control.values)
    df = sum(parts) ** 2 / sum(part**2 / 59 for part in parts)
    oracle = stats.t.sf(away / np.sqrt(sum(parts)), df)
    assert p_of(weighed("", groups, GREATER, HOW)) == pytest.approx(oracle, rel=1e-4)


def test_equivalence_is_statsmodels_two_one_sided_tests() -> None:
    a, b = units(1, 400), units(2, 400)
    found = equivalent("", [Weighted(a, ONE), Weighted(b, -ONE)], Fraction(1, 10), HOW)
    p, _, _ = ttost_ind(np.array(a.values) / 2, np.array(b.values) / 2, -0.1, 0.1, usevar="unequal")
    assert p_of(found) == pytest.approx(p, rel=1e-4)


def test_a_real_difference_is_not_equivalent() -> None:
    found = equivalent("", [Weighted(units(1, level=0.8), ONE), Weighted(units(2), -ONE)], Fraction(1, 10), HOW)
    assert p_of(found) > 0.5


def test_one_way_is_scipys_analysis_of_variance() -> None:
    groups = [units(seed, level=level) for seed, level in ((1, 0.5), (2, 0.6), (3, 0.7))]
    oracle = stats.f_oneway(*(group.values for group in groups)).pvalue
    assert p_of(one_way("", groups)) == pytest.approx(oracle, rel=1e-4)


def test_the_bounds_of_a_combination_are_those_of_its_parts() -> None:
    whole = combined([Weighted(units(1, starts="r"), ONE), Weighted(units(2, starts="r"), -ONE)])
    assert (whole.scale.least, whole.scale.greatest) == (-1, 1)


def test_a_group_without_values_leaves_nothing_to_test() -> None:
    found = weighed("", [Weighted(units(1), ONE), Weighted(units(2, 0), -ONE)], GREATER, HOW)
    assert found.p is None
    assert found.parts[0].test.note


def test_all_must_hold_or_one_is_enough() -> None:
    low, high, none = (Joint(p, ()) for p in (Fraction(1, 100), Fraction(1, 2), None))
    assert all_of(low, high).p == Fraction(1, 2)
    assert any_of(low, high).p == Fraction(1, 50)
    assert all_of(low, none).p is None
    assert any_of(low, none).p == Fraction(1, 50)
    assert any_of(high, high, high).p == 1
    assert any_of(none).p is None


@pytest.mark.slow
def test_courses_at_constant_strength_differ_no_more_often_than_the_level_says() -> None:
    hits = 0
    for seed in range(60):
        a, b = (np.random.default_rng([seed, side]).integers(0, 5, 60).tolist() for side in (0, 1))
        hits += p_of(courses_differ("", course(a), course(b), RULE, seed.to_bytes(4, "big"), 4999)) < 0.1
    assert hits <= 12  # 6 are expected; P(more than 12) is below 1 %


def test_a_course_that_climbs_is_told_from_one_that_stays() -> None:
    climbing = [min(4, at // 5) for at in range(60)]
    assert p_of(courses_differ("", course(climbing), course([2] * 60), RULE, b"", 4999)) < 0.01
    assert courses_differ("", course(climbing), course(climbing), RULE, b"", 4999).p is None


RULE = load_score_constants("agz-0.1").learning.rules["chess960"]


def course(values: Sequence[int], careers: int = 0) -> Units:
    return Units(tuple(values), PAIR_WINS, "starts", careers)


def test_courses_of_careers_differ_by_scipys_t_of_their_trends() -> None:
    rng = np.random.default_rng(3)
    one, other = (rng.integers(0, 5, 200).tolist() for _ in range(2))
    shape = np.array(risings(40, 2, tau_grid(80, 2))).sum(axis=0)
    trends = [np.array(values).reshape(5, 40) @ shape.astype(float) for values in (one, other)]
    found = courses_differ("", course(one, 5), course(other, 5), RULE, b"", 4999)
    assert float(p_of(found)) == pytest.approx(stats.ttest_rel(*trends).pvalue, rel=1e-5)
    assert courses_differ("", course(one, 1), course(other, 1), RULE, b"", 4999).p is None
