"""Several executions of one plan: all pairs, Q and I^2 against statsmodels; the pooled mean."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import t as student
from statsmodels.stats.meta_analysis import combine_effects
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from agzamov_verify.attestations.agreement import compared, compared_again, compared_words, together_words
from agzamov_verify.scoring.inference.distributions import chi_square_upper
from agzamov_verify.scoring.inference.equivalence import pairs_tested
from agzamov_verify.scoring.inference.heterogeneity import heterogeneity
from agzamov_verify.scoring.inference.pooled_runs import pooled_bounds, pooled_contrast
from agzamov_verify.scoring.inference.samples import Contrast, contrast, moments
from agzamov_verify.scoring.repeated_figures import RepeatedFigure

SOURCE = np.random.default_rng(20)
AGREEING = [np.rint(100 * SOURCE.normal(0, 1, 40)).astype(int).tolist() for _ in range(4)]
"""Four executions with one true value of 0 and an SD of 100."""
APART = [*AGREEING[:3], [value + 150 for value in AGREEING[3]]]
"""The last one's true value is 150."""
NOTHING = Contrast(Fraction(3), Fraction(0), Fraction(9))


def figures_of(samples: list[list[int]]) -> list[Contrast]:
    return [contrast([moments(values)], [Fraction(1)]) for values in samples]


def repeated(samples: list[list[int]]) -> list[RepeatedFigure]:
    return [RepeatedFigure("f", "score", one) for one in figures_of(samples)]


@pytest.mark.parametrize("samples", [AGREEING, APART, AGREEING[:2]])
def test_every_pair_is_tested_as_statsmodels_does(samples: list[list[int]]) -> None:
    found = pairs_tested(figures_of(samples), Fraction(100))
    pairs = [CompareMeans(DescrStatsW(a), DescrStatsW(b)) for a, b in combinations(samples, 2)]
    expected = [pair.ttost_ind(-100, 100, usevar="unequal")[0] for pair in pairs]
    assert [float(one.p) for one in found] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("samples", [AGREEING, APART, AGREEING[:2]])
def test_q_and_i_squared_are_those_of_statsmodels(samples: list[list[int]]) -> None:
    figures = figures_of(samples)
    found = heterogeneity(figures)
    assert found
    values, variances = (
        np.array([float(getattr(one, name)) for one in figures]) for name in ("value", "squared_error")
    )
    theirs = combine_effects(values, variances)
    assert float(found.q) == pytest.approx(theirs.q, rel=1e-9)
    assert float(found.i_squared) == pytest.approx(max(0, theirs.i2), rel=1e-9, abs=1e-12)
    assert float(found.p) == pytest.approx(chi2.sf(theirs.q, len(samples) - 1), rel=1e-9)


def test_figures_without_variance_have_no_heterogeneity() -> None:
    assert heterogeneity([NOTHING, *figures_of(AGREEING)]) is None
    assert heterogeneity([figures_of(AGREEING)[0]] * 2) == (0, 1, 0)


@pytest.mark.parametrize(("x", "df"), [(0, 1), (1, 1), (40, 3), (900, 15)])
def test_the_tail_of_chi_square_is_that_of_scipy(x: int, df: int) -> None:
    assert float(chi_square_upper(Fraction(x), df)) == pytest.approx(chi2.sf(x, df), rel=1e-9)
    assert chi_square_upper(Fraction(10**30), df) == 0


def test_the_pooled_figure_is_the_mean_of_executions_with_satterthwaites_interval() -> None:
    """Equal sizes and weights: the mean of all values, v = sum of s^2 / n / 16, df = (sum v)^2 / sum v^2 / 39."""
    pooled = pooled_contrast([Fraction(1, 4)] * 4, figures_of(AGREEING))
    assert pooled.value == Fraction(sum(map(sum, AGREEING)), 160)
    variances = [np.var(values, ddof=1) / 40 / 16 for values in AGREEING]
    df = sum(variances) ** 2 / sum(variance**2 / 39 for variance in variances)
    half = student.ppf(0.975, int(df)) * sum(variances) ** 0.5
    low, high = pooled_bounds(pooled)
    assert (float(low), float(high)) == pytest.approx(
        (float(pooled.value) - half, float(pooled.value) + half), rel=1e-9
    )
    assert pooled_bounds(pooled_contrast([Fraction(1, 2)] * 2, [NOTHING, NOTHING])) == (3, 3)


def test_planted_agreement_is_found_and_one_planted_disagreement_keeps_all_from_agreeing() -> None:
    same, apart = compared(repeated(AGREEING), "100"), compared(repeated(APART), "100")
    assert (same.agrees, apart.agrees) == (True, False)
    assert [float(pair.p) < 0.05 for pair in apart.pairs] == [True, True, False, True, False, False]
    assert (len(same.pairs), same.p) == (6, max((pair.p for pair in same.pairs), key=float))
    assert "do not agree within 100" in compared_words(apart)
    assert ", the farthest apart of 6 pairs)" in compared_words(apart)
    assert "which leaves out what lies between" in next(together_words(apart))
    assert "which leaves out" not in next(together_words(same))


def test_a_compared_figure_follows_from_its_own_numbers() -> None:
    """A statement is rounded to twelve decimals before anything is tested."""
    figures = [figure._replace(measured=Contrast(*map(_cut, _parts(figure.measured)))) for figure in repeated(APART)]
    found = compared(figures, "100")
    assert compared_again(found) == found


def _parts(one: Contrast) -> tuple[Fraction, Fraction, Fraction]:
    return one.value, one.squared_error, one.df


def _cut(value: Fraction) -> Fraction:
    return Fraction(round(value * 10**12), 10**12)


def test_two_executions_are_told_as_before() -> None:
    words = compared_words(compared(repeated(AGREEING[:2]), "100"))
    assert words.startswith("f: ")
    assert " score agree within 100; 90 % interval of the difference " in words
    assert "farthest" not in words


@pytest.mark.exhaustive
def test_one_pair_at_the_margin_is_called_agreeing_in_five_worlds_of_a_hundred_at_most() -> None:
    """The size of the test of all pairs where the third execution is exactly the margin away from the first two."""
    source, worlds, hits = np.random.default_rng(7), 300, 0
    for _ in range(worlds):
        values = np.rint(1_000 * (source.normal(size=(3, 12)) + np.array([[0], [0], [1.5]]))).astype(int)
        hits += all(pair.agrees for pair in pairs_tested(figures_of(values.tolist()), Fraction(1_500)))
    assert hits / worlds <= 0.05 + 3 * (0.05 * 0.95 / worlds) ** 0.5
