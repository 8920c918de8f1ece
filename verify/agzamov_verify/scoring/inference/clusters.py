"""Ratios of two sums over clusters: errors by decisions, chips by hands, centipawns by moves.

Decisions of one game depend on each other, so the cluster (a game, a session, a career) is what is repeated. A ratio
r = sum x / sum m is linearised (Cochran 1977, Sampling Techniques, section 6.4): residuals d = x - r m have the mean 0,
and its squared standard error is n / (n - 1) sum d^2 / (sum m)^2. Where few clusters carry the sum, that error is
itself uncertain: its degrees of freedom are 2 (sum d^2)^2 / (sum d^4 - (sum d^2)^2 / n), Satterthwaite's with the
variance of d^2 as it was seen, at least 1 and at most n - 1. Which interval from which number of clusters on, with the
coverage measured: docs/decisions/0045.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from .distributions import t_quantile, t_upper
from .estimate import ALPHA, Estimate, Scale
from .exact import figure, fixed, mp, rational, real, rounded, square_root
from .means import ALIKE, FEW
from .power import POWER, detectable_noncentrality
from .proportions import binomial_p, score_bounds
from .samples import Interval
from .significance import Alternative, Significance, outcome, untested

SHARE: Final = Scale("share", Fraction(1))
Z_90: Final = Fraction(1644853626951473, 10**15)
"""The normal deviate with 5 % above it."""

STUDENT: Final = "cluster-t"
WILSON: Final = "cluster-wilson"
MORE_ALIKE: Final = "events may go together more than is taken for granted"
EXACT: Final = "clusters-with-an-error"


class Linearised(NamedTuple):
    """A ratio over `n` clusters, its squared standard error and the degrees of freedom of that.

    `effective`: (sum m)^2 / sum m^2, the number of clusters of one size that would be worth as much (Kish 1965).
    `df` is 0 where the error is 0.
    """

    n: int
    value: Fraction
    squared_error: Fraction
    df: Fraction
    effective: Fraction


class Term(NamedTuple):
    """A ratio of a contrast, and its weight."""

    ratio: Linearised
    weight: Fraction


def linearised(above: Sequence[int], below: Sequence[int]) -> Linearised | None:
    """sum(above) / sum(below) over the clusters whose `below` is not 0; None without one."""
    pairs = [(x, m) for x, m in zip(above, below, strict=True) if m]
    n, total, count = len(pairs), sum(x for x, _ in pairs), sum(m for _, m in pairs)
    if not n:
        return None
    effective = Fraction(count * count, sum(m * m for _, m in pairs))
    # Residuals d = x - r m times `count`, so that they are whole: sum d^2 = squares_sum / count^2. The squared error is
    # n / (n - 1) sum d^2 / count^2, hence count^4 below; the degrees of freedom do not depend on the scale.
    squares = [(x * count - total * m) ** 2 for x, m in pairs]
    squares_sum, fourth = sum(squares), sum(square * square for square in squares)
    if n < 2 or not squares_sum:
        return Linearised(n, Fraction(total, count), Fraction(0), Fraction(0), effective)
    spread = n * fourth - squares_sum * squares_sum
    df = Fraction(2 * n * squares_sum * squares_sum, spread) if spread else Fraction(n - 1)
    error = Fraction(n * squares_sum, (n - 1) * count**4)
    return Linearised(n, Fraction(total, count), error, min(Fraction(n - 1), max(Fraction(1), df)), effective)


def joined(terms: Sequence[Term]) -> Linearised:
    """The weighted sum of independent ratios, with Welch and Satterthwaite's degrees of freedom."""
    value = sum((weight * ratio.value for ratio, weight in terms), Fraction(0))
    parts = [weight**2 * ratio.squared_error for ratio, weight in terms]
    error, df = sum(parts, Fraction(0)), Fraction(0)
    if error:
        df = error**2 / sum(part**2 / ratio.df for part, (ratio, _) in zip(parts, terms, strict=True) if part)
    return Linearised(sum(ratio.n for ratio, _ in terms), value, error, df, min(ratio.effective for ratio, _ in terms))


def ratio_contrast(terms: Sequence[Term], scale: Scale, note: str = "", over: str = "") -> Estimate:
    """A weighted sum of ratios with Student's interval.

    `note`: why it has none, such as too few clusters. `over`: what clusters are, where they are not the game's units.
    """
    sizes = tuple(term.ratio.n for term in terms)
    total, factor = joined(terms), abs(scale.factor)
    error, value = square_root(total.squared_error) * factor, total.value * scale.factor
    sd = tuple(rounded(square_root(ratio.squared_error * ratio.n) * factor) for ratio, _ in terms)
    ci, mde = None, None
    if total.df:
        half = t_quantile(1 - ALPHA / 2, total.df) * error
        ci = None if note else Interval(fixed(value - half), fixed(value + half), STUDENT)
        mde = rounded(detectable_noncentrality(max(1, int(total.df)), ALPHA, POWER) * error)
    return Estimate(figure(value), ci, sizes, sd if min(sizes) > 1 else None, mde, scale.unit, over, note)


def share_of_clusters(above: Sequence[int], below: Sequence[int], note: str = "", over: str = "") -> Estimate:
    """A share, such as of decisions with an error: Wilson's interval of the effective number of decisions.

    The effective number is r (1 - r) over the squared standard error (Korn and Graubard 1998, Survey Methodology
    24:193, who take Clopper and Pearson's interval there; Franco et al. 2019, J. Surv. Stat. Methodol. 7:334,
    Wilson's), and the quantile Student's. `note` and `over` as in `ratio_contrast`.
    """
    ratio = linearised(above, below)
    if ratio is None:
        return Estimate(None, None, (0,), None, None, SHARE.unit, over)
    estimate = ratio_contrast([Term(ratio, Fraction(1))], SHARE, note, over)
    if estimate.ci is None:
        return estimate
    effective = ratio.value * (1 - ratio.value) / ratio.squared_error
    low, high = score_bounds(ratio.value, effective, t_quantile(1 - ALPHA / 2, ratio.df))
    return msgspec.structs.replace(estimate, ci=Interval(fixed(low), fixed(high), WILSON))


def contrast_test(terms: Sequence[Term], alternative: Alternative, null: Fraction) -> Significance:
    """H0: the weighted sum of the ratios is `null`; one-sided Student's t."""
    sizes, total = tuple(term.ratio.n for term in terms), joined(terms)
    if min(sizes) < 2 or not total.df:
        return untested("t-clusters", alternative, sizes, FEW if min(sizes) < 2 else ALIKE)
    t = (total.value - null) / square_root(total.squared_error)
    p = t_upper(t if alternative is Alternative.GREATER else -t, total.df)
    return outcome("t-clusters", alternative, sizes, p, t, total.df)


def correlation_bound(above: Sequence[int], below: Sequence[int]) -> Fraction:
    """The upper end, one-sided at 95 %, of the intraclass correlation of events within a cluster.

    The estimate is that of pairs of decisions of one cluster: (share of pairs that are both events - r^2) / r (1 - r);
    its standard error the jackknife's over clusters. 0 where there are no events, or nothing but events.
    """
    pairs = [(x, m) for x, m in zip(above, below, strict=True) if m]
    totals = [sum(column) for column in zip(*((x, m, x * (x - 1), m * (m - 1)) for x, m in pairs), strict=True)]
    if not pairs or not totals[3]:
        return Fraction(0)
    counts = Counter(pairs)
    left_out = {
        (x, m): _correlation(totals[0] - x, totals[1] - m, totals[2] - x * (x - 1), totals[3] - m * (m - 1))
        for x, m in counts
    }
    n = len(pairs)
    mean = sum((many * left_out[pair] for pair, many in counts.items()), Fraction(0)) / n
    squares = sum((many * (left_out[pair] - mean) ** 2 for pair, many in counts.items()), Fraction(0))
    return _correlation(*totals) + Z_90 * square_root(squares * Fraction(n - 1, n))


def _correlation(events: int, decisions: int, both: int, pairs: int) -> Fraction:
    if not events or events == decisions or not pairs:
        return Fraction(0)
    rate = Fraction(events, decisions)
    return (Fraction(both, pairs) - rate**2) / (rate * (1 - rate))


def clusters_test(above: Sequence[int], below: Sequence[int], rate: Fraction) -> Significance:
    """H0: an event has the probability `rate` or more; against less, however events go together within a cluster.

    A cluster with an event has at most the most decisions of any, so where the rate is r, at least r times mean over
    greatest size of the clusters have one: an exact binomial test of their number.
    """
    clusters = [(x, m) for x, m in zip(above, below, strict=True) if m]
    if not clusters:
        return untested(EXACT, Alternative.LESS, (0,), FEW)
    mean, most = Fraction(sum(m for _, m in clusters), len(clusters)), max(m for _, m in clusters)
    with_event = sum(x > 0 for x, _ in clusters)
    p = binomial_p(with_event, len(clusters), Alternative.LESS, rate * mean / most)
    return outcome(EXACT, Alternative.LESS, (len(clusters),), p, Fraction(with_event))


def few_events_test(above: Sequence[int], below: Sequence[int], rate: Fraction, correlation: Fraction) -> Significance:
    """H0: an event has the probability `rate` or more; against less, where few clusters have one.

    Events go together within a cluster up to `correlation`; where the data may have more of it, clusters are tested,
    and the note says so.
    """
    if correlation_bound(above, below) <= correlation:
        return rare_events_test(above, below, rate, correlation)
    return msgspec.structs.replace(clusters_test(above, below, rate), note=MORE_ALIKE)


def rare_events_test(above: Sequence[int], below: Sequence[int], rate: Fraction, correlation: Fraction) -> Significance:
    """H0: an event has the probability `rate` or more; against less. By the number of clusters with an event.

    In a cluster of m decisions whose rate is beta-distributed with intraclass correlation rho (a + b = 1 / rho - 1,
    a = rate (a + b)), none has an event with the probability of the product over j < m of (b + j) / (a + b + j). p is
    the probability of so few clusters with an event, for the greatest correlation that is declared: events that cluster
    less fall into more clusters, so p is never too small there.
    """
    clusters = [(x, m) for x, m in zip(above, below, strict=True) if m]
    sizes = (len(clusters),)
    if not clusters:
        return untested(EXACT, Alternative.LESS, sizes, FEW)
    together = 1 / correlation - 1
    a, b = real(rate * together), real((1 - rate) * together)
    none = [mp.mpf(1)]
    for j in range(max(m for _, m in clusters)):
        none.append(none[-1] * (b + j) / (a + b + j))
    with_event = sum(x > 0 for x, _ in clusters)
    # chances[k]: probability that k of the clusters so far have an event, for k up to the observed number (the
    # recursion of the Poisson binomial distribution). Their sum is P(K <= observed).
    chances = [mp.mpf(1)] + [mp.mpf(0)] * with_event
    for _, m in clusters:
        without = none[m]
        for count in range(with_event, 0, -1):
            chances[count] = chances[count] * without + chances[count - 1] * (1 - without)
        chances[0] *= without
    return outcome(EXACT, Alternative.LESS, sizes, min(Fraction(1), rational(mp.fsum(chances))), Fraction(with_event))
