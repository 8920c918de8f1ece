"""Textbook statistics with exact or reproducible arithmetic. Oracles in the tests: scipy."""

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Final

import msgspec
import numpy as np

from .exact import fixed, square_root

Z_95: Final = Fraction(1959963984540054, 10**15)
_CHUNK_DRAWS = 2**18  # how many draws are in memory at a time; shows nowhere


class Interval(msgspec.Struct, frozen=True):
    """A 95 % confidence interval: its bounds to six places, and how it was made."""

    low: str
    high: str
    method: str


def binomial_p_greater(wins: int, n: int) -> Fraction:
    """P(X >= wins) for X ~ Binomial(n, 1/2): the one-sided exact binomial test."""
    ways, total = comb(n, wins), 0
    for k in range(wins, n + 1):
        total += ways
        ways = ways * (n - k) // (k + 1)
    return Fraction(total, 2**n)


def wilson_95(successes: int, n: int) -> Interval:
    """Wilson's score interval for a proportion (Wilson 1927, JASA 22:209). Good where all succeed."""
    if not n:
        return Interval("0.000000", "1.000000", "wilson")
    share, z2 = Fraction(successes, n), Z_95**2
    centre = share + z2 / (2 * n)
    half = Z_95 * square_root(share * (1 - share) / n + z2 / (4 * n * n))
    scale = 1 + z2 / n
    return Interval(fixed((centre - half) / scale), fixed((centre + half) / scale), "wilson")


def bootstrap_95(values: Sequence[int], per_unit: Fraction, seed: bytes, resamples: int) -> Interval:
    """Percentile bootstrap interval of the mean of `values` (Efron 1979), times `per_unit`.

    Resampled sums are sums of integers, so the bounds are exact and the same on every machine.
    Resample r draws from SHAKE-256(seed + r as 4 bytes big-endian), read as little-endian 32-bit words
    w: index = w * n >> 32 (the bias is below n / 2^32). Bounds: the order statistics 2.5 % from either end.
    """
    sums = np.sort(_resampled_sums(np.asarray(values, dtype=np.int64), seed, resamples))
    cut = resamples * 25 // 1000
    low, high = int(sums[cut]), int(sums[resamples - 1 - cut])
    scale = per_unit / len(values)
    return Interval(fixed(low * scale), fixed(high * scale), f"bootstrap-{resamples}")


def _resampled_sums(values: np.ndarray, seed: bytes, resamples: int) -> np.ndarray:
    n = len(values)
    sums = np.empty(resamples, dtype=np.int64)
    rows = max(1, _CHUNK_DRAWS // n)
    for first in range(0, resamples, rows):
        chunk = range(first, min(first + rows, resamples))
        drawn = b"".join(hashlib.shake_256(seed + row.to_bytes(4, "big")).digest(4 * n) for row in chunk)
        words = np.frombuffer(drawn, dtype="<u4").astype(np.uint64)
        indices = (words * np.uint64(n)) >> np.uint64(32)
        sums[chunk.start : chunk.stop] = values[indices.astype(np.intp)].reshape(len(chunk), n).sum(axis=1)
    return sums


def sample_variance(values: Sequence[int]) -> Fraction:
    """Unbiased sample variance (n - 1); 0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return Fraction(0)
    total = sum(values)
    return Fraction(n * sum(value * value for value in values) - total * total, n * (n - 1))
