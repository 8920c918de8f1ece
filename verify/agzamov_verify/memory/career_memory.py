"""The memory of one seat in one career: the questions to its server, and the part of the answers in prompts.

    begin      export and probe the store, which must be empty; a server without an export is probed alone
    recall     search before a decision; the prompt gets as many entries as the limits allow
    observe    after each contest (a game, a session of hands): store one observation, end the game; in the stale arm
               nothing is stored after a declared contest, and all else goes on
    finish     export every live entry, where the server can: the dump of the career

The law: a server gets entries, queries, kinds and the number of the contest in the career, nothing else. In the
placebo arm the same questions are asked at the same moments, and the prompt gets other text (see placebo).
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from ..core.questions import EXPORTED, HITS, MEMORY, SETTLED, STORED, EndGame, Export, Hit, Search, Store, Stored
from ..core.script import Script, ask
from .given_text import WHOLE, GivenRule
from .placebo import Placebo
from .tool_calls import Toolbox

OBSERVATION: Final = "observation"
PROBES: Final = ("opponent", "game", "the", "a", "e", "1")
"""Searches that a store must answer with nothing before the first game."""


class SearchLimits(msgspec.Struct, frozen=True):
    """Limits of one search: so many entries, and so many bytes of UTF-8 with their line feeds."""

    hits_max: int
    bytes_max: int


class ServerUse(msgspec.Struct, frozen=True):
    """How a server is asked. `rewrites`: it may change entries when a game ends. `exports`: it gives every entry.

    `given`: what a search gives of an entry.
    """

    rewrites: bool = False
    exports: bool = True
    given: GivenRule = WHOLE


PLAIN: Final = ServerUse()


class CareerMemory:
    """The script's half of a memory server, which is asked as `server` says.

    `to`: whose memory it is, a name of `seat_letters.memory_name`. `stores_until`: the last contest after which
    something is stored; None where nothing ends the storing.
    """

    def __init__(
        self,
        limits: SearchLimits,
        placebo: Placebo | None = None,
        *,
        server: ServerUse = PLAIN,
        to: str = MEMORY,
        stores_until: int | None = None,
    ) -> None:
        self._limits, self._placebo, self._server, self._to = limits, placebo, server, to
        self._stores_until = stores_until
        self._number, self._entries = 1, 0
        self._game, self._asked = "", 0

    @property
    def toolbox(self) -> Toolbox | None:
        """The tools that the seat's model may call; None where the harness stores and searches."""
        return None

    def begin(self, game: str) -> Script[None]:
        """Ask for all entries and for some words, before the first game."""
        if self._server.exports:
            yield from self._export(game)
        for probe in PROBES:
            yield from self._search(game, 0, probe)

    def recall(self, game: str, turn: int, query: str) -> Script[str]:
        """The entries that a search gives, one below the other: of the server, or of the placebo."""
        return "\n".join((yield from self._told(game, turn, query)))

    def observe(self, game: str, content: str) -> Script[None]:
        """Store the observation of the contest that is over, unless the memory is stale by now, and end it."""
        if self._is_stale:
            yield from self._end_game(game)
            return
        entry, attempt = self._next_entry(), self._next(game)
        question = Store(
            attempt=attempt,
            content=content,
            entry=entry,
            game=game,
            kind=OBSERVATION,
            number=self._number,
            to=self._to,
            turn=0,
        )
        yield from self._store(question)
        yield from self._end_game(game)

    @property
    def _is_stale(self) -> bool:
        """True if nothing more is stored, from the first contest that is not noted."""
        return self._stores_until is not None and self._number > self._stores_until

    def _store(self, question: Store) -> Script[Stored]:
        """Store an entry; the placebo learns of each entry that the memory took."""
        answer = yield from ask(question, STORED)
        if self._placebo and not answer.refused:
            self._placebo.stored(question.content, question.entry, question.number)
        return answer

    def _end_game(self, game: str) -> Script[None]:
        """End the contest."""
        question = EndGame(attempt=self._next(game), game=game, number=self._number, to=self._to, turn=0)
        yield from ask(question, SETTLED)
        if self._server.rewrites and self._server.exports:
            yield from self._export(game)
        self._number += 1

    def finish(self, game: str) -> Script[None]:
        """Ask for all entries once more."""
        if self._server.exports:
            yield from self._export(game)

    def _told(self, game: str, turn: int, query: str) -> Script[list[str]]:
        """The texts of a search that fit into the limits, or in their place as many of the placebo."""
        hits = yield from self._search(game, turn, query)
        fitting = within([hit.content for hit in hits], self._limits)
        if not self._placebo:
            return fitting
        instead = zip(self._placebo.instead_of(hits[: len(fitting)]), fitting, strict=False)
        return [self._server.given.cut_like(text, given) for text, given in instead]

    def _search(self, game: str, turn: int, query: str) -> Script[tuple[Hit, ...]]:
        question = Search(
            attempt=self._next(game),
            game=game,
            hits_max=self._limits.hits_max,
            number=self._number,
            query=query,
            to=self._to,
            turn=turn,
        )
        answer = yield from ask(question, HITS)
        return answer.hits

    def _export(self, game: str) -> Script[None]:
        """Ask for all entries, page by page; who reads the journal has them."""
        offset, more = 0, True
        while more:
            question = Export(attempt=self._next(game), game=game, offset=offset, to=self._to, turn=0)
            answer = yield from ask(question, EXPORTED)
            offset += len(answer.entries)
            more = answer.more and bool(answer.entries)

    def _next_entry(self) -> str:
        """The name of the next entry of the career."""
        self._entries += 1
        return f"e{self._entries:05d}"

    def _next(self, game: str) -> int:
        """The number of the next memory question within a result."""
        self._asked = self._asked + 1 if game == self._game else 0
        self._game = game
        return self._asked


def within(texts: Iterable[str], limits: SearchLimits) -> list[str]:
    """The first of the texts, whole, that fit into the limits together."""
    fitting: list[str] = []
    left_bytes = limits.bytes_max
    for text in texts:
        left_bytes -= len(text.encode()) + 1
        if left_bytes < 0 or len(fitting) == limits.hits_max:
            break
        fitting.append(text)
    return fitting
