"""The Agzamov Score: Eq. 1 and Table 4 of the paper. What is missing is named, never imputed.

Baselines are Phase 1 self-play. Augmented play is the real arm of a Phase 2 sub-phase, and the control of
its delta is that sub-phase's naked arm. The headline score takes the full stack; with another augmentation
the same formula gives that column's score, and is labelled so.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

import mpmath
import msgspec

from ..exact import Figure, figure
from .cells import Arm, Augmentation, Cell, CellKey, ChessCell, PokerCell
from .norm import SUBSCORES, ScoreNorm

SCALE = 100
GAMES = CHESS, POKER = "chess960", "holdem"
BASELINE_PHASE, AUGMENTED_PHASE = 1, 2
SIGMOID_DIGITS = 30

_mp = mpmath.MPContext()
_mp.dps = SIGMOID_DIGITS + 5


class Subscore(msgspec.Struct, frozen=True):
    """One component: what was measured, and its place in [0, 1]."""

    name: str
    raw: Figure
    normalised: Figure
    weight: str


class AScore(msgspec.Struct, frozen=True):
    """The score of a model with an augmentation system. `score` is None while something is missing."""

    model: str
    augmentation: Augmentation
    system: str
    score: Figure | None
    subscores: tuple[Subscore, ...]
    missing: tuple[str, ...]


class Inputs(NamedTuple):
    """The cells of one score: `baseline`, `control` and `real` by game, and τ (None: no learning detected)."""

    baseline: Mapping[str, Cell]
    control: Mapping[str, Cell]
    real: Mapping[str, Cell]
    tau: Mapping[str, int | None]


def needed(model: str, augmentation: Augmentation, system: str) -> dict[str, dict[str, CellKey]]:
    """The cells that a score needs, by the name of an input and by game."""
    sub_phase = (AUGMENTED_PHASE, augmentation)
    return {
        "baseline": {game: CellKey(model, game, BASELINE_PHASE) for game in GAMES},
        "control": {game: CellKey(model, game, *sub_phase, Arm.NAKED) for game in GAMES},
        "real": {game: CellKey(model, game, *sub_phase, Arm.REAL, system) for game in GAMES},
    }


def a_score(
    model: str,
    augmentation: Augmentation,
    system: str,
    cells: Iterable[Cell],
    tau: Mapping[str, int | None],
    norm: ScoreNorm,
) -> AScore:
    """The A-Score. `tau` is the real arm's by game, in games and hands."""
    table = {cell.key: cell for cell in cells}
    wanted = needed(model, augmentation, system)
    missing = [f"{name}: {key}" for name, keys in wanted.items() for key in keys.values() if key not in table]
    missing += [f"convergence: {game}" for game in GAMES if game not in tau]
    if missing:
        return AScore(model, augmentation, system, None, (), tuple(missing))
    found = {name: {game: table[key] for game, key in keys.items()} for name, keys in wanted.items()}
    subscores = tuple(subscores_of(Inputs(**found, tau=tau), norm))
    return AScore(model, augmentation, system, figure(SCALE * _weighted(subscores)), subscores, ())


def subscores_of(inputs: Inputs, norm: ScoreNorm) -> Iterable[Subscore]:
    """The seven components, in the order of Table 4."""
    c = norm.c_bb_per_100.exact
    base, real = ({game: performance(cells[game]) for game in GAMES} for cells in (inputs.baseline, inputs.real))
    delta = {game: real[game] - performance(inputs.control[game]) for game in GAMES}
    speed = {CHESS: norm.tau_max_games.exact, POKER: norm.tau_max_hands.exact}
    convergence = sum((_speed(inputs.tau[game], speed[game]) for game in GAMES), Fraction(0)) / len(GAMES)
    both = (
        (base[CHESS], base[CHESS]),
        (real[CHESS], real[CHESS]),
        (base[POKER], sigmoid(base[POKER] / c)),
        (real[POKER], sigmoid(real[POKER] / c)),
        (delta[CHESS], rescaled(delta[CHESS], norm.delta_max_win_rate.exact)),
        (delta[POKER], rescaled(delta[POKER], norm.delta_max_bb_per_100.exact)),
        (convergence, convergence),
    )
    for name, (raw, place), weight in zip(SUBSCORES, both, norm.exact_weights, strict=True):
        yield Subscore(name, figure(raw), figure(place), str(weight))


def performance(cell: Cell) -> Fraction:
    """P of the paper's Eq. 2: the win rate in chess, bb/100 in hold'em (100 chips are one big blind)."""
    match cell:
        case ChessCell():
            return Fraction(cell.wins, len(cell.games))
        case PokerCell():
            return Fraction(sum(hand.chips for hand in cell.hands), len(cell.hands))


def sigmoid(x: Fraction) -> Fraction:
    """The logistic function 1 / (1 + e^-x), rounded to 30 decimal places, so the same on every machine."""
    value = 1 / (1 + _mp.exp(-_mp.mpf(x.numerator) / x.denominator))
    return Fraction(int(_mp.nint(value * 10**SIGMOID_DIGITS)), 10**SIGMOID_DIGITS)


def rescaled(delta: Fraction, delta_max: Fraction) -> Fraction:
    """A delta clamped to [0, delta_max], as a share of delta_max."""
    return min(max(delta, Fraction(0)), delta_max) / delta_max


def _speed(tau: int | None, tau_max: Fraction) -> Fraction:
    """1 - τ/τ_max; 0 where no learning was detected, since τ must not reward noise, or where it took longer."""
    return Fraction(0) if tau is None else max(Fraction(0), 1 - tau / tau_max)


def _weighted(subscores: Iterable[Subscore]) -> Fraction:
    return sum((Fraction(one.weight) * Fraction(one.normalised.exact) for one in subscores), Fraction(0))
