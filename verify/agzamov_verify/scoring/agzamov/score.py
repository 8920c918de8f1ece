"""The Agzamov Score: Eq. 1 and Table 4 of the paper. What is missing is named, never imputed.

Baselines are Phase 1 self-play. Augmented play is the real arm of a Phase 2 sub-phase, and the control of
its delta is that sub-phase's naked arm. The headline score takes the full stack; with another augmentation
the same formula gives that column's score, and is labelled so.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import msgspec

from ...experiment.matches import Arm, Augmentation, Phase
from ...protocols.norms import load_protocol
from ..inference.estimate import ALPHA
from ..inference.exact import Figure, figure, fixed, rounded, square_root
from ..inference.intervals import Resamples
from ..inference.power import mde_normal
from ..inference.samples import Interval
from ..inference.unit_values import CAREERS, by_career
from ..learning.outcome import LearningOutcome
from ..units.cells import Cell, CellDecisions, CellKey, arm_of, cell_decisions, performance, why_withheld
from ..units.score_constants import CHESS, POKER, SCALE, SCORED_GAMES, SUBSCORES, Constant, ScoreConstants
from .comparable import not_comparable
from .convergence import Convergence, Gain, convergence_of, speed_of
from .score_bootstrap import Arms, Spread, spread_of, why_no_interval
from .score_scale import ScoreRange, bias_without_effect, range_of, share_drawn, sigmoid

CONSTANTS = ("c_bb_per_100", "delta_max_bb_per_100", "delta_max_win_rate", "tau_max_games", "tau_max_hands")
"""Constants that a score's sensitivity is shown for, at half and twice their value."""

ALSO = {"delta_max_win_rate": (Decimal("0.15"),)}
"""Other values that it is shown for."""


class ScoreSubject(NamedTuple):
    """Subject of a score: a model with an augmentation by a system."""

    model: str
    augmentation: Augmentation
    system: str

    @property
    def label(self) -> str:
        """Label of a score: A for the headline column, else with the name of its column."""
        return "A" if self.augmentation is Augmentation.FULL else f"A({self.augmentation.value})"


class Subscore(msgspec.Struct, frozen=True):
    """One component: the measured value, its sub-score in [0, 1], and the points it adds to the score.

    `points_sd` is the bootstrap standard deviation of those points: which sub-scores the interval's width is due to.
    """

    name: str
    raw: Figure
    normalised: Figure
    weight: str
    points: Figure
    points_sd: Figure | None


class Sensitivity(msgspec.Struct, frozen=True):
    """The score with one constant at another value, and the places in [0, 1] of the parts that it changes."""

    constant: str
    value: str
    score: Figure
    parts: dict[str, Figure]


class ScoreGain(msgspec.Struct, frozen=True):
    """A score less the one that an arm without the augmentation would have in the real arm's place, in points.

    `arm`: that arm, the placebo or the naked control: deltas and convergence are taken against it. `without`: the score
    if the real arm played like it, against this opponent. `by_chance`: the mean gain of a player without an effect in
    so much noise, since deltas below 0 are counted as 0; None without a spread. `why_none`: why there is no gain over
    a placebo that was played, or no interval.
    """

    arm: Arm
    without: Figure | None = None
    by_chance: Figure | None = None
    points: Figure | None = None
    ci: Interval | None = None
    why_none: str = ""


class AScore(msgspec.Struct, frozen=True):
    """The score of a model with an augmentation system. `score` is None where something is `missing`, or it is
    `withheld`.

    `gains`: over its placebo, where one was played in both games, which is the headline there, since a model that plays
    otherwise where a prompt is longer does so in the placebo arm too; and over the naked control.

    It is withheld where a cell rests on forfeits, or on what the harness decided (`cell_decisions`). The interval is
    that of `score_bootstrap`; where there is none, `no_interval` says why. `n`: what was repeated independently, by the
    name of an input: start pairs, sessions, or careers, of which `by_career` has P of each. `mde`: the distance from a
    fixed score that would be found at 5 % with 80 % power, by the normal formula. `constants`: their status and
    version. `range`: the scale at the share of drawn games in the baseline. `not_comparable`: where its arms are of
    another design than the protocol compares scores by.
    """

    label: str
    model: str
    augmentation: Augmentation
    system: str
    constants: str
    gains: tuple[ScoreGain, ...] = ()
    score: Figure | None = None
    ci: Interval | None = None
    no_interval: str = ""
    n: dict[str, int] = {}
    by_career: dict[str, tuple[str, ...]] = {}
    mde: Figure | None = None
    range: ScoreRange | None = None
    subscores: tuple[Subscore, ...] = ()
    convergence: tuple[Convergence, ...] = ()
    sensitivity: tuple[Sensitivity, ...] = ()
    cell_decisions: tuple[CellDecisions, ...] = ()
    not_comparable: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()

    @property
    def headline(self) -> ScoreGain | None:
        """The gain over the placebo where there is one, else over the naked control."""
        return next((gain for gain in self.gains if gain.points), None)


class Inputs(NamedTuple):
    """The cells of one score, and the gain of the real arm over the control, by game."""

    baseline: Mapping[str, Cell]
    control: Mapping[str, Cell]
    real: Mapping[str, Cell]
    gain: Mapping[str, Gain]
    placebo: Mapping[str, Cell] = {}

    @property
    def over_placebo(self) -> "Inputs | None":
        """The same with the placebo for a control; None where it was not played in both games."""
        if set(self.placebo) != set(SCORED_GAMES):
            return None
        gain = {game: Gain(self.real[game], self.placebo[game]) for game in SCORED_GAMES}
        return Inputs(self.baseline, self.placebo, self.real, gain)

    @property
    def cells(self) -> dict[str, Cell]:
        """Every cell by its name: "baseline, chess960"."""
        arms = {"baseline": self.baseline, "control": self.control, "real": self.real}
        return {f"{name}, {game}": cell for name, cells in arms.items() for game, cell in cells.items()}

    @property
    def arms(self) -> dict[str, Arms]:
        """The same by game."""
        return {
            game: Arms(self.baseline[game], self.control[game], self.real[game], self.gain[game])
            for game in SCORED_GAMES
        }


class Means(NamedTuple):
    """P of the three cells of each game, in the order of `GAMES`."""

    baseline: tuple[Fraction, Fraction]
    control: tuple[Fraction, Fraction]
    real: tuple[Fraction, Fraction]


def needed(subject: ScoreSubject) -> dict[str, dict[str, CellKey]]:
    """The cells that a score needs, by the name of an input and by game."""
    model, augmentation, system = subject
    sub_phase = (Phase.ASYMMETRIC, augmentation)
    return {
        "baseline": {game: CellKey(model, game, Phase.BASELINE) for game in SCORED_GAMES},
        "control": {game: CellKey(model, game, *sub_phase, Arm.NAKED) for game in SCORED_GAMES},
        "real": {game: CellKey(model, game, *sub_phase, Arm.REAL, system) for game in SCORED_GAMES},
    }


def inputs_of(subject: ScoreSubject, cells: Iterable[Cell]) -> tuple[Inputs | None, tuple[str, ...]]:
    """Inputs of the score, or None; and the names of the missing ones."""
    table = {cell.key: cell for cell in cells if cell.results}
    key_of = needed(subject)
    cell_of = {name: {game: table.get(key) for game, key in keys.items()} for name, keys in key_of.items()}
    cell_of["control"] = {game: arm_of(table, key, Arm.NAKED) for game, key in key_of["real"].items()}
    missing = [
        f"{name}: {key_of[name][game]}" for name, some in cell_of.items() for game in SCORED_GAMES if not some[game]
    ]
    present = {name: {game: cell for game, cell in some.items() if cell} for name, some in cell_of.items()}
    short = [f"{cell.key}: no whole unit" for some in present.values() for cell in some.values() if not _units(cell)]
    if missing or short:
        return None, (*missing, *short)
    gain = {game: Gain(present["real"][game], present["control"][game]) for game in SCORED_GAMES}
    placebos = {game: arm_of(table, key, Arm.PLACEBO) for game, key in key_of["real"].items()}
    placebo = {game: cell for game, cell in placebos.items() if cell and _units(cell)}
    return Inputs(present["baseline"], present["control"], present["real"], gain, placebo), ()


def _units(cell: Cell) -> tuple[int, ...]:
    return cell.measured().values


def a_score(
    subject: ScoreSubject,
    cells: Iterable[Cell],
    constants: ScoreConstants,
    resamples: Resamples | None = None,
    learned: Mapping[str, LearningOutcome] | None = None,
) -> AScore:
    """The A-Score. Without `resamples` there is no interval. `learned`: of the real arms by game, to stand beside."""
    inputs, missing = inputs_of(subject, cells)
    empty = AScore(subject.label, *subject, constants.status_words)
    if inputs is None:
        return msgspec.structs.replace(empty, missing=missing)
    decided = _decisions_of(inputs, constants)
    empty = msgspec.structs.replace(empty, cell_decisions=decided, withheld=_withheld(decided, constants))
    return empty if empty.withheld else _with_score(empty, inputs, constants, resamples, learned or {})


def _decisions_of(inputs: Inputs, constants: ScoreConstants) -> tuple[CellDecisions, ...]:
    return tuple(cell_decisions(name, cell, _flag(constants)) for name, cell in inputs.cells.items())


def _flag(constants: ScoreConstants) -> int:
    return load_protocol(constants.id).error_flag_percent


def withheld(inputs: Inputs, constants: ScoreConstants) -> tuple[str, ...]:
    """A line for each cell with too many forfeits or too few own actions; a score with any is not given."""
    return _withheld(_decisions_of(inputs, constants), constants)


def _withheld(cells: Sequence[CellDecisions], constants: ScoreConstants) -> tuple[str, ...]:
    return tuple(why_withheld(cells, _flag(constants)))


def _with_score(
    empty: AScore,
    inputs: Inputs,
    constants: ScoreConstants,
    resamples: Resamples | None,
    learned: Mapping[str, LearningOutcome],
) -> AScore:
    """The score of inputs that allow for one."""
    raw, places = components(inputs, constants)
    spread, no_interval = spread_and_why(inputs, constants, resamples)
    sd = [square_root(variance) for variance in spread.variances] if spread else None
    score = total(places, constants)
    subscores = tuple(
        Subscore(
            name,
            figure(raw[index]),
            figure(places[index]),
            str(weight),
            figure(SCALE * weight * places[index]),
            rounded(SCALE * weight * sd[index]) if sd else None,
        )
        for index, (name, weight) in enumerate(zip(SUBSCORES, constants.exact_weights, strict=True))
    )
    return msgspec.structs.replace(
        empty,
        gains=gains_of(inputs, constants, resamples, spread),
        score=figure(score),
        not_comparable=tuple(not_comparable(inputs.cells, load_protocol(constants.id).comparable)),
        ci=spread.ci if spread else None,
        no_interval=no_interval,
        n={name: len(by_career(cell.measured()).values) for name, cell in inputs.cells.items()},
        by_career=_by_career({**inputs.cells, **{f"placebo, {game}": cell for game, cell in inputs.placebo.items()}}),
        mde=rounded(mde_normal(square_root(spread.variance), 1, ALPHA)) if spread else None,
        range=range_of(share_drawn(inputs.baseline[CHESS]), constants),
        subscores=subscores,
        convergence=tuple(
            convergence_of(game, inputs.gain[game], constants.tau_max(game), learned.get(game)) for game in SCORED_GAMES
        ),
        sensitivity=tuple(_sensitivity(inputs, places, constants)),
    )


def _by_career(cells: Mapping[str, Cell]) -> dict[str, tuple[str, ...]]:
    """P of each career of the cells that have careers."""
    units = {name: by_career(cell.measured()) for name, cell in cells.items()}
    return {
        name: tuple(fixed(value * one.scale.factor) for value in one.values)
        for name, one in units.items()
        if one.over == CAREERS
    }


def gains_of(
    inputs: Inputs, constants: ScoreConstants, resamples: Resamples | None, spread: Spread | None
) -> tuple[ScoreGain, ...]:
    """The gains over placebo and naked control. `spread`: that of the score itself."""
    other = inputs.over_placebo
    if other is None:
        return (_gain(Arm.NAKED, inputs, constants, spread, ""),)
    decided = [cell_decisions(f"placebo, {game}", cell, _flag(constants)) for game, cell in inputs.placebo.items()]
    if lines := _withheld(decided, constants):
        over_placebo = ScoreGain(Arm.PLACEBO, why_none=lines[0])
    else:
        over_placebo = _gain(Arm.PLACEBO, other, constants, *spread_and_why(other, constants, resamples))
    return over_placebo, _gain(Arm.NAKED, inputs, constants, spread, "")


def _gain(arm: Arm, inputs: Inputs, constants: ScoreConstants, spread: Spread | None, why_none: str) -> ScoreGain:
    """The gain over the control of the inputs, which is that arm."""
    without = score_without(inputs, constants)
    bias = bias_without_effect(inputs.control, inputs.real, constants)
    points = total(components(inputs, constants)[1], constants) - without
    chance, ci = None if bias is None else rounded(bias), spread.gain_ci if spread else None
    return ScoreGain(arm, figure(without), chance, figure(points), ci, why_none)


def score_without(inputs: Inputs, constants: ScoreConstants) -> Fraction:
    """The score of a real arm that plays like its control against this opponent: without deltas and convergence."""
    base, control, _ = means_of(inputs)
    c = constants.c_bb_per_100.exact
    return total((base[0], control[0], sigmoid(base[1] / c), sigmoid(control[1] / c), *[Fraction(0)] * 3), constants)


def spread_and_why(inputs: Inputs, constants: ScoreConstants, resamples: Resamples | None) -> tuple[Spread | None, str]:
    """The spread of the score by resampling; or None and the reason."""
    if resamples is None:
        return None, "no resampling was asked for"
    why = why_no_interval(inputs.arms, load_protocol(constants.id).verdict.careers_min)
    return (None, why) if why else (spread_of(inputs.arms, constants, resamples), "")


def components(inputs: Inputs, constants: ScoreConstants) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """The seven components in the order of Table 4: as measured, and their places in [0, 1]."""
    base, control, real = means_of(inputs)
    c, delta = constants.c_bb_per_100.exact, tuple(after - before for after, before in zip(real, control, strict=True))
    speed = convergence(inputs.gain, constants)
    raw = (base[0], real[0], base[1], real[1], *delta, speed)
    places = (
        base[0],
        real[0],
        sigmoid(base[1] / c),
        sigmoid(real[1] / c),
        *(rescaled(gained, constants.delta_max(game)) for game, gained in zip(SCORED_GAMES, delta, strict=True)),
        speed,
    )
    return raw, places


def total(places: Iterable[Fraction], constants: ScoreConstants) -> Fraction:
    """The score in points, from the places of its parts."""
    return SCALE * sum(
        (weight * place for weight, place in zip(constants.exact_weights, places, strict=True)), Fraction(0)
    )


def means_of(inputs: Inputs) -> Means:
    """P of every cell."""
    return Means(
        *(
            (performance(cells[CHESS]), performance(cells[POKER]))
            for cells in (inputs.baseline, inputs.control, inputs.real)
        )
    )


def rescaled(delta: Fraction, delta_max: Fraction) -> Fraction:
    """A delta clamped to [0, delta_max], as a share of delta_max."""
    return min(max(delta, Fraction(0)), delta_max) / delta_max


def convergence(gain: Mapping[str, Gain], constants: ScoreConstants) -> Fraction:
    """The mean of the speeds of both games."""
    return sum((speed_of(gain[game], constants.tau_max(game)) for game in SCORED_GAMES), Fraction(0)) / len(
        SCORED_GAMES
    )


def _sensitivity(inputs: Inputs, places: tuple[Fraction, ...], constants: ScoreConstants) -> Iterable[Sensitivity]:
    """The score with each constant at half, twice and other values of note."""
    for name in CONSTANTS:
        constant: Constant = getattr(constants, name)
        for value in sorted({constant.value / 2, constant.value * 2, *ALSO.get(name, ())} - {constant.value}):
            changed = msgspec.structs.replace(constants, **{name: Constant(constant.source, value)})
            other = components(inputs, changed)[1]
            parts = {part: figure(new) for part, old, new in zip(SUBSCORES, places, other, strict=True) if old != new}
            yield Sensitivity(name, f"{value:f}", figure(total(other, changed)), parts)
