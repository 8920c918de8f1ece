"""The A-Score against a calculation by hand, and what it says of missing parts."""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from statsmodels.stats.power import NormalIndPower

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
from agzamov_verify.scoring.agzamov.measures import units_of
from agzamov_verify.scoring.agzamov.norm import SUBSCORES, Constant, ScoreNorm, load_score_norm, score_norm_bytes
from agzamov_verify.scoring.agzamov.score import (
    CHESS,
    POKER,
    Subject,
    a_score,
    inputs_of,
    needed,
    resampled,
    rescaled,
    sigmoid,
)
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from verify.agzamov.generator import World, cell, relabelled

FULL = Augmentation.FULL
SUBJECT = Subject("m", FULL, "sys")
NORM = msgspec.structs.replace(
    load_score_norm("agz-0.1"),
    c_bb_per_100=Constant("test", Decimal(50)),
    delta_max_bb_per_100=Constant("test", Decimal(40)),
    delta_max_win_rate=Constant("test", Decimal("0.2")),
    tau_max_games=Constant("test", Decimal(500)),
    tau_max_hands=Constant("test", Decimal(10_000)),
)


def chess(key: CellKey, wins: int, of: int) -> ChessCell:
    won = ChessGame(2, 2, End.CHECKMATE, substituted=False, errors=(0, 0), plies=40)
    lost = ChessGame(0, 0, End.CHECKMATE, substituted=False, errors=(0, 0), plies=40)
    return ChessCell(key, (won,) * wins + (lost,) * (of - wins))


def poker(key: CellKey, chips: int, hands: int) -> PokerCell:
    return PokerCell(key, (PokerHand(chips, HandEnd.FOLD, (0, 0)),) * hands, 100)


def cells(augmentation: Augmentation = FULL) -> Iterator[Cell]:
    """Win rates 0.5, 0.5 and 0.6; 0, 0 and 20 bb/100."""
    for name, keys in needed(Subject("m", augmentation, "sys")).items():
        yield chess(keys[CHESS], 6 if name == "real" else 5, 10)
        yield poker(keys[POKER], 20 if name == "real" else 0, 200)


def test_the_score_is_the_one_of_a_calculation_by_hand() -> None:
    score = a_score(SUBJECT, cells(), {CHESS: 100, POKER: None}, NORM)
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
    score = a_score(SUBJECT, there, {CHESS: 100, POKER: 100}, NORM)
    assert score.score is None
    assert score.subscores == ()
    assert [one.partition(": ")[2] for one in score.missing] == [str(gone.key)]


def test_a_missing_convergence_is_named() -> None:
    score = a_score(SUBJECT, cells(), {CHESS: 100}, NORM)
    assert (score.score, score.missing) == (None, ("convergence: holdem",))


def test_cells_of_another_augmentation_or_system_do_not_stand_in() -> None:
    memory = a_score(SUBJECT, cells(Augmentation.MEMORY), {CHESS: 1, POKER: 1}, NORM)
    other = a_score(SUBJECT._replace(system="other"), cells(), {CHESS: 1, POKER: 1}, NORM)
    assert len(memory.missing) == 4
    assert [one.split(":")[0] for one in other.missing] == ["real", "real"]


def test_no_learning_detected_earns_nothing_however_small_a_naive_tau_would_be() -> None:
    slow = a_score(SUBJECT, cells(), {CHESS: None, POKER: None}, NORM)
    late = a_score(SUBJECT, cells(), {CHESS: 501, POKER: 10_001}, NORM)
    assert slow.subscores[-1].normalised.decimal == late.subscores[-1].normalised.decimal == "0.000000"


@pytest.mark.parametrize(
    ("delta", "share"),
    [(Fraction(-1, 10), Fraction(0)), (Fraction(1, 10), Fraction(1, 2)), (Fraction(1), Fraction(1))],
)
def test_a_delta_is_clamped_before_it_is_rescaled(delta: Fraction, share: Fraction) -> None:
    assert rescaled(delta, Fraction(1, 5)) == share


def test_the_headline_is_called_a_and_any_other_column_by_its_name() -> None:
    assert a_score(SUBJECT, cells(), {CHESS: 1, POKER: 1}, NORM).label == "A"
    memory = Subject("m", Augmentation.MEMORY, "sys")
    assert a_score(memory, cells(Augmentation.MEMORY), {CHESS: 1, POKER: 1}, NORM).label == "A(memory)"


def test_a_control_of_the_same_system_goes_before_the_common_one() -> None:
    own = [relabelled(one, system="sys") if one.key.phase == 2 and one.key.arm is Arm.NAKED else one for one in cells()]
    assert a_score(SUBJECT, own, {CHESS: 1, POKER: 1}, NORM).missing == ()


def varied(starts: str = "") -> list[Cell]:
    """Cells with some spread, the real arm a little better."""
    worlds = {"baseline": World(), "control": World(), "real": World(win=0.5, mean=40)}
    return [
        cell(key, worlds[name], starts=starts if name != "baseline" else "")
        for name, keys in needed(SUBJECT).items()
        for key in keys.values()
    ]


def test_the_interval_is_that_of_a_resampling_by_numpy() -> None:
    """Oracle: the same percentile bootstrap with another generator and floating point; the widths agree within 10 %."""
    some, tau = varied(), {CHESS: 100, POKER: 2000}
    mine = a_score(SUBJECT, some, tau, NORM, Resamples(bytes(32), 2000, Bootstrap.PERCENTILE))
    assert mine.ci is not None
    scores = [_score_of(drawn) for drawn in _draws(some, 2000)]
    ends = np.quantile(scores, [0.025, 0.975])
    width = float(mine.ci.high) - float(mine.ci.low)
    assert width == pytest.approx(ends[1] - ends[0], rel=0.1)
    assert float(mine.ci.low) == pytest.approx(ends[0], abs=0.1 * width)
    assert mine.mde is not None
    power = NormalIndPower().solve_power(power=0.8, alpha=0.05, nobs1=1, ratio=0)
    assert float(mine.mde.decimal) == pytest.approx(power * np.std(scores), rel=0.1)
    assert mine.n == {
        f"{name}, {game}": len(units_of(one).values)
        for name, keys in needed(SUBJECT).items()
        for game, key in keys.items()
        for one in some
        if one.key == key
    }


def _draws(some: list[Cell], count: int) -> Iterator[dict[CellKey, float]]:
    generator = np.random.default_rng(7)
    units = {one.key: np.array(units_of(one).values) * float(units_of(one).scale.factor) for one in some}
    for _ in range(count):
        yield {key: generator.choice(values, len(values)).mean() for key, values in units.items()}


def _score_of(mean: dict[CellKey, float]) -> float:
    base, control, real = ([mean[keys[game]] for game in (CHESS, POKER)] for keys in needed(SUBJECT).values())
    delta = [max(0.0, min(1.0, (real[at] - control[at]) / most)) for at, most in enumerate((0.2, 40.0))]
    poker = [1 / (1 + math.exp(-one / 50)) for one in (base[1], real[1])]
    return 100 * (base[0] + real[0] + sum(poker) + sum(delta) + (0.8 + 0.8) / 2) / 7


def test_the_interval_of_paired_arms_is_narrower_for_what_they_share() -> None:
    """Real arm and control on the same starts with the same results: their delta has no spread at all."""
    some = {one.key: one for one in varied("same")}
    keys = needed(SUBJECT)
    twins = [msgspec.structs.replace(some[keys["control"][game]], key=keys["real"][game]) for game in (CHESS, POKER)]
    same = [one for key, one in some.items() if key not in keys["real"].values()] + twins
    inputs, _ = inputs_of(SUBJECT, same, {CHESS: None, POKER: None})
    assert inputs is not None
    spread = resampled(inputs, NORM, Resamples(bytes(32), 200, Bootstrap.PERCENTILE))
    assert spread.variances[4] == spread.variances[5] == 0
    assert spread.variances[1] > 0


def test_the_parts_add_up_and_say_which_of_them_drives_the_interval() -> None:
    score = a_score(SUBJECT, varied(), {CHESS: 1, POKER: 1}, NORM, Resamples(bytes(32), 200, Bootstrap.PERCENTILE))
    assert score.score is not None
    points = sum(Fraction(one.points.exact) for one in score.subscores)
    assert points == Fraction(score.score.exact)
    spreads = [Fraction(one.points_sd.exact) for one in score.subscores if one.points_sd]
    assert spreads[-1] == 0  # τ is held
    assert max(spreads) == max(spreads[4:6])  # a delta is clamped to a narrow range, so noise weighs most there


@pytest.mark.parametrize("x", ["-7/3", "0", "1/1000", "40"])
def test_the_sigmoid_is_the_logistic_function(x: str) -> None:
    assert float(sigmoid(Fraction(x))) == pytest.approx(1 / (1 + math.exp(-Fraction(x))), rel=1e-12)


def test_the_published_constants_are_seven_equal_weights_with_sources() -> None:
    norm = load_score_norm("agz-0.1")
    assert norm.weights == ("1/7",) * 7
    assert "provisional" in norm.c_bb_per_100.source


def test_the_file_holds_all_that_the_protocol_defines_and_nothing_more() -> None:
    """Every rule has both games; a number that nobody reads is refused, and so is one that is missing."""
    norm = load_score_norm("agz-0.1")
    by_game = (norm.learning.rules, norm.ratings.elo, norm.ratings.glicko2)
    assert all(rules.keys() == {CHESS, POKER} for rules in by_game)
    plain = msgspec.json.decode(score_norm_bytes("agz-0.1"))
    for place in (plain, plain["learning"], plain["learning"]["rules"][CHESS], plain["ratings"]["elo"][POKER]):
        name = min(place)
        kept = place.pop(name)
        with pytest.raises(msgspec.ValidationError, match=f"missing required field `{name}`"):
            msgspec.convert(plain, ScoreNorm)
        place.update({name: kept, "spare": 1})
        with pytest.raises(msgspec.ValidationError, match="unknown field `spare`"):
            msgspec.convert(plain, ScoreNorm)
        del place["spare"]
    assert msgspec.convert(plain, ScoreNorm) == norm


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="whose sum is 1"):
        ScoreNorm(*(getattr(NORM, name) for name in ScoreNorm.__struct_fields__[:-1]), ("1/7",) * 6)


def test_the_arms_of_a_sub_phase_are_three() -> None:
    assert [arm.value for arm in Arm] == ["naked", "placebo", "real"]
