"""The known words that are spelled most like a wrong one, for error messages: at most two, often none."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice
from typing import Final

PROPOSED_MAX: Final = 2
LIKENESS_MIN: Final = 0.7
"""Of 1, the least likeness (2 x letters in common / letters of both) of a word that is proposed."""
LIKENESS_GAP_MAX: Final = 0.04
"""A second word that is less like the wrong one than the first by more than this is not proposed."""
BEGINNING_CHARACTERS_MIN: Final = 3
"""A word that begins with so many characters, all that were typed, is as like as LIKENESS_MIN."""
CHARACTERS_MAX: Final = 100
WORDS_MAX: Final = 1_000
"""Comparing takes time in proportion to both, and the words may be a stranger's."""


def near_words(word: str, known: Iterable[str]) -> list[str]:
    """The known words most like `word`, the best first, also ones that begin with it.

    Capitals, hyphens and underscores count for nothing.
    """
    wrong = _plain(word[:CHARACTERS_MAX])
    matcher = SequenceMatcher(None, "", wrong)
    scored = list[tuple[float, str]]()
    for one in dict.fromkeys(islice(known, WORDS_MAX)):
        other = _plain(one[:CHARACTERS_MAX])
        matcher.set_seq1(other)
        likeness = matcher.ratio() if matcher.quick_ratio() >= LIKENESS_MIN else 0.0
        if len(wrong) >= BEGINNING_CHARACTERS_MIN and other.startswith(wrong):
            likeness = max(likeness, LIKENESS_MIN)
        if likeness >= LIKENESS_MIN:
            scored.append((likeness, one))
    best = nlargest(PROPOSED_MAX, scored, key=lambda pair: pair[0])
    return [one for likeness, one in best if likeness >= best[0][0] - LIKENESS_GAP_MAX]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message that proposes them: "; did you mean a or b?". Empty where nothing is near."""
    near = near_words(word, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")
