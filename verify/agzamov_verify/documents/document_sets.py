"""The shipped document sets: folders of plain text in `sets`, one file for each game.

A file begins with its title and the sources of its facts, up to a line `---`. Then follow passages, one a paragraph.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Final

import msgspec

from .embeddings import Vectors

SETS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"basics": ("chess960", "holdem")})
"""The sets that a plan may name, and the games that each has a document for."""

IRRELEVANT: Final = "astronomy"
"""The set of the placebo. It has one document for all games."""

KEPT_MAX: Final = 16
"""Documents whose passages are kept in memory."""

_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_HEADER_END = "\n---\n"
_VECTORS = msgspec.json.Decoder(Vectors)


def documents(name: str) -> Mapping[str, str]:
    """The documents of a set by game, as they are: header and passages."""
    return {game: _read(name, game) for game in SETS[name]}


@lru_cache(maxsize=KEPT_MAX)
def passages(document: str) -> tuple[str, ...]:
    """The passages of a document, in order, each in one line; none where it has no line `---`."""
    _, _, body = document.partition(_HEADER_END)
    return tuple(" ".join(paragraph.split()) for paragraph in _BLANK_LINES.split(body) if paragraph.strip())


@lru_cache(maxsize=KEPT_MAX)
def vectors(file: str) -> Vectors:
    """The vectors in a file of a shipped set."""
    return _VECTORS.decode(file)


def vectors_file(name: str, game: str) -> str:
    """The file of the vectors of a set's document for a game, as it is."""
    return (_folder(name) / f"{game}.vectors.json").read_bytes().decode()


def irrelevant_document() -> str:
    """The document of the placebo, as it is."""
    return _read(IRRELEVANT, "any")


def irrelevant_passages() -> tuple[str, ...]:
    """The passages of the placebo's document, in order, each in one line."""
    return passages(irrelevant_document())


@cache
def _read(name: str, game: str) -> str:
    return (_folder(name) / f"{game}.txt").read_bytes().decode()


def _folder(name: str) -> Traversable:
    return files(__package__) / "sets" / name
