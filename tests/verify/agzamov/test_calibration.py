"""Constants and weights from cells of known truth."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.scoring.agzamov.calibration import (
    Profile,
    calibrated,
    fitted,
    median,
    proposed_weights,
    reliabilities,
    rounded_up,
    thousandths,
)
from agzamov_verify.scoring.units.cells import Cell, CellKey, performance
from agzamov_verify.scoring.units.score_constants import SUBSCORES
from verify.agzamov.generator import CHESS, POKER, World, arms, cell, evidence

ALPHA = Fraction(1, 20)


def phases_1_and_2(real: World) -> list[Cell]:
    baselines: list[Cell] = [cell(CellKey("m", game, 1), World()) for game in (CHESS, POKER)]
    return baselines + arms(real)


def values(cells: list[Cell]) -> dict[str, str | None]:
    return {one.name: one.value for one in calibrated(evidence(cells), ALPHA)}


def test_constants_come_from_the_real_arms_by_the_declared_rules() -> None:
    cells = phases_1_and_2(World(win=0.6, draw=0.3, mean=150))
    found = values(cells)
    real = {one.key.game: performance(one) for one in cells if one.key.arm is Arm.REAL}
    naked = {one.key.game: performance(one) for one in cells if one.key.phase == 2 and one.key.arm is Arm.NAKED}
    for name, wanted in (
        ("c_bb_per_100", abs(real[POKER])),
        ("delta_max_bb_per_100", real[POKER] - naked[POKER]),
        ("delta_max_win_rate", real[CHESS] - naked[CHESS]),
    ):
        assert found[name] is not None
        assert wanted <= Fraction(found[name] or 0) <= wanted * Fraction(111, 100)


def test_nothing_is_guessed_where_nothing_was_found() -> None:
    found = {one.name: one for one in calibrated(evidence(phases_1_and_2(World())), ALPHA)}
    assert found["delta_max_win_rate"].value is None
    assert found["delta_max_win_rate"].source == "no delta was found above 0"
    assert found["tau_max_games"].source == "no real arm was found to learn"
    empty = {one.name: one.value for one in calibrated(evidence([]), ALPHA)}
    assert set(empty.values()) == {None}
    assert len(empty) == 5


def test_a_real_arm_that_learned_gives_the_longest_tau() -> None:
    key = CellKey("m", CHESS, 2, Augmentation.MEMORY, Arm.REAL, "s")
    cells: list[Cell] = [
        cell(key, World(win=0.05, draw=0.1, late=0.7, tau=60)),
        cell(CellKey("m", CHESS, 2, Augmentation.MEMORY, Arm.NAKED, "s"), World()),
    ]
    some = evidence(cells)
    tau = some.learned(cells[0]).tau
    found = {one.name: one.value for one in calibrated(some, ALPHA)}["tau_max_games"]
    assert tau is not None
    assert found == rounded_up(Fraction(tau))


@pytest.mark.parametrize(
    ("value", "shown"), [("1234", "1300"), ("0.2501", "0.26"), ("26", "26"), ("1/3", "0.34"), ("100", "100")]
)
def test_a_constant_is_rounded_up_to_two_digits(value: str, shown: str) -> None:
    assert Decimal(rounded_up(Fraction(value))) == Decimal(shown)
    assert "E" not in rounded_up(Fraction(value))


def test_the_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    assert median([Fraction(4), Fraction(1), Fraction(3), Fraction(2)]) == np.median([4, 1, 3, 2])


# --- weights -------------------------------------------------------------------------------------


def profile(*places: float, variance: float = 0.0) -> Profile:
    return Profile(tuple(map(Fraction, map(str, places))), (Fraction(str(variance)),) * len(SUBSCORES))


SPREAD = {
    "a": profile(0.5, 0.1, 0.5, 0.2, 0.1, 0.1, 0.2),
    "b": profile(0.5, 0.4, 0.5, 0.4, 0.3, 0.2, 0.4),
    "c": profile(0.5, 0.6, 0.5, 0.7, 0.5, 0.6, 0.5),
    "d": profile(0.5, 0.9, 0.5, 0.9, 0.9, 0.9, 0.9),
}


def test_a_component_in_which_all_models_are_alike_weighs_nothing() -> None:
    found = proposed_weights(SPREAD)
    assert found is not None
    by_name = {one.name: one for one in found.components}
    assert by_name["chess baseline"].weight == by_name["poker baseline"].weight == "0"
    assert sum(Fraction(one.weight) for one in found.components) == 1
    assert Fraction(by_name["chess augmented"].weight) == Fraction(1, 5)


def test_noise_takes_reliability_away_as_the_intraclass_correlation_says() -> None:
    noisy = [one._replace(variances=(Fraction(1, 50),) * len(SUBSCORES)) for one in SPREAD.values()]
    column = [float(one.places[1]) for one in noisy]
    wanted = (np.var(column, ddof=1) - 0.02) / np.var(column, ddof=1)
    assert float(reliabilities(noisy)[1]) == pytest.approx(wanted)


def test_a_component_that_is_all_noise_weighs_nothing_and_all_noise_weighs_evenly() -> None:
    drowned = [one._replace(variances=(Fraction(1),) * len(SUBSCORES)) for one in SPREAD.values()]
    assert set(reliabilities(drowned)) == {Fraction(0)}
    assert set(fitted(drowned)) == {Fraction(1, 7)}


def test_the_left_out_model_does_not_help_to_make_the_weights_that_score_it() -> None:
    alike = {name: profile(*([0.5] * 7)) for name in "abc"}
    odd = profile(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0)
    found = proposed_weights({**alike, "odd": odd})
    assert found is not None
    scores = {one.model: one for one in found.held_out}
    assert scores["odd"].score == scores["odd"].uniform  # without it nothing tells the others apart
    assert Fraction(scores["a"].score.exact) == 50


def test_the_order_of_left_out_scores_is_compared_with_the_uniform_one() -> None:
    found = proposed_weights(SPREAD)
    assert found is not None
    assert found.rank_agreement.decimal == "1.000000"


def test_two_models_are_too_few() -> None:
    assert proposed_weights(dict(list(SPREAD.items())[:2])) is None


@pytest.mark.parametrize("shares", [[Fraction(1, 7)] * 7, [Fraction(1, 3), Fraction(2, 3)], [Fraction(1)]])
def test_thousandths_always_sum_to_one(shares: list[Fraction]) -> None:
    assert sum(thousandths(shares)) == 1
    assert all(abs(one - share) < Fraction(1, 1000) for one, share in zip(thousandths(shares), shares, strict=True))
