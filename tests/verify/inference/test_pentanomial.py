"""Pair statistics against the worked figures of fastchess, and the symmetry of self-play."""

from fractions import Fraction

import numpy as np
import pytest

from agzamov_verify.scoring.inference.pentanomial import (
    Counts,
    Pentanomial,
    counts_of,
    elo,
    pentanomial,
    self_play_symmetry,
)
from agzamov_verify.scoring.inference.samples import Interval

ONE_PERCENT, SEED = Fraction(1, 100), bytes(32)

# Counts, Elo with its error, and normalised Elo with its error: printed by fastchess (the first by a user's match, the
# others in its test of the Elo model).
FASTCHESS = [
    ((4, 3, 34, 42, 117), "277.00", "40.90", "345.17", "34.05"),
    ((34, 54, 63, 64, 75), "55.58", "27.65", "57.94", "28.28"),
    ((332, 433, 498, 333, 334), "-8.64", "10.33", "-9.17", "10.96"),
    ((7895, 8757, 5685, 568, 9999), "-21.04", "2.95", "-19.01", "2.65"),
]


def normal_interval(counts: Counts) -> Interval:
    """The interval of the score that fastchess carries over."""
    values = np.repeat(np.arange(5) / 4, counts)
    half = 1.959963984540054 * values.std() / len(values) ** 0.5
    return Interval(f"{values.mean() - half:.12f}", f"{values.mean() + half:.12f}", "normal")


def half_width(interval: Interval | None) -> str:
    assert interval
    return f"{(float(interval.high) - float(interval.low)) / 2:.2f}"


def decimal(found: Pentanomial) -> tuple[str, str]:
    assert found.normalised_elo
    assert found.elo
    return f"{float(found.elo):.2f}", f"{float(found.normalised_elo.decimal):.2f}"


@pytest.mark.parametrize(("counts", "elo", "elo_error", "nelo", "nelo_error"), FASTCHESS)
def test_a_match_in_pairs_has_the_figures_of_fastchess(
    counts: Counts, elo: str, elo_error: str, nelo: str, nelo_error: str
) -> None:
    found = pentanomial(counts, normal_interval(counts))
    assert decimal(found) == (elo, nelo)
    assert (half_width(found.elo_ci), half_width(found.normalised_elo_ci)) == (elo_error, nelo_error)


def test_one_pair_moved_moves_the_figures() -> None:
    counts, elo_printed, *_ = FASTCHESS[1]
    moved = (counts[0] + 1, counts[1], counts[2], counts[3], counts[4] - 1)
    assert decimal(pentanomial(moved, None))[0] != elo_printed


def test_pairs_are_counted_by_half_points() -> None:
    assert counts_of([4, 0, 2, 2, 3, 4]) == (1, 0, 2, 1, 2)


@pytest.mark.parametrize(
    ("counts", "elo", "bounds"),
    [((0, 0, 0, 0, 250), "inf", ("0.984867", "1.000000")), ((250, 0, 0, 0, 0), "-inf", ("0.000000", "0.015133"))],
)
def test_without_variation_the_bounds_of_the_score_are_carried_over(
    counts: Counts, elo: str, bounds: tuple[str, str]
) -> None:
    found = pentanomial(counts, Interval(*bounds, "wilson"))
    assert (found.elo, found.normalised_elo, found.normalised_elo_ci) == (elo, None, None)
    assert found.elo_ci
    assert elo in (found.elo_ci.low, found.elo_ci.high)


def test_a_score_without_an_interval_has_a_difference_without_one() -> None:
    found = pentanomial((1, 2, 6, 4, 2), None)
    assert found.elo is not None
    assert (found.elo_ci, found.normalised_elo_ci) == (None, None)


def test_of_no_pairs_nothing_is_known() -> None:
    found = pentanomial((0, 0, 0, 0, 0), None)
    assert (found.counts, found.elo, found.elo_ci) == ((0, 0, 0, 0, 0), None, None)


def test_elo_of_a_known_score() -> None:
    assert elo(Fraction(10, 11)) == "400.000000"
    assert elo(Fraction(1, 2)) == "0.000000"


def test_self_play_that_is_symmetric_passes_and_a_seat_that_wins_is_seen() -> None:
    even = self_play_symmetry([2, 3, 1, 4, 0] * 50, 2, Fraction(1, 4), ONE_PERCENT, SEED)
    assert (even.violated, even.mean and even.mean.decimal, even.expected.decimal) == (False, "0.500000", "0.500000")
    leaning = self_play_symmetry([2, 3, 1, 4, 3] * 50, 2, Fraction(1, 4), ONE_PERCENT, SEED)
    assert leaning.violated
    assert float(leaning.test.p or 1) < 1e-4


def test_sessions_of_self_play_are_checked_against_nothing_won() -> None:
    chips = [at * at * 7919 % 30_011 - 15_000 for at in range(100)]
    assert not self_play_symmetry(chips, 0, Fraction(1, 100), ONE_PERCENT, SEED).violated
    assert self_play_symmetry([one + 6_000 for one in chips], 0, Fraction(1, 100), ONE_PERCENT, SEED).violated


def test_self_play_of_nothing_is_no_violation() -> None:
    found = self_play_symmetry([], 2, Fraction(1, 4), ONE_PERCENT, SEED)
    assert (found.mean, found.violated, found.test.p) == (None, False, None)
