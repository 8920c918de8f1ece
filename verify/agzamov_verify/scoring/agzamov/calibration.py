"""The constants of the A-Score from Phase 1 and 2 data (paper section 3.1), by rules that are declared here.

    c            the median distance from 0 of the real arms' bb/100, and no less than the median standard error of
                 the baselines: the middle system stands at sigmoid(1) = 0.73, and noise alone saturates nothing
    delta_max    the greatest delta that a one-sided t test at the protocol's level finds above 0
    tau_max      the greatest τ of a real arm that learned

Each is rounded up to two significant digits, so that the cell it comes from is not clamped. A rule that finds nothing
to go by gives no value, and says so; nothing is guessed.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Final

import msgspec

from ...experiment import Arm, Phase
from ..cells import Cell, performance
from ..exact import square_root
from ..hypotheses.contrasts import weighed
from ..hypotheses.deltas import difference, measured_in
from ..hypotheses.evidence import Evidence
from ..inference.samples import moments
from ..inference.significance import Alternative
from ..score_constants import CHESS, POKER

_UP: Final = Context(prec=2, rounding=ROUND_CEILING)


class Calibrated(msgspec.Struct, frozen=True):
    """One constant: its value in decimals or None, from how many cells, and by which rule or why not."""

    name: str
    value: str | None
    cells: int
    source: str


def calibrated(evidence: Evidence, alpha: Fraction) -> Iterator[Calibrated]:
    """The constants in the order of the score file."""
    yield _c(evidence)
    yield _delta_max(evidence, POKER, "delta_max_bb_per_100", alpha)
    yield _delta_max(evidence, CHESS, "delta_max_win_rate", alpha)
    yield _tau_max(evidence, CHESS, "tau_max_games")
    yield _tau_max(evidence, POKER, "tau_max_hands")


def _c(evidence: Evidence) -> Calibrated:
    real = _cells(evidence, POKER, lambda cell: cell.key.phase == Phase.ASYMMETRIC and cell.key.arm is Arm.REAL)
    baselines = _cells(evidence, POKER, lambda cell: cell.key.phase == Phase.BASELINE and cell.key.arm is Arm.NAKED)
    if not real or not baselines:
        return Calibrated("c_bb_per_100", None, 0, "needs Phase 1 and real arms of Phase 2 in hold'em")
    value = max(median([abs(performance(cell)) for cell in real]), median(list(map(_error, baselines))))
    source = "median distance from 0 of real arms, no less than the median standard error of baselines"
    return Calibrated("c_bb_per_100", rounded_up(value), len(real) + len(baselines), source)


def _delta_max(evidence: Evidence, game: str, name: str, alpha: Fraction) -> Calibrated:
    shown = []
    deltas = evidence.deltas(game)
    for delta in deltas:
        tested = weighed(
            delta.name,
            difference(delta.real, delta.other),
            Alternative.GREATER,
            evidence.resampling(measured_in([delta])),
        )
        if tested.p is not None and tested.p < alpha:
            shown.append(performance(delta.real) - performance(delta.other))
    if not shown:
        return Calibrated(name, None, len(deltas), "no delta was found above 0")
    return Calibrated(name, rounded_up(max(shown)), len(deltas), "greatest delta that was found above 0")


def _tau_max(evidence: Evidence, game: str, name: str) -> Calibrated:
    real = [delta.real for delta in evidence.deltas(game)]
    taus = [tau for cell in real if (tau := evidence.learned(cell).tau)]
    if not taus:
        return Calibrated(name, None, len(real), "no real arm was found to learn")
    return Calibrated(name, rounded_up(Fraction(max(taus))), len(real), "greatest τ of a real arm that learned")


def median(values: Sequence[Fraction]) -> Fraction:
    """The middle value, or the mean of the two in the middle."""
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def rounded_up(value: Fraction) -> str:
    """Two significant digits, upward, as plain decimals."""
    exact = _UP.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{exact:f}"


def _error(cell: Cell) -> Fraction:
    units = cell.measured()
    sample = moments(units.values)
    return square_root(sample.variance / sample.n) * units.scale.factor


def _cells(evidence: Evidence, game: str, keep: Callable[[Cell], bool]) -> list[Cell]:
    return [cell for key, cell in sorted(evidence.cells.items()) if key.game == game and keep(cell)]
