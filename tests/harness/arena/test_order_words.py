"""The order of players in sentences: it follows from who was found better than whom, and from nothing else."""

from collections.abc import Mapping, Sequence

import pytest

from agzamov_harness.arena.game_fits import Rating
from agzamov_harness.arena.order_words import Rated, and_words, order_sentences


def rated(ahead: Mapping[str, str], names: str, part: int = 0) -> list[Rated]:
    """Players of one letter each, in this order; `ahead`: of whom each was found better."""
    worse = {name: ahead.get(name, "") for name in names}
    return [
        Rated(name, Rating(2000.0 - 100 * at, 0.0, 3000.0, *_ranks(name, worse), part, tuple(worse[name])))
        for at, name in enumerate(names)
    ]


def _ranks(name: str, worse: Mapping[str, str]) -> tuple[int, int]:
    return 1 + sum(name in one for one in worse.values()), len(worse) - len(worse[name])


ALL_LEVEL = "may each be first, and cannot be told apart."


@pytest.mark.parametrize(
    ("ahead", "names", "told"),
    [
        (
            {"A": "BCD", "B": "D", "C": "D"},
            "ABCD",
            ["A is ahead of all others.", "B and C cannot be told apart.", "D is behind all others."],
        ),
        ({"A": "D", "B": "D", "C": "D"}, "ABCD", [f"A, B and C {ALL_LEVEL}", "D is behind all others."]),
        ({"A": "CD"}, "ABCD", [f"A and B {ALL_LEVEL}", "B, C and D cannot be told apart."]),
        ({}, "ABC", ["No order is shown: A, B and C cannot be told apart."]),
        ({"A": "B"}, "AB", ["A is ahead of B."]),
        ({}, "A", ["A has nobody to be compared with."]),
        ({"A": "BC", "B": "C"}, "ABC", ["A is ahead of all others.", "C is behind all others."]),
        (
            {"A": "C", "B": "A"},
            "ABC",
            ["B leads: nobody was found better, but not everybody worse.", "B and C cannot be told apart."],
        ),
    ],
)
def test_the_order_is_told_in_words(ahead: Mapping[str, str], names: str, told: Sequence[str]) -> None:
    assert list(order_sentences(rated(ahead, names))) == told


def test_players_who_never_met_are_told_of_by_part() -> None:
    both = [*rated({"A": "B"}, "AB"), *rated({}, "CD", part=2)]
    assert list(order_sentences(both)) == [
        "Not all have met, not even through others: they are ranked in 2 parts.",
        "A is ahead of B.",
        "No order is shown: C and D cannot be told apart.",
    ]


def test_names_are_listed() -> None:
    assert [and_words(list(names)) for names in ("A", "AB", "ABC")] == ["A", "A and B", "A, B and C"]
