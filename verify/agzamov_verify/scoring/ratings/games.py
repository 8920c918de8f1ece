"""A game for the ratings: who played first (White, the button), against whom, and the first one's half-points."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

import msgspec

T = TypeVar("T")

WIN, DRAW, LOSS = 2, 1, 0
A, B = "a", "b"


class Game(NamedTuple):
    """One game between two players; `halfpoints` (0, 1, 2) are the first one's."""

    first: str
    second: str
    halfpoints: int


class Both(msgspec.Struct, Generic[T], frozen=True):
    """The same rating of all results and of those decided by play alone; `left_out` results are not in the second."""

    everything: T
    by_play: T
    left_out: int


def match_games(halfpoints: Iterable[int]) -> list[Game]:
    """A match of seats a and b as games, from a's half-points in order. Who moved first is not kept."""
    return [Game(A, B, points) for points in halfpoints]


def hand_halfpoints(chips: Iterable[int]) -> list[int]:
    """Hands or sessions as games: more than zero chips is a win, zero a draw.

    A rating of these says who wins more often, which is not who wins more chips.
    """
    return [DRAW if not won else WIN if won > 0 else LOSS for won in chips]


def with_and_without(rate: Callable[[Sequence[int]], T], halfpoints: Sequence[int], by_play: Sequence[bool]) -> Both[T]:
    """A rating of all results, and of those that `by_play` marks; a result left out is as if it never was."""
    played = [points for points, kept in zip(halfpoints, by_play, strict=True) if kept]
    return Both(rate(halfpoints), rate(played), len(halfpoints) - len(played))
