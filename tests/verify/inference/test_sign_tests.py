"""The sign test and the sign-flip test against Fisher's own example, scipy, and brute force."""

import hashlib
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.scoring.inference import draws_by_numpy, pentanomial
from agzamov_verify.scoring.inference.pentanomial import exact_counts, flipped_counts, sign_flip_test
from agzamov_verify.scoring.inference.significance import Alternative

SEED = bytes(range(32))
# Darwin's maize in eighths of an inch (Fisher 1935, The Design of Experiments, sections 17 and 21).
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
differences = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


def extreme(total: int, seen: int, alternative: Alternative) -> bool:
    return {
        Alternative.GREATER: total >= seen,
        Alternative.LESS: total <= seen,
        Alternative.TWO_SIDED: abs(total) >= abs(seen),
    }[alternative]


def test_fishers_count_of_darwins_maize() -> None:
    """863 of the 32,768 arrangements bring a sum as great, 835 a greater one."""
    assert exact_counts([abs(one) for one in MAIZE], sum(MAIZE), Alternative.GREATER) == (863, 32_768)
    assert sign_flip_test(MAIZE, Alternative.TWO_SIDED, SEED).p == "0.0526733"


@given(differences.filter(any), st.sampled_from(Alternative))
def test_the_exact_test_is_the_count_over_all_signs(values: list[int], alternative: Alternative) -> None:
    sizes = [abs(one) for one in values if one]
    sums = [sum(map(int.__mul__, sizes, choice)) for choice in product((1, -1), repeat=len(sizes))]
    hits = sum(extreme(one, sum(values), alternative) for one in sums)
    assert exact_counts(sizes, sum(values), alternative) == (hits, 2 ** len(sizes))


@pytest.mark.parametrize("alternative", Alternative)
def test_the_exact_test_is_scipys(alternative: Alternative) -> None:
    values = [310, -120, 45, 700, -30, 88, 241, 19]
    expected = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative=alternative.value
    )
    assert float(sign_flip_test(values, alternative, SEED).p or 1) == pytest.approx(expected.pvalue, rel=1e-5)


def test_250_pairs_of_games_are_still_counted_exactly() -> None:
    pairs = [int(one) for one in np.random.default_rng(4).integers(-2, 3, 250)]
    assert exact_counts([abs(one) for one in pairs if one], sum(pairs), Alternative.LESS) is not None
    sizes, near = [abs(one) for one in pairs if one], stats.ttest_1samp(pairs, 0).pvalue
    as_far, farther = (
        Fraction(*(exact_counts(sizes, abs(sum(pairs)) + more, Alternative.TWO_SIDED) or (0, 1))) for more in (0, 1)
    )
    assert float(as_far + farther) / 2 == pytest.approx(near, abs=0.005), "half of what was seen: the mid-p value"


@pytest.mark.parametrize("alternative", Alternative)
def test_where_all_sums_are_too_many_a_seeded_draw_comes_near(
    alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = [abs(one) for one in MAIZE]
    exact = Fraction(*(exact_counts(sizes, sum(MAIZE), alternative) or (0, 1)))
    drawn = Fraction(*flipped_counts(sizes, sum(MAIZE), alternative, SEED))
    assert abs(drawn - exact) < Fraction(1, 100)
    monkeypatch.setattr(pentanomial, "EXACT_BITS_MAX", 10)
    assert Fraction(sign_flip_test(MAIZE, alternative, SEED).p or 0) == pytest.approx(drawn, rel=1e-5)


def test_the_seeded_draw_is_what_its_docstring_says() -> None:
    sizes, hits = [abs(one) for one in MAIZE], 1
    for flip in range(pentanomial.FLIPS):
        drawn = int.from_bytes(hashlib.shake_256(SEED + b"flip" + flip.to_bytes(4, "big")).digest(2), "little")
        hits += sum(size if drawn >> at & 1 else -size for at, size in enumerate(sizes)) >= sum(MAIZE)
    assert flipped_counts(sizes, sum(MAIZE), Alternative.GREATER, SEED) == (hits, 10_000)


def test_the_seeded_draw_does_not_depend_on_how_much_is_drawn_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    chips = [at * at * 7919 % 30_011 - 13_000 for at in range(100)]
    first = sign_flip_test(chips, Alternative.TWO_SIDED, SEED)
    assert first.p == "0.0238"
    assert sign_flip_test(chips, Alternative.TWO_SIDED, b"another").p != first.p
    monkeypatch.setattr(draws_by_numpy, "_CHUNK_FLIPS", 300)
    assert sign_flip_test(chips, Alternative.TWO_SIDED, SEED) == first


@pytest.mark.parametrize("values", [[], [0, 0, 0]])
def test_pairs_that_do_not_differ_are_not_tested(values: list[int]) -> None:
    assert sign_flip_test(values, Alternative.GREATER, SEED).p is None
