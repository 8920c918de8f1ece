"""The A-Score against a calculation by hand, and what it says of missing parts."""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import msgspec
import numpy as np
import pytest
from scipy import special, stats
from statsmodels.stats.power import NormalIndPower

from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.games.chess.cell import ChessCell, ChessGame
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.cell import PokerCell, PokerHand
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.agzamov.score import ScoreSubject, a_score, inputs_of, needed, rescaled
from agzamov_verify.scoring.agzamov.score_bootstrap import spread_of
from agzamov_verify.scoring.agzamov.score_scale import logistic_table, sigmoid
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.unit_values import Measure
from agzamov_verify.scoring.units.cells import Cell, CellKey
from agzamov_verify.scoring.units.score_constants import (
    CHESS,
    POKER,
    SUBSCORES,
    Constant,
    ScoreConstants,
    load_score_constants,
    score_constants_bytes,
)
from verify.agzamov.generator import World, cell, relabelled

FULL = Augmentation.FULL
SUBJECT = ScoreSubject("m", FULL, "sys")
CONSTANTS = msgspec.structs.replace(
    load_score_constants("agz-0.1"),
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
    for name, keys in needed(ScoreSubject("m", augmentation, "sys")).items():
        yield chess(keys[CHESS], 6 if name == "real" else 5, 10)
        yield poker(keys[POKER], 20 if name == "real" else 0, 200)


def test_the_score_is_the_one_of_a_calculation_by_hand() -> None:
    """Five pairs do not show a gain; two sessions that are alike show none either."""
    score = a_score(SUBJECT, cells(), CONSTANTS)
    by_hand = [0.5, 0.6, 0.5, 1 / (1 + math.exp(-20 / 50)), 0.1 / 0.2, 20 / 40, 0]
    assert score.missing == ()
    assert [one.name for one in score.subscores] == list(SUBSCORES)
    assert [float(one.normalised.decimal) for one in score.subscores] == pytest.approx(by_hand, abs=1e-6)
    assert score.score is not None
    assert float(score.score.decimal) == pytest.approx(100 * sum(by_hand) / 7, abs=1e-6)


@pytest.mark.parametrize("left_out", range(6))
def test_a_missing_cell_is_named_and_there_is_no_score(left_out: int) -> None:
    there = list(cells())
    gone = there.pop(left_out)
    score = a_score(SUBJECT, there, CONSTANTS)
    assert score.score is None
    assert score.subscores == ()
    assert [one.partition(": ")[2] for one in score.missing] == [str(gone.key)]


def test_cells_of_another_augmentation_or_system_do_not_stand_in() -> None:
    memory = a_score(SUBJECT, cells(Augmentation.MEMORY), CONSTANTS)
    other = a_score(SUBJECT._replace(system="other"), cells(), CONSTANTS)
    assert len(memory.missing) == 4
    assert [one.split(":")[0] for one in other.missing] == ["real", "real"]


@pytest.mark.parametrize(
    ("delta", "share"),
    [(Fraction(-1, 10), Fraction(0)), (Fraction(1, 10), Fraction(1, 2)), (Fraction(1), Fraction(1))],
)
def test_a_delta_is_clamped_before_it_is_rescaled(delta: Fraction, share: Fraction) -> None:
    assert rescaled(delta, Fraction(1, 5)) == share


def test_the_headline_is_called_a_and_any_other_column_by_its_name() -> None:
    assert a_score(SUBJECT, cells(), CONSTANTS).label == "A"
    memory = ScoreSubject("m", Augmentation.MEMORY, "sys")
    assert a_score(memory, cells(Augmentation.MEMORY), CONSTANTS).label == "A(memory)"


def test_a_control_of_the_same_system_goes_before_the_common_one() -> None:
    own = [relabelled(one, system="sys") if one.key.phase == 2 and one.key.arm is Arm.NAKED else one for one in cells()]
    assert a_score(SUBJECT, own, CONSTANTS).missing == ()


def varied(starts: str = "") -> list[Cell]:
    """Cells with some spread, the real arm a little better."""
    worlds = {"baseline": World(), "control": World(), "real": World(win=0.5, mean=40)}
    return [
        cell(key, worlds[name], starts=starts if name != "baseline" else "")
        for name, keys in needed(SUBJECT).items()
        for key in keys.values()
    ]


@pytest.mark.slow
def test_the_interval_is_that_of_a_resampling_by_numpy() -> None:
    """Oracle: the same bootstrap with another generator and floating point; the ends agree within a twelfth."""
    some = varied()
    mine = a_score(SUBJECT, some, CONSTANTS, Resamples(bytes(32), 2000, Bootstrap.PERCENTILE))
    assert mine.ci is not None
    scores, lows, highs = zip(*(_score_of(drawn) for drawn in _draws(some, 500)), strict=True)
    width = float(mine.ci.high) - float(mine.ci.low)
    assert float(mine.ci.low) == pytest.approx(np.quantile(lows, 0.025), abs=0.08 * width)
    assert float(mine.ci.high) == pytest.approx(np.quantile(highs, 0.965), abs=0.08 * width)
    assert mine.mde is not None
    power = NormalIndPower().solve_power(power=0.8, alpha=0.05, nobs1=1, ratio=0)
    assert float(mine.mde.decimal) == pytest.approx(power * np.std(scores), rel=0.1)
    assert mine.n == {
        f"{name}, {game}": len(one.measured().values)
        for name, keys in needed(SUBJECT).items()
        for game, key in keys.items()
        for one in some
        if one.key == key
    }


def _draws(some: list[Cell], count: int) -> Iterator[dict[CellKey, tuple[float, np.ndarray]]]:
    """P of every cell, and the score of its units at the places that were drawn."""
    generator = np.random.default_rng(7)
    units = {one.key: _figures(one) for one in some}
    for _ in range(count):
        drawn = {key: generator.integers(0, len(values), len(values)) for key, (values, _) in units.items()}
        yield {
            key: (values[drawn[key]].mean(), np.array([scores, drawn[key]])) for key, (values, scores) in units.items()
        }


def _figures(one: Cell) -> tuple[np.ndarray, np.ndarray]:
    found = [one.measured(measure) for measure in (Measure.PERFORMANCE, Measure.SCORE)]
    values = [np.array(units.values) * float(units.scale.factor) for units in found]
    return values[0], values[1]


def _score_of(drawn: dict[CellKey, tuple[float, np.ndarray]]) -> tuple[float, float, float]:
    """The score, and the greater of its two lower and the lesser of its two upper forms."""
    base, control, real = ([drawn[keys[game]] for game in (CHESS, POKER)] for keys in needed(SUBJECT).values())
    delta = [(real[at][0] - control[at][0]) / most for at, most in enumerate((0.2, 40.0))]
    poker = [1 / (1 + math.exp(-one[1][0] / 50)) for one in (base, real)]
    level = base[0][0] + real[0][0] + sum(poker)
    speeds = [_speeds(real[at][1], control[at][1], size) for at, size in enumerate((2, 100))]
    shown, possible = (sum(one[at] for one in speeds) / 2 for at in (0, 1))
    score = level + sum(max(0.0, min(1.0, one)) for one in delta) + shown
    low = level + sum(min(1.0, one) for one in delta) + shown
    high = level + sum(max(0.0, one) for one in delta) + possible
    return tuple(100 * one / 7 for one in (score, low, high))


def _speeds(real: np.ndarray, control: np.ndarray, size: int) -> tuple[float, float]:
    """Speed where a gain is shown, and where it is possible, of arms that were not played on the same starts."""
    values, places = real[0][real[1].astype(int)], real[1].astype(int)
    taken = control[0][control[1].astype(int)]
    errors = stats.sem(real[0]), stats.sem(control[0])
    squared = sum(error**2 for error in errors)
    df = squared**2 / sum(error**4 / (len(arm[0]) - 1) for error, arm in zip(errors, (real, control), strict=True))
    least = stats.t.ppf(0.975, df) * squared**0.5
    gain, most = values.mean() - taken.mean(), (500, 10_000)[size == 100]
    curves = _curves(len(places), size, most)[:, places]
    speed = 1.2 - np.argmax(curves @ (values - taken.mean()) / np.sqrt((curves**2).sum(axis=1))) / 50
    return (min(1.0, speed) if gain > least else 0.0), (speed if gain >= -least else 0.0)


@lru_cache
def _curves(units: int, size: int, most: int) -> np.ndarray:
    played = np.arange(units * size)
    taus = np.linspace(0, most / math.log(20), 51)[1:]
    falling = [np.exp(-played / tau).reshape(units, size).mean(axis=1) for tau in taus]
    return np.array([*(1 + one for one in reversed(falling[:10])), np.ones(units), *(1 - one for one in falling)])


def test_the_interval_of_paired_arms_is_narrower_for_what_they_share() -> None:
    """Real arm and control on the same starts with the same results: their delta has no spread at all."""
    some = {one.key: one for one in varied("same")}
    keys = needed(SUBJECT)
    twins = [msgspec.structs.replace(some[keys["control"][game]], key=keys["real"][game]) for game in (CHESS, POKER)]
    same = [one for key, one in some.items() if key not in keys["real"].values()] + twins
    inputs, _ = inputs_of(SUBJECT, same)
    assert inputs is not None
    spread = spread_of(inputs.arms, CONSTANTS, Resamples(bytes(32), 200, Bootstrap.PERCENTILE))
    assert spread.variances[4] == spread.variances[5] == 0
    assert spread.variances[1] > 0


def test_the_parts_add_up_and_say_which_of_them_drives_the_interval() -> None:
    score = a_score(SUBJECT, varied(), CONSTANTS, Resamples(bytes(32), 200, Bootstrap.PERCENTILE))
    assert score.score is not None
    points = sum(Fraction(one.points.exact) for one in score.subscores)
    assert points == Fraction(score.score.exact)
    spreads = [Fraction(one.points_sd.exact) for one in score.subscores if one.points_sd]
    assert max(spreads) == max(spreads[4:])  # a delta is clamped to a narrow range, so noise weighs most there


@pytest.mark.parametrize("x", ["-7/3", "0", "1/1000", "40"])
def test_the_sigmoid_is_the_logistic_function(x: str) -> None:
    assert float(sigmoid(Fraction(x))) == pytest.approx(1 / (1 + math.exp(-Fraction(x))), rel=1e-12)


def test_the_table_of_the_logistic_function_is_close_to_it() -> None:
    points = np.linspace(-60, 60, 4001)
    assert logistic_table(points) == pytest.approx(special.expit(points), abs=2e-7)


def test_the_published_constants_are_seven_equal_weights_with_sources() -> None:
    constants = load_score_constants("agz-0.1")
    assert constants.weights == ("1/7",) * 7
    assert "provisional" in constants.c_bb_per_100.source


def test_the_file_holds_all_that_the_protocol_defines_and_nothing_more() -> None:
    """Every rule has both games; a number that nobody reads is refused, and so is one that is missing."""
    constants = load_score_constants("agz-0.1")
    by_game = (constants.learning.rules, constants.ratings.elo, constants.ratings.glicko2)
    assert all(rules.keys() == {CHESS, POKER} for rules in by_game)
    plain = msgspec.json.decode(score_constants_bytes("agz-0.1"))
    for place in (plain, plain["learning"], plain["learning"]["rules"][CHESS], plain["ratings"]["elo"][POKER]):
        name = min(place)
        kept = place.pop(name)
        with pytest.raises(msgspec.ValidationError, match=f"missing required field `{name}`"):
            msgspec.convert(plain, ScoreConstants)
        place.update({name: kept, "spare": 1})
        with pytest.raises(msgspec.ValidationError, match="unknown field `spare`"):
            msgspec.convert(plain, ScoreConstants)
        del place["spare"]
    assert msgspec.convert(plain, ScoreConstants) == constants


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(ValueError, match="whose sum is 1"):
        ScoreConstants(*(getattr(CONSTANTS, name) for name in ScoreConstants.__struct_fields__[:-1]), ("1/7",) * 6)


def test_the_arms_of_a_sub_phase_are_the_papers_three_and_two_controls_of_a_memory() -> None:
    assert [arm.value for arm in Arm] == ["naked", "filler", "placebo", "stale", "real"]
