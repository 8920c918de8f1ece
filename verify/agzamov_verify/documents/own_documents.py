"""Documents of one's own: a folder that a plan names, one text for each game, which the sealed plan holds whole.

They are written as the shipped ones are (`document_sets`): title and sources, a line `---`, passages.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from .bm25 import terms
from .document_sets import passages
from .library import PASSAGE, PLACEBO_LENGTH_PERCENT, placebos_of

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
