"""The text that a server gives of a stored entry: the whole, an exact part of it, or a preview of its beginning.

    entries    the stored text
    parts      an exact part of it, which may be all of it, and cuts no word and no number: "6 of 1" is no part of
               "6 of 17"
    previews   the stored text; or its beginning, and then the ellipsis that the server appends. Where that is empty,
               so that nothing shows the cut, it cuts no number

Which of these a server gives its adapter declares; every search of a run is held to it, and verification repeats that.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

Gives = Literal["entries", "parts", "previews"]
NUMBER_CUTS: Final = tuple(
    (re.compile(before), re.compile(after))
    for before, after in ((r"\d$", r"\d"), (r"\d$", r"[.,]\d"), (r"\d[.,]$", r"\d"), (r"(^|\W)[+-]$", r"\d"))
)
"""What stands before and after a cut inside a number."""
SHOWN_CHARACTERS: Final = 40
"""Of a text from the place on where it differs from another one."""


class GivenRule(msgspec.Struct, frozen=True):
    """The rule for what a search gives of an entry. `ellipsis`: what stands after the beginning of a longer one."""

    gives: Gives = "entries"
    ellipsis: str = ""

    def fits(self, given: str, stored: str) -> bool:
        """True if a search may give this text of an entry that was stored so."""
        match self.gives:
            case "entries":
                return given == stored
            case "parts":
                return bool(given.strip()) and any(_is_whole(stored, *ends) for ends in _places(given, stored))
            case "previews":
                beginning = given.removesuffix(self.ellipsis)
                is_cut = given.endswith(self.ellipsis) and len(beginning) < len(stored)
                is_beginning = is_cut and bool(beginning.strip()) and stored.startswith(beginning)
                shows_it = bool(self.ellipsis) or not _cuts_number(stored, len(beginning))
                return given == stored or (is_beginning and shows_it)

    def cut_like(self, text: str, given: str) -> str:
        """Another text, cut as the server would cut it that gave this one of an entry: so a placebo has its form."""
        match self.gives:
            case "entries":
                return text
            case "parts":
                return text[: len(given)]
            case "previews":
                if not given.endswith(self.ellipsis):
                    return text
                kept = len(given) - len(self.ellipsis)
                return text if len(text) <= kept else text[:kept] + self.ellipsis


WHOLE: Final = GivenRule()


def _places(given: str, stored: str) -> Iterator[tuple[int, int]]:
    """Beginning and end of each place at which a text stands in another."""
    at = stored.find(given)
    while at >= 0:
        yield at, at + len(given)
        at = stored.find(given, at + 1)


def _is_whole(text: str, first: int, end: int) -> bool:
    """True if neither end of a part is inside a word or a number."""
    return not any(_cuts_word(text, at) or _cuts_number(text, at) for at in (first, end))


def _cuts_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _cuts_number(text: str, at: int) -> bool:
    """True between digits, beside a point or comma among digits, and between a sign and its number."""
    before, after = text[max(0, at - 2) : at], text[at : at + 2]
    return any(cut[0].search(before) and cut[1].match(after) for cut in NUMBER_CUTS)


def difference(expected: str, found: str) -> str:
    """The first place at which two texts differ, in printable ASCII, with their lengths in characters."""
    same = next((at for at, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), None)
    same = min(len(expected), len(found)) if same is None else same
    return (
        f"a text that is equal for {same} characters, then expected {_shown(expected, same)} (of {len(expected)}),"
        f" found {_shown(found, same)} (of {len(found)})"
    )


def _shown(text: str, start: int) -> str:
    """A text from a place on, in ASCII, cut."""
    if start == len(text):
        return "its end"
    more = "..." if len(text) > start + SHOWN_CHARACTERS else ""
    return f"{text[start : start + SHOWN_CHARACTERS]!a}{more}"
