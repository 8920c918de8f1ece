"""The schedule of an arena: which rounds are still to be played, from the plans of the runs that there are.

Rounds are sealed one by one, each with every pairing that has been planned least often, so whatever is played of a
schedule is a fair arena: two pairings of a game differ by one unit at most. A player who is added meets everybody in
rounds of its own until it has caught up.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec

from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.seats.seat import Seat

from .arena_file import Arena, Bout


class Meeting(NamedTuple):
    """A game, its rules, and who meets in it, by all their settings but those of their servers."""

    game: str
    rules: bytes
    players: tuple[bytes, ...]


class RoundsHere(msgspec.Struct, frozen=True):
    """How many rounds of an arena's file are among the bundles that count, in full, and how many it wishes."""

    full: int
    wished: int

    @property
    def words(self) -> str:
        """What is missing; empty where nothing is."""
        return (
            "" if self.full >= self.wished else f"{self.full} of the {self.wished} rounds of its file are here in full"
        )


def planned(plans: Iterable[Plan], roster: Mapping[str, Seat]) -> Counter[Meeting]:
    """How many units of each meeting these plans have. `roster`: the seats of the arena's file."""
    return Counter(_meeting(plan, match, roster) for plan in plans for match in plan.matches)


def rounds_to_seal(arena: Arena, plans: Sequence[Plan]) -> Iterator[list[Bout]]:
    """The bouts of each round that is not planned yet, in the order in which they are to be played."""
    count, tables = dict(standing(arena, plans)), {game: seated(arena, game, plans) for game in arena.tables}
    while (least := _least(arena, count, tables)) < arena.rounds:
        bouts = [bout for bout, played in count.items() if played == least]
        count |= dict.fromkeys(bouts, least + 1)
        at_tables = [bout for game, met in tables.items() for bout in tables_of_a_round(arena, game, met, least + 1)]
        yield [*(_turned(bout, least) for bout in bouts), *at_tables]


def full_rounds(arena: Arena, plans: Sequence[Plan]) -> int:
    """How many rounds these plans have of everybody in every game."""
    return _least(arena, standing(arena, plans), {game: seated(arena, game, plans) for game in arena.tables})


def rounds_here(arena: Arena, plans: Iterable[Plan]) -> RoundsHere:
    """The rounds of an arena in these plans."""
    return RoundsHere(min(full_rounds(arena, list(plans)), arena.rounds), arena.rounds)


def standing(arena: Arena, plans: Iterable[Plan]) -> Mapping[Bout, int]:
    """How many units of each pairing of the roster these plans have."""
    roster = arena.whole.seats
    there = planned(plans, roster)
    pairs = (match for match in arena.whole.matches if match.game not in arena.tables)
    return {_bout(match): there[_meeting(arena.whole, match, roster)] for match in pairs}


class Seated(NamedTuple):
    """At how many tables of a game each player of the roster sat, and each two of them together."""

    alone: Counter[str]
    together: Counter[frozenset[str]]

    def add(self, names: Iterable[str]) -> None:
        """One more table. A player who sits there twice sat at one."""
        there = sorted(set(names))
        self.alone.update(there)
        self.together.update(map(frozenset, combinations(there, 2)))


def seated(arena: Arena, game: str, plans: Iterable[Plan]) -> Seated:
    """Who sat with whom in these plans, of the roster as it is, by the arena's rules."""
    found, rules = Seated(Counter(), Counter()), arena.whole.rules_of(game)
    seats = arena.whole.seats
    roster = {_player(arena.whole, name, seats): name for name in arena.players_of(game)}
    for plan in plans:
        for match in plan.matches:
            if match.game == game and plan.rules_of(game) == rules:
                players = (_player(plan, name, seats) for name in match.seats)
                found.add(roster[player] for player in players if player in roster)
    return found


def tables_of_a_round(arena: Arena, game: str, met: Seated, target: int) -> list[Bout]:
    """Tables until everybody sat at `target` of them; `met` counts them too.

    Each seat goes to whoever sat least often, then to whoever met those at the table least often: a greedy block
    design, which a test holds to its balance. Where the roster is smaller than a table, players sit there twice.
    """
    names, tables = arena.players_of(game), list[Bout]()
    while min(met.alone[name] for name in names) < target:
        chosen: list[str] = []
        while len(chosen) < arena.tables[game]:
            chosen.append(min(names, key=lambda name: _less_often(name, chosen, met)))
        bout = Bout(game, tuple(chosen))
        if any(sorted(bout.seats) == sorted(other.seats) for other in tables):
            break  # the same table once a round: the next round has it again
        tables.append(bout)
        met.add(chosen)
    return tables


def _less_often(name: str, chosen: Sequence[str], met: Seated) -> tuple[int, int, int, str]:
    others = set(chosen) - {name}
    return chosen.count(name), met.alone[name], sum(met.together[frozenset((name, other))] for other in others), name


def _least(arena: Arena, count: Mapping[Bout, int], tables: Mapping[str, Seated]) -> int:
    """How many rounds are planned in full: the least of all pairings and players at tables."""
    seats = (met.alone[name] for game, met in tables.items() for name in arena.players_of(game))
    return min((*count.values(), *seats), default=arena.rounds)


def _turned(bout: Bout, rounds: int) -> Bout:
    """Whoever was named first is named second in the next round."""
    turns = rounds % len(bout.seats)
    return Bout(bout.game, bout.seats[turns:] + bout.seats[:turns])


def _bout(match: Match) -> Bout:
    return Bout(match.game, match.seats)


def _meeting(plan: Plan, match: Match, roster: Mapping[str, Seat]) -> Meeting:
    players = (_player(plan, name, roster) for name in match.seats)
    return Meeting(match.game, msgspec.json.encode(plan.rules_of(match.game)), tuple(sorted(players)))


def _player(plan: Plan, name: str, roster: Mapping[str, Seat]) -> bytes:
    return msgspec.json.encode((name, plan.seats[name].as_wished(roster.get(name)).manner))
