"""Glossary: every name of a figure and every word of ours that a report prints, in one or two plain sentences.

`label` is how printing code writes such a name: a name that is not explained here is a bug and raises KeyError.
The words stand in a file for each subject; a new word goes into one of those.
"""

from difflib import get_close_matches
from typing import Final

from .augmentation_terms import MEMORY, TOOLS
from .figure_terms import PLAY, STATISTICS
from .holdem_terms import POKER
from .run_terms import LEVELS, RUN
from .term import PAPER, Term

__all__ = (
    "LEVELS",
    "MEMORY",
    "PAPER",
    "PLAY",
    "POKER",
    "RUN",
    "STATISTICS",
    "TERMS",
    "TOOLS",
    "Term",
    "find",
    "label",
    "near",
)

TERMS: Final = (*RUN, *LEVELS, *STATISTICS, *PLAY, *POKER, *MEMORY, *TOOLS)


def _key(word: str) -> str:
    return " ".join(word.replace("_", " ").casefold().split())


_BY_KEY: Final = {_key(name): term for term in reversed(TERMS) for name in (*reversed(term.also), term.name)}


def find(word: str) -> Term | None:
    """The term of a word in any spelling."""
    key = _key(word)
    plain = key.removeprefix("mirrored, ")
    return _BY_KEY.get(key) or _BY_KEY.get(plain) or _BY_KEY.get(plain.removesuffix("s"))


def near(word: str) -> list[str]:
    """The names of terms that are spelled like `word` or hold it."""
    key = _key(word)
    holding = [term.name for term in TERMS if key and key in _key(term.name)]
    close = [_BY_KEY[close_key].name for close_key in get_close_matches(key, _BY_KEY, 5, 0.6)]
    return list(dict.fromkeys((*holding, *close)))[:5]


def label(name: str) -> str:
    """The name of a figure as it is printed. Raises KeyError for one that nobody explained."""
    if find(name) is None:
        raise KeyError(f"{name!r} is printed but not explained; add it to the glossary")
    return name
