"""The witnesses are enough: whoever keeps them true cannot have hidden or moved an adjudication."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.checks.replay_stream import witnesses
from verify.adjudication_bound import scores_least

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


def shows(sides: list[int], chosen: set[int], plies: int) -> bool:
    """True if the scores in `chosen` leave no doubt where the rule first fired, whatever the others were."""
    first = fires(sides, plies)[:1]
    others = [at for at in range(len(sides)) if at not in chosen]
    for values in product((-1, 0, 1), repeat=len(others)):
        story = list(sides)
        for at, value in zip(others, values, strict=True):
            story[at] = value
        if fires(story, plies)[:1] != first:
            return False
    return True


@pytest.mark.parametrize(("length", "plies"), [*product(range(6), (2, 3))])
def test_no_fewer_questions_show_as_much(length: int, plies: int) -> None:
    """All games of a length, with all choices of fewer scores than the bound."""
    for sides in map(list, product((-1, 0, 1), repeat=length)):
        if any(end < length for end in fires(sides, plies)):
            continue  # a game ends where the rule fires
        least = scores_least(sides, plies)
        assert least <= len(witnesses(sides, plies))
        for chosen in combinations(range(length), least - 1) if least else ():
            assert not shows(sides, set(chosen), plies)
