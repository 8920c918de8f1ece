"""Which scores and cells may be compared: arms of one design, as the protocol fixes it, played by the same rules.

Three things move a score without better play: how long a career is (a memory that learns in 100 games has more of its
gain in careers of 400), the habits of the opponent (without any effect a naked arm scores 24 against its like and 37
against one with strong habits), and the number of results (deltas below 0 count as 0, so noise adds points).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ...core.columns import quoted
from ...experiment.matches import Arm, Phase
from ...plan.rules_played import NOT_SET, unlike_rules
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


class Design(NamedTuple):
    """The design of a real arm of Phase 2 in words. Arms of one `kind` stand in a table to be compared."""

    kind: str
    words: str


def design_of(cell: Cell) -> Design | None:
    """The design of a real arm of Phase 2; None of any other cell."""
    key = cell.key
    if (key.phase, key.arm) != (Phase.ASYMMETRIC, Arm.REAL):
        return None
    careers = f" in {cell.careers} careers" if cell.careers else ""
    habits = f", habits {' and '.join(sorted(cell.patterns)) or 'none'}"
    words = f"{GAMES[key.game].result.counted(len(cell.results))}{careers}{habits}"
    return Design(f"{key.game}{' with careers' if cell.careers else ''}", words)


def unlike_designs(cells: Iterable[Cell]) -> Iterator[str]:
    """A line for each game whose real arms of Phase 2 are of unlike designs, which a table would set side by side."""
    designs: dict[str, dict[str, str]] = {}
    for cell in cells:
        if design := design_of(cell):
            designs.setdefault(design.kind, {}).setdefault(design.words, str(cell.key))
    for by_design in designs.values():
        if len(by_design) > 1:
            some = [f"{name} has {design}" for design, name in by_design.items()]
            yield f"real arms of unlike design are not comparable: {_some(some)}"


def other_rules(rules: Mapping[tuple[str, str], Mapping[str, str]]) -> Iterator[str]:
    """A line for each game that models played by other rules; `rules`: of each model in each game (`rules_played`)."""
    for game in dict.fromkeys(game for _, game in rules):
        models = {model: of for (model, its), of in rules.items() if its == game}
        first, *others = models.values()
        if keys := list(dict.fromkeys(key for other in others for key in unlike_rules(first, other))):
            some = [f"{key} {_values({model: of.get(key, NOT_SET) for model, of in models.items()})}" for key in keys]
            yield f"models that played {game} by other rules are not comparable: {_some(some)}"


def _values(by_model: Mapping[str, str]) -> str:
    """Each value of a rule with the first model that has it: "16 (a), 40 (b and 2 more)"."""
    models: dict[str, list[str]] = {}
    for model, value in by_model.items():
        models.setdefault(value, []).append(model)
    return ", ".join(
        f"{value} ({quoted(names[0])}{f' and {len(names) - 1} more' if len(names) > 1 else ''})"
        for value, names in models.items()
    )


def _some(parts: list[str]) -> str:
    more = f"; and {len(parts) - SHOWN_MAX} more" if len(parts) > SHOWN_MAX else ""
    return "; ".join(parts[:SHOWN_MAX]) + more
