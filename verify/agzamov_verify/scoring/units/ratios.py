"""Figures that are ratios over units, games or careers: which have an interval, from how much data on."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from ..inference.clusters import Linearised, Term, linearised, ratio_contrast, share_of_clusters
from ..inference.estimate import Estimate, mended, needs
from ..inference.unit_values import CAREERS, Ratio, Units, value_alone, why_untested, with_careers
from .score_constants import ClusterConstants

WHOLE: Final = Fraction(1)


def as_ratio(units: Units) -> Ratio:
    """A mean as the ratio of the sum to the number of units."""
    return Ratio(units.values, (1,) * len(units.values), units.scale, units.careers, units.over, units.too_short)


def ratio_figure(groups: Sequence[tuple[Ratio, Fraction]], constants: ClusterConstants) -> Estimate:
    """A weighted sum of ratios in the unit of the first, each over its units."""
    scale = groups[0][0].scale
    rows = [(linearised(ratio.above, ratio.below), ratio, weight) for ratio, weight in groups]
    terms = [Term(term, weight * ratio.scale.factor / scale.factor) for term, ratio, weight in rows if term]
    over = next((ratio.over for ratio, _ in groups if ratio.over), "")
    if len(terms) < len(groups):
        return Estimate(None, None, tuple(term.n if term else 0 for term, _, _ in rows), None, None, scale.unit, over)
    ratios = [ratio for ratio, _ in groups]
    if why := why_untested(ratios):
        return value_alone(with_careers(ratio_contrast(terms, scale, over=over), ratios), why)

    def noted(reason: str) -> Estimate:
        return with_careers(ratio_contrast(terms, scale, note=reason, over=over), ratios)

    enough = all(term and is_enough(term, ratio.over, term.n, constants) for term, ratio, _ in rows)
    released = noted("" if enough else _uneven(terms, over, constants))
    if released.ci_note or over != CAREERS:
        return released
    for term, ratio, _ in rows:
        if term and not is_enough(term, ratio.over, len(ratio.below), constants):
            return mended(noted(_lacking(term, len(ratio.below), constants)), released)
    return released


def _uneven(terms: Sequence[Term], over: str, constants: ClusterConstants) -> str:
    """The reason why a ratio that few units carry has no interval."""
    worth, n = min((term.ratio.effective, term.ratio.n) for term in terms)
    if over == CAREERS:
        return f"{n} careers worth {float(worth):.1f} even ones, an interval needs {constants.even_percent} %"
    return needs(f"n = {n} worth {float(worth):.1f} of one size", constants.ratio_units_min)


def _lacking(ratio: Linearised, careers: int, constants: ClusterConstants) -> str:
    """The reason why a ratio that some careers have nothing for has no interval: 0.3.0 counted the others alone."""
    worth = f"worth {float(ratio.effective):.1f} even ones"
    return f"{ratio.n} of {careers} careers have it, {worth}, an interval needs {constants.even_percent} % of all"


def is_enough(ratio: Linearised, over: str, careers: int, constants: ClusterConstants) -> bool:
    """True if enough units, or enough of so many careers, carry the ratio for its interval to cover as it should."""
    if over == CAREERS:
        return 100 * ratio.effective >= constants.even_percent * careers
    return ratio.effective >= constants.ratio_units_min


def share_figure(ratio: Ratio, constants: ClusterConstants, what: str = "games") -> Estimate:
    """A share of decisions or results that depend on each other within a cluster, one of `what`."""
    note = "" if ratio.untested else _share_note(ratio, constants, what)
    share = with_careers(share_of_clusters(ratio.above, ratio.below, note=note, over=ratio.over), [ratio])
    return value_alone(share, ratio.untested) if ratio.untested else share


def _share_note(ratio: Ratio, constants: ClusterConstants, what: str) -> str:
    """The reason why a share has no interval; empty where it has one."""
    pairs = [(x, m) for x, m in zip(ratio.above, ratio.below, strict=True) if m]
    with_one, with_another = sum(x > 0 for x, _ in pairs), sum(x < m for x, m in pairs)
    if ratio.over == CAREERS:
        least = min(with_one, with_another)
        return "" if least == len(pairs) else needs(f"in {least} of {len(pairs)} careers", len(pairs))
    if len(pairs) < constants.share_units_min:
        return needs(f"{len(pairs)} {what}", constants.share_units_min)
    least = min(with_one, with_another)
    enough = least >= constants.share_units_with_min
    return "" if enough else needs(f"in {least} of {len(pairs)} {what}", constants.share_units_with_min)
