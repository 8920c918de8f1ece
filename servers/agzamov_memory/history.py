"""The baseline `history`: everything in the order in which it was stored, whatever the query.

Where more is held than is asked for, the oldest entries are left out.
"""

from .entry import Entry
from .entry_table import EntryTable
from .store import Rewrites


class History:
    """Everything, in order."""

    rewrites: Rewrites = "never"

    def __init__(self, entries: EntryTable) -> None:
        self.entries = entries

    def store(self, entry: Entry) -> None:
        self.entries.add(entry)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        return self.entries.last(limit)[::-1]

    def end_game(self, game: int) -> None:
        """Nothing: entries stay as they were stored."""
