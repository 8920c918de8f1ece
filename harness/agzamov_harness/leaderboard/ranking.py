"""Rows of a leaderboard and their ranks, each an interval: what an interval of a figure leaves open stays open.

The best rank that row k may have is 1 + the number of rows whose whole interval lies above its own; the worst is the
number of rows less those whose whole interval lies below it. Rows without an interval have no rank.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agzamov_verify.checks import Verdict
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.seats import LocalModelSeat, Seat


class Row(NamedTuple):
    """One figure of one accepted bundle. `board`: what it may be compared with: game, augmentation and unit.

    `open_weights`: every model that plays is one whose weights are sealed. `tier`: "compliant" or "departs".
    """

    board: tuple[str, str, str]
    submission: str
    submitter: str
    run: str
    model: str
    system: str
    effect: Estimate
    level: str
    tier: str
    open_weights: bool

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The 95 % interval; None where there is none."""
        return (float(self.effect.ci.low), float(self.effect.ci.high)) if self.effect.ci else None


class Ranked(NamedTuple):
    """A row with the best and the worst rank that its interval allows; None without an interval."""

    row: Row
    ranks: tuple[int, int] | None


def rows_of(verdict: Verdict, submission: str, submitter: str) -> Iterator[Row]:
    """The effects of a verified bundle: each augmentation's real arm less its control."""
    manifest, results, analysis = verdict.manifest, verdict.results, verdict.analysis
    if manifest is None or results is None or analysis is None:
        return
    tier = "departs" if results.departures else "compliant"
    open_weights = all(map(has_open_weights, manifest.plan.playing.values()))
    for delta in analysis.deltas:
        effect = delta.performance.everything
        if effect.value is not None:
            yield Row(
                (delta.game, delta.augmentation, effect.unit),
                submission,
                submitter,
                verdict.run,
                delta.model,
                delta.system,
                effect,
                verdict.level,
                tier,
                open_weights,
            )


def has_open_weights(seat: Seat) -> bool:
    """True if a seat is scripted, or a model whose weights were sealed."""
    return not seat.is_model or isinstance(seat, LocalModelSeat)


def ranked(rows: Sequence[Row]) -> list[Ranked]:
    """The rows of one board, the greatest figure first, with their ranks."""
    ordered = sorted(rows, key=lambda row: (row.bounds is None, -_value(row), row.submission, row.model, row.system))
    intervals = [bounds for row in ordered if (bounds := row.bounds)]
    return [Ranked(row, _ranks(row.bounds, intervals)) for row in ordered]


def _ranks(own: tuple[float, float] | None, all_bounds: Sequence[tuple[float, float]]) -> tuple[int, int] | None:
    if own is None:
        return None
    above = sum(low > own[1] for low, _ in all_bounds)
    below = sum(high < own[0] for _, high in all_bounds)
    return 1 + above, len(all_bounds) - below


def _value(row: Row) -> float:
    return float(row.effect.value.decimal) if row.effect.value else 0.0
