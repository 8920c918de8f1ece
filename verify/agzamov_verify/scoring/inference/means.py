"""Tests of means: Student's t for one sample and for pairs, Welch's t for two, any contrast, and one-way ANOVA.

The statistic's square is rational, so only the tail of the distribution is rounded.
Sources: Student 1908; Welch 1947 (Biometrika 34:28); Fisher 1925. Oracle in the tests: scipy.
"""

from collections.abc import Sequence
from fractions import Fraction

from .distributions import f_upper, t_two_sided
from .exact import square_root
from .samples import Contrast, Moments, contrast, moments
from .significance import Alternative, Significance, outcome, untested

FEW = "fewer than two values in a sample"
ALIKE = "no variation in the samples: a t test says nothing, a sign-flip test does"


def one_sample_t(values: Sequence[int], null: Fraction, alternative: Alternative) -> Significance:
    """H0: the mean is `null` (in the values' unit). For n >= 10, or fewer if they are near normal."""
    if len(values) < 2:
        return untested("t-one-sample", alternative, (len(values),), FEW)
    return contrast_t([moments(values)], [Fraction(1)], alternative, null, "t-one-sample")


def paired_t(a: Sequence[int], b: Sequence[int], alternative: Alternative) -> Significance:
    """H0: the mean of a - b is 0, pair by pair (the same start, the same deck)."""
    differences = [first - second for first, second in zip(a, b, strict=True)]
    if len(differences) < 2:
        return untested("t-paired", alternative, (len(differences),), FEW)
    return contrast_t([moments(differences)], [Fraction(1)], alternative, method="t-paired")


def welch_t(a: Sequence[int], b: Sequence[int], alternative: Alternative) -> Significance:
    """H0: two independent samples have one mean, whatever their variances (paper 9.5: 100-hand sessions)."""
    if min(len(a), len(b)) < 2:
        return untested("t-welch", alternative, (len(a), len(b)), FEW)
    return contrast_t([moments(a), moments(b)], [Fraction(1), Fraction(-1)], alternative, method="t-welch")


def contrast_t(
    groups: Sequence[Moments],
    weights: Sequence[Fraction],
    alternative: Alternative,
    null: Fraction = Fraction(0),
    method: str = "t-contrast",
) -> Significance:
    """H0: the weighted sum of independent means is `null`; Welch and Satterthwaite's degrees of freedom."""
    n = tuple(group.n for group in groups)
    if min(n) < 2:
        return untested(method, alternative, n, FEW)
    total = contrast(groups, weights)
    if not total.squared_error:
        return untested(method, alternative, n, ALIKE)
    t, p = _t_and_p(total, null, alternative)
    return outcome(method, alternative, n, p, t, total.df)


def anova(groups: Sequence[Moments]) -> Significance:
    """H0: all groups have one mean (equal variances assumed)."""
    n = tuple(group.n for group in groups)
    within, df_within = pooled(groups)
    if len(groups) < 2 or df_within < 1:
        return untested("anova", Alternative.TWO_SIDED, n, FEW)
    if not within:
        return untested("anova", Alternative.TWO_SIDED, n, "no variation within the groups")
    # F = [sum of n (mean - grand mean)^2 / (groups - 1)] / pooled variance.
    grand = sum((group.n * group.mean for group in groups), Fraction(0)) / sum(n)
    between = sum((group.n * (group.mean - grand) ** 2 for group in groups), Fraction(0)) / (len(groups) - 1)
    f = between / within
    p = f_upper(f, len(groups) - 1, df_within)
    return outcome("anova", Alternative.TWO_SIDED, n, p, f, Fraction(df_within))


def pooled(groups: Sequence[Moments]) -> tuple[Fraction, int]:
    """The variance within groups, weighted by their degrees of freedom, and the sum of these."""
    df = sum(group.n - 1 for group in groups)
    squares = sum(((group.n - 1) * group.variance for group in groups), Fraction(0))
    return (squares / df if df else Fraction(0)), df


def _t_and_p(total: Contrast, null: Fraction, alternative: Alternative) -> tuple[Fraction, Fraction]:
    away = total.value - null
    squared = away**2 / total.squared_error
    both = t_two_sided(squared, total.df)
    t = square_root(squared) * (-1 if away < 0 else 1)
    match alternative:
        case Alternative.TWO_SIDED:
            return t, both
        case Alternative.GREATER:
            return t, both / 2 if away > 0 else 1 - both / 2
        case Alternative.LESS:
            return t, both / 2 if away < 0 else 1 - both / 2
