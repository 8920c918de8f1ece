"""The system `noisy`: full-text search in which a declared share of the hits is damaged.

A hit keeps its name. Its counts are turned round, `4 of 5` into `1 of 5`, so that what is remembered is false; a
content without counts gives way to that of another entry. Which hits are damaged is drawn by SHA-256 from the name of
the entry and the number of the search.
"""

import hashlib
import re
from dataclasses import replace

from .entry import Entry
from .full_text import FullText
from .notation import COUNT
from .store import Entries, Rewrites


class Noisy:
    """A memory that gives some of its entries back damaged."""

    rewrites: Rewrites = "never"

    def __init__(self, memory: FullText, percent: int) -> None:
        self._memory = memory
        self._percent = percent
        self._searches = 0

    @property
    def entries(self) -> Entries:
        return self._memory.entries

    def store(self, entry: Entry) -> None:
        self._memory.store(entry)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        self._searches += 1
        return [self._given(entry) for entry in self._memory.search(query, limit, now)]

    def end_game(self, game: int) -> None:
        self._memory.end_game(game)

    def _given(self, entry: Entry) -> Entry:
        drawn = int.from_bytes(hashlib.sha256(f"{self._searches}\n{entry.entry}".encode()).digest())
        draw, chance = divmod(drawn, 100)
        if chance >= self._percent:
            return entry
        if COUNT.search(entry.content):
            return replace(entry, content=COUNT.sub(_turned_round, entry.content))
        return replace(entry, content=self._another(entry, draw).content)

    def _another(self, entry: Entry, draw: int) -> Entry:
        """Another entry than this one, unless there is no other."""
        place = draw % max(1, self.entries.count() - 1)
        (drawn,) = self.entries.page(place, 1)
        # The last entry stands for this one, so that each of the others is as likely.
        return drawn if drawn.entry != entry.entry else self.entries.page(self.entries.count() - 1, 1)[0]


def _turned_round(count: re.Match[str]) -> str:
    part, whole = int(count[1]), int(count[2])
    return f"{abs(whole - part)} of {whole}"
