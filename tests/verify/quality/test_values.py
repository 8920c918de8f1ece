"""Scores in centipawns and chances, against the equations that Lichess publishes and another arithmetic."""

from decimal import Context, Decimal

import pytest

from agzamov_verify.games.chess.judged_moves import MICRO, accuracy_micropercent, capped, win_micropercent
from agzamov_verify.scoring.quality.quality_constants import load_quality_constants, quality_constants_sha256
from verify.quality.games import CONSTANTS

exact = Context(prec=50)
PUBLISHED_SLOPE, PUBLISHED_SCALE, PUBLISHED_RATE, PUBLISHED_OFFSET = "0.00368208", "103.1668", "0.04354", "3.1669"


def published_win_percent(centipawns: int) -> Decimal:
    """Win% = 50 + 50 * (2 / (1 + exp(-0.00368208 * centipawns)) - 1), word for word."""
    grown = exact.exp(exact.multiply(-Decimal(PUBLISHED_SLOPE), Decimal(centipawns)))
    return exact.add(50, exact.multiply(50, exact.subtract(exact.divide(2, exact.add(1, grown)), 1)))


def published_accuracy(lost: Decimal) -> Decimal:
    """Accuracy% = 103.1668 * exp(-0.04354 * (before - after)) - 3.1669, word for word."""
    decayed = exact.exp(exact.multiply(-Decimal(PUBLISHED_RATE), lost))
    return exact.subtract(exact.multiply(Decimal(PUBLISHED_SCALE), decayed), Decimal(PUBLISHED_OFFSET))


def test_every_value_within_the_cap_has_the_published_win_percent() -> None:
    for centipawns in range(-1000, 1001):
        expected = round(published_win_percent(centipawns) * MICRO)
        assert win_micropercent(centipawns, CONSTANTS) == expected


def test_the_two_sides_chances_are_one_whole() -> None:
    assert win_micropercent(0, CONSTANTS) == 50 * MICRO
    for centipawns in range(1001):
        assert win_micropercent(centipawns, CONSTANTS) + win_micropercent(-centipawns, CONSTANTS) == 100 * MICRO


@pytest.mark.parametrize("lost", [0, 1, 999_999, 5_000_000, 12_345_678, 50_000_000, 80_000_000])
def test_a_move_has_the_published_accuracy(lost: int) -> None:
    expected = round(published_accuracy(Decimal(lost) / MICRO) * MICRO)
    assert accuracy_micropercent(lost, CONSTANTS) == expected


def test_accuracy_stays_within_0_and_100() -> None:
    assert published_accuracy(Decimal(100)) < 0
    assert accuracy_micropercent(100 * MICRO, CONSTANTS) == 0
    assert 99_999_000 < accuracy_micropercent(0, CONSTANTS) <= 100 * MICRO


@pytest.mark.parametrize(
    ("score", "value"),
    [
        ("cp 0", 0),
        ("cp 999", 999),
        ("cp 1000", 1000),
        ("cp 1001", 1000),
        ("cp -4321", -1000),
        ("mate 1", 1000),
        ("mate 30", 1000),
        ("mate -1", -1000),
    ],
)
def test_a_mate_and_anything_beyond_the_cap_is_worth_the_cap(score: str, value: int) -> None:
    assert capped(score, 1000) == value


def test_the_shipped_numbers_are_those_that_the_documents_name() -> None:
    curve = CONSTANTS.accuracy
    assert (CONSTANTS.win_slope, curve.scale, curve.rate, curve.offset) == (
        PUBLISHED_SLOPE,
        PUBLISHED_SCALE,
        PUBLISHED_RATE,
        PUBLISHED_OFFSET,
    )
    assert (CONSTANTS.cap_centipawns, CONSTANTS.decided_centipawns, CONSTANTS.pressure_centipawns) == (1000, 1000, -150)
    assert (CONSTANTS.opening_plies, CONSTANTS.endgame_pieces_max, CONSTANTS.id) == (20, 6, "agz-0.1")


def test_a_change_to_the_shipped_numbers_is_a_new_version() -> None:
    assert quality_constants_sha256("agz-0.1") == "5f4eb7daf981e5ce3461909801baa9605019d47149fe748226e6db4fc2b28f83"
    with pytest.raises(KeyError):
        load_quality_constants("agz-0.2")
