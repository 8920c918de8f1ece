"""The placebo of a memory: entries of a frozen match against another opponent.

Each entry that a search gives is replaced by one donor note, the same one whenever the entry comes again, so the told
text has as many entries in the same order. Notes are chosen by length: all told notes together, each as often as it is
told, stay as near to the length of the entries that they stand for as the notes allow. Entries of the match itself
keep the frequencies of the opponent's habits (placebo.py).
"""

from collections.abc import Sequence

from ..dice import Stream
from ..questions import Hit
from .placebo import Placebo


class Donor(Placebo):
    """Gives donor notes in the place of entries, in an order that is drawn anew for each career."""

    def __init__(self, notes: Sequence[str], order: Stream) -> None:
        if not notes:
            raise ValueError("expected at least one donor note")
        self._notes = order.deal(notes, len(notes))
        self._unused = list(self._notes)
        self._notes_by_entry: dict[tuple[str, str], str] = {}
        self._missing_characters, self._told = 0, 0

    def instead_of(self, hits: Sequence[Hit]) -> list[str]:
        """One donor note for each hit."""
        return [self._instead_of(hit) for hit in hits]

    def _instead_of(self, hit: Hit) -> str:
        key = (hit.entry, hit.content)
        if key not in self._notes_by_entry:
            self._notes_by_entry[key] = self._chosen(len(hit.content))
        note = self._notes_by_entry[key]
        self._missing_characters += len(hit.content) - len(note)
        self._told += 1
        return note

    def _chosen(self, characters: int) -> str:
        """The unused note whose length keeps the totals most equal; all may be used again once each was.

        What is missing so far is shared by as many tellings as a note has had on average.
        """
        if not self._unused:
            self._unused = list(self._notes)
        wanted = characters + self._missing_characters * len(self._notes_by_entry) // max(1, self._told)
        note = min(self._unused, key=lambda note: abs(len(note) - wanted))
        self._unused.remove(note)
        return note
