"""Entries in a table of SQLite, `memory.db` in the folder of the data."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from .entry import Entry


class EntryTable:
    """The live entries. Their numbers count from 1 in order of storing; none is given twice."""

    def __init__(self, folder: Path) -> None:
        self.database = sqlite3.connect(folder / "memory.db", isolation_level=None)
        # The folder lives as long as the server: what a crash of the machine leaves is read by nobody.
        self.database.executescript("pragma synchronous = off; pragma journal_mode = memory")
        self.database.execute(
            "create table entries (number integer primary key autoincrement, entry text unique, content text,"
            " games text, kind text, derived_from text)"
        )

    def add(self, entry: Entry) -> int:
        """Append an entry; its number."""
        values = (entry.entry, entry.content, json.dumps(entry.games), entry.kind, json.dumps(entry.derived_from))
        with closing(self.database.cursor()) as cursor:
            cursor.execute(
                "insert into entries (entry, content, games, kind, derived_from) values (?, ?, ?, ?, ?)", values
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

    def remove(self, numbers: Iterable[int]) -> None:
        self.database.executemany("delete from entries where number = ?", ((number,) for number in numbers))

    def holds(self, entry: str) -> bool:
        return self.database.execute("select 1 from entries where entry = ?", (entry,)).fetchone() is not None

    def count(self) -> int:
        (count,) = self.database.execute("select count(*) from entries").fetchone()
        return int(count)

    def page(self, after: int, limit: int) -> list[Entry]:
        """At most `limit` entries, after the first `after` ones."""
        return self._read("order by number limit ? offset ?", (limit, after))

    def last(self, limit: int) -> list[Entry]:
        """The newest entries, the newest first."""
        return self._read("order by number desc limit ?", (limit,))

    def numbered(self, numbers: Sequence[int]) -> list[Entry]:
        """The entries with these numbers, in this order."""
        return [entry for number in numbers for entry in self._read("where number = ?", (number,))]

    def all(self) -> dict[int, Entry]:
        """Every entry by its number."""
        numbers = [number for (number,) in self.database.execute("select number from entries order by number")]
        return dict(zip(numbers, self._read("order by number", ()), strict=True))

    def _read(self, rest: str, values: tuple[int, ...]) -> list[Entry]:
        columns = "select entry, content, games, kind, derived_from from entries "
        return [
            Entry(entry, content, tuple(json.loads(games)), kind, tuple(json.loads(sources)))
            for entry, content, games, kind, sources in self.database.execute(columns + rest, values)
        ]
