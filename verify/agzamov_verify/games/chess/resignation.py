"""A person resigns a game of chess (FIDE Laws of Chess 5.1.2): `MOVE: resign` in the place of a move.

The game is lost by the person's own decision, as on a board, and not for want of a legal move. From a program the
word is no legal move.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from ...table.declared import Accepted, Fault
from .rules import Game960

A = TypeVar("A")

RESIGNS: Final = "resign"


class Resigned(msgspec.Struct, frozen=True, gc=False):
    """The side to move gives the game up."""


def with_resignation(
    read: Callable[[str, Game960], Accepted[A] | Fault], people: tuple[bool, bool]
) -> Callable[[str, Game960], Accepted[A | Resigned] | Fault]:
    """`read` for a game in which people may resign. `people`: whether a person has White, and Black."""

    def read_or_resigned(text: str, game: Game960) -> Accepted[A | Resigned] | Fault:
        if text == RESIGNS and people[game.ply % 2]:
            return Accepted(Resigned(), exact=True)
        return read(text, game)  # type: ignore[return-value]  # what it accepts is accepted here

    return read_or_resigned
