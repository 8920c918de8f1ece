"""The placebo arm of a memory: what is told in the place of the entries found.

Placebo texts of a memory: the text shown in place of the entries found.

    donor           notes of contests that strangers play for this career: the protocol's placebo
    shuffle         the entries found, with the words of all of them dealt anew over the places of all of them: the
                    paper's "shuffled memory entries" (section 4.3). As many entries, words and bytes
    random_of_own   as many entries, drawn from all that the career has stored so far; not beyond the limit of bytes

Shuffle and random_of_own keep how often the opponent does what, so that a delta over them is a lower bound. All three
follow from the draws of the career, what was stored and what was found.

A donor is a stranger that another one of its kind meets beside the career, from draws of its own (`table.donor`). Each
entry that a search gives is replaced by one of its notes, the same one whenever the entry comes again and no other
entry's, so the told text has as many entries in the same order. A few notes are at hand, and one is chosen by length:
all told notes together, each as often as it is told, stay as near to the length of the entries that they stand for as
these allow. Entries of the match itself keep the frequencies of the opponent's habits.
"""

import re
from bisect import insort
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from ..core.dice import Stream
from ..core.questions import Hit

WORD: Final = re.compile(r"\S+")
AT_HAND: Final = 4
"""Notes of a donor of which one is chosen."""


class PlaceboRule(StrEnum):
    """Rule for the text that is shown in place of the entries found."""

    DONOR = "donor"
    SHUFFLE = "shuffle"
    RANDOM_OF_OWN = "random_of_own"


class Placebo:
    """Text in the place of entries."""

    def stored(self, content: str, entry: str = "", number: int = 1) -> None:
        """Take note of a text that the memory has stored, under a name, in a contest of the career."""

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        """As many texts as there are hits."""
        raise NotImplementedError


class Shuffle(Placebo):
    """The words of the entries found in a drawn order, a new one at each search; spaces and line feeds stay."""

    def __init__(self, order: Stream) -> None:
        self._order = order

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        words = [word for hit in hits for word in WORD.findall(hit.content)]
        dealt = iter(self._order.deal(words, len(words)))
        return [WORD.sub(lambda _: next(dealt), hit.content) for hit in hits]


class RandomOfOwn(Placebo):
    """Entries drawn without replacement from all that were stored, anew at each search."""

    def __init__(self, bytes_max: int, order: Stream) -> None:
        self._bytes_max, self._order = bytes_max, order
        self._stored: list[str] = []
        self._sizes: list[int] = []

    def stored(self, content: str, entry: str = "", number: int = 1) -> None:  # noqa: ARG002 - as declared
        self._stored.append(content)
        insort(self._sizes, told_bytes(content))

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        """As many entries as hits, if as many fit.

        An entry is passed over if the shortest of the others would not fit beside it. So as many are drawn as were
        found, where the hits are stored entries that fit.
        """
        pool, sizes = list(self._stored), list(self._sizes)
        taken, left_bytes = list[str](), self._bytes_max
        while pool and len(taken) < len(hits):
            at = self._order.below(len(pool))
            pool[at], pool[-1] = pool[-1], pool[at]
            text = pool.pop()
            size = told_bytes(text)
            sizes.remove(size)
            if size + sum(sizes[: len(hits) - len(taken) - 1]) <= left_bytes:
                taken.append(text)
                left_bytes -= size
        return taken


def told_bytes(text: str) -> int:
    """Bytes of a text in a prompt, with its line feed."""
    return len(text.encode()) + 1


class Donor(Placebo):
    """Gives a donor's notes in the place of entries.

    `note`: the note of a number, made when it is asked for; `places`: the number of seats. An entry of contest n gets
    a note whose number leaves the same rest by `places`: there the stranger sat where the opponent did.
    """

    def __init__(self, note: Callable[[int], str], places: int = 1) -> None:
        self._note, self._places = note, places
        self._made = [0] * places
        self._unused: list[list[str]] = [[] for _ in range(places)]
        self._places_by_entry: dict[str, int] = {}
        self._notes_by_entry: dict[tuple[str, str], str] = {}
        self._missing_characters, self._told = 0, 0

    def stored(self, content: str, entry: str = "", number: int = 1) -> None:  # noqa: ARG002 - as declared
        self._places_by_entry[entry] = (number - 1) % self._places

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        """One donor note for each hit."""
        return [self._instead_of(hit) for hit in hits]

    def _instead_of(self, hit: Hit) -> str:
        key = (hit.entry, hit.content)
        if key not in self._notes_by_entry:
            place = self._places_by_entry.get(hit.entry, 0)
            self._notes_by_entry[key] = self._chosen(len(hit.content), place)
        note = self._notes_by_entry[key]
        self._missing_characters += len(hit.content) - len(note)
        self._told += 1
        return note

    def _chosen(self, characters: int, place: int) -> str:
        """The note at hand whose length keeps the totals most equal; it is at hand no longer.

        What is missing so far is shared by as many tellings as a note has had on average.
        """
        unused = self._unused[place]
        while len(unused) < AT_HAND:
            unused.append(self._note(place + self._places * self._made[place]))
            self._made[place] += 1
        wanted = characters + self._missing_characters * len(self._notes_by_entry) // max(1, self._told)
        note = min(unused, key=lambda note: abs(len(note) - wanted))
        unused.remove(note)
        return note
