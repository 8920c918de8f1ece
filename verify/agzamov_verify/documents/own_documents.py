"""Documents of one's own: a folder that a plan names, one text for each game, which the sealed plan holds whole.

They are written as the shipped ones are (`document_sets`): title and sources, a line `---`, passages.
"""

from collections.abc import Iterator
from typing import Final

from .document_sets import passages
from .library import PASSAGE, PLACEBO_LENGTH_PERCENT, placebos_of

CHARACTERS_MAX: Final = 100_000
PASSAGES_MAX: Final = 500
PLACEBOS_MIN: Final = 8
"""Fewest texts of the placebo's that must be as long as a passage, so that which one is told says nothing of it."""


def names_a_folder(documents: str) -> bool:
    """True if a plan's word for a document set is the path of a folder, and no name."""
    return "/" in documents


def document_problems(document: str, bytes_max: int) -> Iterator[str]:
    """Why a document cannot be used with prompts of so many bytes of passages, one line each."""
    found = passages(document)
    if not found:
        yield "expected title and sources, a line ---, and passages, found no line --- with passages below it"
    elif len(found) > PASSAGES_MAX:
        yield f"expected at most {PASSAGES_MAX} passages, found {len(found)}"
    elif len(set(found)) < len(found):
        yield "expected passages that differ, found one twice"
    else:
        for number, passage in enumerate(found, 1):
            if problem := _passage_problem(passage, bytes_max):
                yield f"passage {number}: {problem}"


def _passage_problem(passage: str, bytes_max: int) -> str:
    if not passage.isprintable():
        return "expected printable characters, found another"
    size = len(PASSAGE.format(passage=passage).encode()) + 1
    if size > bytes_max:
        return f"expected at most {bytes_max:,} bytes with its mark (bytes_max), found {size:,}"
    if placebos_of(passage) < PLACEBOS_MIN:
        return (
            f"its {len(passage)} characters are a length of which the placebo has too few texts (within"
            f" {PLACEBO_LENGTH_PERCENT} %): nearly all of 230 to 580 characters have enough"
        )
    return ""
