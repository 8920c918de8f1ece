"""Answers of built-in servers that follow from what they were told, computed again: searches, and the consolidation.

Entries are in the order in which they were stored. The servers are in `memory/agzamov_memory`; this is written apart
from them, and a test compares both.

    recent, history    what a search gives
    noisy              which entries found are damaged, and how: drawn by SHA-256 from entry and number of the search
    consolidator       the live entries after a game
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from ..questions import Hit, Kept
from .counted_lines import COUNT, counts_of, damaged, words_of

SUMMARY: Final = "summary"


def last_entries(live: Sequence[Kept], hits_max: int, *, newest_first: bool) -> tuple[Hit, ...]:
    """What `recent` (the newest first) and `history` (in order) give for any search."""
    last = live[-hits_max:]
    return tuple(Hit(kept.content, kept.entry) for kept in (reversed(last) if newest_first else last))


def text_given(kept: Kept, live: Sequence[Kept], search: int, noise_percent: int) -> str:
    """The text that `noisy` gives of an entry in its search of this number, counted from 1."""
    drawn = int.from_bytes(hashlib.sha256(f"{search}\n{kept.entry}".encode()).digest())
    draw, chance = divmod(drawn, 100)
    if chance >= noise_percent:
        return kept.content
    if COUNT.search(kept.content):
        return damaged(kept.content)
    other = live[draw % max(1, len(live) - 1)]
    return (other if other.entry != kept.entry else live[-1]).content


class _Line:
    """A line that came up in live entries: the sums of its counts, and what they were summed from."""

    def __init__(self, text: str) -> None:
        self.text, self.sums = text, [(0, 0)] * len(counts_of(text))
        self.games: set[int] = set()
        self.sources: dict[str, None] = {}
        self.parts: list[Kept] = []

    def add(self, text: str, kept: Kept) -> None:
        self.sums = [(a + c, b + d) for (a, b), (c, d) in zip(self.sums, counts_of(text), strict=True)]
        self.games.update(kept.games)
        self.sources.update(dict.fromkeys(kept.derived_from or (kept.entry,)))
        self.parts.append(kept)

    @property
    def is_unchanged(self) -> bool:
        return len(self.parts) == 1 and bool(self.parts[0].derived_from)

    @property
    def summary(self) -> str:
        sums = iter(self.sums)
        return COUNT.sub(lambda _: "{} of {}".format(*next(sums)), self.text)


def consolidated(live: Sequence[Kept], made: int) -> list[Kept]:
    """The live entries of `consolidator` after a game; `made`: how many summaries it has made before."""
    found: dict[tuple[str, ...], _Line] = {}
    for kept in live:
        for text in kept.content.splitlines():
            if not text.strip():
                continue
            words = words_of(text)
            if words not in found:
                found[words] = _Line(text)
            found[words].add(text, kept)
    changed = [line for line in found.values() if not line.is_unchanged]
    gone = {kept.entry for line in changed for kept in line.parts}
    left = [kept for kept in live if kept.entry not in gone]
    for line in changed:
        made += 1
        games = tuple(sorted(line.games))
        left.append(Kept(line.summary, tuple(line.sources), f"d{made:05}", games, SUMMARY))
    return left
