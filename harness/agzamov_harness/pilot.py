"""Figures that a plan takes from pilot bundles: standard deviations, draws, errors and the correlation within careers.

Each bundle is verified first, as `score` does; the figures are computed from its replayed games. Deviations are about
each match's own mean, pooled over matches of one game; Phase 0 counts where there is nothing else, since a random
opponent spreads results more. The interval of a standard deviation is the chi-square one of normal values.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.checks import Options
from agzamov_verify.experiment import Arm, Phase
from agzamov_verify.games.chess960.cell import PAIR_WINS, ChessCell
from agzamov_verify.games.holdem.cell import PokerCell
from agzamov_verify.games.holdem.results import unit_sums
from agzamov_verify.scores.collecting import verified_bundle
from agzamov_verify.scoring.cells import Cell
from agzamov_verify.scoring.exact import square_root
from agzamov_verify.scoring.inference.distributions import chi_square_quantile, f_quantile
from agzamov_verify.scoring.inference.estimate import PAIR_SCORE
from agzamov_verify.scoring.inference.samples import moments
from agzamov_verify.scoring.planning import Assumed
from agzamov_verify.scoring.score_constants import GAMES as SCORED

TAIL: Final = Fraction(25, 1000)
UNITS_MIN: Final = 3
"""Fewer units of a game give no standard deviation worth planning with."""


class Deviation(NamedTuple):
    """A pooled standard deviation with its 95 % interval, of so many units in so many matches."""

    value: Fraction
    low: Fraction
    high: Fraction
    units: int


class Correlation(NamedTuple):
    """The intraclass correlation of careers with its 95 % interval, never below 0."""

    value: Fraction
    low: Fraction
    high: Fraction
    careers: int


class Pilot(NamedTuple):
    """Figures of all pilot bundles together; None where they have none. Draws and errors are counts and their base.

    `session_sd` is of 100 raw hands in bb/100; `pair_sd` and `pair_win_sd` of the score and the win rate of a start
    pair.
    """

    runs: tuple[str, ...]
    session_sd: Deviation | None
    pair_sd: Deviation | None
    pair_win_sd: Deviation | None
    draws: tuple[int, int]
    errors: tuple[int, int]
    icc: Mapping[str, Correlation]

    @property
    def source(self) -> str:
        """The runs, by the first digits of their ids."""
        return f"pilot {', '.join(run[:8] for run in self.runs)}"

    def sessions(self) -> tuple[Assumed, ...]:
        """Low end, value and high end of the standard deviation of 100 hands, for planning; none without hands."""
        sessions = self.session_sd
        if sessions is None:
            return ()
        words = f"SD of 100 hands {{:.0f}} bb/100: {{}}, {sessions.units} sessions, {self.source}"
        return tuple(Assumed(value, words.format(float(value), name)) for value, name in _ends(sessions))

    def pairs(self) -> tuple[tuple[Assumed, Fraction, Fraction], ...]:
        """Share of draws with the standard deviations of score and win rate of a pair: low, value and high."""
        if self.pair_sd is None or self.pair_win_sd is None:
            return ()
        drawn = Fraction(*self.draws)
        words = (
            f"SD of a start pair's score {{:.3f}}: {{}}, {self.pair_sd.units} pairs with"
            f" {self.draws[0]} of {self.draws[1]} games drawn, {self.source}"
        )
        bounds = zip(_ends(_bounded(self.pair_sd)), _ends(_bounded(self.pair_win_sd)), strict=True)
        return tuple(
            (Assumed(drawn, words.format(float(score), name)), score, wins) for (score, name), (wins, _) in bounds
        )


def pilot_of(paths: Sequence[Path], options: Options) -> Pilot:
    """Verify the bundles and take their figures. Raises CannotCombine for one that fails its check."""
    bundles = [verified_bundle(path, options) for path in paths]
    cells = [cell for bundle in bundles for cell in bundle.cells if not cell.key.temperature]
    hands = [cell for cell in _measuring(cells) if isinstance(cell, PokerCell)]
    games = [cell for cell in _measuring(cells) if isinstance(cell, ChessCell)]
    return Pilot(
        tuple(bundle.source.run for bundle in bundles),
        deviation([_hundreds(cell) for cell in hands]),
        deviation([_scaled(cell, lambda game: game.halfpoints, PAIR_SCORE.factor) for cell in games]),
        deviation([_scaled(cell, lambda game: int(game.halfpoints == 2), PAIR_WINS.factor) for cell in games]),
        (sum(game.halfpoints == 1 for cell in games for game in cell.games), sum(len(cell.games) for cell in games)),
        _errors(cells),
        {game: icc for game in SCORED if (icc := _correlation_of([c for c in cells if c.key.game == game]))},
    )


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


def _hundreds(cell: PokerCell) -> list[Fraction]:
    """bb/100 of each session, spread as those of 100 hands would be: SD is in proportion to 1 / sqrt(hands)."""
    size = cell.session_hands
    by = square_root(Fraction(size, 100))
    return [Fraction(total, size) * by for total in unit_sums(cell.chips, size, mirrored=False)]


def _scaled(cell: ChessCell, value: Callable[..., int], factor: Fraction) -> list[Fraction]:
    return [total * factor for total in cell.units(value)]


def _errors(cells: Sequence[Cell]) -> tuple[int, int]:
    """First attempts of measured seats without a legal action, and their decisions."""
    tallies = [cell.tallies[0] for cell in cells]
    return sum(tally.faults for tally in tallies), sum(tally.decisions for tally in tallies)


def _bounded(pooled: Deviation) -> Deviation:
    """Between 0 and 1 no standard deviation is greater than one half."""
    return pooled._replace(high=min(pooled.high, Fraction(1, 2)))


def _ends(pooled: Deviation) -> tuple[tuple[Fraction, str], ...]:
    return (
        (pooled.low, "low end of its 95 % interval"),
        (pooled.value, "measured"),
        (pooled.high, "high end of its 95 % interval"),
    )
