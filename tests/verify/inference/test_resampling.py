"""The resampling against a second implementation of its docstring, chi-square, and numbers that must never change."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring.inference import draws_by_numpy
from agzamov_verify.scoring.inference.resampling import UNITS_MAX, bootstrap_sums, fits

SEED = bytes(range(32))
BLOCK = 65_536


def again(values: Sequence[int], seed: bytes, sample: int, resamples: int) -> list[int]:
    """The docstring, without numpy."""
    n, sums, needs, rounds = len(values), [0] * resamples, [len(values)] * resamples, 0
    while any(needs):
        prefix = seed + bytes([sample]) + rounds.to_bytes(4, "big")
        blocks = range(-(-2 * sum(needs) // BLOCK))
        drawn = b"".join(hashlib.shake_128(prefix + at.to_bytes(4, "big")).digest(BLOCK) for at in blocks)
        words = iter(int.from_bytes(drawn[at : at + 2], "little") for at in range(0, len(drawn), 2))
        refused = [0] * resamples
        for row, need in enumerate(needs):
            for _ in range(need):
                word = next(words)
                if word * n % 65_536 < 65_536 % n:
                    refused[row] += 1
                else:
                    sums[row] += values[word * n // 65_536]
        needs, rounds = refused, rounds + 1
    return sums


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=40), st.binary(max_size=8), st.integers(0, 3))
def test_the_resampling_is_what_its_docstring_says(values: list[int], seed: bytes, sample: int) -> None:
    assert bootstrap_sums([values], seed, sample, 60)[0] == again(values, seed, sample, 60)


@pytest.mark.parametrize("n", [1000, 40_000, UNITS_MAX])
def test_it_is_so_for_many_units_and_blocks(n: int) -> None:
    values = [at * 7919 % 2003 - 1000 for at in range(n)]
    assert bootstrap_sums([values], SEED, 0, 3)[0] == again(values, SEED, 0, 3)


def test_columns_are_drawn_together() -> None:
    values = [at * 7919 % 2003 - 1000 for at in range(77)]
    plain, doubled, squares = bootstrap_sums(
        [values, [2 * one for one in values], [one**2 for one in values]], SEED, 0, 99
    )
    assert doubled == [2 * one for one in plain]
    assert squares == again([one**2 for one in values], SEED, 0, 99)


@pytest.mark.parametrize("draws", [1, 100, 251, 2**20])
def test_it_does_not_depend_on_how_much_is_drawn_at_a_time(draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [at % 5 for at in range(250)]
    expected = bootstrap_sums([values], SEED, 0, 500)[0]
    monkeypatch.setattr(draws_by_numpy, "_CHUNK_WORDS", draws)
    assert bootstrap_sums([values], SEED, 0, 500)[0] == expected


def test_ten_thousand_resamples_never_change() -> None:
    sums = bootstrap_sums([[at % 5 for at in range(250)]], SEED, 0, 10_000)[0]
    assert hashlib.sha256(np.array(sums, dtype="<i8").tobytes()).hexdigest()[:16] == "612649c87a20152d"


def test_every_unit_is_drawn_equally_often_though_the_words_do_not_divide() -> None:
    n, resamples = 23, 20_000
    shares = [sum(bootstrap_sums([[int(at == one) for at in range(n)]], SEED, 0, resamples)[0]) for one in range(n)]
    assert sum(shares) == n * resamples
    assert stats.chisquare(shares).pvalue > 1e-4


def test_the_sums_have_the_moments_of_a_resampling() -> None:
    values = np.arange(100) ** 2
    sums = np.array(bootstrap_sums([[int(one) for one in values]], SEED, 0, 20_000)[0])
    assert sums.mean() == pytest.approx(values.sum(), rel=0.002)
    assert sums.std() == pytest.approx(values.std() * 10, rel=0.02)


def test_another_sample_or_seed_is_another_resampling() -> None:
    values = list(range(50))
    first = bootstrap_sums([values], SEED, 0, 50)[0]
    assert bootstrap_sums([values], SEED, 1, 50)[0] != first
    assert bootstrap_sums([values], SEED[:-1], 0, 50)[0] != first


@pytest.mark.parametrize("values", [[], [0] * (UNITS_MAX + 1), [2**60]])
def test_what_does_not_fit_is_said_and_refused(values: list[int]) -> None:
    assert not fits([values])
    with pytest.raises(OverflowError, match="do not fit"):
        bootstrap_sums([values], SEED, 0, 10)
