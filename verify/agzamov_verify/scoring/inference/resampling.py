"""The resamples of a bootstrap, in integers: fast, and the same on every machine, with numpy or without it.

Seeded draws in integers and counts over them: by numpy where it is installed, else by Python alone.

Both give the same integers, so a bundle has the same figures in a browser, where there is no numpy:

- resampled_sums: sums of the resamples of a bootstrap, whose words are specified below;
- flipped_sums: sums with random signs. Flip r reads n bits of SHAKE-256(seed + "flip" + r as 4 bytes big-endian), first
  byte first, lowest bit first; a value counts as it is where its bit is 1, else with the other sign;
- ordered_extremes: values in random orders, summed along rows. Order r sorts by keys from SHAKE-256(seed + r as 4 bytes
  big-endian), read as little-endian 64-bit words; of equal keys the earlier one comes first.

All sums must be below 2^62; whoever asks sees to it.

The resamples of a bootstrap, in integers: fast, and the same on every machine.

A resample of a sample of n units is n draws with replacement. So that a stranger gets the same resamples, they are
specified to the bit, in two ways.

`bootstrap_sums`, of up to 65,536 units, for means and contrasts of means:

- Round k (0, 1, ...) of sample s (0, 1, ... in a contrast) reads the blocks SHAKE-128(seed, s as one byte, k and c
  as 4 bytes big-endian each), c = 0, 1, ..., of 65,536 bytes each, one after the other, as little-endian 16-bit
  words w.
- A word stands for unit w n div 2^16, and is refused if w n mod 2^16 < 2^16 mod n: all units are equally likely
  (Lemire 2019, ACM TOMACS 29:3).
- Round 0 gives each resample in turn n words. Each later round gives each resample in turn as many words as were
  refused to it in the round before, until none is refused.

`resampled_counts` of `draws_by_numpy`, of any number of units, for what is fitted again to each resample: resample r
reads SHAKE-256(seed, r as 4 bytes big-endian) as little-endian 32-bit words w, and draws unit w n div 2^32. A unit is
drawn with a probability that is off by less than n / 2^32 of itself.

Sources: Efron 1979 (Annals of Statistics 7:1); FIPS 202 (SHAKE-128, SHAKE-256).
"""

from collections.abc import Sequence

from .draws_by_python import REFUSED_BITS, UNITS_MAX

try:
    from .draws_by_numpy import flipped_sums, ordered_extremes, resampled_sums
except ImportError:
    from .draws_by_python import flipped_sums, ordered_extremes, resampled_sums

__all__ = ["bootstrap_sums", "flipped_sums", "ordered_extremes", "resampled_sums"]


def bootstrap_sums(columns: Sequence[Sequence[int]], seed: bytes, sample: int, resamples: int) -> list[list[int]]:
    """Per column the sums of all resamples; the columns are of one length and are drawn together.

    Raises OverflowError if a sum may not fit: ask `fits` first.
    """
    if not fits(columns):
        raise OverflowError(f"{len(columns[0])} units do not fit: at most {UNITS_MAX}, with sums below 2^62")
    return resampled_sums(columns, seed, sample, resamples)


def fits(columns: Sequence[Sequence[int]]) -> bool:
    """True if samples of this size and magnitude can be resampled in 64 bits."""
    n = len(columns[0])
    tops = [n * max(map(abs, column), default=0) for column in columns]
    return 0 < n <= UNITS_MAX and tops[0] < 2 ** (62 - REFUSED_BITS) and max(tops) < 2**62
