"""The ports that every memory system satisfies."""

from typing import Literal, Protocol

from .entry import Entry

Rewrites = Literal["never", "end_game"]


class Entries(Protocol):
    """The live entries, in the order in which they were stored."""

    def holds(self, entry: str) -> bool:
        """Whether an entry has this name."""
        ...

    def count(self) -> int: ...

    def page(self, after: int, limit: int) -> list[Entry]:
        """At most `limit` entries, after the first `after` ones."""
        ...


class Store(Protocol):
    """A memory system."""

    rewrites: Rewrites

    @property
    def entries(self) -> Entries: ...

    def store(self, entry: Entry) -> None:
        """Take in an entry whose name no entry has."""
        ...

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        """At most `limit` entries for a query, the best first; `now` is the number of the game being played."""
        ...

    def end_game(self, game: int) -> None:
        """Rewrite what is to be rewritten: a game has ended."""
        ...
