"""The model x augmentation matrix (paper section 3.4): descriptive, with all pairs of cells compared beside.

A row is a model, a column an augmentation system. The naked column is Phase 1, the others are the real arms of Phase 2.
Each model played against its own naked self, so the comparison is of gains, not of two models playing each other.
Only declared contrasts are confirmed (paper section 9.5): see the hypotheses.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from agzamov_verify.experiment.matches import Arm, Augmentation, Phase
from agzamov_verify.protocols.norms import VerdictNorm, load_protocol
from agzamov_verify.scores.collected_bundles import BundleSource, Collected
from agzamov_verify.scoring.agzamov.comparable import design_of
from agzamov_verify.scoring.deltas import difference_figure
from agzamov_verify.scoring.hypotheses.contrasts import estimated, repeated
from agzamov_verify.scoring.hypotheses.delta_contrasts import interaction, measured_in
from agzamov_verify.scoring.hypotheses.evidence import Delta, Evidence, Stack
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.exact import Figure, figure
from agzamov_verify.scoring.match_figures import mean_figure
from agzamov_verify.scoring.scorings import SCORINGS
from agzamov_verify.scoring.units.cells import Cell, CellKey, arm_of, performance
from agzamov_verify.seats import KINDS

from .pairwise_comparisons import CellSample, Pair, all_pairs

NAKED = "naked"
Rules: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""By which each model played each game."""


class MatrixCell(msgspec.Struct, frozen=True):
    """One cell of the matrix: P, its delta (None in the naked column), and its cost a game or hand.

    `less_placebo`: P less that of the placebo arm, where one was played: the headline there, before the delta.
    `less`: of a memory, P less that of its filler and its stale arm, by the arm's name; None where it was not played.
    `cost_usd` is None where no price of a model was sealed; a scripted seat costs nothing.
    `on_frontier`: no other cell of this game, by the same rules, has more P for no more tokens and no more cost.
    """

    game: str
    model: str
    column: str
    performance: Estimate
    less_placebo: Estimate | None
    delta: Estimate | None
    tokens: Figure
    cost_usd: Figure | None
    on_frontier: bool
    less: dict[str, Estimate | None] = {}


class Crossing(msgspec.Struct, frozen=True):
    """A weaker model with a better augmentation against a stronger one with a worse: P of the first less the second.

    Weaker: less P without augmentation against the same opponent, by a difference whose 95 % interval excludes 0; in
    the naked arms of Phase 2, or in Phase 0 of a game where the stronger player beats a random one by more. Better: the
    greater mean delta of the column. That is chosen from the data that are compared, and may be: all pairs hold
    together, whichever of them is looked at. `beats`: the interval lies above 0.
    """

    pair: Pair
    beats: bool


class Interaction(msgspec.Struct, frozen=True):
    """Interaction of a full stack (hypothesis H4, of one model): its delta less the sum of its parts'."""

    game: str
    model: str
    system: str
    value: Estimate


class Matrix(msgspec.Struct, frozen=True):
    """The matrix. `interactions`: of the full stacks whose parts were played alone, too. `pairs`: all of one game.

    `in_every_game` names the crossings that hold in each game, where there are several.
    """

    entries: tuple[MatrixCell, ...]
    interactions: tuple[Interaction, ...]
    pairs: tuple[Pair, ...]
    crossings: tuple[Crossing, ...]
    in_every_game: tuple[str, ...]


class MatrixDocument(msgspec.Struct, frozen=True):
    """`agzamov matrix --json`. `warnings`: limits of comparisons between cells of several runs or systems."""

    format: Literal["agz-matrix-1"]
    protocol: str
    bundles: tuple[BundleSource, ...]
    matrix: Matrix
    warnings: tuple[str, ...] = ()


def matrix_document(collected: Collected) -> MatrixDocument:
    """The matrix of all cells."""
    matrix = matrix_of(collected.evidence, load_protocol(collected.protocol).verdict, collected.rules)
    return MatrixDocument("agz-matrix-1", collected.protocol, collected.sources, matrix, collected.warnings)


def matrix_of(evidence: Evidence, least: VerdictNorm, rules: Rules = MappingProxyType({})) -> Matrix:
    """The matrix of all cells; `least`: the smallest samples that are compared. `rules`: as in `Collected`."""
    entries = tuple(entry for game in evidence.games for entry in _entries(evidence, game, rules))
    groups = {game: [_group(cell, rules) for cell in cells_of_game(evidence, game)] for game in evidence.games}
    pairs = all_pairs(groups, least)
    crossings = tuple(
        crossing for game in evidence.games for crossing in _crossings(evidence, game, pairs, least, rules)
    )
    interactions = tuple(interaction_of(evidence, stack) for game in evidence.games for stack in evidence.stacks(game))
    return Matrix(entries, interactions, pairs, crossings, tuple(_in_every_game(crossings, evidence.games)))


def column_of(key: CellKey) -> str:
    """The name of a column. Tables of three and more are columns of their own: what is won there is another figure."""
    table = f" at a table of {key.seats}" if key.seats > 2 else ""
    if key.arm is Arm.NAKED:
        return NAKED + table
    return (f"{key.augmentation.value} ({key.system})" if key.system else key.augmentation.value) + table


def cells_of_game(evidence: Evidence, game: str) -> list[Cell]:
    """Baselines and real arms, in the order of their keys."""
    return [
        cell
        for key, cell in sorted(evidence.cells.items())
        if key.game == game and (key.phase, key.arm) in ((Phase.BASELINE, Arm.NAKED), (Phase.ASYMMETRIC, Arm.REAL))
    ]


def spent(cell: Cell) -> tuple[Fraction, Fraction]:
    """Tokens and US dollars of the measured seat, a game or hand."""
    tally = cell.tallies[0]
    return Fraction(tally.prompt_tokens + tally.completion_tokens, len(cell.results)), cell.cost_usd / len(cell.results)


def frontier(rows: Sequence[tuple[Fraction, Fraction, Fraction]]) -> list[bool]:
    """Pareto frontier of rows of P, tokens, cost: True if no row is at least as good in all three and better in one."""

    def beaten(row: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> bool:
        return other != row and other[0] >= row[0] and other[1] <= row[1] and other[2] <= row[2]

    return [not any(beaten(row, other) for other in rows) for row in rows]


def _entries(evidence: Evidence, game: str, rules: Rules) -> Iterator[MatrixCell]:
    cells = cells_of_game(evidence, game)
    deltas = {delta.real.key: delta for delta in evidence.deltas(game)}
    placebos = {delta.real.key: delta for delta in evidence.deltas(game, against=Arm.PLACEBO)}
    best = _best([cell for cell in cells if not cell.no_finding], rules)
    for cell in cells:
        tokens, cost = spent(cell)
        delta, over_placebo = deltas.get(cell.key), placebos.get(cell.key)
        yield MatrixCell(
            game,
            cell.key.model,
            column_of(cell.key),
            mean_figure(cell.measured(), evidence),
            _delta(evidence, over_placebo) if over_placebo else None,
            _delta(evidence, delta) if delta else None,
            figure(tokens),
            figure(cost) if cell.is_priced or _is_free(cell) else None,
            best.get(cell.key, False),
            dict(_less(evidence, delta)) if delta else {},
        )


def _best(cells: Sequence[Cell], rules: Rules) -> dict[CellKey, bool]:
    """The cells that are on the frontier of those that were played by the same rules."""
    alike: dict[tuple[tuple[str, str], ...], list[Cell]] = {}
    for cell in cells:
        alike.setdefault(tuple(sorted(_rules_of(cell, rules).items())), []).append(cell)
    return {
        cell.key: front
        for some in alike.values()
        for cell, front in zip(some, frontier([_point(cell) for cell in some]), strict=True)
    }


def _point(cell: Cell) -> tuple[Fraction, Fraction, Fraction]:
    return (performance(cell), *spent(cell))


def _is_free(cell: Cell) -> bool:
    """True if the measured seat is scripted: its player is NAME@KIND, a model's NAME@DIGEST or openai:MODEL."""
    name, _, kind = cell.key.model.rpartition("@")
    return ":" not in name and kind in KINDS and not KINDS[kind].is_model


def _less(evidence: Evidence, delta: Delta) -> Iterator[tuple[str, Estimate | None]]:
    """A real arm less the filler and the stale arm of its memory, where these were played; less filler in any case."""
    for arm in (Arm.FILLER, Arm.STALE):
        other = arm_of(evidence.cells, delta.real.key, arm)
        if other:
            yield arm.value, _delta(evidence, Delta(delta.real, other))
        elif arm is Arm.FILLER and delta.real.key.augmentation is Augmentation.MEMORY:
            yield arm.value, None


def _delta(evidence: Evidence, delta: Delta) -> Estimate:
    return difference_figure(delta.real.measured(), delta.other.measured(), evidence)


def interaction_of(evidence: Evidence, stack: Stack) -> Interaction:
    """Interaction of one full stack: its delta less the sum of its parts'."""
    groups, key = repeated(interaction([stack])), stack.full.real.key
    value = estimated(groups, evidence.resampling(measured_in([stack.full])))
    return Interaction(key.game, key.model, key.system, value)


def _group(cell: Cell, rules: Rules) -> CellSample:
    units, played_by = cell.measured(), _rules_of(cell, rules)
    return CellSample(cell.key.model, column_of(cell.key), units, played_by, design_of(cell))


def _rules_of(cell: Cell, rules: Rules) -> Mapping[str, str]:
    return rules.get((cell.key.model, cell.key.game), {})


def _crossings(
    evidence: Evidence, game: str, pairs: Sequence[Pair], least: VerdictNorm, rules: Rules
) -> Iterator[Crossing]:
    deltas = [delta for delta in evidence.deltas(game) if not (delta.real.no_finding or delta.other.no_finding)]
    models = sorted({delta.real.key.model for delta in deltas})
    weaker = {both for both in permutations(models, 2) if _is_weaker(evidence, game, *both, least, rules)}
    means = _column_means(deltas)
    both_ways = [turned for pair in pairs if pair.game == game for turned in (pair, pair.reversed)]
    by_cells = {((pair.model, pair.column), (pair.other_model, pair.other_column)): pair for pair in both_ways}
    for first, second in permutations(deltas, 2):
        (model, a), (stronger, b) = ((delta.real.key.model, column_of(delta.real.key)) for delta in (first, second))
        if means[a] > means[b] and (model, stronger) in weaker:
            pair = by_cells[(model, a), (stronger, b)]
            yield Crossing(pair, pair.is_above)


def _column_means(deltas: Sequence[Delta]) -> dict[str, Fraction]:
    columns: dict[str, list[Fraction]] = {}
    for delta in deltas:
        columns.setdefault(column_of(delta.real.key), []).append(performance(delta.real) - performance(delta.other))
    return {name: sum(values, Fraction(0)) / len(values) for name, values in columns.items()}


def _is_weaker(evidence: Evidence, game: str, model: str, other: str, least: VerdictNorm, rules: Rules) -> bool:
    """Whether a model is shown to have less P than another in naked games against one opponent, by the same rules."""
    both = next(iter(_common_opponents(evidence, game, model, other)), None)
    if both is None:
        return False
    groups = [CellSample(cell.key.model, NAKED, cell.measured(), _rules_of(cell, rules)) for cell in both]
    (pair,) = all_pairs({game: groups}, least)
    return pair.reversed.is_above


def _common_opponents(evidence: Evidence, game: str, model: str, other: str) -> Iterator[tuple[Cell, Cell]]:
    """Naked cells of two models that met the same opponent: of Phase 2, then of Phase 0 where that ranks."""
    phases = (Phase.ASYMMETRIC, Phase.SANITY) if SCORINGS[game].sanity_ranks else (Phase.ASYMMETRIC,)
    for phase in phases:
        of_model, of_other = (_naked(evidence, game, name, phase) for name in (model, other))
        yield from (pair for pair in product(of_model, of_other) if pair[0].opponent == pair[1].opponent)


def _naked(evidence: Evidence, game: str, model: str, phase: Phase) -> list[Cell]:
    """The naked cells of a model against others in a phase, in the order of their keys."""
    return [
        cell
        for key, cell in sorted(evidence.cells.items())
        if (key.game, key.model, key.phase, key.arm) == (game, model, phase, Arm.NAKED) and cell.opponent
    ]


def _in_every_game(crossings: Sequence[Crossing], games: Sequence[str]) -> Iterator[str]:
    sentences: Mapping[str, set[str]] = {game: set() for game in games}
    for crossing in crossings:
        pair = crossing.pair
        if crossing.beats:
            name = f"{pair.model} with {pair.column} beats {pair.other_model} with {pair.other_column}"
            sentences[pair.game].add(name)
    yield from sorted(set.intersection(*sentences.values()) if len(games) > 1 else ())
