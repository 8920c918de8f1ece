"""The system `full_text`: the entries that hold a word of the query, by BM25; with a half-life, times their weight."""

from .bm25 import Ranking
from .decay import Decay
from .entry import Entry
from .entry_table import EntryTable
from .postings import best
from .store import Rewrites


class FullText:
    """Full-text search."""

    rewrites: Rewrites = "never"

    def __init__(self, entries: EntryTable, decay: Decay) -> None:
        self.entries = entries
        self._decay = decay
        self._ranking = Ranking()

    def store(self, entry: Entry) -> None:
        self._ranking.add(self.entries.add(entry), entry.content)
        self._decay.add(entry.game)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        numbers, scores = self._ranking.search(query)
        return self.entries.numbered(best(numbers, self._decay.weigh(numbers, scores, now), limit))

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""
