"""Indices of blinding against the published example, and what they say of three arms."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from agzamov_verify.scoring.people.blinding_index import PersonGuesses, blinding_of, james_index

CRISP: dict[str, dict[str, int]] = {"treatment": {"treatment": 82, "placebo": 25, "": 170},
                                    "placebo": {"treatment": 27, "placebo": 29, "": 83}}  # fmt: skip
"""Guesses by arm of the trial in Bang, Ni and Davis (2004), table 7; each person guesses once."""


def people(table: Mapping[str, Mapping[str, int]]) -> list[PersonGuesses]:
    return [
        PersonGuesses("", {arm: (guess,)})
        for arm, row in table.items()
        for guess, number in row.items()
        for _ in range(number)
    ]


def test_bangs_index_is_that_of_the_published_example() -> None:
    found = blinding_of(people(CRISP), list(CRISP))
    assert found
    values = [one.index for one in found.arms]
    assert [f"{float(one.value.decimal):.2f}" for one in values if one.value] == ["0.21", "0.01"]
    # The package BI 1.2.0 of R gives the standard errors by the multinomial formula; ours is the sample's of a mean.
    for one, arm in zip(values, CRISP.values(), strict=True):
        n, right, wrong = sum(arm.values()), *(Fraction(number) for number in list(arm.values())[:2])
        if arm is CRISP["placebo"]:
            right, wrong = wrong, right
        p, q = right / n, wrong / n
        error = float((p * (1 - p) + q * (1 - q) + 2 * p * q) / n) ** 0.5
        assert one.ci
        half = (float(one.ci.high) - float(one.ci.low)) / 2
        assert half == pytest.approx(1.97 * error, rel=0.01)


def test_james_index_is_that_of_the_published_example() -> None:
    found = james_index(CRISP, list(CRISP))
    assert found
    assert f"{float(found.decimal):.2f}" == "0.75"


@pytest.mark.parametrize(
    ("guessed", "bang", "james"),
    [
        ({"4a": {"4a": 6}, "4b": {"4b": 6}, "4c": {"4c": 6}}, 1, 0),
        ({arm: {"4a": 2, "4b": 2, "4c": 2} for arm in ("4a", "4b", "4c")}, 0, Fraction(1, 2)),
        ({arm: {"": 6} for arm in ("4a", "4b", "4c")}, 0, 1),
        ({"4a": {"4b": 6}, "4b": {"4c": 6}, "4c": {"4a": 6}}, Fraction(-1, 2), Fraction(3, 4)),
        ({arm: {"4a": 6} for arm in ("4a", "4b", "4c")}, 0, Fraction(1, 2)),
    ],
)
def test_of_three_arms_random_guesses_give_0_and_knowledge_1(
    guessed: dict[str, dict[str, int]], bang: Fraction, james: Fraction
) -> None:
    found = blinding_of(people(guessed), ["4a", "4b", "4c"])
    assert found
    assert found.overall.value
    assert Fraction(found.overall.value.exact) == bang
    assert found.james
    assert Fraction(found.james.exact) == james


def test_guesses_of_one_person_are_no_independent_people() -> None:
    one = PersonGuesses("", {"4a": ("4a",) * 20})
    other = PersonGuesses("", {"4a": ("4b",) * 20})
    found = blinding_of([one, other], ["4a", "4b", "4c"])
    assert found
    assert found.arms[0].index.n == (2,)
    assert found.arms[0].index.over == "people"
    assert found.arms[0].guesses == {"4a": 20, "4b": 20}


def test_where_nobody_was_asked_there_is_no_blinding() -> None:
    assert blinding_of([PersonGuesses("", {"4a": ()})], ["4a", "4b", "4c"]) is None
