"""The baseline `recent`: the last entries, the newest first, whatever the query."""

from .entry import Entry
from .entry_table import EntryTable
from .store import Rewrites


class Recent:
    """The last entries."""

    rewrites: Rewrites = "never"

    def __init__(self, entries: EntryTable) -> None:
        self.entries = entries

    def store(self, entry: Entry) -> None:
        self.entries.add(entry)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        return self.entries.last(limit)

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""
