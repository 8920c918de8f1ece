"""Ranking of passages by BM25 (k1 = 1.2, b = 3/4) in whole numbers, so that every machine finds the same ones.

    score = sum over the query's terms of  ln((2N + 2) / (2n + 1)) x 2.2 f / (f + 0.3 + 0.9 l / m)

N: passages; n: those with the term; f: its frequency in this one; l: terms of this one; m: terms of all / N. Source:
S. Robertson and H. Zaragoza, The Probabilistic Relevance Framework (2009), with the weight ln(1 + (N - n + 1/2) /
(n + 1/2)), which is above 0 for every term. The memory systems rank by FTS5's BM25 instead (`agzamov_memory.bm25`).
"""

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Final

MICROS: Final = 1_000_000
_EXACT = Context(prec=28)  # decimal's logarithm is correctly rounded, so it is the same everywhere
_WORD = re.compile("[a-z0-9]+")
_PLURAL_LETTERS_MIN = 4


def terms(text: str) -> list[str]:
    """The words of a text in lower case, without the s of a plural: "rooks" is "rook", "pass" stays."""
    words = _WORD.findall(text.lower())
    return [word[:-1] if len(word) >= _PLURAL_LETTERS_MIN and re.search("[^s]s$", word) else word for word in words]


class Ranking:
    """The terms of passages, and the passages that a query finds."""

    def __init__(self, passages: Sequence[str]) -> None:
        self._counts = [Counter(terms(passage)) for passage in passages]
        self._lengths = [counts.total() for counts in self._counts]
        self._total = sum(self._lengths)
        holding = Counter(term for counts in self._counts for term in counts)
        self._weights = {term: _weight(len(passages), number) for term, number in holding.items()}

    def search(self, query: str) -> list[tuple[int, int]]:
        """The numbers of the passages that hold a term of the query, and their scores in millionths, the best first.

        Equal scores stand in the order of the passages.
        """
        wanted = sorted(set(terms(query)) & self._weights.keys())
        scores = [(sum(self._score(term, number) for term in wanted), number) for number in range(len(self._counts))]
        return [(number, score) for score, number in sorted(scores, key=lambda found: (-found[0], found[1])) if score]

    def _score(self, term: str, number: int) -> int:
        """One term's part of a score, in millionths, rounded down: the formula's fraction times 10 N m."""
        times = self._counts[number][term]
        divisor = (10 * times + 3) * self._total + 9 * self._lengths[number] * len(self._counts)
        return self._weights[term] * 22 * times * self._total // divisor


def _weight(passages: int, holding: int) -> int:
    """The weight of a term that so many passages hold, in millionths, rounded down."""
    logarithm = _EXACT.subtract(_EXACT.ln(Decimal(2 * passages + 2)), _EXACT.ln(Decimal(2 * holding + 1)))
    return int(_EXACT.multiply(logarithm, Decimal(MICROS)))
