"""The searches of a run, and whether a memory finds any of a run's notes by them.

A run does not search for sentences that it stored: it asks for the words of a position, such as "river, button, facing
a bet: Bet the river with less than two pair, shown". A server that wants every word of a query in one note, or the
query as it stands, finds each sentence that was stored and nothing that a run asks for: one played 242 searches without
a hit. Such a run tells nothing of the memory, so it is refused before it is sealed.

Notes and searches are those of contests between strangers, by the default rules of a game; nothing of a run is in them.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agzamov_verify.table.registry import GAMES

from .canary_session import Candidate, CheckFailed
from .launch import Setup

if TYPE_CHECKING:
    from .memory_server import MemoryServer

NOTES_PER_GAME: Final = 4
"""Each is stored in a contest of its own."""
SEARCHES_PER_GAME: Final = 8
HITS_MAX: Final = 10
INDEX_S_MAX: Final = 60.0
"""Seconds in which the index of a system that declares `consistency: eventual` must hold what was stored."""
POLL_S: Final = 0.5
KIND: Final = "observation"
ADVICE: Final = (
    "a run with it would tell nothing: write query_words: longest in search where the server wants every word of a"
    " query, or let it find notes by some of them"
)


class WithoutHit(NamedTuple):
    """A game none of whose searches found anything. `notes`: of it that were stored."""

    game: str
    notes: int

    @property
    def expected(self) -> str:
        searches = own_searches(self.game)
        return (
            f"something from one of the {len(searches)} searches that a run of {self.game} makes, such as"
            f" {searches[0]!a:.80}, after {self.notes} of its notes"
        )


def remembering() -> tuple[str, ...]:
    """The games of which anything can be remembered."""
    return tuple(name for name, game in GAMES.items() if game.remembers)


@cache
def own_notes(game: str) -> tuple[str, ...]:
    """Notes as a run of a game stores them."""
    return tuple(GAMES[game].sample_notes(NOTES_PER_GAME))


@cache
def own_searches(game: str) -> tuple[str, ...]:
    """Searches as a run of a game makes them, from the whole course of a contest."""
    searches = GAMES[game].sample_searches()
    count = min(SEARCHES_PER_GAME, len(searches))
    return tuple(searches[place * len(searches) // count] for place in range(count))


def without_hit(
    games: Iterable[str], store: Callable[[str], bool], search: Callable[[str], Sequence[object]], patience_s: float
) -> WithoutHit | None:
    """The first game whose searches find nothing, once notes of all were stored; asked again for so many seconds.

    `store` says whether a note was taken.
    """
    stored = {game: sum([store(note) for note in own_notes(game)]) for game in games}
    until = time.monotonic() + patience_s
    for game, notes in stored.items():
        while not any(search(query) for query in own_searches(game)):
            if time.monotonic() >= until:
                return WithoutHit(game, notes)
            time.sleep(POLL_S)
    return None


def patience_s(setup: Setup) -> float:
    """Seconds that a system has until a search must find what was stored."""
    return INDEX_S_MAX if setup.system.adapter.traits.consistency == "eventual" else 0.0


def finds_own_notes(candidate: Candidate) -> None:
    """The check of a system that is no part of a plan: every game is asked. Raises CheckFailed."""
    session, setup = candidate.fresh(), candidate.setup

    def store(note: str) -> bool:
        try:
            session.remember([note])
        except CheckFailed:
            if setup.system.adapter.traits.dedup == "none":
                raise
            return False
        return True

    found = without_hit(remembering(), store, lambda query: session.search(query, HITS_MAX), patience_s(setup))
    if found:
        raise CheckFailed(found.expected, "nothing", ADVICE)


def require_own_searches(server: "MemoryServer", setup: Setup, games: Iterable[str]) -> None:
    """Store notes of some games in a server that was opened, and search for them. Raises MemoryFault."""
    stored = 0

    def store(note: str) -> bool:
        nonlocal stored
        stored += 1
        refused = server.store(f"e{stored:05}", note, KIND, stored)
        server.end_game(stored)
        return not refused

    def search(query: str) -> Sequence[object]:
        found, _ = server.search(query, HITS_MAX, stored)
        return found

    if found := without_hit(games, store, search, patience_s(setup)):
        raise server.fault(found.expected, "nothing", ADVICE)
