"""The system `semantic`: the entries with the vectors nearest to that of the query; a half-life weighs them by age.

All entries are compared, and their scores are exact: vectors are integers, and so are their products.
"""

import numpy as np

from .decay import Decay
from .embedding import DIMENSIONS, Embed
from .entry import Entry
from .entry_table import EntryTable
from .notation import query_words
from .postings import best
from .store import Rewrites

FIRST_ROWS = 256


class Semantic:
    """Search by meaning."""

    rewrites: Rewrites = "never"

    def __init__(self, entries: EntryTable, decay: Decay, embed: Embed) -> None:
        self.entries = entries
        self._decay = decay
        self._embed = embed
        # Floats that hold integers: products and sums stay below 2^53, so they are exact in any order of adding.
        self._vectors = np.zeros((FIRST_ROWS, DIMENSIONS))

    def store(self, entry: Entry) -> None:
        number = self.entries.add(entry)
        self._decay.add(entry.game)
        if number > len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        self._vectors[number - 1] = self._embed(entry.content)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        """The nearest entries; a query without words is near to none."""
        if not query_words(query):
            return []
        products = (self._vectors[: self.entries.count()] @ self._embed(query)).astype(np.int64)
        numbers = np.flatnonzero(products > 0) + 1
        weighed = self._decay.weigh(numbers, products[numbers - 1], now)
        return self.entries.numbered(best(numbers, weighed, limit))

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""
