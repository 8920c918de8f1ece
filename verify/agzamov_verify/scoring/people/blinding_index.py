"""How well a study hid the arm from the person: indices of blinding, from what people say that they played against.

Bang's index of an arm (Bang, Ni and Davis 2004, Controlled Clinical Trials 25:143) is the share of right guesses less
that of wrong ones. Of K arms a wrong guess counts 1 / (K - 1), so that guessing at random gives 0 whatever K is; with
two arms it is Bang's own:

    index = mean of: 1 for the right arm, -1 / (K - 1) for another one, 0 for no answer

    1 everybody knew, 0 nobody did (or guessed at random), below 0 taken for another arm

It is a mean, so its interval is one over people. James' index (James, Bloch, Lee, Kraemer and Fuller 1996, Statistics
in Medicine 15:1421) is one number for all arms, from 0 (everybody knew) by 1/2 (guessed at random) to 1 (nobody would
guess), with weight 0 for the right arm and 1 for another one:

    index = (1 + D + (1 - D) k) / 2,   k = (seen - expected) / expected

with D the share without an answer, `seen` the share of wrong guesses among the others, and `expected` the same if
guesses did not depend on the arm. Its published variance is of people who guess once; here each guesses often, so it
stands without an interval.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..inference.estimate import Estimate
from ..inference.exact import Figure, figure
from .over_people import GUESSES_OF_ONE, PersonValues, over_people

REACH: Final = (-1, 1)
"""The least and the greatest index: every guess of another arm, and of the right one."""
NO_ANSWER: Final = "no answer"


class GuessesOfArm(msgspec.Struct, frozen=True):
    """Guesses about one arm: how many for each arm (and `no answer`), and Bang's index with its interval."""

    arm: str
    guesses: dict[str, int]
    index: Estimate


class Blinding(msgspec.Struct, frozen=True):
    """The blinding of a study: each arm's guesses, Bang's index of all arms together, and James' index."""

    arms: tuple[GuessesOfArm, ...]
    overall: Estimate
    james: Figure | None


class PersonGuesses(msgspec.Struct, frozen=True):
    """The guesses of one person, by the arm that it was, in order."""

    stratum: str
    guesses: dict[str, tuple[str, ...]]


def blinding_of(people: Sequence[PersonGuesses], arms: Sequence[str]) -> Blinding | None:
    """The blinding; None where nobody was asked."""
    if not any(guesses for person in people for guesses in person.guesses.values()):
        return None
    by_arm = tuple(_of_arm(arm, people, arms) for arm in arms)
    scored = [
        PersonValues(
            person.stratum,
            tuple(_score(arm, guess, len(arms)) for arm in arms for guess in person.guesses.get(arm, ())),
        )
        for person in people
    ]
    table = {one.arm: one.guesses for one in by_arm}
    return Blinding(
        by_arm, over_people(scored, "index", REACH, GUESSES_OF_ONE, is_difference=True), james_index(table, arms)
    )


def james_index(table: Mapping[str, Mapping[str, int]], arms: Sequence[str]) -> Figure | None:
    """James' index of counts by arm and guess; None without guesses, or if all are of one arm and for it."""
    total = sum(sum(row.values()) for row in table.values())
    answered = {arm: sum(table[arm].get(guess, 0) for guess in arms) for arm in arms}
    known = sum(answered.values())
    if not total or not known:
        return figure(Fraction(1)) if total else None
    for_arm = {guess: sum(table[arm].get(guess, 0) for arm in arms) for guess in arms}
    wrong = sum(table[arm].get(guess, 0) for arm in arms for guess in arms if guess != arm)
    by_chance = sum(answered[arm] * for_arm[guess] for arm in arms for guess in arms if guess != arm)
    expected, seen, open_share = Fraction(by_chance, known**2), Fraction(wrong, known), 1 - Fraction(known, total)
    if not expected:
        return None
    return figure((1 + open_share + (1 - open_share) * (seen - expected) / expected) / 2)


def _of_arm(arm: str, people: Sequence[PersonGuesses], arms: Sequence[str]) -> GuessesOfArm:
    counts = Counter(guess for person in people for guess in person.guesses.get(arm, ()))
    values = [
        PersonValues(person.stratum, tuple(_score(arm, guess, len(arms)) for guess in person.guesses.get(arm, ())))
        for person in people
    ]
    named = {guess or NO_ANSWER: counts[guess] for guess in (*arms, "") if counts[guess]}
    return GuessesOfArm(arm, named, over_people(values, "index", REACH, GUESSES_OF_ONE, is_difference=True))


def _score(arm: str, guess: str, arms: int) -> Fraction:
    if not guess:
        return Fraction(0)
    return Fraction(1) if guess == arm else Fraction(-1, arms - 1)
