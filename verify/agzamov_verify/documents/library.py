"""Documents that a seat may look up: the shipped sets, a folder of one's own, and the passages told before a decision.

The shipped document sets: folders of plain text in `sets`, one file for each game.

A file begins with its title and the sources of its facts, up to a line `---`. Then follow passages, one a paragraph.

The passages of its documents that a seat is shown before a decision, found by its situation.

    Passages of your documents:
    - In the endgame the king is a fighting piece. ...
    - A passed pawn is one that no enemy pawn can stop ...

The law: passages follow from documents, situation and seed alone, so whoever verifies finds them again. A placebo is
as many runs of whole sentences out of the irrelevant document, drawn from the seed, each as long within 2 %.

Documents of one's own: a folder that a plan names, one text for each game, which the sealed plan holds whole.

They are written as the shipped ones are above: title and sources, a line `---`, passages.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from ..core.dice import Stream
from .bm25 import Ranking, terms
from .embeddings import EmbeddedPassages, Vectors

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


FOLDER: Final = "[A-Za-z0-9_][A-Za-z0-9._-]*"
PATH: Final = f"(?:{FOLDER}/)*{FOLDER}/?"
"""The pattern of a path that goes neither up nor away from where it begins."""

CHARACTERS_MAX: Final = 100_000
PASSAGES_MAX: Final = 500
PASSAGE_CHARACTERS_MAX: Final = 550
"""Of longer ones, five at a time, the placebo has no five texts that are as long and share no sentence."""

PLACEBOS_MIN: Final = 8
"""Fewest texts of the placebo's that must be as long as a passage, so that which one is told says nothing of it."""

PROBLEMS_MAX: Final = 5
"""Passages of a document that are named with their problem."""

_BEGINNING_CHARACTERS: Final = 20
_NOT_PLAIN: Final = re.compile(r"[^\n\x20-\x7e]")


def names_a_folder(documents: str) -> bool:
    """True if a plan's word for a document set is the path of a folder, and no name."""
    return "/" in documents


def document_problems(document: str, bytes_max: int, phrases: Sequence[str]) -> Iterator[str]:
    """Problems of a document, for prompts of so many bytes of passages and searches made of these phrases."""
    found = passages(document)
    if strange := _NOT_PLAIN.search(document):
        line = document.count("\n", 0, strange.start()) + 1
        yield f"expected plain ASCII text, found U+{ord(strange.group()):04X} in line {line}"
    elif not found:
        yield "expected title and sources, a line ---, and passages, found no line --- between two of them"
    elif len(found) > PASSAGES_MAX:
        yield f"expected at most {PASSAGES_MAX} passages, found {len(found)}"
    elif len(set(found)) < len(found):
        yield "expected passages that differ, found one twice"
    elif set(terms(" ".join(phrases))).isdisjoint(terms(" ".join(found))):
        yield f"expected words of a search, as {', '.join(phrases[:3])}, found none: no passage would ever be told"
    else:
        named = ((number, passage, _problem(passage, bytes_max)) for number, passage in enumerate(found, 1))
        wrong = (
            f'passage {number}, "{passage[:_BEGINNING_CHARACTERS]}": {problem}'
            for number, passage, problem in named
            if problem
        )
        yield from islice(wrong, PROBLEMS_MAX)


def _problem(passage: str, bytes_max: int) -> str:
    size = len(PASSAGE.format(passage=passage)) + 1
    if size > bytes_max:
        return f"expected at most {bytes_max:,} bytes with its mark (bytes_max), found {size:,}"
    if len(passage) > PASSAGE_CHARACTERS_MAX:
        return f"expected at most {PASSAGE_CHARACTERS_MAX} characters, found {len(passage)}"
    if placebos_of(passage) < PLACEBOS_MIN:
        return (
            f"expected a length of which the placebo has {PLACEBOS_MIN} texts within {PLACEBO_LENGTH_PERCENT} %, as"
            f" most of 230 to {PASSAGE_CHARACTERS_MAX} characters are, found {len(passage)}"
        )
    return ""
