"""The drawn order of a study: balanced exactly, drawn from the seed alone, starts paired and colours alternating."""

from collections import Counter
from itertools import pairwise

import msgspec
import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_verify.core.dice import Dice
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.study_order import drawn_orders, order_of_play, williams_squares
from people.people_worlds import study

DICE = Dice(bytes(32))


@pytest.mark.parametrize("arms", [2, 3, 4, 5])
def test_each_arm_stands_in_each_place_and_behind_each_other_arm_equally_often(arms: int) -> None:
    squares = williams_squares(arms)
    assert len(squares) == (2 if arms % 2 else 1)
    for square in squares:
        for place in range(arms):
            assert sorted(row[place] for row in square) == list(range(arms))
    behind = Counter(pair for square in squares for row in square for pair in pairwise(row))
    assert behind == {(a, b): len(squares) for a in range(arms) for b in range(arms) if a != b}


def test_the_square_of_four_arms_is_that_of_williams() -> None:
    # Williams (1949), as in Cochran and Cox, Experimental Designs, 2nd ed., plan 4.1a with arms from 0.
    assert sorted(williams_squares(4)[0]) == [(0, 3, 1, 2), (1, 0, 2, 3), (2, 1, 3, 0), (3, 2, 0, 1)]


@pytest.mark.parametrize("arms", [3, 5])
def test_every_chunk_of_blocks_of_every_person_is_a_latin_square(arms: int) -> None:
    orders = drawn_orders(7, 4 * arms, arms, DICE)
    for person in orders:
        for first in range(0, 4 * arms, arms):
            chunk = person[first : first + arms]
            for place in range(arms):
                assert sorted(order[place] for order in chunk) == list(range(arms))


def test_two_chunks_of_a_person_have_each_arm_behind_each_other_equally_often() -> None:
    for person in drawn_orders(5, 6, 3, DICE):
        assert sorted(person) == sorted(order for square in williams_squares(3) for order in square)


def test_six_people_have_all_six_orders_in_each_block() -> None:
    orders = drawn_orders(6, 9, 3, DICE)
    for block in range(9):
        assert len({person[block] for person in orders}) == 6


def test_the_order_is_drawn_from_the_seed() -> None:
    orders = {str(drawn_orders(4, 6, 3, Dice(bytes([number]) * 32))) for number in range(20)}
    assert len(orders) == 20
    assert drawn_orders(4, 6, 3, DICE) == drawn_orders(4, 6, 3, Dice(bytes(32)))


def test_a_person_plays_each_pair_of_each_arm_once_and_the_arms_of_a_block_share_a_start() -> None:
    plan = plan_from(study({"ada": "random", "ben": "random"}, games=12))
    for name, turns in order_of_play(plan, DICE).items():
        own = [match for match in plan.matches if match.seats[1] == name]
        assert sorted((turn.match, turn.unit) for turn in turns) == sorted(
            (match.id, unit) for match in own for unit in range(6)
        )
        # Block k is unit k of every arm, and a start depends on the unit's number alone: Units are paired by it.
        assert [turn.unit for turn in turns] == [unit for unit in range(6) for _ in own]


def test_a_plan_of_another_protocol_has_no_order() -> None:
    other = {name: value for name, value in study({"ada": "random"}).items() if name != "people"}
    assert order_of_play(msgspec.convert({**other, "protocol": "arena-0.1"}, Plan), DICE) == {}
