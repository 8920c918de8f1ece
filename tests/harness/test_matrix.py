"""The matrix: rows, columns, what a game took, and a weaker model that its augmentation lifts past a stronger one."""

import re
from fractions import Fraction
from itertools import combinations

import msgspec
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from agzamov_harness.commands.matrix_command import matrix_lines
from agzamov_harness.matrix.matrix_table import Matrix, MatrixDocument, frontier, matrix_of
from agzamov_harness.matrix.pairwise_comparisons import CellSample, Pair, all_pairs
from agzamov_verify.core.columns import quoted
from agzamov_verify.experiment.matches import Arm, Augmentation
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.hypotheses.evidence import Insufficient
from agzamov_verify.scoring.hypotheses.primary import synergy
from agzamov_verify.scoring.inference.estimate import Scale
from agzamov_verify.scoring.inference.unit_values import Units
from agzamov_verify.scoring.units.cells import Cell, CellKey, performance
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.decision import Tally
from verify.agzamov.generator import CHESS, POKER, World, arms, cell, evidence

LEAST = load_protocol("agz-0.1").verdict
UNUSED = {("weak", "poor")}
WEAK, STRONG = World(win=0.3, draw=0.1, mean=-150), World(win=0.6, draw=0.1, mean=100)
GOOD, POOR = World(win=0.7, draw=0.2, mean=200), World(win=0.4, mean=20)


def two_models(weak_with_good: World = GOOD) -> list[Cell]:
    """A weak model with a good memory and a strong one with a poor memory, each also the other way round."""
    baselines = [cell(CellKey(model, game, 1), World()) for model in ("weak", "strong") for game in (CHESS, POKER)]
    return baselines + against_habit("weak", WEAK, weak_with_good) + against_habit("strong", STRONG, GOOD)


def against_habit(model: str, naked: World, good: World) -> list[Cell]:
    """The arms of two memories of a model, all against one opponent."""
    cells = arms(good, naked, model=model, system="good") + arms(POOR, naked, model=model, system="poor")
    return [msgspec.structs.replace(cell, opponent="habit") for cell in cells]


def named(cells: list[Cell], opponent: str, model: str) -> list[Cell]:
    """The same, where this model met that opponent."""
    return [msgspec.structs.replace(one, opponent=opponent) if one.key.model == model else one for one in cells]


@pytest.fixture(scope="module")
def found() -> Matrix:
    return matrix_of(evidence(two_models()), LEAST)


def test_every_cell_stands_once_with_its_delta(found: Matrix) -> None:
    names = [(one.game, one.model, one.column) for one in found.entries]
    columns = ["naked", "memory (good)", "memory (poor)"]
    assert sorted(names) == sorted(
        (game, model, column) for game in (CHESS, POKER) for model in ("weak", "strong") for column in columns
    )
    assert [one.delta is None for one in found.entries] == [one.column == "naked" for one in found.entries]
    assert not any(one.less_placebo for one in found.entries)


def test_a_cell_has_its_difference_from_the_placebo_before_that_from_naked_and_says_where_there_is_none() -> None:
    """Attack 1: what a longer prompt does is in the placebo arm too, so a matrix of real less naked sells it."""
    cells = two_models()
    (real,) = (cell for cell in cells if cell.key == CellKey("weak", CHESS, 2, Augmentation.MEMORY, Arm.REAL, "good"))
    placebo = msgspec.structs.replace(real, key=msgspec.structs.replace(real.key, arm=Arm.PLACEBO))
    matrix = matrix_of(evidence([*cells, placebo]), LEAST)
    (one,) = (entry for entry in matrix.entries if entry.less_placebo)
    assert (one.game, one.model, one.column) == (CHESS, "weak", "memory (good)")
    assert one.less_placebo
    assert one.less_placebo.value
    assert one.less_placebo.value.decimal == "0.000000"
    text = list(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix)))
    heads = [line[2:26].rstrip() for line in text if line.startswith("  less ")]
    at = heads.index("less its placebo")
    assert heads.count("less its placebo") == 1
    assert heads[at + 1] == "less none"
    assert sum("no placebo was played" in line for line in text) == len(matrix.entries) - 4 - 1


def test_a_weaker_model_with_a_better_augmentation_beats_a_stronger_one_with_a_worse(found: Matrix) -> None:
    assert {(one.pair.model, one.pair.other_model) for one in found.crossings} == {("weak", "strong")}
    assert all(one.beats for one in found.crossings)
    assert found.in_every_game == ("weak with memory (good) beats strong with memory (poor)",)


def test_an_augmentation_that_does_not_lift_the_weaker_model_is_not_said_to_beat() -> None:
    poor = matrix_of(
        evidence([one for one in two_models(POOR) if (one.key.model, one.key.system) not in UNUSED]), LEAST
    )
    assert poor.crossings
    assert not any(one.beats for one in poor.crossings)
    assert poor.in_every_game == ()


def test_who_met_another_opponent_is_not_called_weaker() -> None:
    assert matrix_of(evidence(two_models()), LEAST).crossings
    assert matrix_of(evidence(named(two_models(), "another", "weak")), LEAST).crossings == ()
    assert matrix_of(evidence(named(two_models(), "", "weak")), LEAST).crossings == ()


def test_who_is_not_shown_to_be_worse_is_not_called_weaker() -> None:
    """Two players of one strength, of whom one is a little lower by chance."""
    cells = [one for one in two_models() if one.key.model == "strong"]
    twin = [
        msgspec.structs.replace(one, key=msgspec.structs.replace(one.key, model="twin"), starts="") for one in cells
    ]
    assert matrix_of(evidence(cells + twin), LEAST).crossings == ()


def test_phase_0_tells_who_is_weaker_in_chess_and_not_in_holdem() -> None:
    """In hold'em the player who wins most from a random one need not be the better player."""
    arms_of_itself = [msgspec.structs.replace(one, opponent="") for one in two_models()]
    sanity = [
        msgspec.structs.replace(cell(CellKey(model, game, 0), world), opponent="random")
        for model, world in (("weak", WEAK), ("strong", STRONG))
        for game in (CHESS, POKER)
    ]
    found = matrix_of(evidence(arms_of_itself + sanity), LEAST)
    assert {(one.pair.game, one.pair.model) for one in found.crossings} == {(CHESS, "weak")}


def test_every_pair_of_a_game_stands_once_with_its_n_and_both_p(found: Matrix) -> None:
    for game in (CHESS, POKER):
        pairs = [pair for pair in found.pairs if pair.game == game]
        assert len(pairs) == 6 * 5 // 2
        assert all(pair.p and pair.p_corrected and pair.difference.ci and len(pair.difference.n) == 2 for pair in pairs)


def test_a_crossing_has_the_interval_of_its_pair(found: Matrix) -> None:
    for one in found.crossings:
        same = {one.pair.model, one.pair.column, one.pair.other_model, one.pair.other_column}
        (pair,) = [
            pair
            for pair in found.pairs
            if pair.game == one.pair.game
            and {pair.model, pair.column, pair.other_model, pair.other_column} == same
            and (pair.model, pair.column)
            in {(one.pair.model, one.pair.column), (one.pair.other_model, one.pair.other_column)}
        ]
        assert pair in {one.pair, one.pair.reversed}


# R's PlantGrowth, in hundredths.
PLANTS = {
    "ctrl": (417, 558, 518, 611, 450, 461, 517, 453, 533, 514),
    "trt1": (481, 417, 441, 359, 587, 383, 603, 489, 432, 469),
    "trt2": (631, 512, 554, 550, 537, 529, 492, 615, 580, 526),
}


def of_plants(groups: dict[str, tuple[int, ...]], careers: int = 0) -> tuple[Pair, ...]:
    scale = Scale("g", Fraction(1, 100))
    return all_pairs(
        {"g": [CellSample(name, "", Units(some, scale, "", careers)) for name, some in groups.items()]}, LEAST
    )


def test_pairs_are_welch_tests_with_sidaks_correction() -> None:
    """R: pairwise.t.test(weight, group, pool.sd = FALSE, p.adjust = "none"): .250, .048, .009."""
    pairs = of_plants(PLANTS)
    assert [round(float(pair.p or 0), 3) for pair in pairs] == [0.250, 0.048, 0.009]
    for pair, (a, b) in zip(pairs, combinations(PLANTS.values(), 2), strict=True):
        oracle = multipletests([stats.ttest_ind(a, b, equal_var=False).pvalue, 1, 1], method="sidak")[1][0]
        assert float(pair.p_corrected or 0) == pytest.approx(oracle, rel=1e-5)
        assert pair.difference.value is not None
        assert float(pair.difference.value.decimal) == pytest.approx((np.mean(a) - np.mean(b)) / 100)
        assert pair.difference.ci is not None
        excludes = float(pair.difference.ci.low) > 0 or float(pair.difference.ci.high) < 0
        assert excludes is (float(pair.p_corrected or 0) < 0.05), "interval and corrected p say the same"


def test_a_full_stack_is_compared_with_its_own_parts_alone() -> None:
    """Another memory of the model, and a stack whose documents nobody played alone, have no part in it."""
    kinds = {"notes": Augmentation.MEMORY, "engine": Augmentation.TOOLS, "basics": Augmentation.RAG}
    cells = arms(POOR, augmentation=Augmentation.MEMORY, system="other")
    for name, kind in {**kinds, "all": Augmentation.FULL, "most": Augmentation.FULL}.items():
        cells += arms(GOOD if name == "all" else POOR, augmentation=kind, system=name)
    lacking = {"notes": Augmentation.MEMORY, "engine": Augmentation.TOOLS, "unplayed": Augmentation.RAG}
    known = evidence(cells, parts={"all": kinds, "most": lacking})
    matrix = matrix_of(known, LEAST)
    named = [(one.game, one.model, one.system) for one in matrix.interactions]
    assert named == [(game, "m", "all") for game in (CHESS, POKER)]
    for one in matrix.interactions:
        pairs = {delta.real.key.system: delta for delta in known.deltas(one.game)}
        deltas = {name: performance(delta.real) - performance(delta.other) for name, delta in pairs.items()}
        assert one.value.value is not None
        expected = deltas["all"] - sum(deltas[name] for name in kinds)
        assert Fraction(one.value.value.exact) == expected
        assert one.value.ci is not None
        assert float(one.value.ci.low) < expected < float(one.value.ci.high)
    told = "\n".join(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix)))
    assert "m full (all)" in told.replace('"', "")
    assert matrix_of(evidence(cells), LEAST).interactions == ()
    untested = synergy(evidence(cells, parts={"all": lacking}))
    assert isinstance(untested, Insufficient)
    assert "those of a full stack and of its own parts alone" in untested.reason


def test_the_turned_pair_is_the_same_comparison() -> None:
    pair = of_plants(PLANTS)[1]
    assert pair.reversed.reversed == pair
    assert of_plants({name: PLANTS[name] for name in ("trt2", "trt1", "ctrl")})[1] == pair.reversed


@pytest.mark.parametrize(
    ("values", "careers", "note"),
    [
        ((1,) * 12, 0, "no variation"),
        ((1, 2, 3), 0, "3 units, a comparison needs 10"),
        ((1,), 0, "1 unit, a comparison needs 10"),
        (tuple(range(12)), 1, "within one career"),
        (tuple(range(12)), 4, "4 careers, a comparison needs 5"),
        (tuple(range(25)), 5, ""),
    ],
)
def test_what_is_not_compared_says_why_and_counts_in_no_correction(
    values: tuple[int, ...], careers: int, note: str
) -> None:
    scale = Scale("g", Fraction(1))
    groups = [CellSample(name, "", Units(some, scale)) for name, some in PLANTS.items()]
    pairs = all_pairs({"g": [*groups, CellSample("other", "", Units(values, scale, "", careers))]}, LEAST)
    others = [pair for pair in pairs if pair.other_model == "other"]
    assert {pair.note for pair in others} == {note}
    assert all((pair.p is None) is bool(note) and pair.difference.value is not None for pair in others)
    first = next(pair for pair in pairs if pair.other_model == "trt1")
    assert (first.p_corrected == of_plants(PLANTS)[0].p_corrected) is bool(note)


@pytest.mark.parametrize(("games", "note"), [(500, ""), (250, "unlike designs: 250 games, habits none and 500 games")])
def test_real_arms_of_unlike_sizes_have_no_p_and_no_interval(games: int, note: str) -> None:
    """The head said "not comparable", and the p stood beneath."""
    key = CellKey("weak", CHESS, 2, Augmentation.TOOLS, Arm.REAL, "engine")
    other = msgspec.structs.replace(key, model="strong")
    cells = [cell(key, WEAK, 500), cell(other, STRONG, games), cell(CellKey("weak", CHESS, 1), World())]
    pairs = matrix_of(evidence(cells), LEAST).pairs
    (pair,) = (one for one in pairs if one.column == one.other_column)
    others = [one for one in pairs if one is not pair]
    assert pair.note.startswith(note)
    assert (pair.p is None, pair.difference.ci is None) == (bool(note),) * 2
    assert all(one.p for one in others), "another column is no arm of that design"


def test_careers_are_compared_by_their_means() -> None:
    rng = np.random.default_rng(2)
    values = {name: tuple(int(one) for one in rng.integers(0, 100, 25)) for name in "ab"}
    (pair,) = of_plants(values, careers=5)
    means = [np.array(some).reshape(5, 5).mean(axis=1) for some in values.values()]
    assert float(pair.p or 0) == pytest.approx(stats.ttest_ind(*means, equal_var=False).pvalue, rel=1e-5)
    assert (pair.difference.n, pair.difference.over) == ((5, 5), "careers")


def test_the_frontier_leaves_out_what_is_worse_and_dearer() -> None:
    rows = [(3, 10, 1), (2, 20, 1), (4, 20, 2), (3, 10, 2), (3, 10, 1)]
    assert frontier([tuple(map(Fraction, row)) for row in rows]) == [True, False, True, False, True]  # type: ignore[misc]


def test_tokens_and_cost_are_those_of_the_measured_seat_a_game() -> None:
    naked = cell(CellKey("m", CHESS, 1), World())
    tallies = (Tally(prompt_tokens=4000, completion_tokens=400), Tally(prompt_tokens=9999))
    dear = msgspec.structs.replace(naked, tallies=tallies, cost_usd=Fraction(2))
    entry = matrix_of(evidence([dear]), LEAST).entries[0]
    assert entry.cost_usd
    assert (entry.tokens.exact, entry.cost_usd.exact) == ("11/1", "1/200")


def test_a_cell_without_a_sealed_price_has_no_known_cost_and_no_model_speaks_for_the_document() -> None:
    name = 'm" naked: 0.99 (n 500)'
    unpriced = msgspec.structs.replace(cell(CellKey(name, CHESS, 1), World()), is_priced=False)
    matrix = matrix_of(evidence([unpriced]), LEAST)
    assert matrix.entries[0].cost_usd is None
    told = "\n".join(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix)))
    assert (quoted(name) in told, "cost not known" in told) == (True, True)


def test_the_text_has_the_decimals_of_verify_and_a_model_without_the_kind_of_its_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = [
        cell(CellKey(model, game, 1), World()) for model in ("openai:m", "openai:one@m") for game in (CHESS, POKER)
    ]
    text = list(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix_of(evidence(cells), LEAST))))
    told = "\n".join(text)
    assert ('Chess960, "m" naked' in told, '"openai:one@m" naked' in told) == (True, True)
    results = [line for line in text if line.startswith("  result")]
    assert re.search(r"result +0\.\d\d \[0\.\d\d, 0\.\d\d\] win rate \(n", results[0])
    assert re.search(r"result +-?\d+\.\d \[-?\d+\.\d, -?\d+\.\d\] bb/100 \(n", results[-1])
    assert not re.search(r"\d\.\d{4}", told)
    monkeypatch.setattr(type(VIEWS[CHESS]), "number", lambda _, value: f"{value:+.3f}")
    text = list(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix_of(evidence(cells), LEAST))))
    assert re.search(r"result +0\.\d{3} \[0\.\d{3}, 0\.\d{3}\] win rate \(n", "\n".join(text))


@pytest.mark.parametrize(
    ("player", "cost"),
    [
        ("reference@reference", "0/1"),
        ("dice@random", "0/1"),
        ("tiny@0123456789ab", None),
        ("openai:m", None),
        ("openai:one@reference", None),
    ],
)
def test_a_scripted_seat_costs_nothing_and_a_model_without_a_price_is_not_known(player: str, cost: str | None) -> None:
    """`plan` said 0.00 USD of the same seats."""
    unpriced = msgspec.structs.replace(cell(CellKey(player, CHESS, 1), World()), is_priced=False)
    matrix = matrix_of(evidence([unpriced]), LEAST)
    found = matrix.entries[0].cost_usd
    assert (found.exact if found else None) == cost
    told = "\n".join(matrix_lines(MatrixDocument("agz-matrix-1", "agz-0.1", (), matrix)))
    assert ("cost not known" in told) == (cost is None)
    assert (" tokens a game" in told) == (cost is not None), "what costs nothing is not told"
