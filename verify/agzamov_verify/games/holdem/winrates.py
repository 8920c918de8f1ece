"""Winrate of a hold'em match by each variance-reduction method, with its interval and the variance that is left."""

from fractions import Fraction

import msgspec

from ...scoring.exact import Figure, square_root
from ...scoring.hypotheses.contrasts import Weighted, estimated, repeated
from ...scoring.hypotheses.deltas import ONE
from ...scoring.inference.estimate import Estimate
from ...scoring.inference.high_precision import rounded
from ...scoring.inference.intervals import Resamples
from ...scoring.measures import Units
from ...scoring.statistics import sample_variance
from .cell import ADJUSTED_METHODS, PokerCell
from .variance_reduction.control_variates import Method
from .variance_reduction.range_methods import RangeMethod


class MethodWinrate(msgspec.Struct, frozen=True):
    """Seat A's winrate by one method.

    `sd_per_100_hands` is the standard deviation of the winrate of 100 hands, in bb/100. `variance_cut` is the variance
    of raw sessions that stand alone, hand for hand, divided by that of this method's units: what mirrored decks save is
    in it too. None without variation.
    """

    winrate: Estimate
    sd_per_100_hands: Figure | None
    variance_cut: Figure | None


def winrates_by_method(cell: PokerCell, resamples: Resamples, units_min: int = 2) -> dict[str, MethodWinrate]:
    """The cell by every method that it has the means for, raw first; raw alone where the cards are not known.

    `units_min`: below so many units no factor of variance is given.
    """
    sessions = msgspec.structs.replace(cell, mirrored=False).measured()
    raw = _per_hand(sessions, cell.session_hands)
    by_method: dict[Method | RangeMethod, Units] = {Method.RAW: cell.measured()}
    by_method |= {method: units for method in (*ADJUSTED_METHODS, *RangeMethod) if (units := cell.adjusted(method))}
    by_name = {method.value: _winrate(units, cell.unit_hands, raw, resamples) for method, units in by_method.items()}
    if len(by_method[Method.RAW].values) >= units_min:
        return by_name
    return {name: msgspec.structs.replace(figures, variance_cut=None) for name, figures in by_name.items()}


def _winrate(units: Units, unit_hands: int, raw: Fraction, resamples: Resamples) -> MethodWinrate:
    left = _per_hand(units, unit_hands)
    winrate = estimated(repeated([Weighted(units, ONE)]), resamples)
    if not left:
        return MethodWinrate(winrate, None, None)
    return MethodWinrate(winrate, rounded(square_root(left / 100)), rounded(raw / left))


def _per_hand(units: Units, unit_hands: int) -> Fraction:
    """The variance that one hand adds, of a winrate in bb/100."""
    return sample_variance(units.values) * units.scale.factor**2 * unit_hands
