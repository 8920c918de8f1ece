"""The resamples of a bootstrap, in integers: fast, and the same on every machine.

A resample of a sample of n units is n draws with replacement. So that a stranger gets the same resamples, they are
specified to the bit, in two ways.

`resampled_sums`, of up to 65,536 units, for means and contrasts of means:

- Round k (0, 1, ...) of sample s (0, 1, ... in a contrast) reads the blocks SHAKE-128(seed, s as one byte, k and c
  as 4 bytes big-endian each), c = 0, 1, ..., of 65,536 bytes each, one after the other, as little-endian 16-bit
  words w.
- A word stands for unit w n div 2^16, and is refused if w n mod 2^16 < 2^16 mod n: all units are equally likely
  (Lemire 2019, ACM TOMACS 29:3).
- Round 0 gives each resample in turn n words. Each later round gives each resample in turn as many words as were
  refused to it in the round before, until none is refused.

`resampled_counts` of `draws.by_numpy`, of any number of units, for what is fitted again to each resample: resample r
reads SHAKE-256(seed, r as 4 bytes big-endian) as little-endian 32-bit words w, and draws unit w n div 2^32. A unit is
drawn with a probability that is off by less than n / 2^32 of itself.

Sources: Efron 1979 (Annals of Statistics 7:1); FIPS 202 (SHAKE-128, SHAKE-256).
"""

from collections.abc import Sequence

from .. import draws
from ..draws.words import REFUSED_BITS, UNITS_MAX


def resampled_sums(columns: Sequence[Sequence[int]], seed: bytes, sample: int, resamples: int) -> list[list[int]]:
    """Per column the sums of all resamples; the columns are of one length and are drawn together.

    Raises OverflowError if a sum may not fit: ask `fits` first.
    """
    if not fits(columns):
        raise OverflowError(f"{len(columns[0])} units do not fit: at most {UNITS_MAX}, with sums below 2^62")
    return draws.resampled_sums(columns, seed, sample, resamples)


def fits(columns: Sequence[Sequence[int]]) -> bool:
    """True if samples of this size and magnitude can be resampled in 64 bits."""
    n = len(columns[0])
    tops = [n * max(map(abs, column), default=0) for column in columns]
    return 0 < n <= UNITS_MAX and tops[0] < 2 ** (62 - REFUSED_BITS) and max(tops) < 2**62
