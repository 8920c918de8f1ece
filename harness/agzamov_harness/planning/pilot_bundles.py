"""Figures that a plan takes from pilot bundles: standard deviations, draws, errors and the correlation within careers.

Each bundle is verified first, as `score` does; the figures are computed from its replayed games. Deviations are about
each match's own mean, pooled over matches of one game; Phase 0 counts where there is nothing else, since a random
opponent spreads results more. The interval of a standard deviation is the chi-square one of normal values.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.checks.steps import Options
from agzamov_verify.experiment.matches import Arm, Phase
from agzamov_verify.scores.collected_bundles import bundle_of, passed_once
from agzamov_verify.scoring.game_planning import Deviation, GamePlanning, PilotFigures
from agzamov_verify.scoring.inference.distributions import chi_square_quantile, f_quantile
from agzamov_verify.scoring.inference.exact import square_root
from agzamov_verify.scoring.inference.samples import moments
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.scoring.units.cells import Cell

from .engine_pilot import PilotMatch, pilot_matches

TAIL: Final = Fraction(25, 1000)
UNITS_MIN: Final = 3
"""Fewer units of a game give no standard deviation worth planning with."""


class Correlation(NamedTuple):
    """The intraclass correlation of careers with its 95 % interval, never below 0."""

    value: Fraction
    low: Fraction
    high: Fraction
    careers: int


class Pilot(NamedTuple):
    """Figures of all pilot bundles together: those of each game, and errors as a count and its base.

    `engines`: games of people against an engine, of a pilot for a study with people.
    """

    runs: tuple[str, ...]
    figures: Mapping[str, PilotFigures]
    errors: tuple[int, int]
    icc: Mapping[str, Correlation]
    engines: tuple[PilotMatch, ...] = ()

    @property
    def source(self) -> str:
        """The runs, by the first digits of their ids."""
        return source_of(self.runs)


def source_of(runs: Sequence[str]) -> str:
    """Pilot runs, by the first digits of their ids."""
    return f"pilot {', '.join(run[:8] for run in runs)}"


def pilot_of(paths: Sequence[Path], options: Options) -> Pilot:
    """Verify the bundles and take their figures. Raises CannotCombine for a broken or repeated one."""
    verdicts = list(passed_once(paths, options))
    bundles = [bundle_of(verdict) for verdict in verdicts]
    cells = [cell for bundle in bundles for cell in bundle.cells if not cell.key.temperature]
    runs = tuple(bundle.source.run for bundle in bundles)
    own = {game: [cell for cell in cells if cell.key.game == game] for game in PLANNINGS}
    return Pilot(
        runs,
        {game: _figures(planning, _measuring(own[game]), source_of(runs)) for game, planning in PLANNINGS.items()},
        _errors(cells),
        {game: icc for game in PLANNINGS if (icc := _correlation_of(own[game]))},
        tuple(match for verdict in verdicts for match in pilot_matches(verdict)),
    )


def _figures(planning: GamePlanning, cells: Sequence[Cell], source: str) -> PilotFigures:
    pooled = {name: deviation(sample) for name, sample in planning.samples(cells).items()}
    return PilotFigures({name: one for name, one in pooled.items() if one}, planning.shares(cells), source)


def _correlation_of(cells: Sequence[Cell]) -> Correlation | None:
    """Of arms with an augmentation: in a naked one nothing lasts from game to game."""
    augmented = [cell for cell in cells if cell.careers > 1 and cell.key.arm is not Arm.NAKED]
    return correlation([cell.by_career(cell.measured().values) for cell in augmented])


def deviation(samples: Sequence[Sequence[Fraction]]) -> Deviation | None:
    """The standard deviation about each sample's own mean, pooled; None for too few values, or no variation."""
    spread_samples = [sample for sample in samples if len(sample) > 1]
    df = sum(len(sample) - 1 for sample in spread_samples)
    squares = sum((_squares(sample) for sample in spread_samples), Fraction(0))
    if df < UNITS_MIN - 1 or not squares:
        return None
    low, high = (square_root(squares / chi_square_quantile(p, df)) for p in (1 - TAIL, TAIL))
    return Deviation(square_root(squares / df), low, high, sum(map(len, spread_samples)))


def correlation(matches: Sequence[Sequence[Sequence[int]]]) -> Correlation | None:
    """Share of a unit's variance that its career explains, from the careers of each match.

    ICC = (B - W) / (B + (m - 1) W) by mean squares between and within careers of m units, with the interval of
    F = B / W (Shrout and Fleiss 1979, Psychological Bulletin 86:420, case 1). Careers of another length are left out.
    """
    comparable = [careers for careers in matches if len(careers) > 1 and len(careers[0]) > 1]
    if not comparable:
        return None
    m = len(comparable[0][0])
    comparable = [careers for careers in comparable if len(careers[0]) == m]
    between_df = sum(len(careers) - 1 for careers in comparable)
    within_df = sum(len(careers) * (m - 1) for careers in comparable)
    between = m * sum((_squares(_means(careers)) for careers in comparable), Fraction(0)) / between_df
    within = (
        sum(((m - 1) * moments(values).variance for careers in comparable for values in careers), Fraction(0))
        / within_df
    )
    if not within:
        return None
    f = between / within
    ends = [
        f / f_quantile(1 - TAIL, between_df, within_df),
        f,
        f * f_quantile(1 - TAIL, within_df, between_df),
    ]
    low, value, high = (max(Fraction(0), (end - 1) / (end + m - 1)) for end in ends)
    return Correlation(value, low, high, sum(map(len, comparable)))


def _means(careers: Sequence[Sequence[int]]) -> list[Fraction]:
    return [Fraction(sum(values), len(values)) for values in careers]


def _squares(values: Sequence[Fraction]) -> Fraction:
    """Sum of squared deviations from the mean."""
    mean = sum(values, Fraction(0)) / len(values)
    return sum(((value - mean) ** 2 for value in values), Fraction(0))


def _measuring(cells: Sequence[Cell]) -> list[Cell]:
    """Cells after Phase 0; of a game that has none, those of Phase 0."""
    later = {cell.key.game for cell in cells if cell.key.phase != Phase.SANITY}
    return [cell for cell in cells if cell.key.phase != Phase.SANITY or cell.key.game not in later]


def _errors(cells: Sequence[Cell]) -> tuple[int, int]:
    """First attempts of measured seats without a legal action, and their decisions."""
    tallies = [cell.tallies[0] for cell in cells]
    return sum(tally.faults for tally in tallies), sum(tally.decisions for tally in tallies)
