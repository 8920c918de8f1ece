"""Pair statistics against the worked figures of fastchess, and the symmetry of self-play."""

from fractions import Fraction

import pytest

from agzamov_verify.scoring.inference.pentanomial import (
    Counts,
    Pentanomial,
    counts_of,
    elo,
    pentanomial,
    score_test,
    self_play_symmetry,
)
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.statistics import Interval

FIVE, ONE_PERCENT, SEED = Fraction(1, 20), Fraction(1, 100), bytes(32)

# Counts, Elo with its error, normalised Elo with its error, and likelihood of superiority in percent: printed by
# fastchess (the first by a user's match, the others in its test of the Elo model).
FASTCHESS = [
    ((4, 3, 34, 42, 117), "277.00", "40.90", "345.17", "34.05", "100.00"),
    ((34, 54, 63, 64, 75), "55.58", "27.65", "57.94", "28.28", "100.00"),
    ((332, 433, 498, 333, 334), "-8.64", "10.33", "-9.17", "10.96", "5.05"),
    ((7895, 8757, 5685, 568, 9999), "-21.04", "2.95", "-19.01", "2.65", "0.00"),
]


def half_width(interval: Interval | None) -> str:
    assert interval
    return f"{(float(interval.high) - float(interval.low)) / 2:.2f}"


def decimal(found: Pentanomial) -> tuple[str, str]:
    assert found.normalised_elo
    assert found.elo
    return f"{float(found.elo):.2f}", f"{float(found.normalised_elo.decimal):.2f}"


@pytest.mark.parametrize(("counts", "elo", "elo_error", "nelo", "nelo_error", "los"), FASTCHESS)
def test_a_match_in_pairs_has_the_figures_of_fastchess(
    counts: Counts, elo: str, elo_error: str, nelo: str, nelo_error: str, los: str
) -> None:
    found = pentanomial(counts, FIVE)
    assert decimal(found) == (elo, nelo)
    assert (half_width(found.elo_ci), half_width(found.normalised_elo_ci)) == (elo_error, nelo_error)
    assert f"{100 * float(found.los or 'nan'):.2f}" == los


def test_one_pair_moved_moves_the_figures() -> None:
    counts, elo_printed, *_ = FASTCHESS[1]
    moved = (counts[0] + 1, counts[1], counts[2], counts[3], counts[4] - 1)
    assert decimal(pentanomial(moved, FIVE))[0] != elo_printed


def test_pairs_are_counted_by_half_points() -> None:
    assert counts_of([4, 0, 2, 2, 3, 4]) == (1, 0, 2, 1, 2)


def test_a_start_that_favours_a_colour_makes_pairs_steadier_than_games() -> None:
    """White wins every game: every pair is 1-1, and the score is certain where single games look like coins."""
    found = pentanomial((0, 10, 230, 10, 0), FIVE)
    assert found.pair_sd
    assert float(found.pair_sd.decimal) < 0.08


@pytest.mark.parametrize(
    ("counts", "score", "elo", "low", "high"),
    [
        ((0, 0, 0, 0, 250), "1.000000", "inf", "0.984867", "1.000000"),
        ((250, 0, 0, 0, 0), "0.000000", "-inf", "0.000000", "0.015133"),
        ((0, 0, 250, 0, 0), "0.500000", "0.000000", "0.438491", "0.561509"),
    ],
)
def test_without_variation_the_interval_is_wilsons_and_not_a_point(
    counts: Counts, score: str, elo: str, low: str, high: str
) -> None:
    found = pentanomial(counts, FIVE)
    assert found.score
    assert (found.score.decimal, found.elo) == (score, elo)
    assert found.score_ci == Interval(low, high, "wilson")
    assert found.los is found.normalised_elo is found.pair_sd is None


def test_of_no_pairs_nothing_is_known() -> None:
    found = pentanomial((0, 0, 0, 0, 0), FIVE)
    assert (found.pairs, found.score, found.elo, found.los) == (0, None, None, None)
    assert found.elo_ci == Interval("-inf", "inf", "wilson")


def test_few_pairs_have_a_wider_interval_than_the_normal_one() -> None:
    few = pentanomial((1, 2, 6, 4, 2), FIVE)
    many = pentanomial((100, 200, 600, 400, 200), FIVE)
    assert (few.score_ci.method, many.score_ci.method) == ("student-t", "normal")
    assert float(half_width(few.score_ci)) > 10 * 1.05 * (float(many.score_ci.high) - float(many.score_ci.low)) / 2


def test_elo_of_a_known_score() -> None:
    assert elo(Fraction(10, 11)) == "400.000000"
    assert elo(Fraction(1, 2)) == "0.000000"


def test_the_score_test_sees_draws_that_a_test_of_wins_does_not() -> None:
    """20 pairs won by a draw and a win each: 20 wins, 20 draws, no loss."""
    assert float(score_test([3] * 20, Alternative.GREATER, SEED).p or 1) < 1e-5
    assert score_test([2] * 20, Alternative.GREATER, SEED).p is None


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
