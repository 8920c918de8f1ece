"""Random samples of several streams, put together, are one sample of all."""

import secrets

from agzamov_verify.checks.random_sample import RandomSample


def sampled(priorities: list[int], most: int) -> RandomSample[object]:
    """The sample of items, each of which is known by its priority alone and cannot be compared."""
    made: RandomSample[object] = RandomSample(most)
    for priority in priorities:
        made.offer(priority, {"priority": priority})
    return made


def test_those_with_the_greatest_priorities_are_kept_the_greatest_first() -> None:
    made = sampled([3, 9, 1, 7, 5], most=3)
    assert (made.total, made.items) == (5, [{"priority": 9}, {"priority": 7}, {"priority": 5}])


def test_samples_of_parts_make_the_sample_of_the_whole() -> None:
    priorities = [secrets.randbits(64) for _ in range(100)]
    whole, parts = sampled(priorities, most=10), RandomSample[object](10)
    for first in range(0, 100, 7):
        parts.add(sampled(priorities[first : first + 7], most=10))
    assert (parts.total, parts.items) == (whole.total, whole.items)


def test_of_fewer_items_all_are_kept_and_equal_priorities_do_no_harm() -> None:
    made = sampled([4, 4, 4], most=10)
    made.add(sampled([4, 4], most=10))
    assert (made.total, len(made.items)) == (5, 5)
