"""Which scores and cells may be compared: arms of one design, as the protocol fixes it.

Three things move a score without better play: how long a career is (a memory that learns in 100 games has more of its
gain in careers of 400), the habits of the opponent (without any effect a naked arm scores 24 against its like and 37
against one with strong habits), and the number of results (deltas below 0 count as 0, so noise adds points).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ...experiment.matches import Arm, Phase
from ...protocols.norms import ComparableNorm
from ...table.registry import GAMES
from ..units.cells import Cell

SHOWN_MAX: Final = 3


def not_comparable(cells: Mapping[str, Cell], norm: ComparableNorm) -> Iterator[str]:
    """Where the Phase 2 arms of a score, by the name of an input, are of another design than the protocol's."""
    for name, cell in cells.items():
        game, results = GAMES[cell.key.game], norm.results[cell.key.game]
        if cell.key.phase != Phase.ASYMMETRIC:
            continue
        if len(cell.results) != results:
            yield f"{name}: {game.result.counted(len(cell.results))}, compared are {results:,}"
        if cell.careers and cell.careers != norm.careers:
            yield f"{name}: {cell.careers} careers, compared are {norm.careers}"
        expected = {pattern for pattern in norm.patterns if pattern in game.patterns}
        if set(cell.patterns) != expected:
            told = ", ".join(sorted(cell.patterns)) or "no habit"
            yield f"{name}: its opponent keeps {told}, compared are {', '.join(sorted(expected)) or 'none'}"


def unlike_designs(cells: Iterable[Cell]) -> Iterator[str]:
    """A line for each game whose real arms of Phase 2 are of unlike designs, which a table would set side by side."""
    designs: dict[str, dict[str, str]] = {}
    for cell in cells:
        key = cell.key
        if (key.phase, key.arm) == (Phase.ASYMMETRIC, Arm.REAL):
            game = GAMES[key.game]
            careers = f" in {cell.careers} careers" if cell.careers else ""
            habits = f", habits {' and '.join(sorted(cell.patterns)) or 'none'}"
            design = f"{game.result.counted(len(cell.results))}{careers}{habits}"
            kind = f"{key.game}{' with careers' if cell.careers else ''}"
            designs.setdefault(kind, {}).setdefault(design, str(key))
    for by_design in designs.values():
        if len(by_design) > 1:
            some = [f"{name} has {design}" for design, name in by_design.items()]
            more = f"; and {len(some) - SHOWN_MAX} more" if len(some) > SHOWN_MAX else ""
            yield f"real arms of unlike design are not comparable: {'; '.join(some[:SHOWN_MAX])}{more}"
