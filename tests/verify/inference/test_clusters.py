"""Ratios over clusters: against statsmodels' cluster-robust errors, Wilson's formula, and exact enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from agzamov_verify.scoring.inference.clusters import (
    MORE_ALIKE,
    SHARE,
    Linearised,
    Term,
    contrast_test,
    correlation_bound,
    few_events_test,
    joined,
    linearised,
    rare_events_test,
    ratio_contrast,
    share_of_clusters,
)
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.inference.unit_values import CAREERS, ONE_CAREER, ratio_of
from agzamov_verify.scoring.units.ratios import ratio_figure, share_figure
from agzamov_verify.scoring.units.score_constants import load_score_constants

ONE, CONSTANTS = Fraction(1), load_score_constants("agz-0.1").clusters
GENERATOR = np.random.default_rng(3)
BELOW = [int(n) for n in GENERATOR.integers(20, 60, 60)]
ABOVE = [int(GENERATOR.binomial(n, p)) for n, p in zip(BELOW, GENERATOR.beta(0.5, 4, 60), strict=True)]


def found(above: list[int] = ABOVE, below: list[int] = BELOW) -> Linearised:
    one = linearised(above, below)
    assert one is not None
    return one


def test_the_standard_error_is_the_cluster_robust_one() -> None:
    decisions = np.concatenate([[1] * x + [0] * (m - x) for x, m in zip(ABOVE, BELOW, strict=True)])
    groups = np.repeat(np.arange(len(BELOW)), BELOW)
    fit = sm.OLS(decisions, np.ones(len(decisions))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    error = float(found().squared_error) ** 0.5
    assert error == pytest.approx(fit.bse[0], rel=1e-9)
    assert float(found().value) == pytest.approx(fit.params[0])


def test_units_of_one_size_give_students_interval_of_their_mean() -> None:
    values = [int(value) for value in GENERATOR.normal(0, 500, 40)]
    of = found(values, [1] * 40)
    assert float(of.squared_error) == pytest.approx(np.var(values, ddof=1) / 40)
    assert of.effective == 40
    ci = ratio_contrast([Term(of, ONE)], Scale("x", ONE)).ci
    assert ci is not None
    half = stats.t.ppf(0.975, float(of.df)) * np.std(values, ddof=1) / 40**0.5
    assert [float(ci.low), float(ci.high)] == pytest.approx([np.mean(values) - half, np.mean(values) + half], abs=1e-5)


def test_degrees_of_freedom_fall_where_few_clusters_carry_the_error() -> None:
    alike, one_bad = found([3, 1] * 20, [40] * 40), found([20] + [0, 1] * 20, [40] * 41)
    assert alike.df == 39
    assert 1 <= one_bad.df < 4


def test_independent_decisions_have_wilsons_interval() -> None:
    """Clusters of one decision: the effective number is n - 1, the quantile Student's."""
    ci = share_of_clusters([1] * 120 + [0] * 280, [1] * 400).ci
    assert ci is not None
    low, high = stats.binomtest(120, 400).proportion_ci(method="wilson")
    assert [float(ci.low), float(ci.high)] == pytest.approx([low, high], abs=1e-3)


def test_errors_that_come_together_widen_the_interval() -> None:
    spread, together = (
        share_of_clusters([2] * 20 + [1] * 40, [40] * 60),
        share_of_clusters([8] * 10 + [0] * 50, [40] * 60),
    )
    assert spread.value == together.value
    assert spread.ci is not None
    assert together.ci is not None
    assert float(together.ci.high) - float(together.ci.low) > 3 * (float(spread.ci.high) - float(spread.ci.low))


def test_clusters_without_anything_below_are_left_out() -> None:
    assert found([*ABOVE, 0], [*BELOW, 0]) == found()
    assert linearised([], []) is None
    assert linearised([0], [0]) is None


def test_without_variation_there_is_no_error_and_no_interval() -> None:
    flat = share_of_clusters([2] * 40, [20] * 40)
    assert (flat.value is not None, flat.ci, flat.mde) == (True, None, None)


def test_a_difference_has_welchs_degrees_of_freedom() -> None:
    a, b = [int(x) for x in GENERATOR.normal(0, 500, 30)], [int(x) for x in GENERATOR.normal(0, 900, 50)]
    terms = [
        Term(found(a, [1] * 30)._replace(df=Fraction(29)), ONE),
        Term(found(b, [1] * 50)._replace(df=Fraction(49)), -ONE),
    ]
    test = contrast_test(terms, Alternative.LESS, Fraction(100))
    oracle = stats.ttest_ind(np.array(a) - 100, b, equal_var=False, alternative="less")
    assert float(test.statistic or 0) == pytest.approx(oracle.statistic, rel=1e-5)
    assert float(test.p or 0) == pytest.approx(oracle.pvalue, rel=1e-4)
    assert float(joined(terms).df) == pytest.approx(oracle.df)


def test_the_exact_test_is_the_enumeration_of_clusters_with_an_event() -> None:
    below, rate, rho = [3, 5, 8, 2], Fraction(1, 10), Fraction(1, 5)
    a, b = float(rate * (1 / rho - 1)), float((1 - rate) * (1 / rho - 1))
    none = [stats.betabinom.pmf(0, m, a, b) for m in below]
    expected = sum(
        np.prod([without if not event else 1 - without for event, without in zip(events, none, strict=True)])
        for events in product((0, 1), repeat=4)
        if sum(events) <= 1
    )
    test = rare_events_test([0, 2, 0, 0], below, rate, rho)
    assert float(test.p or 0) == pytest.approx(expected, rel=1e-5)
    assert test.statistic == "1"


def test_no_error_in_many_games_is_evidence_and_in_few_games_is_none() -> None:
    few, many = (rare_events_test([0] * n, [40] * n, Fraction(1, 200), Fraction(1, 5)) for n in (10, 250))
    assert float(few.p or 0) > 0.5
    assert float(many.p or 0) < 1e-4
    one = rare_events_test([1] + [0] * 249, [40] * 250, Fraction(1, 200), Fraction(1, 5))
    assert float(many.p or 0) < float(one.p or 0) < 1e-3


def test_a_share_of_few_games_or_few_with_an_error_has_no_interval_and_says_so() -> None:
    few = share_figure(ratio_of([1] * 29, [40] * 29, SHARE), CONSTANTS)
    rare = share_figure(ratio_of([1] * 9 + [0] * 51, [40] * 60, SHARE), CONSTANTS)
    enough = share_figure(ratio_of([1] * 10 + [0] * 50, [40] * 60, SHARE), CONSTANTS)
    assert (few.ci, few.ci_note) == (None, "29 games, an interval needs 30")
    assert (rare.ci, rare.ci_note) == (None, "in 9 of 60 games, an interval needs 10")
    assert enough.ci is not None


def test_a_ratio_that_few_units_carry_has_no_interval() -> None:
    scale = Scale("bb/100", ONE)
    even = ratio_figure([(ratio_of([100, -40] * 6, [100] * 12, scale), ONE)], CONSTANTS)
    carried = ratio_figure([(ratio_of([100, -40] * 6, [100] + [1] * 11, scale), ONE)], CONSTANTS)
    assert even.ci is not None
    assert (carried.ci, carried.ci_note) == (None, "n = 12 worth 1.2 of one size, an interval needs 10")


def test_careers_are_the_clusters_of_an_arm_that_has_them() -> None:
    five = share_figure(ratio_of(ABOVE, BELOW, SHARE, 5), CONSTANTS)
    assert (five.n, five.over) == ((5,), CAREERS)
    assert five.ci is not None
    one = share_figure(ratio_of(ABOVE, BELOW, SHARE, 1), CONSTANTS)
    assert (one.ci, one.mde, one.over) == (None, None, ONE_CAREER)
    scale = Scale("bb/100", ONE)
    uneven = ratio_figure([(ratio_of([5, 4, 3, 2, 1], [100, 1, 1, 1, 1], scale, 5), ONE)], CONSTANTS)
    assert (uneven.over, uneven.ci) == (CAREERS, None)


def test_errors_that_go_together_more_than_is_taken_for_granted_are_tested_by_games() -> None:
    """Stats F6: whole games that collapse gave "no more errors" in 89 of 100 runs at the margin."""
    margin, correlation = Fraction(5, 1000), Fraction(1, 5)
    apart = [1, *[0] * 120, 1, *[0] * 128], [40] * 250
    collapsed = [28, *[0] * 249], [40] * 250
    found, other = (few_events_test(*given, margin, correlation) for given in (apart, collapsed))
    assert (found.note, found.p) == ("", rare_events_test(*apart, margin, correlation).p)
    assert rare_events_test(*collapsed, margin, correlation).rejects(Fraction(1, 20))
    assert other.note == MORE_ALIKE
    assert not other.rejects(Fraction(1, 20))
    assert other.p
    assert float(other.p) == pytest.approx(stats.binom.cdf(1, 250, 0.005), rel=1e-6)


def test_the_bound_of_a_correlation_holds_the_pairs_of_its_clusters() -> None:
    """All errors in one game: every pair with an error is of two; one error a game: no pair is."""
    assert correlation_bound([0] * 30, [40] * 30) == 0
    assert correlation_bound([1] * 10 + [0] * 240, [40] * 250) < Fraction(1, 100)
    assert correlation_bound([40, 40, *[0] * 248], [40] * 250) >= 1
