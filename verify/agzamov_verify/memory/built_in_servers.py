"""The built-in memory servers: what verification must know of each, and their answers computed again.

Lines of the built-in servers: entries damaged by `noisy`, and equal lines summed by `consolidator`.

Notes hold counts, written `4 of 5`. Damage turns each count round (`1 of 5`), or gives another entry's text in the
place of one without counts.

Answers of built-in servers that follow from their inputs, computed again: searches, and the consolidation.

Entries are in the order in which they were stored. The servers are in `servers/agzamov_memory`; this is written apart
from them, and a test compares both.

    recent, history    what a search gives
    file               what a search gives
    full_text, noisy   that an entry is found which has a word of the search as it stands, while there is room for it
    noisy              which entries found are damaged, and how: drawn by SHA-256 from entry and number of the search
    consolidator       the live entries after a game
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from ..core.questions import Hit, Kept
from ..experiment.matches import Trait
from .given_text import WHOLE, GivenRule


class Server(NamedTuple):
    """A memory server.

    `rewrites`: it may change entries when a game ends. `ages`: it can rank entries by their age. `damages`: it damages
    a declared share of what it gives. `image_part`: what its container's image is called in a manifest; empty where
    there is none. `without_half_life`: how it ranks by age where the plan sets no half-life. `refuses`: which entries
    it may refuse. `searches_repeat`: a fresh server gives the same answers to the same calls.
    `recomputed`: its searches follow from the stored entries, and verification computes them.
    `takes_limit`: a search has an argument for the greatest number of entries. `address`: where it ran already, so that
    no digest pins it; empty for one that is started for each career. `models_url`: where the models are that it asks;
    empty where it asks none.
    `stand_in`: in a small profile the server in its place, which needs nothing to be installed; empty: itself.
    `exports`: a run asks it for all entries. `is_traced`: what a search gives must be a stored entry, as the rule
    `given` says; `given_natively`: to a model that calls its own tools.
    """

    words: str
    traits: frozenset[Trait] = frozenset()
    rewrites: bool = False
    ages: bool = False
    damages: bool = False
    image_part: str = "memory"
    without_half_life: frozenset[Trait] = frozenset({Trait.UNIFORM})
    refuses: Literal["none", "exact", "semantic"] = "none"
    searches_repeat: bool = True
    recomputed: bool = False
    takes_limit: bool = True
    address: str = ""
    models_url: str = ""
    exports: bool = True
    is_traced: bool = True
    given: GivenRule = WHOLE
    given_natively: GivenRule = WHOLE
    stand_in: str = ""


SERVERS: Final[Mapping[str, Server]] = MappingProxyType(
    {
        "full_text": Server("full-text search, ranked as SQLite FTS5 ranks", frozenset({Trait.FULL_TEXT}), ages=True),
        "semantic": Server(
            "nearest by meaning, all-MiniLM-L6-v2",
            frozenset({Trait.SEMANTIC}),
            ages=True,
            image_part="memory_semantic",
            stand_in="file",
        ),
        "recent": Server("the last entries, whatever is asked", recomputed=True),
        "history": Server("all entries in order, as many as fit", recomputed=True),
        "file": Server("a text file with a search for words", frozenset({Trait.FULL_TEXT})),
        "graph": Server("a graph of entities and observations", frozenset({Trait.GRAPH}), ages=True),
        "noisy": Server(
            "full-text search that damages what it gives", frozenset({Trait.FULL_TEXT, Trait.NOISY}), damages=True
        ),
        "consolidator": Server("counts of equal lines, added up after each game", rewrites=True),
    }
)


COUNT: Final = re.compile(r"\b([0-9]{1,9}) of ([0-9]{1,9})\b")


def damaged(stored: str) -> str:
    """The text of an entry with every count turned round."""
    return COUNT.sub(lambda count: f"{abs(int(count[2]) - int(count[1]))} of {int(count[2])}", stored)


def may_be_damaged(text: str, stored: str, others: Collection[str]) -> bool:
    """True if declared damage may give `text` for an entry that was stored as `stored`; `others`: all live texts."""
    return text == damaged(stored) if COUNT.search(stored) else text in others


def words_of(line: str) -> tuple[str, ...]:
    """The words around the counts of a line; spaces and capitals make no difference."""
    return tuple(" ".join(piece.lower().split()) for piece in COUNT.split(line)[::3])


def counts_of(line: str) -> list[tuple[int, int]]:
    """The counts of a line, in order."""
    return [(int(part), int(whole)) for part, whole in COUNT.findall(line)]


SUMMARY: Final = "summary"
WORD: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
TOKEN: Final = re.compile(r"[a-z0-9]+")
QUERY_WORDS_MAX: Final = 64
BY_WORDS: Final = ("file", "full_text", "noisy")


def last_entries(live: Sequence[Kept], hits_max: int, *, newest_first: bool) -> tuple[Hit, ...]:
    """Answer of `recent` (the newest first) and `history` (in order) to any search."""
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
    """A line that came up in live entries: the sums of its counts, and the entries that they come from."""

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


class WordSearches:
    """The searches of a built-in server for words, which finds entries that have one of them.

    `file` gives those with most words of the search, of equal ones the newest. `full_text` and `noisy` compare stems
    and rank by floating point: that is not computed, but equal words have equal stems. Where a text has characters
    beyond ASCII nothing is said of it: what a word is then depends on tables that differ.
    """

    def __init__(self, server: str) -> None:
        self._server = server
        self._names: list[str] = []
        self._with_word: dict[str, list[int]] = defaultdict(list)
        self._is_ascii = True

    def add(self, kept: Kept) -> None:
        """Take in an entry that was stored."""
        if self._server not in BY_WORDS:
            return
        self._is_ascii &= kept.content.isascii()
        if kept.content.isascii():
            for word in self._words(WORD.findall(kept.content.lower())):
                self._with_word[word].append(len(self._names))
        self._names.append(kept.entry)

    def mismatch(self, query: str, hits_max: int, given: Sequence[str]) -> str:
        """The right answer of a search, in words; empty where it was given, or is not known."""
        if self._server not in BY_WORDS or not query.isascii():
            return ""
        asked = list(dict.fromkeys(WORD.findall(query.lower())))[:QUERY_WORDS_MAX]
        if self._server == "file":
            expected = self._most_words(asked, hits_max)
            return "" if not self._is_ascii or given == expected else f"{', '.join(expected[:9]) or 'nothing'}"
        if len(given) >= hits_max:
            return ""
        left_out = {number for word in self._words(asked) for number in self._with_word.get(word, ())}
        missing = sorted({self._names[number] for number in left_out}.difference(given))
        return f"{missing[0]} too, which has a word of the search" if missing else ""

    def _most_words(self, asked: Sequence[str], hits_max: int) -> list[str]:
        shared = Counter(number for word in asked for number in self._with_word.get(word, ()))
        best = sorted(shared, key=lambda number: (-shared[number], -number))
        return [self._names[number] for number in best[:hits_max]]

    def _words(self, words: Sequence[str]) -> list[str]:
        """The different words as the server compares them: in `full_text` a hyphen separates words."""
        if self._server == "file":
            return list(dict.fromkeys(words))
        return list(dict.fromkeys(token for word in words for token in TOKEN.findall(word)))
