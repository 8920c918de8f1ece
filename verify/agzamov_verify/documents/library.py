"""The passages of its documents that a seat is shown before a decision, found by its situation.

    Passages of your documents:
    - In the endgame the king is a fighting piece. ...
    - A passed pawn is one that no enemy pawn can stop ...

The law: passages follow from documents, situation and seed alone, so whoever verifies finds them again. A placebo is
as many runs of whole sentences out of the irrelevant document, drawn from the seed, each as long within 2 %.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec

from ..dice import Stream
from .bm25 import Ranking
from .document_sets import KEPT_MAX, irrelevant_document, irrelevant_passages, passages, vectors
from .embeddings import EmbeddedPassages

DOCUMENTS: Final = "\nPassages of your documents:\n"
"""What stands between the situation and the passages, before the answer of a tool and the profile."""

PASSAGE: Final = "- {passage}"
PLACEBO_LENGTH_PERCENT: Final = 2
"""Greatest difference in length between a passage and the one that is told instead."""

SENTENCES_MAX: Final = 8
"""Sentences of a run in the placebo."""

_SENTENCE_END = re.compile(r"(?<=[.?!]) ")


class Library(msgspec.Struct, frozen=True):
    """A document as seat A may use it in one game: at most so many passages, of so many bytes together.

    `document`: its whole text. `vectors_file`: the file of its vectors, by which its passages are ranked; without one
    they are ranked by BM25.
    """

    document: str
    passages_max: int
    bytes_max: int
    is_placebo: bool
    vectors_file: str = ""

    def told(self, query: str, draws: Stream) -> str:
        """The passages for a query, one a line; empty where none is found. `draws`: of the placebo."""
        found = _found(self, query)
        lines = _irrelevant(found, draws) if self.is_placebo else found
        return "\n".join(PASSAGE.format(passage=line) for line in lines)


def templates(shipped: Mapping[str, str]) -> dict[str, str]:
    """Every text that a seat may read of a document set with these files, and of the placebo, by name."""
    own = {"documents/heading": DOCUMENTS, "documents/passage": PASSAGE, "documents/placebo": irrelevant_document()}
    return {**own, **shipped}


def placebos_of(passage: str) -> int:
    """Number of texts that may stand in the place of a passage in the placebo arm: as long as it within 2 %."""
    return len(_fitting(passage))


@lru_cache(maxsize=4096)  # few situations differ in the words that they are searched by
def _found(library: Library, query: str) -> tuple[str, ...]:
    """The passages that a query finds, the best first, up to the limits."""
    kept: list[str] = []
    length_bytes = 0
    texts = passages(library.document)
    ranking = _ranking(library.document, library.vectors_file)
    for number, _ in ranking.search(query)[: library.passages_max]:
        length_bytes += len(PASSAGE.format(passage=texts[number]).encode()) + 1
        if length_bytes > library.bytes_max:
            break
        kept.append(texts[number])
    return tuple(kept)


@lru_cache(maxsize=KEPT_MAX)
def _ranking(document: str, vectors_file: str) -> Ranking | EmbeddedPassages:
    return EmbeddedPassages(vectors(vectors_file)) if vectors_file else Ranking(passages(document))


# --- placebo -------------------------------------------------------------------------------------


class _Run(NamedTuple):
    """Sentences [first, end) of the irrelevant document, and their text."""

    first: int
    end: int
    text: str


def _irrelevant(found: Sequence[str], draws: Stream) -> list[str]:
    """As many drawn runs of sentences, no sentence twice, each as long as the passage in whose place it stands."""
    taken: list[_Run] = []
    for passage in found:
        free = [run for run in _fitting(passage) if _is_free(run, taken)]
        taken.append(draws.choice(free or [_nearest(passage, taken)]))
    return [run.text for run in taken]


@lru_cache(maxsize=1024)
def _fitting(passage: str) -> tuple[_Run, ...]:
    """The runs that are as long as a passage."""
    return tuple(run for run in _runs() if _is_as_long(run.text, passage))


def _nearest(passage: str, taken: Sequence[_Run]) -> _Run:
    """The run that is nearest to a passage in length, where all that are as long are taken."""
    return min((run for run in _runs() if _is_free(run, taken)), key=lambda run: abs(len(run.text) - len(passage)))


def _is_free(run: _Run, taken: Sequence[_Run]) -> bool:
    return all(run.end <= other.first or other.end <= run.first for other in taken)


def _is_as_long(text: str, passage: str) -> bool:
    return 100 * abs(len(text) - len(passage)) <= PLACEBO_LENGTH_PERCENT * len(passage)


@cache
def _runs() -> tuple[_Run, ...]:
    return tuple(_all_runs(_SENTENCE_END.split(" ".join(irrelevant_passages()))))


def _all_runs(sentences: Sequence[str]) -> Iterator[_Run]:
    """Every run that is no longer than a passage may be."""
    for first in range(len(sentences)):
        for end in range(first + 1, min(first + SENTENCES_MAX, len(sentences)) + 1):
            yield _Run(first, end, " ".join(sentences[first:end]))
