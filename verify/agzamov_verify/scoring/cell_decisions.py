"""Forfeits, adjudications and errors of a cell's results. A score that rests on forfeits is not given."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from .cells import Cell
from .exact import Figure, figure

OWN_ACTIONS_MIN: Final = Fraction(1, 2)
"""A score needs at least this share of the measured seat's decisions to be its own legal first attempts."""


class CellDecisions(msgspec.Struct, frozen=True):
    """Results of one cell that play did not decide, and the errors of the seat that errs most.

    `forfeits`: results that a side lost for want of a legal action.
    `adjudicated`: ended by the engine. `by_harness`: share of results that play alone did not decide; these two, the
    ply limit, and hands with an illegal first attempt. `error_rate`: of first attempts without a legal action;
    `is_flagged` if above the protocol's bound.
    """

    name: str
    cell: str
    results: int
    forfeits: int
    adjudicated: int
    by_harness: Figure
    error_rate: Figure | None
    is_flagged: bool


def cell_decisions(name: str, cell: Cell, flag_percent: int) -> CellDecisions:
    """The counts of one cell; `name` is its part in the score."""
    results = len(cell.results)
    errors, decisions = max(_errors(cell), key=lambda pair: Fraction(pair[0], max(1, pair[1])))
    undecided = sum(not result.decided_by_play for result in cell.results)
    adjudicated = sum(result.adjudicated for result in cell.results)
    return CellDecisions(
        name,
        str(cell.key),
        results,
        sum(result.forfeited for result in cell.results),
        adjudicated,
        figure(Fraction(undecided, results)),
        figure(Fraction(errors, decisions)) if decisions else None,
        100 * errors > flag_percent * decisions,
    )


def _errors(cell: Cell) -> list[tuple[int, int]]:
    """First attempts without a legal action, and decisions, of each seat: an opponent that fails is no opponent."""
    seats = range(len(cell.results[0].decisions))
    return [
        (sum(result.errors[seat] for result in cell.results), sum(result.decisions[seat] for result in cell.results))
        for seat in seats
    ]


def why_withheld(cells: Sequence[CellDecisions], flag_percent: int) -> Iterator[str]:
    """A line for each cell that no score and no verdict may rest on."""
    for cell in cells:
        if 100 * cell.forfeits > flag_percent * cell.results:
            share = (
                f"{cell.forfeits} of {cell.results} results of {cell.cell} were forfeits, more than {flag_percent} %"
            )
            yield f"{cell.name}: {share}"
        elif cell.error_rate and 1 - Fraction(cell.error_rate.exact) < OWN_ACTIONS_MIN:
            rate = f"{100 * float(cell.error_rate.decimal):.1f} % of first attempts of {cell.cell} failed"
            yield f"{cell.name}: {rate}, so fewer than half of the actions were the seat's own"
