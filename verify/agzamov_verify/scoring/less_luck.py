"""A hold'em match by each method of taking luck out: the winrate with its interval, and how much variance is left."""

from collections.abc import Callable
from fractions import Fraction

import msgspec

from .agzamov.cells import LUCK_METHODS, PokerCell
from .agzamov.measures import Units, adjusted_units, units_of
from .exact import Figure, square_root
from .inference.estimate import Estimate, mean_estimate
from .inference.intervals import Resamples
from .inference.precise import rounded
from .luck.adjusted import Method
from .luck.ranges import RangeMethod
from .statistics import sample_variance


class LessLuck(msgspec.Struct, frozen=True):
    """Seat A's winrate by one method.

    `sd_per_100_hands` is the standard deviation of the winrate of 100 hands, in bb/100. `variance_cut` is the variance
    of raw sessions that stand alone, hand for hand, divided by that of this method's units: what mirrored decks save is
    in it too. None without variation.
    """

    winrate: Estimate
    sd_per_100_hands: Figure | None
    variance_cut: Figure | None


def less_luck(cell: PokerCell, how: Callable[[Method | RangeMethod], Resamples]) -> dict[str, LessLuck]:
    """The cell by every method that it has the means for, raw first; raw alone where the cards are not known."""
    sessions = units_of(msgspec.structs.replace(cell, mirrored=False))
    raw = _per_hand(sessions, cell.session_hands)
    found: dict[Method | RangeMethod, Units] = {Method.RAW: units_of(cell)}
    found |= {method: units for method in (*LUCK_METHODS, *RangeMethod) if (units := adjusted_units(cell, method))}
    return {method.value: _less(units, cell.unit_hands, raw, how(method)) for method, units in found.items()}


def _less(units: Units, unit_hands: int, raw: Fraction, how: Resamples) -> LessLuck:
    left = _per_hand(units, unit_hands)
    winrate = mean_estimate(units.values, units.scale, how)
    if not left:
        return LessLuck(winrate, None, None)
    return LessLuck(winrate, rounded(square_root(left / 100)), rounded(raw / left))


def _per_hand(units: Units, unit_hands: int) -> Fraction:
    """The variance that one hand adds, of a winrate in bb/100."""
    return sample_variance(units.values) * units.scale.factor**2 * unit_hands
