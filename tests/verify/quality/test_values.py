"""Scores in centipawns and chances, against the equations that Lichess publishes and another arithmetic."""

from decimal import Context, Decimal

import pytest

from agzamov_verify.scoring.quality.norm import load_quality_norm, quality_norm_sha256
from agzamov_verify.scoring.quality.values import MICRO, accuracy_micropercent, capped, win_micropercent
from verify.quality.games import NORM

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
        assert win_micropercent(centipawns, NORM) == expected


def test_the_two_sides_chances_are_one_whole() -> None:
    assert win_micropercent(0, NORM) == 50 * MICRO
    for centipawns in range(1001):
        assert win_micropercent(centipawns, NORM) + win_micropercent(-centipawns, NORM) == 100 * MICRO


@pytest.mark.parametrize("lost", [0, 1, 999_999, 5_000_000, 12_345_678, 50_000_000, 80_000_000])
def test_a_move_has_the_published_accuracy(lost: int) -> None:
    expected = round(published_accuracy(Decimal(lost) / MICRO) * MICRO)
    assert accuracy_micropercent(lost, NORM) == expected


def test_accuracy_stays_within_0_and_100() -> None:
    assert published_accuracy(Decimal(100)) < 0
    assert accuracy_micropercent(100 * MICRO, NORM) == 0
    assert 99_999_000 < accuracy_micropercent(0, NORM) <= 100 * MICRO


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
    curve = NORM.accuracy
    assert (NORM.win_slope, curve.scale, curve.rate, curve.offset) == (
        PUBLISHED_SLOPE,
        PUBLISHED_SCALE,
        PUBLISHED_RATE,
        PUBLISHED_OFFSET,
    )
    assert (NORM.cap_centipawns, NORM.decided_centipawns, NORM.pressure_centipawns) == (1000, 1000, -150)
    assert (NORM.opening_plies, NORM.endgame_pieces_max, NORM.id) == (20, 6, "agz-0.1")


def test_a_change_to_the_shipped_numbers_is_a_new_version() -> None:
    assert quality_norm_sha256("agz-0.1") == "7677c4ac663f9454540833bdc53775f2103eb33f1d0bef67cd4694b6f4d08a4e"
    with pytest.raises(KeyError):
        load_quality_norm("agz-0.2")
