"""What a study with people can show: the least delta that its people and games find, and what it asks of each person.

A person's delta is the mean over m start pairs of the difference between two arms, which share starts and so the
person's strength. With a share d of games drawn, players equal, and the two games of a pair independent:

    variance of a person's delta    t^2 + (1 - d) / (4 m)      t: how unlike people are in what an arm does to them
    least delta of k people         c sqrt(that / k)           c: noncentrality of Student's t of k - s values, s strata

of one person k is the number of start pairs, and the variance (1 - d) / 4. The interaction of draft-H18 has twice the
variance of games. All are found with 80 % power by a two-sided test at 5 %, which is an interval that leaves out 0.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import Final

import msgspec

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.experiment.matches import Arm
from agzamov_verify.experiment.people_settings import SubPhase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import (
    Person,
    is_study,
    pairs_each,
    people_of,
    settings_of,
    sub_phases_of,
    tool_nodes,
)
from agzamov_verify.scoring.inference.design_power import detectable_delta
from agzamov_verify.scoring.inference.power import POWER
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.scoring.plannings import PLANNINGS
from agzamov_verify.show.study_words import DELTA_MOST, INTERACTION_MOST

from .full_strength import full_strength_warnings

LEVEL: Final = Fraction(1, 20)
UNLIKE: Final = (0.0, 0.1)
"""How unlike people are in what an arm does to them: standard deviations in points a game. An assumption."""
PEOPLE_SHOWN: Final = (5, 10, 20, 40)
FEW_PEOPLE: Final = 6
"""Below so many people an interval rests on the assumption that their deltas are near normal."""
THINKING_S: Final = 20
"""Assumed seconds that a person thinks about a move."""


class StudyForecast(msgspec.Struct, frozen=True):
    """`deltas`: least delta found, in points a game, by share of drawn games, for each of UNLIKE; of the interaction
    likewise, empty where it is not played. `more_people`: the same of the first share with other numbers of people.
    `hours_each`: what a person sits there; None where scripted players stand in for people.
    """

    people: int
    pairs: int
    games_each: int
    hours_each: float | None
    deltas: dict[str, tuple[float, ...]]
    interaction: dict[str, tuple[float, ...]]
    more_people: dict[str, tuple[float, ...]]


def study_forecast(plan: Plan, draws: Mapping[str, Fraction], plies: Fraction) -> StudyForecast | None:
    """The forecast of a study; None of another plan. `draws`: shares of drawn games by name; `plies` of a game."""
    if not is_study(plan):
        return None
    people, arms, pairs = people_of(plan), sub_phases_of(plan), pairs_each(plan)
    strata = Counter(person.stratum for person in people)
    has_interaction = {SubPhase.MODEL, SubPhase.MODEL_MEMORY} <= set(arms)
    games = 2 * pairs * len(arms)
    seats_people = _seats_people(plan)
    middle = next(iter(draws.values()))

    def least(share: Fraction, count: int, factor: int = 1) -> tuple[float, ...]:
        is_one = count == len(people) and min(strata.values()) < 2  # as verify takes them (`over_people`)
        groups = 1 if is_one else len(strata)
        return tuple(least_delta(count, pairs, float(share), unlike, groups, factor) for unlike in UNLIKE)

    return StudyForecast(
        len(people),
        pairs,
        games,
        games * float(plies) / 2 * (THINKING_S + _hold_s(plan)) / 3600 if seats_people else None,
        {name: least(share, len(people)) for name, share in draws.items()},
        {name: least(share, len(people), 2) for name, share in draws.items()} if has_interaction else {},
        {str(count): least(middle, count) for count in PEOPLE_SHOWN if count > len(strata)},
    )


def least_delta(people: int, pairs: int, draws: float, unlike: float, strata: int = 1, factor: int = 1) -> float:
    """The least delta found, in points a game; infinite without an interval. `factor`: of the games' variance."""
    of_games = factor * (1 - draws) / 4
    count, variance = (people, unlike**2 + of_games / pairs) if people > 1 else (pairs, of_games)
    df = count - (strata if people >= 2 * strata else 1)
    if df < 1:
        return float("inf")
    return detectable_delta(df, LEVEL, Alternative.TWO_SIDED, POWER) * sqrt(variance / count)


def assumed_draws(plan: Plan) -> dict[str, Fraction]:
    """Shares of drawn games that `agzamov plan` assumes, the middle one first."""
    game = plan.matches[0].game
    columns = PLANNINGS[game].scorings({}, None, plan.rules_of(game))
    shares = [column[0].pairs.draws for column in columns if column[0].pairs]
    middle = shares[len(shares) // 2]
    return {f"{float(100 * share):.0f} % drawn": share for share in (middle, *shares) if share is not None}


def study_forecast_lines(forecast: StudyForecast) -> Iterator[str]:
    """What the study can show, for a person to read."""
    people = f"{forecast.people} {'person' if forecast.people == 1 else 'people'}"
    about = "scripted players in the place of people"
    if forecast.hours_each is not None:
        about = f"about {forecast.hours_each:.1f} hours at {THINKING_S} s of thought a move and the plan's holds"
    yield f"{people}, {forecast.pairs} start pairs in each arm: {forecast.games_each} games each, {about}."
    yield f"Least delta found (80 % power, interval without 0), in points a game: {_words(forecast.deltas)}."
    if forecast.interaction:
        yield f"Least interaction (draft-H18): {_words(forecast.interaction, INTERACTION_MOST)}."
    more = "; ".join(f"{count} people {_both(values)}" for count, values in forecast.more_people.items())
    if more:
        yield f"With the same games each: {more}."
    yield (
        f"First number: an arm does the same to everybody; second: what it does differs between people by an SD of"
        f" {UNLIKE[1]} (an assumption)."
    )


def study_plain(forecast: StudyForecast) -> dict[str, object]:
    """The forecast as plain values; numbers that are not whole are text."""

    def text(values: Mapping[str, tuple[float, ...]]) -> dict[str, list[str]]:
        return {name: [f"{value:.4f}" for value in row] for name, row in values.items()}

    return {
        "people": forecast.people,
        "pairs": forecast.pairs,
        "games_each": forecast.games_each,
        "hours_each": None if forecast.hours_each is None else f"{forecast.hours_each:.1f}",
        "unlike_sd": [str(value) for value in UNLIKE],
        "deltas": text(forecast.deltas),
        "interaction": text(forecast.interaction),
        "more_people": text(forecast.more_people),
    }


def study_warnings(plan: Plan) -> Iterator[str]:
    """What makes a study show nothing, or not what it seems to."""
    people = people_of(plan)
    yield from full_strength_warnings(plan)
    yield from dict.fromkeys(words for person in people if (words := _other_engine(person, plan)))
    if len(people) == 1:
        yield "one person: intervals are over start pairs, and say nothing of other people"
    elif 1 < len(people) < FEW_PEOPLE:
        yield f"{len(people)} people: an interval over so few holds only if their deltas are near normal"
    if not _seats_people(plan):
        return
    if people and settings_of(plan).hold is None:
        yield "people.hold is null: the speed of the answers may tell which arm plays"
    if people and not settings_of(plan).asks_arm:
        yield "people.asks_arm is false: nothing will show whether people could tell the arms apart"


def _seats_people(plan: Plan) -> bool:
    """False of a small profile, in which scripted players sit in the places of people."""
    return any(seat.is_person for seat in plan.seats.values())


def _other_engine(person: Person, plan: Plan) -> str:
    """A warning where the model asks another engine than that of 4a; the same for all who meet both."""
    match = person.matches.get(SubPhase.ENGINE)
    if match is None:
        return ""
    nodes = {tool_nodes(one, plan) for one in person.matches.values() if one.condition.arm is Arm.REAL} - {0}
    own = plan.seats[match.measured].engine_nodes
    if not own or not nodes or nodes == {own}:
        return ""
    found = ", ".join(f"{one:,}" for one in sorted(nodes))
    return (
        f"{ascii_words(match.measured)}: the engine that the model asks has {found} nodes, that of 4a {own:,}: the"
        " orchestration delta is then of two engines as well"
    )


def _hold_s(plan: Plan) -> int:
    hold = settings_of(plan).hold
    return hold.median_s if hold else 0


def _words(values: Mapping[str, tuple[float, ...]], most: float = DELTA_MOST) -> str:
    return "; ".join(f"{name} {_both(least, most)}" for name, least in values.items())


def _both(values: tuple[float, ...], most: float = DELTA_MOST) -> str:
    return " or ".join("nothing" if value > most else f"{value:.2f}" for value in values)
