"""Retrieval: passages of a document set, found by the words of the situation of seat A."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Final

from msgspec import Meta

from ..documents.document_sets import SETS
from ..documents.library import Library, Retriever, templates
from ..experiment import Arm, Augmentation
from ..plan_types import Name, Problem
from .base import System

RANKED_BY: Final = {Retriever.BM25: "BM25", Retriever.EMBEDDINGS: "embeddings of all-MiniLM-L6-v2"}
"""The words for each retriever."""


class RagSystem(System, frozen=True, tag="rag"):
    """A document set and how much of it reaches a prompt.

    `documents`: the name of a shipped set. `retriever`: what ranks its passages, `bm25` by the words that they share
    with those of the situation, `embeddings` by vectors of all-MiniLM-L6-v2 that are shipped with the set. At each
    decision up to `passages_max` passages are told, of at most `bytes_max` together.
    """

    documents: Name = "basics"
    retriever: Retriever = Retriever.BM25
    passages_max: Annotated[int, Meta(ge=1, le=5)] = 3
    bytes_max: Annotated[int, Meta(ge=500, le=10_000)] = 2_000

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.RAG})

    @property
    def words(self) -> str:
        return (
            f"documents {self.documents}: before each decision up to {self.passages_max} passages that the words of the"
            f" situation find ({RANKED_BY[self.retriever]}), of at most {self.bytes_max:,} bytes; in the placebo arm"
            " irrelevant ones as long"
        )

    @property
    def told_at_most(self) -> str:
        return f"{self.passages_max} passages and {self.bytes_max:,} bytes"

    @property
    def templates(self) -> Mapping[str, str]:
        return templates(self.documents, self.retriever) if self.documents in SETS else {}

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        if self.documents not in SETS:
            yield Problem("documents", f"expected one of {', '.join(SETS)}, found {self.documents}")

    def lacks(self, game: str) -> str:
        return f"{self.documents} has no document" if game not in SETS.get(self.documents, (game,)) else ""

    def library(self, arm: Arm, game: str) -> Library | None:
        return Library(self.documents, game, self.passages_max, self.bytes_max, arm is Arm.PLACEBO, self.retriever)
