"""The baseline `file`: a text file that is appended to, and a search for the words of the query in its lines."""

import json
from pathlib import Path

import numpy as np

from .entry import Entry
from .notation import query_words, words
from .postings import Postings, best
from .store import Rewrites


class Lines:
    """Entries as the lines of a file, which begin with a content as a JSON string: it has no line break.

    "Folded to a 3-bet: 4 of 5\\nLimped in: 1 of 9" e00012 game 12 observation
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[Entry] = []
        self._names: set[str] = set()

    def add(self, entry: Entry) -> int:
        """Append a line; its number, from 1."""
        content = json.dumps(entry.content, ensure_ascii=False)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{content} {entry.entry} game {entry.game} {entry.kind}\n")
        self._entries.append(entry)
        self._names.add(entry.entry)
        return len(self._entries)

    def numbered(self, number: int) -> Entry:
        return self._entries[number - 1]

    def holds(self, entry: str) -> bool:
        return entry in self._names

    def count(self) -> int:
        return len(self._entries)

    def page(self, after: int, limit: int) -> list[Entry]:
        return self._entries[after : after + limit]


class TextFile:
    """A text file with keyword search: the more words of the query a line holds, the better; then the newer."""

    rewrites: Rewrites = "never"

    def __init__(self, lines: Lines) -> None:
        self.entries = lines
        self._words = Postings()

    def store(self, entry: Entry) -> None:
        number = self.entries.add(entry)
        self._words.add(number, dict.fromkeys(words(entry.content), 1))

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        scores = np.zeros(self.entries.count() + 1, dtype=np.int64)
        for word in query_words(query):
            if (held := self._words.read(word)) is not None:
                scores[held[0]] += 1
        numbers = np.flatnonzero(scores)
        return [self.entries.numbered(number) for number in best(numbers, scores[numbers], limit)]

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""
