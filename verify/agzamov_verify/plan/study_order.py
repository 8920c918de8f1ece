"""The order in which each person of a study plays: drawn from the seed, in blocks, alike for all arms.

A block is one start pair of each arm, so the arms of a block share the start, and each pair has both colours one after
the other: a person's colours alternate from the first game to the last. The orders of the arms are those of Williams
(1949, Australian Journal of Scientific Research A 2: 149-168): for n arms one Latin square, or two where n is odd, in
which each arm stands in each place, and directly behind each other arm, equally often:

    0 2 1    1 0 2    2 1 0        one square
    1 2 0    2 0 1    0 1 2        its mirror

- n blocks of a person in a row (a chunk) have the orders of one square: each arm was first, second and last once. The
  next chunk has those of the other square, so after 2 n blocks each arm came after each other equally often.
- 2 n people have all 2 n orders in each block (n people those of one square where n is even).
- Drawn are: which arm is which number, which square is first, the order of the rows, and who is which person.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.dice import Dice
from ..experiment.people_settings import SubPhase
from .manifest import Plan
from .people_study import pairs_each, people_of, sub_phases_of

Orders = list[tuple[int, ...]]


class PlayedUnit(NamedTuple):
    """A start pair in a person's order of play: its number in its match."""

    match: str
    sub_phase: SubPhase
    unit: int


def williams_squares(arms: int) -> list[Orders]:
    """The Latin squares of Williams for so many arms, as lists of rows: one, or two for an odd number."""
    zigzag = [number // 2 if number % 2 == 0 else arms - 1 - number // 2 for number in range(arms)]
    square = [tuple((arm + row) % arms for arm in zigzag) for row in range(arms)]
    return [square, [row[::-1] for row in square]] if arms % 2 and arms > 1 else [square]


def drawn_orders(people: int, blocks: int, arms: int, dice: Dice) -> list[Orders]:
    """For each person and block the order of the arms, as numbers."""
    squares = williams_squares(arms)
    numbers = dice.stream("people/arms").deal(range(arms), arms)
    places = dice.stream("people/people").deal(range(people), people)
    first = dice.stream("people/square").below(len(squares))
    chunks = -(-blocks // arms)
    rows = {
        (chunk, which): dice.stream(f"people/rows/{chunk}/{which}").deal(range(arms), arms)
        for chunk in range(chunks)
        for which in range(len(squares))
    }

    def order(place: int, block: int) -> tuple[int, ...]:
        chunk, within = divmod(block, arms)
        which = (place + chunk + first) % len(squares)
        row = rows[chunk, which][(within + place // len(squares)) % arms]
        return tuple(numbers[arm] for arm in squares[which][row])

    return [[order(places[person], block) for block in range(blocks)] for person in range(people)]


def order_of_play(plan: Plan, dice: Dice) -> Mapping[str, Sequence[PlayedUnit]]:
    """The start pairs of each person of a study in the order in which they are played, by the person's name."""
    people, arms = people_of(plan), sub_phases_of(plan)
    if not people:
        return {}
    blocks = pairs_each(plan)
    orders = drawn_orders(len(people), blocks, len(arms), dice)
    return {
        person.name: [
            PlayedUnit(person.matches[arms[arm]].id, arms[arm], block)
            for block in range(blocks)
            for arm in orders[number][block]
        ]
        for number, person in enumerate(people)
    }
