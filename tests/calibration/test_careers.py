"""The calibration of careers finds stores that are unlike each other, over which intervals hold less than they say."""

from dataclasses import replace

import numpy as np
import pytest

from calibration import careers

SEED = "a seed"
USUAL = careers.UNLIKE


def test_intervals_over_stores_that_are_alike_hold_what_they_say() -> None:
    alike = replace(USUAL, name="alike", offset_sd=0.03)
    assert all(found.passed for found in careers.errors(alike, careers.SMALL, SEED))


ALWAYS = (careers.UNEVEN[1], careers.UNEVEN[3])
"""Of those that are poisoned, and of those that click, one; the others at full size."""


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(world, marks=pytest.mark.slow if world in ALWAYS else pytest.mark.exhaustive)
        for world in careers.UNEVEN
    ],
    ids=lambda world: f"{world.name}, {world.careers}",
)
def test_stores_that_are_poisoned_or_click_are_exceptions_and_are_seen_as_such(world: careers.Store) -> None:
    """Review F3: calibration planted normal stores alone, and said 95 % where it is 85 %."""
    ordinary = replace(world, held=USUAL.held, errs=USUAL.errs)
    assert not all(found.passed for found in careers.errors(ordinary, careers.SMALL, SEED))
    told = list(careers.errors(world, 2 * careers.SMALL, SEED))
    assert [found.passed for found in told] == [True] * 3


def test_a_poisoned_store_is_worth_nothing_on_the_whole() -> None:
    for world in careers.UNEVEN:
        worth = careers.jumps(world, 20_000, np.random.default_rng(1))
        assert abs(worth.mean()) < 0.003
        assert (worth.min() < -0.1) == (world.jump < 0)
