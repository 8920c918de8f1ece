"""Ranking of passages by embeddings in whole numbers, so that every machine finds the same ones.

    score = sum over the phrases of the search of  vector of the phrase x vector of the passage

    search     endgame pawn behind in material
    phrases    "endgame", "pawn", "behind in material"

A game searches with phrases of a closed list (`Game.search_phrases`). So all vectors that can ever be asked for are
shipped beside the documents, and whoever verifies needs no weights and trusts nobody. `scripts/document_vectors` wrote
them with all-MiniLM-L6-v2: each has length 1, in multiples of 1 / 8192.
Memories are searched with any words, so their server computes vectors when it is asked (`agzamov_memory.embedding`).
"""

import base64
import re
import struct
from collections.abc import Iterable
from typing import Final

import msgspec

from ..experiment.plan_fields import Sha256

SCALE: Final = 8192


class Vectors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The vectors of one document, each 16-bit integers with the low byte first, in base64.

    `weights_sha256`: of the model. `document_sha256`: of the file that the passages are of. `passages`: in its order.
    """

    model: str
    weights_sha256: Sha256
    document_sha256: Sha256
    phrases: dict[str, str]
    passages: tuple[str, ...]


class EmbeddedPassages:
    """The similarity of each phrase to each passage, and the passages that a search finds."""

    def __init__(self, vectors: Vectors) -> None:
        passages = [numbers(text) for text in vectors.passages]
        self._scores = {
            phrase: [_product(numbers(text), passage) for passage in passages]
            for phrase, text in vectors.phrases.items()
        }
        self._phrase = _any_of(vectors.phrases)

    def phrases(self, query: str) -> list[str]:
        """The shipped phrases that a search is made of: at each place the longest."""
        return self._phrase.findall(query)

    def search(self, query: str) -> list[tuple[int, int]]:
        """The numbers of all passages and their scores in multiples of 1 / 8192², the best first.

        Equal scores stand in the order of the passages. Where no phrase is in the search, nothing is found.
        """
        of_phrases = [self._scores[phrase] for phrase in self.phrases(query)]
        scores = [(sum(scores), number) for number, scores in enumerate(zip(*of_phrases, strict=True))]
        return [(number, score) for score, number in sorted(scores, key=lambda found: (-found[0], found[1]))]


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """A pattern of whole phrases, the longer ones first: "facing a 3-bet" before "3-bet"."""
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(phrase) for phrase in longest_first)})(?!\w)")


def numbers(text: str) -> tuple[int, ...]:
    """The components of a vector, from base64."""
    packed = base64.b64decode(text, validate=True)
    return struct.unpack(f"<{len(packed) // 2}h", packed)


def _product(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    return sum(one * other for one, other in zip(first, second, strict=True))
