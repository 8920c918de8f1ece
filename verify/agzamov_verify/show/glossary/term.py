"""One explained word, and the publication that most of them come from."""

from typing import Final, NamedTuple

PAPER: Final = "A. Agzamov, The Agzamov Test, February 2026"


class Term(NamedTuple):
    """One explained word. `also` are other spellings; `source` is a section of the paper, a publication or a page."""

    name: str
    text: str
    source: str
    also: tuple[str, ...] = ()
