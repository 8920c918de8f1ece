"""One search of 10,000 entries in each built-in memory system, beside SQLite's FTS5 over the same entries.

    python bench/memory_search.py

The entries are notes as a career leaves them: nearly all hold nearly all words of a query, so nothing is found fast by
being rare. Times are CPU time on one core, the median of the searches. The bar is for the systems; embedding a text is
apart.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from agzamov_memory.embedding import DIMENSIONS, SCALE
from agzamov_memory.entry import Entry
from agzamov_memory.postings import Integers
from agzamov_memory.systems import SYSTEMS, Settings, semantic

ENTRIES, HITS, ROUNDS = 10_000, 10, 15
HALF_LIFE_GAMES = 20
BAR_MS = 10
HABITS = (
    "Folded to a 3-bet on the button",
    "Raised first in on the button",
    "Called a raise in the big blind",
    "Bet the flop after raising before the flop",
    "Check-raised the flop",
    "Bluffed the river",
    "Folded to a bet on the turn",
    "Showed down a pair or worse",
    "Went all-in before the flop",
    "Bet more than the pot on the river",
)
QUERIES = (
    "folded button",
    "bluffed the river",
    "How often did the opponent fold to a 3-bet on the button, or raise first in?",
    "showed down a pair after a check-raise on the flop",
)


def notes() -> list[str]:
    """Notes of one opponent, each with most of the habits."""
    dice = np.random.default_rng(13)
    chosen = (dice.permutation(HABITS)[: dice.integers(4, len(HABITS) + 1)] for _ in range(ENTRIES))
    return ["\n".join(f"{habit}: {dice.integers(10)} of {dice.integers(10, 20)}" for habit in note) for note in chosen]


def cpu_ms(search: Callable[[str], object]) -> float:
    """Median CPU milliseconds of a search."""
    spent_s = []
    for _ in range(ROUNDS):
        for query in QUERIES:
            start = time.process_time()
            search(query)
            spent_s.append(time.process_time() - start)
    return statistics.median(spent_s) * 1000


def drawn_vector(text: str) -> Integers:
    """A vector that is drawn by the text: embedding is not measured here."""
    vector = np.random.default_rng(list(text.encode())).normal(size=DIMENSIONS)
    return np.rint(vector / np.sqrt(vector @ vector) * SCALE).astype(np.int64)


def fts5(contents: list[str]) -> Callable[[str], object]:
    """The search of SQLite's own full-text index."""
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table notes using fts5(content, tokenize = 'porter unicode61')")
    database.executemany("insert into notes values (?)", ((content,) for content in contents))
    ranked = "select content from notes where notes match ? order by round(bm25(notes), 6), rowid limit ?"

    def search(query: str) -> object:
        terms = " OR ".join(f'"{word}"' for word in query.replace("?", "").replace(",", "").split())
        return database.execute(ranked, (terms, HITS)).fetchall()

    return search


def main() -> None:
    contents = notes()
    reference_ms = cpu_ms(fts5(contents))
    print(f"{ENTRIES:,} entries; SQLite's FTS5 {reference_ms:.1f} ms a search")
    slowest_ms = 0.0
    for name, system in SYSTEMS.items():
        for half_life_games in (None, HALF_LIFE_GAMES) if system.decays else (None,):
            with tempfile.TemporaryDirectory() as folder:
                settings = Settings(Path(folder), half_life_games, 25 if system.damages else None)
                memory = semantic(settings, drawn_vector) if name == "semantic" else system.make(settings)
                start = time.process_time()
                for number, content in enumerate(contents, 1):
                    memory.store(Entry(f"e{number:05}", content, (number,), "observation"))
                store_ms = (time.process_time() - start) * 1000 / ENTRIES
                search_ms = cpu_ms(lambda query, memory=memory: memory.search(query, HITS, ENTRIES))  # type: ignore[misc]
            slowest_ms = max(slowest_ms, search_ms)
            decayed = f" half-life {half_life_games}" if half_life_games else ""
            ratio = search_ms / reference_ms
            print(f"{name + decayed:26} search {search_ms:5.2f} ms, {ratio:4.2f} x FTS5; store {store_ms:.2f} ms")
    print(f"slowest {slowest_ms:.2f} ms a search (bar: {BAR_MS}): {'ok' if slowest_ms <= BAR_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
