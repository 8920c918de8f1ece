"""The witnesses are enough: whoever keeps them true cannot have hidden or moved an adjudication."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.checks.replay_stream import witnesses

SIDES = st.lists(st.sampled_from([-1, 0, 1]), max_size=60)


def fires(sides: list[int], plies: int) -> list[int]:
    """Every end of a window of `plies` scores for one side, by the rule's words."""
    return [at for at in range(plies, len(sides) + 1) if sides[at - plies] and len(set(sides[at - plies : at])) == 1]


@pytest.mark.parametrize(
    ("sides", "chosen"),
    [
        ([], []),
        ([0] * 5, []),
        ([0] * 6, [5]),
        ([0] * 12, [5, 11]),
        ([1] * 6, [0, 1, 2, 3, 4, 5]),
        ([1] * 5 + [0], [5]),
        ([1] * 3 + [-1] * 3, [2, 3]),
        ([0] + [1] * 6, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_the_witnesses_of_a_few_games(sides: list[int], chosen: list[int]) -> None:
    assert chosen == witnesses(sides, 6)


@given(SIDES, SIDES, st.integers(1, 8))
def test_no_story_that_keeps_the_witnesses_fires_elsewhere(sides: list[int], other: list[int], plies: int) -> None:
    chosen = set(witnesses(sides, plies))
    truth = [sides[at] if at in chosen or at >= len(other) else other[at] for at in range(len(sides))]
    first = fires(sides, plies)[:1]
    assert first == fires(truth[: first[0]] if first else truth, plies)[:1]


@given(st.lists(st.just(0), max_size=600))
def test_a_level_game_needs_one_question_for_each_window(sides: list[int]) -> None:
    assert len(sides) // 6 == len(witnesses(sides, 6))
