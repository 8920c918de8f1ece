"""Seating: who has which place in each result of a match, such as White and Black, or button and big blind.

Two seats alternate. Of more, the order is drawn from the sealed seed so that over a set of as many results as there are
seats each seat has each place once.
"""

from collections.abc import Sequence
from functools import lru_cache

from ..core.dice import Dice
from .players import V


def alternating(index: int) -> tuple[int, ...]:
    """The seats of two by place in result `index` of a match: they change places with each result."""
    return (0, 1) if index % 2 == 0 else (1, 0)


def place_of(seat_index: int, index: int) -> int:
    """The place of one of two seats in result `index` of a match: 0 where it has White, or the button."""
    return alternating(index).index(seat_index)


def seating(dice: Dice, draws: str, index: int, seats: int) -> tuple[int, ...]:
    """The seats by place in result `index` of a match; `draws`: its label of hidden draws (`Match.draws`).

    Two seats alternate. More are seated in sets of as many results as there are seats. In each set every seat has every
    place once, so that no place favours anybody; who sits beside whom, and who begins, is drawn anew for each set, so
    that no seat has one neighbour for ever.
    """
    if seats == len(alternating(index)):
        return alternating(index)
    number, result = divmod(index, seats)
    return _set_of_orders(dice, draws, number, seats)[result]


@lru_cache(maxsize=64)
def _set_of_orders(dice: Dice, draws: str, number: int, seats: int) -> tuple[tuple[int, ...], ...]:
    """The orders of one set: one circle of seats, begun at each of them."""
    stream = dice.stream(f"seating/{draws}/{number}")
    circle, beginnings = stream.deal(range(seats), seats), stream.deal(range(seats), seats)
    return tuple(tuple(circle[(first + place) % seats] for place in range(seats)) for first in beginnings)


def by_seat(values: Sequence[V], order: Sequence[int]) -> tuple[V, ...]:
    """What is given by place, in the order of the seats; `order`: the seats by place."""
    return tuple(values[order.index(seat_index)] for seat_index in range(len(order)))


def by_place(values: Sequence[V], order: Sequence[int]) -> tuple[V, ...]:
    """What is given by seat, in the order of the places; `order`: the seats by place."""
    return tuple(values[seat_index] for seat_index in order)
