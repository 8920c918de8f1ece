"""The Agzamov Score: Eq. 1 and Table 4 of the paper. What is missing is named, never imputed.

Baselines are Phase 1 self-play. Augmented play is the real arm of a Phase 2 sub-phase, and the control of
its delta is that sub-phase's naked arm. The headline score takes the full stack; with another augmentation
the same formula gives that column's score, and is labelled so.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import mpmath
import msgspec

from ..exact import Figure, figure, square_root
from ..inference.estimate import ALPHA
from ..inference.intervals import Resamples
from ..inference.power import mde_normal
from ..inference.precise import rounded
from ..statistics import Interval
from .cells import Arm, Augmentation, Cell, CellKey, arm_of
from .measures import units_of
from .norm import SUBSCORES, ScoreNorm
from .spread import Drawn, Spread, drawn, spread_of

SCALE = 100
GAMES = CHESS, POKER = "chess960", "holdem"
BASELINE_PHASE, AUGMENTED_PHASE = 1, 2
SIGMOID_DIGITS = 30

_mp = mpmath.MPContext()
_mp.dps = SIGMOID_DIGITS + 5


class Subject(NamedTuple):
    """Whose score: a model with an augmentation by a system."""

    model: str
    augmentation: Augmentation
    system: str

    @property
    def label(self) -> str:
        """The headline is A; every other column says which it is."""
        return "A" if self.augmentation is Augmentation.FULL else f"A({self.augmentation.value})"


class Subscore(msgspec.Struct, frozen=True):
    """One component: what was measured, its place in [0, 1], and the points it adds to the score.

    `points_sd` is the bootstrap standard deviation of those points: which sub-scores the interval's width is due to.
    """

    name: str
    raw: Figure
    normalised: Figure
    weight: str
    points: Figure
    points_sd: Figure | None


class AScore(msgspec.Struct, frozen=True):
    """The score of a model with an augmentation system. `score` is None while something is missing.

    The interval is a percentile bootstrap over start pairs and sessions, paired where the starts are; τ is held
    as it was measured, and has its own interval. `n` are the units of each cell by the name of its input. `mde` is the
    distance from a fixed score that would be found at 5 % with 80 % power, by the normal formula.
    """

    label: str
    model: str
    augmentation: Augmentation
    system: str
    score: Figure | None
    ci: Interval | None
    n: dict[str, int]
    mde: Figure | None
    subscores: tuple[Subscore, ...]
    missing: tuple[str, ...]


class Inputs(NamedTuple):
    """The cells of one score: `baseline`, `control` and `real` by game, and τ (None: no learning detected)."""

    baseline: Mapping[str, Cell]
    control: Mapping[str, Cell]
    real: Mapping[str, Cell]
    tau: Mapping[str, int | None]


class Means(NamedTuple):
    """P of the three cells of each game, in the order of `GAMES`."""

    baseline: tuple[Fraction, Fraction]
    control: tuple[Fraction, Fraction]
    real: tuple[Fraction, Fraction]


def needed(subject: Subject) -> dict[str, dict[str, CellKey]]:
    """The cells that a score needs, by the name of an input and by game."""
    model, augmentation, system = subject
    sub_phase = (AUGMENTED_PHASE, augmentation)
    return {
        "baseline": {game: CellKey(model, game, BASELINE_PHASE) for game in GAMES},
        "control": {game: CellKey(model, game, *sub_phase, Arm.NAKED) for game in GAMES},
        "real": {game: CellKey(model, game, *sub_phase, Arm.REAL, system) for game in GAMES},
    }


def inputs_of(
    subject: Subject, cells: Iterable[Cell], tau: Mapping[str, int | None]
) -> tuple[Inputs | None, tuple[str, ...]]:
    """What the score is made of, or None and what is missing."""
    table = {cell.key: cell for cell in cells if cell.results}
    wanted = needed(subject)
    found = {name: {game: table.get(key) for game, key in keys.items()} for name, keys in wanted.items()}
    found["control"] = {game: arm_of(table, key, Arm.NAKED) for game, key in wanted["real"].items()}
    missing = [f"{name}: {wanted[name][game]}" for name, some in found.items() for game in GAMES if not some[game]]
    missing += [f"convergence: {game}" for game in GAMES if game not in tau]
    if missing:
        return None, tuple(missing)
    there = {name: {game: cell for game, cell in some.items() if cell} for name, some in found.items()}
    return Inputs(**there, tau=tau), ()


def a_score(
    subject: Subject,
    cells: Iterable[Cell],
    tau: Mapping[str, int | None],
    norm: ScoreNorm,
    how: Resamples | None = None,
) -> AScore:
    """The A-Score. `tau` is the real arm's by game, in games and hands; without `how` there is no interval."""
    inputs, missing = inputs_of(subject, cells, tau)
    if inputs is None:
        return AScore(subject.label, *subject, None, None, {}, None, (), missing)
    raw, places = components(means_of(inputs), tau, norm)
    spread = resampled(inputs, norm, how) if how else None
    weights = norm.exact_weights
    subscores = tuple(
        Subscore(
            name,
            figure(raw[at]),
            figure(places[at]),
            str(weights[at]),
            figure(SCALE * weights[at] * places[at]),
            rounded(SCALE * weights[at] * square_root(spread.variances[at])) if spread else None,
        )
        for at, name in enumerate(SUBSCORES)
    )
    score = SCALE * sum((weight * place for weight, place in zip(weights, places, strict=True)), Fraction(0))
    ci, mde = (spread.ci, rounded(mde_normal(square_root(spread.variance), 1, ALPHA))) if spread else (None, None)
    return AScore(subject.label, *subject, figure(score), ci, _units(inputs), mde, subscores, ())


def _units(inputs: Inputs) -> dict[str, int]:
    """How many start pairs and sessions each cell has."""
    arms = {"baseline": inputs.baseline, "control": inputs.control, "real": inputs.real}
    return {
        f"{name}, {game}": len(units_of(cell).values) for name, cells in arms.items() for game, cell in cells.items()
    }


def components(
    means: Means, tau: Mapping[str, int | None], norm: ScoreNorm
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The seven components in the order of Table 4: as measured, and their places in [0, 1]."""
    c, (base, control, real) = norm.c_bb_per_100.exact, means
    delta = tuple(after - before for after, before in zip(real, control, strict=True))
    speed = convergence(tau, norm)
    raw = (base[0], real[0], base[1], real[1], *delta, speed)
    places = (
        base[0],
        real[0],
        sigmoid(base[1] / c),
        sigmoid(real[1] / c),
        rescaled(delta[0], norm.delta_max_win_rate.exact),
        rescaled(delta[1], norm.delta_max_bb_per_100.exact),
        speed,
    )
    return raw, places


def means_of(inputs: Inputs) -> Means:
    """P of every cell."""
    return Means(
        *(
            (performance(cells[CHESS]), performance(cells[POKER]))
            for cells in (inputs.baseline, inputs.control, inputs.real)
        )
    )


def resampled(inputs: Inputs, norm: ScoreNorm, how: Resamples) -> Spread:
    """How far the score and its components move when start pairs and sessions are drawn again."""
    drawn_by_game = [_drawn(inputs, game, at, how) for at, game in enumerate(GAMES)]
    rows = zip(*drawn_by_game[0], *drawn_by_game[1], strict=True)
    columns: list[list[Fraction]] = [[] for _ in SUBSCORES]
    for chess_base, chess_control, chess_real, poker_base, poker_control, poker_real in rows:
        means = Means((chess_base, poker_base), (chess_control, poker_control), (chess_real, poker_real))
        for column, place in zip(columns, components(means, inputs.tau, norm)[1], strict=True):
            column.append(place)
    return spread_of(columns, norm.exact_weights, SCALE, how.count)


def _drawn(inputs: Inputs, game: str, at: int, how: Resamples) -> Drawn:
    units = [units_of(cells[game]) for cells in (inputs.baseline, inputs.control, inputs.real)]
    return drawn(units[0], units[1], units[2], how.seed + bytes([at]), how.count)


def performance(cell: Cell) -> Fraction:
    """P of the paper's Eq. 2: the win rate in chess, bb/100 in hold'em (100 chips are one big blind)."""
    units = units_of(cell)
    return sum(units.values) * units.scale.factor / len(units.values)


@lru_cache(maxsize=2**16)
def sigmoid(x: Fraction) -> Fraction:
    """The logistic function 1 / (1 + e^-x), rounded to 30 decimal places, so the same on every machine."""
    value = 1 / (1 + _mp.exp(-_mp.mpf(x.numerator) / x.denominator))
    return Fraction(int(_mp.nint(value * 10**SIGMOID_DIGITS)), 10**SIGMOID_DIGITS)


def rescaled(delta: Fraction, delta_max: Fraction) -> Fraction:
    """A delta clamped to [0, delta_max], as a share of delta_max."""
    return min(max(delta, Fraction(0)), delta_max) / delta_max


def convergence(tau: Mapping[str, int | None], norm: ScoreNorm) -> Fraction:
    """The mean of 1 - τ/τ_max over both games.

    0 where no learning was detected, since τ must not reward noise, or where it took longer.
    """
    longest = {CHESS: norm.tau_max_games.exact, POKER: norm.tau_max_hands.exact}
    return sum((_speed(tau[game], longest[game]) for game in GAMES), Fraction(0)) / len(GAMES)


def _speed(tau: int | None, tau_max: Fraction) -> Fraction:
    return Fraction(0) if tau is None else max(Fraction(0), 1 - tau / tau_max)


def places_of(inputs: Inputs, norm: ScoreNorm) -> tuple[Fraction, ...]:
    """The seven components' places in [0, 1]."""
    return components(means_of(inputs), inputs.tau, norm)[1]
