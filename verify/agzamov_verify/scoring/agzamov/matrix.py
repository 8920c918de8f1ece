"""The model x augmentation matrix (paper section 3.4): descriptive, with all pairs by Tukey's test beside.

A row is a model, a column an augmentation system. The naked column is Phase 1, the others are the real arms of Phase 2.
Each model played against its own naked self, so what is compared is how far each was lifted, and not two models at
one table. Only declared contrasts are tested (paper section 9.5): see the hypotheses.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

import msgspec

from ..exact import Figure, figure
from ..hypotheses.contrasts import Joint, weighed
from ..hypotheses.deltas import apart, difference
from ..hypotheses.evidence import ASYMMETRIC, BASELINE, SANITY, Delta, Evidence
from ..inference.estimate import ALPHA, Estimate, mean_estimate
from ..inference.samples import Moments, moments
from ..inference.significance import Alternative
from ..inference.studentised_range import GROUPS_MAX
from ..inference.tukey import TukeyPair, tukey_hsd
from .cells import Arm, Cell, CellKey
from .measures import units_of
from .score import GAMES, performance

NAKED = "naked"


class Entry(msgspec.Struct, frozen=True):
    """One cell of the matrix: P, its delta (None in the naked column), and what a game or hand of it took.

    `on_frontier`: no other cell of this game has more P for no more tokens and no more cost.
    """

    game: str
    model: str
    column: str
    performance: Estimate
    delta: Estimate | None
    tokens: Figure
    cost_usd: Figure
    on_frontier: bool


class Crossing(msgspec.Struct, frozen=True):
    """A weaker model with a better augmentation against a stronger one with a worse: P of the first less the second.

    Weaker: fewer wins against the random player in Phase 0. Better: the greater mean delta of the column. `beats`:
    the interval lies above 0.
    """

    game: str
    weaker: str
    better: str
    stronger: str
    worse: str
    difference: Estimate
    beats: bool


class Matrix(msgspec.Struct, frozen=True):
    """The matrix. `tukey` by game; `in_both` names the crossings that hold in chess and in poker."""

    entries: tuple[Entry, ...]
    tukey: dict[str, tuple[TukeyPair, ...]]
    crossings: tuple[Crossing, ...]
    in_both: tuple[str, ...]


def matrix_of(evidence: Evidence) -> Matrix:
    """The matrix of all cells."""
    entries = tuple(entry for game in GAMES for entry in _entries(evidence, game))
    crossings = tuple(crossing for game in GAMES for crossing in _crossings(evidence, game))
    tukey = {game: _tukey(evidence, game) for game in GAMES}
    return Matrix(entries, tukey, crossings, tuple(_in_both(crossings)))


def column_of(key: CellKey) -> str:
    """The name of a column."""
    if key.arm is Arm.NAKED:
        return NAKED
    return f"{key.augmentation.value} ({key.system})" if key.system else key.augmentation.value


def cells_of_game(evidence: Evidence, game: str) -> list[Cell]:
    """Baselines and real arms, in the order of their keys."""
    return [
        cell
        for key, cell in sorted(evidence.cells.items())
        if key.game == game and (key.phase, key.arm) in ((BASELINE, Arm.NAKED), (ASYMMETRIC, Arm.REAL))
    ]


def spent(cell: Cell) -> tuple[Fraction, Fraction]:
    """Tokens and US dollars of the measured seat, a game or hand."""
    tally = cell.tallies[0]
    return Fraction(tally.prompt_tokens + tally.completion_tokens, len(cell.results)), cell.cost_usd / len(cell.results)


def frontier(rows: Sequence[tuple[Fraction, Fraction, Fraction]]) -> list[bool]:
    """For each row of P, tokens, cost: whether none is at least as good in all three and better in one."""

    def beaten(one: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> bool:
        return other != one and other[0] >= one[0] and other[1] <= one[1] and other[2] <= one[2]

    return [not any(beaten(one, other) for other in rows) for one in rows]


def _entries(evidence: Evidence, game: str) -> Iterator[Entry]:
    cells = cells_of_game(evidence, game)
    deltas = {one.real.key: one for one in evidence.deltas(game)}
    rows = [(performance(cell), *spent(cell)) for cell in cells]
    for cell, (_, tokens, cost), best in zip(cells, rows, frontier(rows), strict=True):
        units, delta = units_of(cell), deltas.get(cell.key)
        yield Entry(
            game,
            cell.key.model,
            column_of(cell.key),
            mean_estimate(units.values, units.scale, evidence.how(f"matrix/{cell.key}", units.scale.unit)),
            _delta(evidence, delta) if delta else None,
            figure(tokens),
            figure(cost),
            best,
        )


def _delta(evidence: Evidence, delta: Delta) -> Estimate | None:
    return _estimate(
        weighed(delta.name, difference(delta.real, delta.other), Alternative.TWO_SIDED, evidence.how(delta.name))
    )


def _estimate(tested: Joint) -> Estimate | None:
    return tested.parts[0].estimate


def _tukey(evidence: Evidence, game: str) -> tuple[TukeyPair, ...]:
    groups = {f"{cell.key.model}: {column_of(cell.key)}": _moments(cell) for cell in cells_of_game(evidence, game)}
    return tukey_hsd(groups, Fraction(1), ALPHA) if 2 <= len(groups) <= GROUPS_MAX else ()


def _moments(cell: Cell) -> Moments:
    """In the published unit."""
    units = units_of(cell)
    found, by = moments(units.values), units.scale.factor
    return Moments(found.n, found.mean * by, found.variance * by**2)


def _crossings(evidence: Evidence, game: str) -> Iterator[Crossing]:
    deltas = evidence.deltas(game)
    means = _column_means(deltas)
    for one, other in permutations(deltas, 2):
        a, b = column_of(one.real.key), column_of(other.real.key)
        if means[a] > means[b] and _weaker(evidence, game, one.real.key.model, other.real.key.model):
            name = f"{one.name} less {other.name}"
            groups = apart(units_of(one.real), units_of(other.real))
            found = _estimate(weighed(name, groups, Alternative.TWO_SIDED, evidence.how(name)))
            if found is not None:
                beats = found.ci is not None and Fraction(found.ci.low) > 0
                yield Crossing(game, one.real.key.model, a, other.real.key.model, b, found, beats)


def _column_means(deltas: Sequence[Delta]) -> dict[str, Fraction]:
    columns: dict[str, list[Fraction]] = {}
    for one in deltas:
        columns.setdefault(column_of(one.real.key), []).append(performance(one.real) - performance(one.other))
    return {name: sum(found, Fraction(0)) / len(found) for name, found in columns.items()}


def _weaker(evidence: Evidence, game: str, one: str, other: str) -> bool:
    first, second = (evidence.of_model(model, game, SANITY) for model in (one, other))
    return first is not None and second is not None and performance(first) < performance(second)


def _in_both(crossings: Sequence[Crossing]) -> Iterator[str]:
    held: Mapping[str, set[str]] = {game: set() for game in GAMES}
    for one in crossings:
        if one.beats:
            name = f"{one.weaker} with {one.better} beats {one.stronger} with {one.worse}"
            held[one.game].add(name)
    yield from sorted(set.intersection(*held.values()))
