"""The A-Score against a calculation by hand, and what it says of missing parts."""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import pytest

from agzamov_verify.games.chess960.rules import End
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.agzamov.cells import (
    Arm,
    Augmentation,
    Cell,
    CellKey,
    ChessCell,
    ChessGame,
    PokerCell,
    PokerHand,
)
from agzamov_verify.scoring.agzamov.norm import SUBSCORES, Constant, ScoreNorm, load_score_norm
from agzamov_verify.scoring.agzamov.score import CHESS, POKER, a_score, needed, rescaled, sigmoid

FULL = Augmentation.FULL
NORM = ScoreNorm(
    Constant("test", Decimal(50)),
    Constant("test", Decimal(40)),
    Constant("test", Decimal("0.2")),
    "test",
    Constant("test", Decimal(500)),
    Constant("test", Decimal(10_000)),
    ("1/7",) * 7,
)


def chess(key: CellKey, wins: int, of: int) -> ChessCell:
    won = ChessGame(2, 2, End.CHECKMATE, substituted=False, errors=(0, 0), plies=40)
    lost = ChessGame(0, 0, End.CHECKMATE, substituted=False, errors=(0, 0), plies=40)
    return ChessCell(key, (won,) * wins + (lost,) * (of - wins))


def poker(key: CellKey, chips: int, hands: int) -> PokerCell:
    return PokerCell(key, (PokerHand(chips, HandEnd.FOLD, (0, 0)),) * hands, 100)


def cells(augmentation: Augmentation = FULL) -> Iterator[Cell]:
    """Win rates 0.5, 0.5 and 0.6; 0, 0 and 20 bb/100."""
    for name, keys in needed("m", augmentation, "sys").items():
        yield chess(keys[CHESS], 6 if name == "real" else 5, 10)
        yield poker(keys[POKER], 20 if name == "real" else 0, 200)


def test_the_score_is_the_one_of_a_calculation_by_hand() -> None:
    score = a_score("m", FULL, "sys", cells(), {CHESS: 100, POKER: None}, NORM)
    speed = (1 - 100 / 500 + 0) / 2
    by_hand = [0.5, 0.6, 0.5, 1 / (1 + math.exp(-20 / 50)), 0.1 / 0.2, 20 / 40, speed]
    assert score.missing == ()
    assert [one.name for one in score.subscores] == list(SUBSCORES)
    assert [float(one.normalised.decimal) for one in score.subscores] == pytest.approx(by_hand, abs=1e-6)
    assert score.score is not None
    assert float(score.score.decimal) == pytest.approx(100 * sum(by_hand) / 7, abs=1e-6)


@pytest.mark.parametrize("left_out", range(6))
def test_a_missing_cell_is_named_and_there_is_no_score(left_out: int) -> None:
    there = list(cells())
    gone = there.pop(left_out)
    score = a_score("m", FULL, "sys", there, {CHESS: 100, POKER: 100}, NORM)
    assert score.score is None
    assert score.subscores == ()
    assert [one.partition(": ")[2] for one in score.missing] == [str(gone.key)]


def test_a_missing_convergence_is_named() -> None:
    score = a_score("m", FULL, "sys", cells(), {CHESS: 100}, NORM)
    assert (score.score, score.missing) == (None, ("convergence: holdem",))


def test_cells_of_another_augmentation_or_system_do_not_stand_in() -> None:
    memory = a_score("m", FULL, "sys", cells(Augmentation.MEMORY), {CHESS: 1, POKER: 1}, NORM)
    other = a_score("m", FULL, "other", cells(), {CHESS: 1, POKER: 1}, NORM)
    assert len(memory.missing) == 4
    assert [one.split(":")[0] for one in other.missing] == ["real", "real"]


def test_no_learning_detected_earns_nothing_however_small_a_naive_tau_would_be() -> None:
    slow = a_score("m", FULL, "sys", cells(), {CHESS: None, POKER: None}, NORM)
    late = a_score("m", FULL, "sys", cells(), {CHESS: 501, POKER: 10_001}, NORM)
    assert slow.subscores[-1].normalised.decimal == late.subscores[-1].normalised.decimal == "0.000000"


@pytest.mark.parametrize(
    ("delta", "share"),
    [(Fraction(-1, 10), Fraction(0)), (Fraction(1, 10), Fraction(1, 2)), (Fraction(1), Fraction(1))],
)
def test_a_delta_is_clamped_before_it_is_rescaled(delta: Fraction, share: Fraction) -> None:
    assert rescaled(delta, Fraction(1, 5)) == share


@pytest.mark.parametrize("x", ["-7/3", "0", "1/1000", "40"])
def test_the_sigmoid_is_the_logistic_function(x: str) -> None:
    assert float(sigmoid(Fraction(x))) == pytest.approx(1 / (1 + math.exp(-Fraction(x))), rel=1e-12)


def test_the_published_constants_are_seven_equal_weights_with_sources() -> None:
    norm = load_score_norm("agz-0.1")
    assert norm.weights == ("1/7",) * 7
    assert "provisional" in norm.c_bb_per_100.source


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="whose sum is 1"):
        ScoreNorm(*(getattr(NORM, name) for name in ScoreNorm.__struct_fields__[:-1]), ("1/7",) * 6)


def test_the_arms_of_a_sub_phase_are_three() -> None:
    assert [arm.value for arm in Arm] == ["naked", "placebo", "real"]
