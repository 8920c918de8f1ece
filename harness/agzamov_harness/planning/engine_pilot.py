"""A pilot for a study with people: their games against an engine at several strengths, out of bundles that verify.

A person is told apart by the name of the seat, in all bundles together, so who sits in two of them is one person. Only
whole start pairs count, in which each side had White once. Games of language models, and of seats with a memory, a tool
or documents, are none of a pilot.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from agzamov_verify.checks.steps import Verdict
from agzamov_verify.experiment.matches import Augmentation, Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.people.over_people import PersonValues, over_people
from agzamov_verify.seats import ScriptedSeat, Seat
from agzamov_verify.show.views import game_words
from agzamov_verify.table.game import records_of
from agzamov_verify.table.registry import GAMES

from .engine_strength import EngineAt, Setting, engine_at
from .half_score import GAMES_MIN, PEOPLE_MIN, CannotSay, HalfScore, Result, Why, half_score

PAIR = 2
HALF = Fraction(1, 2)


class NoPilot(ValueError):
    """Bundles that are no pilot; the message says what was found and what to do."""


class PilotMatch(NamedTuple):
    """A person against an engine at one strength. `points`: the engine's, of each game in whole start pairs."""

    run: str
    person: str
    is_person: bool
    seat: Seat
    engine: EngineAt
    game: str
    rules: object
    points: tuple[Fraction, ...]


class AtStrength(NamedTuple):
    """What was played at one strength. `score`: the engine's points a game, each person counting alike."""

    value: int
    games: int
    people: int
    score: Estimate

    @property
    def mean(self) -> float:
        return float(Fraction(self.score.value.exact)) if self.score.value else 0.5


class EnginePilot(NamedTuple):
    """All games of a pilot. `half` is None where `why_none` says why, with the error for a person to read."""

    matches: tuple[PilotMatch, ...]
    setting: Setting
    strengths: tuple[AtStrength, ...]
    half: HalfScore | None
    why_none: Why | None = None
    advice: str = ""

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.person for one in self.matches))

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The names of scripted players in the place of people."""
        return tuple(dict.fromkeys(one.person for one in self.matches if not one.is_person))

    @property
    def has_unlike_people(self) -> bool:
        """Whether not everybody met every strength."""
        met = {(one.person, one.engine.limits[self.setting]) for one in self.matches}
        return len(met) < len(self.people) * len(self.strengths)


def pilot_matches(verdict: Verdict) -> Iterator[PilotMatch]:
    """The matches of a verified bundle in which a person, or a scripted player in their place, met an engine."""
    manifest = verdict.manifest
    if manifest is None or not PROTOCOLS[manifest.plan.protocol].people:
        return
    for match in manifest.plan.matches:
        place = _engine_place(match, manifest.plan)
        if place is None:
            continue
        records = records_of(verdict.blocks.get(match.id, ()))
        outcomes = [
            record.outcomes[GAMES[match.game].order(record, index).index(place)] for index, record in enumerate(records)
        ]
        whole = outcomes[: len(outcomes) // PAIR * PAIR]
        name = match.seats[1 - place]
        seat = manifest.plan.seats[match.seats[place]]
        engine = engine_at(seat)
        if whole and engine:
            points = tuple(one * HALF for one in whole)
            is_person, rules = manifest.plan.seats[name].is_person, manifest.plan.rules_of(match.game)
            yield PilotMatch(manifest.run_id, name, is_person, seat, engine, match.game, rules, points)


def _engine_place(match: Match, plan: Plan) -> int | None:
    """The index of the engine at a table of a pilot; None at any other table."""
    if len(match.table) != PAIR or any(at.condition.augmentation is not Augmentation.NAKED for at in match.table):
        return None
    seats = [plan.seats[name] for name in match.seats]
    engines = [index for index, seat in enumerate(seats) if engine_at(seat)]
    if len(engines) != 1:
        return None
    other = seats[1 - engines[0]]
    return engines[0] if other.is_person or isinstance(other, ScriptedSeat) else None


def engine_pilot(matches: Sequence[PilotMatch]) -> EnginePilot:
    """The pilot of all matches. Raises NoPilot for none, or for games that are not of one engine by one setting."""
    if not matches:
        raise NoPilot(
            "expected games of people against an engine (kind: stockfish or uci, without a memory or a tool), found"
            " none; play manifests/people-pilot.yaml first"
        )
    _refuse_unlike(matches)
    setting = _setting_of(matches)
    by_value: dict[int, dict[str, list[Fraction]]] = {}
    for one in matches:
        by_value.setdefault(one.engine.limits[setting], {}).setdefault(one.person, []).extend(one.points)
    strengths = tuple(_at_strength(value, by_value[value]) for value in sorted(by_value))
    results = [
        Result(person, setting.log_strength(value), float(points))
        for value, people in sorted(by_value.items())
        for person, played in sorted(people.items())
        for points in played
    ]
    try:
        return EnginePilot(tuple(matches), setting, strengths, half_score(results))
    except CannotSay as fault:
        advice = _advice(fault, setting, strengths, len({one.person for one in matches}))
        return EnginePilot(tuple(matches), setting, strengths, None, fault.why, advice)


def _at_strength(value: int, people: Mapping[str, Sequence[Fraction]]) -> AtStrength:
    pairs = [
        PersonValues("", tuple((played[at] + played[at + 1]) / PAIR for at in range(0, len(played), PAIR)))
        for played in people.values()
    ]
    return AtStrength(value, sum(map(len, people.values())), len(people), over_people(pairs, "points a game", (0, 1)))


def _refuse_unlike(matches: Sequence[PilotMatch]) -> None:
    """Raises NoPilot where matches are not of one game by one set of rules."""
    first = matches[0]
    for one in matches:
        if one.game != first.game:
            found = f"{game_words(first.game)} in run {first.run[:8]} and {game_words(one.game)} in {one.run[:8]}"
            raise NoPilot(f"expected one game, found {found}; take the bundles of the game of the study alone")
        if one.rules != first.rules:
            raise NoPilot(
                f"expected the rules of run {first.run[:8]}, found others in {one.run[:8]}: adjudication or limits"
                " change the score; take the bundles that were played by the rules of the study alone"
            )


def _setting_of(matches: Sequence[PilotMatch]) -> Setting:
    """The one setting in which strengths differ; the number of nodes where there is one strength."""
    first = matches[0].engine
    for one in matches:
        if (one.engine.identity, one.engine.limits.keys()) != (first.identity, first.limits.keys()):
            found = f"{first.name} limited by {_limited(first)}, and {one.engine.name} by {_limited(one.engine)}"
            if one.engine.limits.keys() == first.limits.keys():
                found = f"{first.name} and {one.engine.name}, of another program or with other options"
            raise NoPilot(f"expected one engine at several strengths, found {found}; take the bundles of one alone")
    differing = [
        setting for setting in first.limits if len({one.engine.limits[setting] for one in matches}) > 1
    ]  # fmt: skip
    if len(differing) > 1:
        found = " and ".join(setting.value for setting in differing)
        raise NoPilot(f"expected strengths that differ in one setting, found {found}; take the games of one alone")
    return differing[0] if differing else next(iter(first.limits))


def _limited(engine: EngineAt) -> str:
    return " and ".join(setting.value for setting in engine.limits)


def _advice(fault: CannotSay, setting: Setting, strengths: Sequence[AtStrength], people: int) -> str:
    """The error: what is the matter with the games, and what to play."""
    least, most = (setting.words(strengths[at].value) for at in (0, -1))
    games = sum(one.games for one in strengths)
    low, high = ([setting.words(setting.setting_at(one)) for one in fault.x] * 2 or ["", ""])[:2]
    is_above = bool(fault.x) and fault.x[0] > setting.log_strength(strengths[-1].value)
    played, side = f"{least} to {most}", "stronger" if is_above else "weaker"
    return {
        Why.WON_ALL: f"the engine won all {games} games: play it weaker than {least}",
        Why.LOST_ALL: f"the engine lost all {games} games: play it stronger than {most}",
        Why.ONE_STRENGTH: f"the engine played at {least} alone: one strength gives no curve; play a second one",
        Why.FEW_PEOPLE: f"expected {PEOPLE_MIN} people or more, found {people}: the interval is over people",
        Why.FEW_GAMES: f"expected {GAMES_MIN} games or more, found {games}",
        Why.SEPARATED: f"both sides took points at {low} alone: play more strengths near it"
        if low == high
        else f"it took no point below {high}, and every point above {low}: play strengths between",
        Why.ONE_PERSON_ALONE: "without one of the people one strength is left: let everybody play every strength",
        Why.NO_RISE: f"the score is not shown to rise from {played}: play more people, or strengths farther apart",
        Why.OUTSIDE: f"the half would be near {low}, outside {played}: play it {side} too",
        Why.TOO_WIDE: f"the interval, {low} to {high}, is wider than what was played, {played}: play more people",
    }[fault.why]
