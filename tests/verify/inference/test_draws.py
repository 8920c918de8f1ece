"""The draws without numpy are those with it, integer by integer."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.scoring.inference import draws_by_numpy, draws_by_python
from agzamov_verify.scoring.inference.draws_by_python import UNITS_MAX
from agzamov_verify.scoring.learning.curve import risings, tau_grid

SEED = bytes(range(32))
values = st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30)
seeds = st.binary(min_size=1, max_size=40)


@settings(deadline=None, max_examples=20)
@given(values, seeds, st.integers(0, 3), st.integers(1, 40))
def test_resampled_sums_are_equal(units: list[int], seed: bytes, sample: int, resamples: int) -> None:
    columns = [units, [value * value for value in units]]
    expected = draws_by_numpy.resampled_sums(columns, seed, sample, resamples)
    assert draws_by_python.resampled_sums(columns, seed, sample, resamples) == expected


@pytest.mark.parametrize("n", [1, 2, 249, 40_000, UNITS_MAX])
def test_they_are_equal_over_blocks_and_rounds(n: int) -> None:
    columns = [[at * 7919 % 2003 - 1000 for at in range(n)]]
    assert draws_by_python.resampled_sums(columns, SEED, 1, 5) == draws_by_numpy.resampled_sums(columns, SEED, 1, 5)


@given(values, seeds)
def test_flipped_sums_are_equal(units: list[int], seed: bytes) -> None:
    assert draws_by_python.flipped_sums(units, seed, 50) == draws_by_numpy.flipped_sums(units, seed, 50)


@given(values.filter(lambda units: len(units) > 1), seeds)
def test_sums_in_random_orders_are_equal(units: list[int], seed: bytes) -> None:
    rows: Sequence[Sequence[int]] = risings(len(units), 2, tau_grid(2 * len(units), 2))
    assert draws_by_python.ordered_extremes(units, rows, seed, 20) == draws_by_numpy.ordered_extremes(
        units, rows, seed, 20
    )


def test_sums_at_the_bound_of_64_bits_are_equal() -> None:
    units, rows = [2**59, -(2**59), 3], [[1, -1, 0], [0, 1, 1], [-1, 1, -5]]
    found = draws_by_python.ordered_extremes(units, rows, SEED, 40)
    assert found == draws_by_numpy.ordered_extremes(units, rows, SEED, 40)
    assert min(least for least, _ in found) < -(2**61)


def test_another_seed_gives_other_sums() -> None:
    units = list(range(40))
    assert draws_by_python.flipped_sums(units, SEED, 9) != draws_by_python.flipped_sums(units, SEED[:-1], 9)
    assert draws_by_python.resampled_sums([units], SEED, 0, 9) != draws_by_python.resampled_sums([units], SEED, 1, 9)
