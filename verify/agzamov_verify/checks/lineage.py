"""Lineage of the entries of a server from outside that rewrites: each one that it makes names what it was made of.

What the server says in such an entry is its own: nothing here finds out whether it follows from its sources. What is
computed: its sources were entries of this career, its contests are contests of its sources, and of what is gone
something was made.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..questions import Kept


class Mismatch(NamedTuple):
    """A defect of a dump."""

    expected: str
    found: str


class Lineage:
    """Every entry that a store has held, with the contests that it is from."""

    def __init__(self) -> None:
        self._contests: dict[str, frozenset[int]] = {}

    def add(self, kept: Kept) -> None:
        self._contests[kept.entry] = frozenset(kept.games)

    def mismatches(self, live: Mapping[str, Kept], dump: Sequence[Kept]) -> Iterator[Mismatch]:
        """What is wrong with a dump after the end of a contest, in which entries may be new, changed or gone."""
        sources = {source for kept in dump for source in kept.derived_from}
        for kept in dump:
            if kept != live.get(kept.entry):
                yield from self._made(kept)
        for name in sorted(live.keys() - {kept.entry for kept in dump} - sources):
            if not sources.issuperset(live[name].derived_from or (name,)):
                yield Mismatch(f"{name}, or an entry made of it", "neither")

    def _made(self, kept: Kept) -> Iterator[Mismatch]:
        unknown = sorted(set(kept.derived_from) - self._contests.keys())
        if not kept.derived_from or unknown:
            source = unknown[0] if unknown else "nothing"
            yield Mismatch(f"{kept.entry} made of entries that were stored", f"made of {source}")
            return
        contests = frozenset[int]().union(*(self._contests[source] for source in set(kept.derived_from)))
        if beyond := sorted(set(kept.games) - contests):
            yield Mismatch(f"{kept.entry} of contests of its sources", f"of contest {beyond[0]}")
