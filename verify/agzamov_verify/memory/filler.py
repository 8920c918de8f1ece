"""The filler arm of a memory: text of nothing in the game, in the place of the entries found.

It separates what more text in a prompt does by itself from what other notes do. Each entry that a search gives is
replaced by lines of a harbour's log, as many lines as the entry has and each as long to the byte, the same text
whenever the entry comes again. So the told text has as many entries, lines and bytes, and about as many tokens: the log
is of counts, as notes are. Which lines of it, and in which order, follows from the draws of the career.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ..core.dice import Stream
from ..core.questions import Hit
from .placebo import Placebo

LOG: Final = (
    "Boats at the north quay: 7 of 12 by 8, 3 of 12 by noon, 5 of 9 at 4",
    "Tide at the lighthouse: 4 of 9 marks, 2 of 9 an hour later, 6 of 9 at 11",
    "Barrels of salt unloaded: 31 of 40, of tar 8 of 10, behind the weighhouse",
    "Lamps on the breakwater: 2 of 5 at 1, 2 of 5 at 3, 1 of 5 at dawn",
    "Rain on 11 of 30 days, hail on 1 of 30, fog over the bay on 6 of 30",
    "Crates of oranges: 88 of 96 sound, of figs 14 of 15, of nuts 7 of 7",
    "Gulls on the roof of the market: 14 at 5, 9 at 12, 0 at 10",
    "Nets mended: 5 of 8 by 2, 6 of 8 by 6, 1 of 8 sold for 3",
    "Ferry to the island: 3 of 4 on time, 1 of 4 late by 12",
    "Ropes replaced: 6 of 20, each of 18 feet, tarred 2 of 2 times",
    "Wind south-west on 13 of 21 watches, east on 2 of 21, none on 6",
    "Coal weighed: 47 of 60 sacks, 9 of 60 wet, 4 of 60 left",
    "Cranes oiled: 1 of 3 on day 4, 2 of 3 on day 5, all by day 9",
    "Bell of the chapel: 12 of 12 at noon, 7 of 7 at 7, 0 of 1 at night",
    "Herring landed: 26 of 35 baskets by 9, 33 of 35 by 10",
    "Rafts of timber: 9 of 16 oak, 4 of 16 larch, 3 of 16 ash",
    "Dog of the watchman seen: 8 of 10 at 6, 3 of 10 at 12",
    "Windows lit along the promenade: 22 of 51 at 9, 6 of 51 at 11",
    "Pilots ashore: 4 of 7, at sea 2 of 7, asleep in the boathouse 1 of 7",
    "Apples from inland: 65 of 70 boxes, 5 of 70 unlabelled",
    "Depth at the sandbar: 3 of 6 over 5, 2 of 6 over 4, 1 of 6 under 4",
    "Sailmakers in by 8: 10 of 15, by 9: 13 of 15, each with 1 apprentice or 2",
    "Water in the cistern: 11 of 24 before, 17 of 24 after the thunderstorm",
    "Swallows under the footbridge: 5 of 6 nests, 2 of 6 with 4 or more",
)
"""Lines of the log: words of every length that the rest of a line can have are among them."""
FILLER_TEMPLATES: Final[Mapping[str, str]] = MappingProxyType({"memory/filler": "\n".join(LOG)})
WORDS: Final[Mapping[int, str]] = MappingProxyType({len(word): word for line in LOG for word in line.split()})
"""A word of the log of each length, to end a line with."""


class Filler(Placebo):
    """Gives lines of the log in the place of entries, in an order that is drawn for each career."""

    def __init__(self, order: Stream) -> None:
        self._log, self._text_by_entry = _log_of(order), dict[tuple[str, str], str]()

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        """As many texts as there are hits, each as long as its hit."""
        return [self._instead_of(hit) for hit in hits]

    def _instead_of(self, hit: Hit) -> str:
        key = hit.entry, hit.content
        if key not in self._text_by_entry:
            lines = [self._line(len(line.encode())) for line in hit.content.split("\n")]
            self._text_by_entry[key] = "\n".join(lines)
        return self._text_by_entry[key]

    def _line(self, bytes_wanted: int) -> str:
        """Lines of the log on one line of so many bytes: words while they fit, then one of the length that is left."""
        line, words = "", list[str]()
        while (left := bytes_wanted - len(line)) > 0:
            space, words = " " if line else "", words or next(self._log).split()
            word = words.pop(0)
            if left == 1 and line:
                line += "."
            else:
                line += space + (word if len(space + word) <= left else WORDS[left - len(space)])
        return line


def _log_of(order: Stream) -> Iterator[str]:
    """The lines of the log in a drawn order, again and again."""
    while True:
        yield from order.deal(LOG, len(LOG))
