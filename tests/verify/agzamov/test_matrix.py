"""The matrix: rows, columns, what a game took, and a weaker model that its augmentation lifts past a stronger one."""

from fractions import Fraction

import msgspec
import pytest
from scipy import stats

from agzamov_verify.games.decision import Tally
from agzamov_verify.scoring.agzamov.cells import Cell, CellKey
from agzamov_verify.scoring.agzamov.matrix import Matrix, frontier, matrix_of
from agzamov_verify.scoring.agzamov.measures import units_of
from verify.agzamov.generator import CHESS, POKER, World, arms, cell, evidence

UNUSED = {("weak", "poor")}
GOOD, POOR = World(win=0.7, draw=0.2, mean=200), World(win=0.4, mean=20)


def two_models(weak_with_good: World = GOOD) -> list[Cell]:
    """A weak model with a good memory and a strong one with a poor memory, each also the other way round."""
    random = {"weak": World(win=0.5, draw=0.2, mean=50), "strong": World(win=0.9, draw=0.1, mean=300)}
    sanity = [cell(CellKey(model, game, 0), world) for model, world in random.items() for game in (CHESS, POKER)]
    baselines = [cell(CellKey(model, game, 1), World()) for model in random for game in (CHESS, POKER)]
    weak = arms(weak_with_good, model="weak", system="good") + arms(POOR, model="weak", system="poor")
    strong = arms(GOOD, model="strong", system="good") + arms(POOR, model="strong", system="poor")
    return sanity + baselines + weak + strong


@pytest.fixture(scope="module")
def found() -> Matrix:
    return matrix_of(evidence(two_models()))


def test_every_cell_stands_once_with_its_delta(found: Matrix) -> None:
    names = [(one.game, one.model, one.column) for one in found.entries]
    columns = ["naked", "memory (good)", "memory (poor)"]
    assert sorted(names) == sorted(
        (game, model, column) for game in (CHESS, POKER) for model in ("weak", "strong") for column in columns
    )
    assert [one.delta is None for one in found.entries] == [one.column == "naked" for one in found.entries]


def test_a_weaker_model_with_a_better_augmentation_beats_a_stronger_one_with_a_worse(found: Matrix) -> None:
    assert {(one.weaker, one.stronger) for one in found.crossings} == {("weak", "strong")}
    assert all(one.beats for one in found.crossings)
    assert found.in_both == ("weak with memory (good) beats strong with memory (poor)",)


def test_an_augmentation_that_does_not_lift_the_weaker_model_is_not_said_to_beat() -> None:
    poor = matrix_of(evidence([one for one in two_models(POOR) if (one.key.model, one.key.system) not in UNUSED]))
    assert poor.crossings
    assert not any(one.beats for one in poor.crossings)
    assert poor.in_both == ()


def test_without_phase_0_nobody_is_called_weaker() -> None:
    cells = [one for one in two_models() if one.key.phase == 2 and one.key.system == "good"]
    assert matrix_of(evidence(cells)).crossings == ()


def test_all_pairs_stand_beside_as_scipy_has_them(found: Matrix) -> None:
    some = evidence(two_models())
    keys = [
        key
        for key in sorted(some.cells)
        if key.game == CHESS and (key.phase, key.arm.value) in ((1, "naked"), (2, "real"))
    ]
    samples = [[float(value) / 2 for value in units_of(some.cells[key]).values] for key in keys]
    oracle = stats.tukey_hsd(*samples)
    assert len(found.tukey[CHESS]) == len(keys) * (len(keys) - 1) // 2
    assert float(found.tukey[CHESS][0].p or 0) == pytest.approx(oracle.pvalue[0][1], rel=1e-4, abs=1e-9)


def test_the_frontier_leaves_out_what_is_worse_and_dearer() -> None:
    rows = [(3, 10, 1), (2, 20, 1), (4, 20, 2), (3, 10, 2), (3, 10, 1)]
    assert frontier([tuple(map(Fraction, row)) for row in rows]) == [True, False, True, False, True]  # type: ignore[misc]


def test_tokens_and_cost_are_those_of_the_measured_seat_a_game() -> None:
    naked = cell(CellKey("m", CHESS, 1), World())
    tallies = (Tally(prompt_tokens=4000, completion_tokens=400), Tally(prompt_tokens=9999))
    dear = msgspec.structs.replace(naked, tallies=tallies, cost_usd=Fraction(2))
    entry = matrix_of(evidence([dear])).entries[0]
    assert (entry.tokens.exact, entry.cost_usd.exact) == ("11/1", "1/200")
