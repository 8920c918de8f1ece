"""Glossary: every name of a figure and every word of ours that a report prints, in one or two plain sentences.

`label` is how printing code writes such a name: a name that is not explained here is a bug and raises KeyError.
The words stand in a file for each subject; a new word goes into one of those.
"""

from typing import Final

from .augmentation_terms import MEMORY, TOOLS
from .figure_terms import PLAY, STATISTICS
from .holdem_terms import POKER
from .people_terms import PEOPLE
from .run_terms import LEVELS, RUN
from .term import PAPER, Term

__all__ = (
    "LEVELS",
    "MEMORY",
    "PAPER",
    "PEOPLE",
    "PLAY",
    "POKER",
    "RUN",
    "SPELLINGS",
    "STATISTICS",
    "TERMS",
    "TOOLS",
    "Term",
    "find",
    "holding",
    "label",
)

TERMS: Final = (*RUN, *LEVELS, *STATISTICS, *PLAY, *POKER, *MEMORY, *TOOLS, *PEOPLE)


def _key(word: str) -> str:
    return " ".join(word.replace("_", " ").casefold().split())


SPELLINGS: Final = tuple(dict.fromkeys(name for term in TERMS for name in (term.name, *term.also)))
HOLDING_MAX: Final = 5
_BY_KEY: Final = {_key(name): term for term in reversed(TERMS) for name in (*reversed(term.also), term.name)}


def find(word: str) -> Term | None:
    """The term of a word in any spelling."""
    key = _key(word)
    plain = key.removeprefix("mirrored, ")
    return _BY_KEY.get(key) or _BY_KEY.get(plain) or _BY_KEY.get(plain.removesuffix("s"))


def holding(word: str) -> list[str]:
    """The names of the first terms that hold `word` as a part."""
    key = _key(word)
    return [term.name for term in TERMS if key and key in _key(term.name)][:HOLDING_MAX]


def label(name: str) -> str:
    """The name of a figure as it is printed. Raises KeyError for one that nobody explained."""
    if find(name) is None:
        raise KeyError(f"{name!r} is printed but not explained; add it to the glossary")
    return name
