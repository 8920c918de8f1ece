"""Contrasts against scipy: paired where the starts are one, Welch's where they are not, and both games together."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_ind

from agzamov_verify.scoring.agzamov.measures import PAIR_WINS, Units
from agzamov_verify.scoring.hypotheses.contrasts import (
    Joint,
    Weighted,
    combined,
    courses_differ,
    equivalent,
    every,
    one_way,
    shrunk,
    some,
    weighed,
)
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.significance import Alternative

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
    assert every(low, high).p == Fraction(1, 2)
    assert some(low, high).p == Fraction(1, 50)
    assert every(low, none).p is None
    assert some(low, none).p == Fraction(1, 50)
    assert some(high, high, high).p == 1
    assert some(none).p is None


def test_courses_at_constant_strength_differ_no_more_often_than_the_level_says() -> None:
    hits = 0
    for seed in range(60):
        a, b = (np.random.default_rng([seed, side]).integers(0, 5, 60).tolist() for side in (0, 1))
        hits += p_of(courses_differ("", a, b, 2, seed.to_bytes(4, "big"), 4999)) < 0.1
    assert hits <= 12  # 6 are expected; P(more than 12) is below 1 %


def test_a_course_that_climbs_is_told_from_one_that_stays() -> None:
    climbing = [min(4, at // 5) for at in range(60)]
    assert p_of(courses_differ("", climbing, [2] * 60, 2, b"", 4999)) < 0.01
    assert courses_differ("", climbing, climbing, 2, b"", 4999).p is None
