"""One figure from several runs: its weights, its interval, and the share of worlds in which that holds the truth."""

from fractions import Fraction

import numpy as np
import pytest

from agzamov_verify.scoring.inference.distributions import t_quantile
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import figure, fixed, square_root
from agzamov_verify.scoring.inference.pooled_runs import RunFigure, pooled_runs
from agzamov_verify.scoring.inference.samples import Contrast, Interval, moments


def run_of(values: list[int]) -> RunFigure:
    """A run with one value for each career."""
    sample = moments(values)
    contrast = Contrast(sample.mean, sample.variance / sample.n, Fraction(sample.n - 1))
    half = t_quantile(Fraction(39, 40), contrast.df) * square_root(contrast.squared_error)
    interval = Interval(fixed(sample.mean - half), fixed(sample.mean + half), "student-t")
    return RunFigure(Estimate(figure(sample.mean), interval, (sample.n,), None, None, "score", "careers"), contrast)


SHORT = RunFigure(Estimate(figure(Fraction(99)), None, (1,), None, None, "score", "one career"), None)


def test_one_run_is_as_it_is() -> None:
    alone = run_of([1, 2, 4])
    assert pooled_runs([alone]) is alone
    assert pooled_runs([SHORT, alone]) is alone


def test_runs_weigh_as_much_as_they_have_careers() -> None:
    """By hand: means 2 of 2 careers and 5 of 4; (2 * 2 + 4 * 5) / 6 = 4; v = (1/3)^2 * 1 + (2/3)^2 * 5/6 = 13/27."""
    found = pooled_runs([run_of([1, 3]), run_of([3, 4, 6, 7]), SHORT])
    assert found.contrast
    assert (found.contrast.value, found.contrast.squared_error) == (4, Fraction(13, 27))
    # (13/27)^2 / ((1/9)^2 / 1 + (10/27)^2 / 3) = 3.99
    assert found.contrast.df == 3
    assert found.estimate.n == (6,)
    assert found.estimate.ci
    half = float(t_quantile(Fraction(39, 40), 3)) * float(Fraction(13, 27)) ** 0.5
    assert float(found.estimate.ci.low) == pytest.approx(4 - half, abs=1e-6)


def test_runs_without_an_interval_have_none_together() -> None:
    assert pooled_runs([SHORT, SHORT]).estimate.ci is None


@pytest.mark.parametrize(("runs", "careers"), [(2, 5), (8, 5), (4, 3)])
def test_the_interval_of_pooled_runs_of_few_careers_holds_the_truth(runs: int, careers: int) -> None:
    """Inverse variances and 1.96 standard errors hold it in 84, 74 and 62 of 100 worlds."""
    source, worlds, hits = np.random.default_rng(9), 1_000, 0
    for _ in range(worlds):
        rows = np.rint(1_000 * source.normal(size=(runs, careers))).astype(int)
        interval = pooled_runs([run_of([int(value) for value in row]) for row in rows]).estimate.ci
        assert interval
        hits += float(interval.low) <= 0 <= float(interval.high)
    assert 0.93 <= hits / worlds <= 0.985
