"""The system `consolidator`: when a game ends, lines with the same words become one line with the sums of their counts.

`Folded to a 3-bet: 4 of 5` and `Folded to a 3-bet: 1 of 3` become `Folded to a 3-bet: 5 of 8`. What is made names the
stored entries that it was made of, and all their games: anybody can do the sum again. It searches as `full_text` does.
"""

from dataclasses import dataclass, field

from .bm25 import Ranking
from .entry import Entry
from .entry_table import EntryTable
from .notation import COUNT, lines
from .postings import best
from .store import Rewrites

MADE = "summary"

Count = tuple[int, int]


@dataclass(slots=True)
class Habit:
    """A line whose words came up, the sums of its counts, and what they were summed from."""

    line: str
    sums: list[Count]
    games: set[int] = field(default_factory=set)
    sources: dict[str, None] = field(default_factory=dict)  # in order, each once
    parts: list[int] = field(default_factory=list)  # the numbers of the live entries that have the line

    def add(self, number: int, entry: Entry) -> None:
        """Note that a live entry has the line."""
        self.games.update(entry.games)
        self.sources.update(dict.fromkeys(entry.derived_from or (entry.entry,)))
        self.parts.append(number)

    def unchanged(self, live: dict[int, Entry]) -> bool:
        """Whether the line stands in one entry, which was made of it."""
        return len(self.parts) == 1 and bool(live[self.parts[0]].derived_from)

    def written(self) -> str:
        """The line with the sums in the places of its counts."""
        sums = iter(self.sums)
        return COUNT.sub(lambda _: "{} of {}".format(*next(sums)), self.line)


def counts_of(line: str) -> list[Count]:
    """The counts of a line, in order."""
    return [(int(part), int(whole)) for part, whole in COUNT.findall(line)]


def words_of(line: str) -> tuple[str, ...]:
    """The words around the counts of a line; spaces and capitals make no difference."""
    between, place = [], 0
    for count in COUNT.finditer(line):
        between.append(line[place : count.start()])
        place = count.end()
    return tuple(" ".join(piece.lower().split()) for piece in (*between, line[place:]))


class Consolidator:
    """Full-text search over lines that are summed up."""

    rewrites: Rewrites = "end_game"

    def __init__(self, entries: EntryTable) -> None:
        self.entries = entries
        self._ranking = Ranking()
        self._made = 0

    def store(self, entry: Entry) -> None:
        self._ranking.add(self.entries.add(entry), entry.content)

    def search(self, query: str, limit: int, now: int) -> list[Entry]:
        return self.entries.numbered(best(*self._ranking.search(query), limit))

    def end_game(self, game: int) -> None:
        """Put one entry in the place of all lines with the same words; a summary that gained nothing stays."""
        live = self.entries.all()
        changed = [habit for habit in _habits(live) if not habit.unchanged(live)]
        gone = {number for habit in changed for number in habit.parts}
        self.entries.remove(gone)
        for habit in changed:
            self._made += 1
            made = Entry(f"d{self._made:05}", habit.written(), tuple(sorted(habit.games)), MADE, tuple(habit.sources))
            self.entries.add(made)
        if changed:
            self._ranking = Ranking()
            for number, entry in self.entries.all().items():
                self._ranking.add(number, entry.content)


def _habits(live: dict[int, Entry]) -> list[Habit]:
    """The different lines of the live entries, in order of their first coming up."""
    habits: dict[tuple[str, ...], Habit] = {}
    for number, entry in live.items():
        for line in lines(entry.content):
            counts, words = counts_of(line), words_of(line)
            if habit := habits.get(words):
                habit.sums = [(a + c, b + d) for (a, b), (c, d) in zip(habit.sums, counts, strict=True)]
            else:
                habit = habits[words] = Habit(line, counts)
            habit.add(number, entry)
    return list(habits.values())
