"""Values of a score: centipawns within the cap, and the win percentage that Lichess computes from them.

    win percent       50 + 50 * (2 / (1 + exp(-slope * centipawns)) - 1)
    accuracy percent  scale * exp(-rate * win percent lost) - offset, within 0 and 100

Percentages are integers of a millionth of a percent, each rounded once (half to even) from 40 digits, so
that their sums are exact and the same on every machine.
"""

from functools import lru_cache

from ...scoring.inference.high_precision import Real, mp
from ...scoring.quality.game_quality_index import MICRO
from ...scoring.quality.quality_constants import QualityConstants


def capped(score: str, cap_centipawns: int) -> int:
    """Centipawns of a score in UCI's words, within the cap; a mate is worth the cap."""
    kind, _, text = score.partition(" ")
    value = int(text)
    if kind == "mate":
        return cap_centipawns if value > 0 else -cap_centipawns
    return max(-cap_centipawns, min(cap_centipawns, value))


@lru_cache(maxsize=2**12)
def win_micropercent(centipawns: int, constants: QualityConstants) -> int:
    """Win percent of a value, in millionths of a percent."""
    odds = mp.exp(-mp.mpf(constants.win_slope) * centipawns)
    return _micro(100 / (1 + odds))


@lru_cache(maxsize=2**16)
def accuracy_micropercent(lost_micropercent: int, constants: QualityConstants) -> int:
    """Accuracy percent of a move that lost so much win percent, both in millionths of a percent."""
    curve = constants.accuracy
    lost = mp.mpf(lost_micropercent) / MICRO
    accuracy = mp.mpf(curve.scale) * mp.exp(-mp.mpf(curve.rate) * lost) - mp.mpf(curve.offset)
    return max(0, min(100 * MICRO, _micro(accuracy)))


def _micro(percent: Real) -> int:
    return int(mp.nint(percent * MICRO))
