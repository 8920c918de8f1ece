"""A finding: a place where the published files contradict one another or the rules of chess."""

from enum import StrEnum

import msgspec


class Step(StrEnum):
    """Subject of a check."""

    FILES = "files"
    IDS = "ids"
    MOVES = "moves"
    END = "end"
    RULE = "adjudication rule"
    PGN = "pgn"
    TIMES = "times"
    REPLIES = "replies"
    SUMMARY = "summary"


class Finding(msgspec.Struct, frozen=True):
    """One contradiction, located: file, game where it is one game's, ply where it is one move's."""

    step: Step
    file: str
    expected: str
    found: str
    game: str = ""
    ply: int | None = None

    def line(self) -> str:
        """The finding in one line."""
        game = f" {self.game}" if self.game else ""
        ply = "" if self.ply is None else f" ply {self.ply}"
        return f"{self.step}: {self.file}{game}{ply}: expected {self.expected}, found {self.found}"


def side_name(side: int) -> str:
    """The colour for +1 or -1, nobody for 0."""
    return {1: "White", -1: "Black"}.get(side, "nobody")
