"""Who took what from whom in one game of an arena, with the matches in which their games are.

In a game of two a win is one point and a draw half. At a table of more the greater result of two players has the
point; players of one team do not meet. In games of chips for two there is also what was won, in big blinds a hundred
hands.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.table.registry import GAMES

from .game_fits import CHIPS_A_BIG_BLIND, TWO, is_of_chips
from .verified_bundles import GamePlayed

HALF: Final = 0.5


class PairedMatch(msgspec.Struct, frozen=True):
    """What one player took from another in one match of one run, and the first of their games there."""

    run: str
    match: str
    results: int
    points: float
    first_game: str


class Pairing(msgspec.Struct, frozen=True):
    """What one player took from another: results, points, the first of their games, and where all of them are."""

    player: str
    opponent: str
    results: int
    points: float
    run: str
    first_game: str
    matches: tuple[PairedMatch, ...]
    bb_per_100: float | None = None


class _Met(NamedTuple):
    """One result of two players, as the first of them has it."""

    game: str
    points: float
    outcome: int


def pairings(game: str, results: Sequence[GamePlayed]) -> Iterator[Pairing]:
    """Who took what from whom, in alphabetical order, each pairing from both sides."""
    has_chips = bool(results) and is_of_chips(game, len(results[0].players)) and len(results[0].players) == TWO
    for (player, opponent), by_match in sorted(_met(results, has_teams=bool(GAMES[game].team_names)).items()):
        matches = tuple(
            PairedMatch(run, match, len(games), sum(one.points for one in games), min(one.game for one in games))
            for (run, match), games in sorted(by_match.items())
        )
        count, points = sum(one.results for one in matches), sum(one.points for one in matches)
        chips = sum(one.outcome for games in by_match.values() for one in games)
        rate = round(100 * chips / CHIPS_A_BIG_BLIND / count, 2) if has_chips else None
        yield Pairing(player, opponent, count, points, matches[0].run, matches[0].first_game, matches, rate)


def _met(results: Iterable[GamePlayed], *, has_teams: bool) -> dict[tuple[str, str], dict[tuple[str, str], list[_Met]]]:
    """The results of each two players in each run and match."""
    found: dict[tuple[str, str], dict[tuple[str, str], list[_Met]]] = {}
    for one in results:
        for place, player in enumerate(one.players):
            for other, opponent in enumerate(one.players):
                is_with = has_teams and one.teams[place] == one.teams[other]
                if player != opponent and not is_with:
                    met = _Met(one.name, _points(one, place, other), one.outcomes[place])
                    found.setdefault((player, opponent), {}).setdefault(one.unit[:2], []).append(met)
    return found


def _points(one: GamePlayed, place: int, other: int) -> float:
    """Points of one place against another: 1, a half or 0."""
    if len(one.players) == TWO:
        return (one.won[place] + 1) / 2
    difference = one.outcomes[place] - one.outcomes[other]
    return HALF + HALF * ((difference > 0) - (difference < 0))
