"""One remembered text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A text, the games that it comes from, and the stored entries that it was made of, if it was made."""

    entry: str
    content: str
    games: tuple[int, ...]
    kind: str
    derived_from: tuple[str, ...] = ()

    @property
    def game(self) -> int:
        """The last game that it comes from: its age counts from there."""
        return max(self.games)
