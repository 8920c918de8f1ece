"""Ranking by BM25 as SQLite's FTS5 does it: its tokenizer `porter unicode61`, its formula, scores of six decimals.

Notes of one opponent hold nearly all words of a query, and then FTS5 needs some microseconds for each word and entry:
too long with 10,000 entries. So its terms are kept in lists of our own. Tests hold the order against FTS5's.
The verifier does not repeat it; documents, which it ranks again, have `agzamov_verify.documents.bm25` in whole numbers.
"""

import math
import sqlite3

import numpy as np

from .notation import query_words
from .postings import Growing, Integers, Postings

K1, B = 1.2, 0.75
IDF_MIN = 1e-6  # of a term that half of the entries hold, or more
MICROS = 1_000_000


class Tokenizer:
    """The terms that FTS5 would index for a text."""

    def __init__(self) -> None:
        self._scratch = sqlite3.connect(":memory:", isolation_level=None)
        self._scratch.executescript(
            "create virtual table text using fts5(content, content = '', tokenize = 'porter unicode61');"
            "create virtual table terms using fts5vocab(text, 'row')"
        )

    def counts(self, text: str) -> dict[str, int]:
        """How often each term stands in a text."""
        self._scratch.execute("insert into text (rowid, content) values (1, ?)", (text,))
        found = dict(self._scratch.execute("select term, cnt from terms").fetchall())
        self._scratch.execute("insert into text (text) values ('delete-all')")
        return found


class Ranking:
    """The terms of entries, and the entries that a query finds, with their scores."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        self._postings = Postings()
        self._lengths = Growing()  # in terms, by number
        self._entries = self._terms = 0

    def add(self, number: int, content: str) -> None:
        """Take in an entry; numbers grow, and some may be left out."""
        counts = self._tokenizer.counts(content)
        while len(self._lengths) < number:
            self._lengths.append(0)
        self._lengths.append(sum(counts.values()))
        self._postings.add(number, counts)
        self._entries += 1
        self._terms += sum(counts.values())

    def search(self, query: str) -> tuple[Integers, Integers]:
        """The numbers of the entries that hold a term of the query, and their scores in millionths."""
        lengths = self._lengths.read()
        scores, found = np.zeros(lengths.size), np.zeros(lengths.size, dtype=bool)
        # k1 x (1 - b + b x length / mean length), the term of the formula that no query changes
        norms = K1 * (1 - B + B * lengths / (self._terms / self._entries)) if self._terms else scores
        for term in self._tokenizer.counts(" ".join(query_words(query))):
            if (held := self._postings.read(term)) is not None:
                numbers, times = held
                rarity = math.log((self._entries - numbers.size + 0.5) / (numbers.size + 0.5))
                idf = rarity if rarity > 0 else IDF_MIN
                scores[numbers] += idf * (times * (K1 + 1.0)) / (times + norms[numbers])
                found[numbers] = True
        numbers = np.flatnonzero(found)
        return numbers, np.rint(scores[numbers] * MICROS).astype(np.int64)
