"""Connectivity of players by points taken off each other: whether games can order them (Ford 1957, AMM 64:28).

Strengths have a maximum-likelihood estimate only if, however the players are split in two, each side took at
least half a point off the other. So a player who won every game, or lost every game, has no finite strength;
and two groups of players that never met cannot be compared at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from agzamov_verify.scoring.ratings.games import DRAW, Game


class Connection(StrEnum):
    """Connectivity of the results, which decides whether all players can be ordered."""

    CONNECTED = "connected"
    UNBOUNDED = "unbounded"
    DISCONNECTED = "disconnected"


def connection(games: Iterable[Game]) -> tuple[Connection, tuple[tuple[str, ...], ...]]:
    """Connectivity of the players, and the strongly connected groups in the order of their first name."""
    beat: dict[str, set[str]] = {}
    met: dict[str, set[str]] = {}
    for game in games:
        for player, opponent, points in (
            (game.first, game.second, game.halfpoints),
            (game.second, game.first, 2 - game.halfpoints),
        ):
            met.setdefault(player, set()).add(opponent)
            beat.setdefault(player, set())
            if points >= DRAW:
                beat[player].add(opponent)
    groups = _groups(beat)
    if len(groups) <= 1:
        return Connection.CONNECTED, groups
    circles = len(_groups(met))
    return (Connection.UNBOUNDED if circles == 1 else Connection.DISCONNECTED), groups


def _groups(edges: Mapping[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    """The strongly connected components: the names that can reach each other."""
    reached = {name: _reached(name, edges) for name in sorted(edges)}
    groups: list[tuple[str, ...]] = []
    for name, ends in reached.items():
        if not any(name in group for group in groups):
            groups.append(tuple(end for end in sorted(ends) if name in reached[end]))
    return tuple(groups)


def _reached(name: str, edges: Mapping[str, set[str]]) -> set[str]:
    reached, open_ends = {name}, [name]
    while open_ends:
        newly_reached = edges[open_ends.pop()] - reached
        reached |= newly_reached
        open_ends.extend(newly_reached)
    return reached


def names_of(games: Iterable[Game]) -> Sequence[str]:
    """The players, sorted."""
    return sorted({name for game in games for name in (game.first, game.second)})
