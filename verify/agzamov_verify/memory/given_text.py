"""The text that a server gives of a stored entry: the whole, an exact part of it, or a preview of its beginning.

    entries    the stored text
    parts      an exact part of it, which may be all of it
    previews   the stored text; or its beginning, and then the ellipsis that the server appends (which may be empty)

Which of these a server gives its adapter declares; every search of a run is held to it, and verification repeats that.
"""

from typing import Final, Literal

import msgspec

Gives = Literal["entries", "parts", "previews"]
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
                return bool(given.strip()) and given in stored
            case "previews":
                beginning = given.removesuffix(self.ellipsis)
                is_cut = given.endswith(self.ellipsis) and len(beginning) < len(stored)
                return given == stored or (is_cut and bool(beginning.strip()) and stored.startswith(beginning))

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
