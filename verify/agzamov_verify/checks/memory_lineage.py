"""Lineage of the entries of a server from outside that rewrites: each one that it makes names what it was made of.

What the server says in such an entry is its own: nothing here finds out whether it follows from its sources. What is
computed: its sources were entries of this career, its contests are contests of its sources, and of what is gone
something was made. An entry that says more than the stored entries that it goes back to breaks no rule, since a summary
has words of its own: such entries are counted.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ..core.questions import Kept
from ..memory.built_in_servers import counts_of, words_of

WORD: Final = re.compile(r"[^\W\d_]+")


class Mismatch(NamedTuple):
    """A defect of a dump."""

    expected: str
    found: str


class Lineage:
    """Every entry that a store has held, with the contests and the stored entries that it is from."""

    def __init__(self) -> None:
        self._contests: dict[str, frozenset[int]] = {}
        self._texts: dict[str, str] = {}
        self._made_of: dict[str, frozenset[str]] = {}

    def add(self, kept: Kept) -> None:
        self._contests[kept.entry] = frozenset(kept.games)
        if not kept.derived_from:
            self._texts.setdefault(kept.entry, kept.content)
        self._made_of[kept.entry] = self._stored(kept) or frozenset((kept.entry,))

    def says_more(self, kept: Kept) -> bool:
        """True if an entry has a word that none of the stored entries has that it goes back to, or a higher count."""
        texts = [self._texts[name] for name in self._stored(kept) if name in self._texts]
        if set(WORD.findall(kept.content.lower())) - {word for text in texts for word in WORD.findall(text.lower())}:
            return True
        claimed, counted = _sums([kept.content]), _sums(texts)
        return any(claimed[words] > counted[words] for words in claimed)

    def _stored(self, kept: Kept) -> frozenset[str]:
        """The stored entries that a made one goes back to."""
        sources = set(kept.derived_from)
        return frozenset[str]().union(*(self._made_of.get(source, frozenset()) for source in sources))

    def mismatches(self, live: Mapping[str, Kept], dump: Sequence[Kept]) -> Iterator[Mismatch]:
        """Mismatches in a dump after a contest, whose entries may be new, changed or gone."""
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


def _sums(texts: Iterable[str]) -> dict[tuple[str, ...], int]:
    """By its words, the cases that lines with counts count in all, in texts together."""
    sums: dict[tuple[str, ...], int] = defaultdict(int)
    for line in (line for text in texts for line in text.splitlines()):
        if counts := counts_of(line):
            sums[words_of(line)] += max(whole for _, whole in counts)
    return sums
