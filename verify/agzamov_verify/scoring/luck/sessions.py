"""A hold'em match by each method of taking luck out: the winrate with its interval, and how much variance is left.

The unit of every statistic is a session, or in a mirrored match a session with its mirror: the same decks with the
seats exchanged. A unit's result is exact until it is rounded once, half-even, to thousandths of a chip.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ...games.holdem.script import HandRecord
from ...phases.streams import a_is_first
from ..exact import Figure, figure, square_root
from ..inference.estimate import Estimate, Scale, mean_estimate
from ..inference.intervals import Resamples
from ..statistics import sample_variance
from .adjusted import PER_CHIP, Method, net_units

MILLI: Final = 1000


class LuckAdjusted(msgspec.Struct, frozen=True):
    """Seat A's winrate by one method. `mirrored` says whether mirrored sessions are taken together.

    `sd_per_100_hands` is the standard deviation of the winrate of 100 hands, in bb/100. `variance_cut` is the
    variance of raw sessions, hand for hand, divided by that of this method's units; None without variance.
    """

    method: Method
    mirrored: bool
    winrate: Estimate
    sd_per_100_hands: Figure
    variance_cut: Figure | None


def luck_adjusted(
    records: Sequence[HandRecord], session_hands: int, how: Resamples, *, mirrored: bool
) -> tuple[LuckAdjusted, ...]:
    """The match by every method, raw first. Raises ValueError for a hand without its story."""
    raw = sample_variance(unit_millichips(records, session_hands, Method.RAW, mirrored=False)) / session_hands
    scale = unit_scale(session_hands, mirrored=mirrored)
    found = []
    for method in Method:
        values = unit_millichips(records, session_hands, method, mirrored=mirrored)
        left = sample_variance(values) / (session_hands * (2 if mirrored else 1))
        spread = figure(square_root(left / 100) / MILLI)
        cut = figure(raw / left) if left else None
        found.append(LuckAdjusted(method, mirrored, mean_estimate(values, scale, how), spread, cut))
    return tuple(found)


def unit_millichips(records: Sequence[HandRecord], session_hands: int, method: Method, *, mirrored: bool) -> list[int]:
    """Seat A's result of each session, or of each session and its mirror, in thousandths of a chip."""
    units = [net_units(one, method) * (1 if a_is_first(at) else -1) for at, one in enumerate(records)]
    sums = [sum(units[at : at + session_hands]) for at in range(0, len(units), session_hands)]
    if mirrored:
        half = len(sums) // 2
        sums = [first + again for first, again in zip(sums[:half], sums[half:], strict=True)]
    return [round(Fraction(total * MILLI, PER_CHIP)) for total in sums]


def unit_scale(session_hands: int, *, mirrored: bool) -> Scale:
    """What a thousandth of a chip in a unit is in bb/100: 100 chips are a big blind, so chips a hand are bb/100."""
    return Scale("bb/100", Fraction(1, MILLI * session_hands * (2 if mirrored else 1)))
