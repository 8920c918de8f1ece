"""Rank sets: published critical values, every case of two and three figures, coverage, and nothing but the figures."""

from fractions import Fraction
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from scipy.stats import t as student

from agzamov_verify.scoring.inference.rank_sets import critical_value, rank_sets
from agzamov_verify.scoring.inference.samples import Contrast, moments

KNOWN = Fraction(10**6)


def known(value: float, error: float = 1.0) -> Contrast:
    """A figure whose standard error is known."""
    return Contrast(Fraction(value), Fraction(error) ** 2, KNOWN)


@pytest.mark.parametrize(("m", "studentised_range"), [(2, 2.772), (3, 3.314), (5, 3.858), (12, 4.622)], ids=str)
def test_the_first_critical_value_is_that_of_the_studentised_range(m: int, studentised_range: float) -> None:
    """Of m equal variances, max |e_i - e_j| is the studentised range: q(0.05; m, infinity) (Harter 1960, table 1)."""
    found = critical_value(np.ones(m), ~np.eye(m, dtype=np.bool_), b"seed", 0.05, 100_000)
    assert found == pytest.approx(studentised_range / sqrt(2), abs=0.012)


@pytest.mark.parametrize(("difference", "sets"), [(2.76, [(1, 2), (1, 2)]), (2.79, [(1, 1), (2, 2)])])
def test_two_figures_are_told_apart_beyond_the_normal_quantile(difference: float, sets: list[tuple[int, int]]) -> None:
    """1.95996 standard errors of the difference, which is the square root of 2 here: 2.7718."""
    assert rank_sets([known(difference), known(0)], draws=200_000) == sets


@pytest.mark.parametrize("careers", [2, 5, 20])
def test_two_figures_of_few_careers_are_told_apart_beyond_students_quantile(careers: int) -> None:
    """Two samples of one variance and size: Welch's t has 2 (n - 1) degrees of freedom."""
    least = float(student.ppf(0.975, 2 * (careers - 1))) * sqrt(2)
    near, beyond = (Contrast(Fraction(least * factor), Fraction(1), Fraction(careers - 1)) for factor in (0.98, 1.02))
    none = Contrast(Fraction(0), Fraction(1), Fraction(careers - 1))
    assert rank_sets([near, none], draws=200_000) == [(1, 2), (1, 2)]
    assert rank_sets([beyond, none], draws=200_000) == [(1, 1), (2, 2)]


def stepped_down(values: list[float], draws: np.ndarray) -> list[tuple[int, int]]:
    """The procedure of the paper for three figures of SE 1, pair by pair and draw by draw, without any shortcut."""
    left, better = {*permutations(range(3), 2)}, set()
    while left:
        greatest = sorted(max((draw[i] - draw[j]) / sqrt(2) for i, j in left) for draw in draws)
        critical = greatest[int(0.95 * len(greatest))]
        found = {(i, j) for i, j in left if (values[i] - values[j]) / sqrt(2) > critical}
        if not found:
            break
        better, left = better | found, left - found
    return [(1 + sum(j == i for _, j in better), 3 - sum(j == i for j, _ in better)) for i in range(3)]


@pytest.mark.parametrize(
    "values",
    [
        (0.0, 1.0, 2.0),
        (0.0, 0.5, 4.0),
        (0.0, 3.0, 6.5),  # the middle one is told from both in the second step alone
        (0.0, 3.0, 3.2),
        (9.0, 0.0, 4.5),
    ],
)
def test_three_figures_have_the_sets_of_the_procedure_done_by_hand(values: tuple[float, ...]) -> None:
    draws = np.random.default_rng(20).standard_normal((20_000, 3))
    assert rank_sets([known(value) for value in values], draws=20_000) == stepped_down([*values], draws)


def test_a_further_step_finds_what_the_first_did_not() -> None:
    """Differences of 3.0 lie below 3.31 (first step), and above the value for what is left after 6.0 was found."""
    first, middle, last = rank_sets([known(6.6), known(3.3), known(0)], draws=200_000)
    assert (first, middle, last) == ((1, 1), (2, 2), (3, 3))
    alone = rank_sets([known(3.3), known(0), known(1.65)], draws=200_000)
    assert alone == [(1, 3), (1, 3), (1, 3)]


def test_ranks_follow_from_the_figures_whatever_their_order() -> None:
    figures = [known(value, error) for value, error in zip(np.linspace(0, 9, 9), np.linspace(0.5, 2, 9), strict=True)]
    found = rank_sets(figures, draws=500)
    assert found == rank_sets(figures, draws=500)
    assert found[::-1] == rank_sets(figures[::-1], draws=500)


def test_a_contender_of_few_careers_does_not_blur_the_ranks_of_others() -> None:
    """The greatest of studentised differences would be its own: c would be that of 1 degree of freedom, above 10."""
    others = [known(value) for value in (0.0, 4.2, 8.4)]
    vague = Contrast(Fraction(4), Fraction(100) ** 2, Fraction(1))
    assert rank_sets([*others, vague]) == [(3, 4), (2, 3), (1, 2), (1, 4)]


def test_one_figure_has_rank_one_and_none_has_none() -> None:
    assert rank_sets([known(3)]) == [(1, 1)]
    assert rank_sets([]) == []


@pytest.mark.parametrize(
    "wrong", [Contrast(Fraction(1), Fraction(0), KNOWN), Contrast(Fraction(1), Fraction(1), Fraction(0))]
)
def test_a_figure_without_a_variance_is_refused(wrong: Contrast) -> None:
    with pytest.raises(ValueError, match="a variance"):
        rank_sets([known(0), wrong])


GROUPS = {"all equal": [0.0] * 12, "three groups of equals": [0.0] * 4 + [9.0] * 4 + [18.0] * 4}


def covered(truth: list[float], careers: int, worlds: int) -> float:
    """Share of worlds in which every set holds all ranks that its figure may truly have. 0 careers: variance known."""
    source, m = np.random.default_rng(3), len(truth)
    best = [1 + sum(other > value for other in truth) for value in truth]
    worst = [m - sum(other < value for other in truth) for value in truth]
    hits = 0
    for _ in range(worlds):
        if careers:
            rows = np.rint(1000 * (np.array(truth)[:, None] + source.normal(size=(m, careers)) * sqrt(careers)))
            samples = [moments([int(value) for value in row]) for row in rows]
            figures = [Contrast(one.mean, one.variance / one.n, Fraction(one.n - 1)) for one in samples]
        else:
            figures = [known(value) for value in np.array(truth) + source.normal(size=m)]
        sets = rank_sets(figures, draws=800)
        hits += all(low <= a and b <= high for (low, high), a, b in zip(sets, best, worst, strict=True))
    return hits / worlds


@pytest.mark.parametrize("truth", GROUPS.values(), ids=GROUPS)
def test_all_sets_hold_together_in_95_of_100_tables(truth: list[float]) -> None:
    """Ranks by non-overlapping intervals held in 72 and 88 of 100. 3.5 standard errors of 300 worlds: 4.4 points."""
    assert 0.906 <= covered(truth, 0, 300) <= 0.994


@pytest.mark.slow
def test_all_sets_hold_where_variances_are_of_five_careers() -> None:
    """60 worlds: 95 less 3 standard errors. 300 worlds of 12 figures held 95.3 of 100."""
    assert covered(GROUPS["all equal"][:6], 5, 60) >= 0.86
