"""Retrieval: passages of a document set, found by the words of the situation of seat A."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, ClassVar, Final, Self, TypeAlias

import msgspec
from msgspec import Meta

from ..core.did_you_mean import did_you_mean
from ..documents.library import (
    CHARACTERS_MAX,
    PATH,
    SETS,
    Library,
    document_problems,
    documents,
    names_a_folder,
    templates,
    vectors_file,
)
from ..experiment.matches import Arm, Augmentation
from ..experiment.plan_fields import END, Name, Problem
from .system import System

DIGITS: Final = 48
"""Digits of a document's SHA-256 that name it: 192 bits, so that no two documents have one name."""

DocumentsName: TypeAlias = Annotated[
    str,
    Meta(
        pattern=f"^{PATH}" + END,
        max_length=200,
        description="the name of a shipped set, or a folder below the plan's, with a slash: letters, digits and . _ -",
    ),
]
DocumentText: TypeAlias = Annotated[str, Meta(max_length=CHARACTERS_MAX)]


class Retriever(StrEnum):
    """Ranking of passages: by the words that they share with a search, or by their meaning."""

    BM25 = "bm25"
    EMBEDDINGS = "embeddings"


RANKED_BY: Final = {Retriever.BM25: "BM25", Retriever.EMBEDDINGS: "embeddings of all-MiniLM-L6-v2"}
"""The words for each retriever."""


class RagSystem(System, frozen=True, tag="rag"):
    """A document set and how much of it reaches a prompt.

    `documents`: the name of a shipped set, or the path of a folder of one's own below the plan's folder, with a slash
    (`openings/`): it has a text for each game, `chess960.txt` and `holdem.txt`. `texts`: these texts by game, which
    sealing writes down; a person leaves them out. `retriever`: what ranks the passages, `bm25` by the words that they
    share with those of the situation, `embeddings` by vectors of all-MiniLM-L6-v2 that are shipped with a set. At each
    decision the prompt gets up to `passages_max` passages, of at most `bytes_max` together.
    """

    documents: DocumentsName = "basics"
    texts: Mapping[Name, DocumentText] = msgspec.field(default_factory=dict)
    retriever: Retriever = Retriever.BM25
    passages_max: Annotated[int, Meta(ge=1, le=5)] = 3
    bytes_max: Annotated[int, Meta(ge=500, le=10_000)] = 2_000

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.RAG})

    def words(self, games: Iterable[str]) -> str:  # noqa: ARG002 - alike in all
        named = f"of the plan's own (SHA-256 {_digests(self.texts)})" if self.texts else self.documents
        return (
            f"documents {named}: before each decision up to {self.passages_max} passages that the words of the"
            f" situation find ({RANKED_BY[self.retriever]}), of at most {self.bytes_max:,} bytes; in the placebo arm"
            " irrelevant ones as long"
        )

    @property
    def submitters_own(self) -> str:
        return "documents that the submitter chose" if self.texts else ""

    @property
    def without_place(self) -> Self:
        return msgspec.structs.replace(self, documents="") if self.texts else self

    @property
    def told_at_most(self) -> str:
        return f"{self.passages_max} passages and {self.bytes_max:,} bytes"

    @property
    def templates(self) -> Mapping[str, str]:
        files = {f"documents/own/{_digest(text)}": text for text in self.texts.values()}
        if self.documents in SETS:
            files = {f"documents/{self.documents}/{game}": text for game, text in documents(self.documents).items()}
            files |= {f"documents/{self.documents}/{game}/vectors": file for game, file in self._vectors_files.items()}
        return templates(files) if files else {}

    @classmethod
    def shipped_templates(cls) -> Mapping[str, str]:
        by_vectors = (cls(documents=name, retriever=Retriever.EMBEDDINGS) for name in SETS)
        return {name: text for system in by_vectors for name, text in system.templates.items()}

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        if not names_a_folder(self.documents) and self.documents not in SETS:
            expected = f"{', '.join(SETS)}, or a folder of your own with a slash: {self.documents}/"
            near = did_you_mean(self.documents, SETS)
            yield Problem("documents", f"expected one of {expected}, found {self.documents}{near}")

    def text_problems(self, phrases: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
        is_own = names_a_folder(self.documents)
        if self.texts and not is_own:
            yield Problem("texts", f"expected none: {self.documents} is the name of a shipped set")
        if is_own and not self.texts:
            yield Problem("texts", f"expected the texts in {self.documents}, found none: seal the plan from its file")
        if is_own and self.retriever is not Retriever.BM25:
            yield Problem("retriever", f"expected bm25: the documents in {self.documents} have no vectors")
        for game, text in self.texts.items():
            if game not in phrases:
                yield Problem("texts", f"expected texts for {' and '.join(phrases)}, found one for {game}")
            else:
                problems = document_problems(text, self.bytes_max, phrases[game])
                yield from (Problem(f"texts.{game}", problem) for problem in problems)

    def lacks(self, game: str) -> str:
        games = self.texts or SETS.get(self.documents, (game,))
        return "" if game in games else f"{self.documents} has no document"

    def library(self, arm: Arm, game: str) -> Library | None:
        vectors = self._vectors_files.get(game, "")
        return Library(self._documents[game], self.passages_max, self.bytes_max, arm is Arm.PLACEBO, vectors)

    @property
    def _documents(self) -> Mapping[str, str]:
        """The documents by game."""
        return self.texts or documents(self.documents)

    @property
    def _vectors_files(self) -> Mapping[str, str]:
        """The files of their vectors by game, where these rank them."""
        if self.retriever is not Retriever.EMBEDDINGS:
            return {}
        return {game: vectors_file(self.documents, game) for game in SETS[self.documents]}


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:DIGITS]


def _digests(texts: Mapping[str, str]) -> str:
    """The first digits of each document's digest, with its game."""
    return ", ".join(f"{game} {_digest(text)}" for game, text in sorted(texts.items()))
