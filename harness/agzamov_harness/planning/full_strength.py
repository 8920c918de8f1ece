"""Warnings of a study with people whose engine of 4a takes nearly all points, or loses them: then deltas are zero."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.experiment.people_settings import SubPhase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import people_of
from agzamov_verify.seats import Seat, StockfishSeat, UciSeat
from agzamov_verify.seats.stockfish_seat import SKILL_MAX

from .engine_pilot import NoPilot, PilotMatch, engine_pilot
from .engine_strength import EngineAt, Setting, engine_at

STRONG_NODES: Final = 2_000
"""From so many nodes a move on, at full skill, Stockfish beats nearly everybody: see docs/people-study.md."""
STRONG_SKILL: Final = 15
"""Skill 15 is Elo 2,619 by Stockfish 15.1's own formula: skill = ((Elo - 1346.6) / 143.4)^(1 / 0.806) (search.cpp)."""
STRONG_ELO: Final = 2_600
NEARLY_ALL: Final = Fraction(9, 10)
GAMES_MIN: Final = 8
"""Fewer games of a pilot say nothing of a share near 1."""
ZERO: Final = "so that every delta is zero"
ADVICE: Final = f"{ZERO}; find a strength for a score of about one half with a pilot (docs/people-study.md)"


def engine_seats(plan: Plan) -> dict[str, list[str]]:
    """The seats of 4a, and who meets each of them."""
    found: dict[str, list[str]] = {}
    for person in people_of(plan):
        if SubPhase.ENGINE in person.matches:
            found.setdefault(person.matches[SubPhase.ENGINE].measured, []).append(person.name)
    return found


def full_strength_warnings(plan: Plan) -> Iterator[str]:
    """One warning for each seat of 4a that nothing holds back."""
    for name in engine_seats(plan):
        if words := full_strength(plan.seats[name]):
            yield f"{ascii_words(name)}: 4a is {words}, which takes nearly all points of nearly everybody, {ADVICE}"


def full_strength(seat: Seat) -> str:
    """An engine that beats nearly everybody, in words; empty for any other seat."""
    if isinstance(seat, UciSeat) and seat.elo:
        return f"{seat.kind_words} at Elo {seat.elo}" if seat.elo >= STRONG_ELO else ""
    engine = engine_at(seat)
    if engine is None or seat.engine_nodes < STRONG_NODES:
        return ""
    skill = engine.limits.get(Setting.SKILL, SKILL_MAX)
    if skill < STRONG_SKILL:
        return ""
    size = Setting.DEPTH if Setting.DEPTH in engine.limits else Setting.NODES
    strength = "full skill" if skill >= SKILL_MAX else f"skill {skill}"
    named = seat.kind_words if isinstance(seat, StockfishSeat | UciSeat) else engine.name
    return f"{named} at {size.words(engine.limits[size])} and {strength}"


def pilot_warnings(plan: Plan, matches: Sequence[PilotMatch]) -> Iterator[str]:
    """A warning for each seat of 4a that a pilot says to take, or to lose, nearly all points."""
    for name in engine_seats(plan):
        engine = engine_at(plan.seats[name])
        if engine and (words := _by_pilot(engine, matches)):
            yield f"{ascii_words(name)}: {words}, {ADVICE}"


def _by_pilot(engine: EngineAt, matches: Sequence[PilotMatch]) -> str:
    """By the games at no greater strength that were nearly all won, or at no less that were nearly all lost; else by
    the curve.
    """
    for setting, value in engine.limits.items():
        alike = [
            one
            for one in matches
            if setting in one.engine.limits and one.engine.others(setting) == engine.others(setting)
        ]
        scores = _scores(setting, alike)
        won = [at for at in scores if at <= value and scores[at] >= NEARLY_ALL]
        lost = [at for at in scores if at >= value and scores[at] <= 1 - NEARLY_ALL]
        for at in (*won, *lost):
            beside = "" if at == value else f" (this plan has {setting.words(value)})"
            return f"in the pilot it scored {float(scores[at]):.2f} of a point a game at {setting.words(at)}{beside}"
        if words := _by_curve(setting, value, alike):
            return words
    return ""


def _scores(setting: Setting, matches: Sequence[PilotMatch]) -> Mapping[int, Fraction]:
    """Points a game at each strength that has enough games."""
    by_value: dict[int, list[Fraction]] = {}
    for one in matches:
        by_value.setdefault(one.engine.limits[setting], []).extend(one.points)
    return {
        value: sum(points, Fraction(0)) / len(points) for value, points in by_value.items() if len(points) >= GAMES_MIN
    }


def _by_curve(setting: Setting, value: int, matches: Sequence[PilotMatch]) -> str:
    try:
        pilot = engine_pilot(matches)
    except NoPilot:
        return ""
    if pilot.half is None or pilot.setting is not setting:
        return ""
    score = pilot.half.curve.score(setting.log_strength(value))[0]
    if NEARLY_ALL > score > 1 - NEARLY_ALL:
        return ""
    return f"by the pilot's curve it scores {score:.2f} of a point a game at {setting.words(value)}"
