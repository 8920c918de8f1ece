"""The small profile of a plan: the same design in few games between scripted players, in minutes and free of cost.

What it changes: every model is the reference player; matches, shifts and games are as small as each game's folder says
(`small_match`, `small_rules`); tools and the engine search few nodes; what a model would do by tool calls
the harness does. The robustness check is left out: a scripted player has no temperature. Nothing of it complies with
the protocol, and its report says where.
"""

from typing import Final

import msgspec

from agzamov_verify.analysis_plan import AnalysisPlan
from agzamov_verify.experiment import Match
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import Budget, Engine, ManifestError, Plan, Quality
from agzamov_verify.plan_problems import problems
from agzamov_verify.seats import ReferenceSeat, Seat

SUFFIX: Final = " (small)"
TITLE_CHARACTERS_MAX: Final = 200
NODES_MAX: Final = 1_000


def small(plan: Plan) -> Plan:
    """The small profile of a plan. Raises ManifestError where it cannot be played."""
    repeats = plan.repeats
    matches = tuple(_match(match, plan) for match in plan.matches if match.measured not in repeats)
    named = {name for match in matches for name in match.seats}
    rules = {name: GAMES[name].small_rules(plan.rules_of(name)) for name in GAMES}
    analysis = msgspec.structs.replace(plan.analysis, sequential=AnalysisPlan().sequential)
    made = msgspec.structs.replace(
        plan,
        title=plan.title[: TITLE_CHARACTERS_MAX - len(SUFFIX)] + SUFFIX,
        seats={name: _seat(seat) for name, seat in plan.seats.items() if name in named},
        matches=matches,
        systems={name: system.small() for name, system in plan.systems.items()},
        engine=Engine(plan.engine.hash_mib, min(plan.engine.nodes, NODES_MAX)),
        quality=Quality(min(plan.quality.nodes, NODES_MAX)),
        prices={},
        budget=Budget(),
        analysis=analysis,
        **rules,
    )
    if wrong := problems(made):
        raise ManifestError("\n".join(f"its small profile cannot be played: {problem}" for problem in wrong))
    return made


def _match(match: Match, plan: Plan) -> Match:
    """A match in its small size, its shifts at the same parts of it."""
    made: Match = GAMES[match.game].small_match(match, plan.rules_of(match.game))
    shifts = tuple(
        msgspec.structs.replace(shift, after=max(1, shift.after * made.planned // match.planned))
        for shift in match.shifts
    )
    return msgspec.structs.replace(made, shifts=shifts)


def _seat(seat: Seat) -> Seat:
    """The reference player in the place of a model; it keeps the same patterns, and reads the same briefing."""
    return ReferenceSeat(seat.patterns, seat.briefing) if seat.is_model else seat
