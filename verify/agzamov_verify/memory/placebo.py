"""Placebo texts of a memory: the text shown in place of the entries found.

    donor           notes of a frozen match against another opponent (donor.py): the protocol's placebo
    shuffle         the entries found, with the words of all of them dealt anew over the places of all of them: the
                    paper's "shuffled memory entries" (section 4.3). As many entries, words and bytes
    random_of_own   as many entries, drawn from all that the career has stored so far; not beyond the limit of bytes

Shuffle and random_of_own keep how often the opponent does what, so that a delta over them is a lower bound. All three
follow from the draws of the career, what was stored and what was found.
"""

import re
from bisect import insort
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from ..dice import Stream
from ..questions import Hit

WORD: Final = re.compile(r"\S+")


class PlaceboRule(StrEnum):
    """Rule for the text that is shown in place of the entries found."""

    DONOR = "donor"
    SHUFFLE = "shuffle"
    RANDOM_OF_OWN = "random_of_own"


class Placebo:
    """Text in the place of entries."""

    def stored(self, content: str) -> None:
        """Take note of a text that the memory has stored."""

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

    def stored(self, content: str) -> None:
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
