"""Problems of a plan's conditions: of one match, of the system that it names, and of the arms that are compared."""

from collections.abc import Iterator
from itertools import islice

from ..core.did_you_mean import did_you_mean
from ..experiment.matches import Arm, Augmentation, Condition, Match, Phase, SeatAt, condition_key, seat_key
from ..experiment.plan_fields import Problem
from ..protocols import PROTOCOLS
from ..protocols.norms import load_protocol
from ..protocols.opponents import ANY_SEAT, PhaseRule
from ..systems import System
from ..table.registry import GAMES
from .manifest import Plan
from .streams import career_contests, stores_until, unit_results

SHIFTS_MAX = 16
"""Shifts of one match: each costs its verifier a test of recovery."""

SYSTEMS_NAMED_MAX = 20
ONE_OPPONENT = "arms meet one opponent"
OWN_RECORD = "each has a store and a record of its own"


def condition_problems(plan: Plan) -> Iterator[Problem]:
    """Problems of the conditions and shifts that make `plan` impossible."""
    games = PROTOCOLS[plan.protocol].games
    phrases = {name: game.search_phrases for name, game in GAMES.items() if name in games}
    for name, system in plan.systems.items():
        of_plan = (*system.text_problems(phrases), *system.norm_problems(load_protocol(plan.protocol)))
        yield from (problem.below(f"systems.{name}") for problem in of_plan)
    first: dict[tuple[str, str, int, Augmentation, str], Match] = {}
    for index, match in enumerate(plan.matches):
        path = f"matches[{index}]"
        yield from _condition(path, match, plan)
        yield from _shifts(path, match, plan)
        for seat_index, at in enumerate(match.table):
            yield from _system(f"{path}.{condition_key(seat_index)}", match, at, plan)
        yield from _careers(path, match, plan)
        if match.condition.augmentation is not Augmentation.NAKED and not _is_of_people(match, plan):
            sub_phase = (match.measured, match.game, match.phase, match.condition.augmentation, match.part)
            yield from _arm(path, match, first.setdefault(sub_phase, match))
    yield from _repeats(plan)


def _is_of_people(match: Match, plan: Plan) -> bool:
    """Whether a match is of a study with people, whose arms are compared within each person."""
    rule = PROTOCOLS[plan.protocol].phases.get(match.phase)
    return rule is not None and rule.sub_phases


def _condition(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    """The rule of the match's phase about its condition and shifts."""
    phases = PROTOCOLS[plan.protocol].phases
    rule = phases.get(match.phase, PhaseRule(ANY_SEAT, augmented=True))
    if match.phase not in phases:
        known = ", ".join(str(int(phase)) for phase in phases)
        yield Problem(f"{path}.phase", f"expected one of {known}, found {match.phase:d}")
    is_naked = match.condition.augmentation is Augmentation.NAKED
    if rule.augmented == is_naked and not rule.sub_phases:
        expected = "an augmentation, with arm naked for its control" if is_naked else "none"
        yield Problem(f"{path}.condition", f"expected {expected} in Phase {match.phase:d}")
    yield from _opponents_conditions(path, match, rule)
    if not rule.augmented and match.shifts:
        yield Problem(f"{path}.shifts", f"expected none in Phase {match.phase:d}")
    if rule.positions and not match.part:
        yield Problem(path, f"expected positions in Phase {match.phase:d}: a class that its game has, as chess960")
    elif match.part and not rule.positions:
        yield Problem(f"{path}.positions", f"expected none in Phase {match.phase:d}, which is played from starts")


def _opponents_conditions(path: str, match: Match, rule: PhaseRule) -> Iterator[Problem]:
    """Each opponent has a system of its own where the phase augments all seats, and a name of its own."""
    for seat_index, at in enumerate(match.table):
        if not seat_index:
            continue
        key = f"{path}.{condition_key(seat_index)}"
        if not rule.both and at.condition != Condition():
            yield Problem(key, f"expected none in Phase {match.phase:d}: seat A alone has a system")
        if not rule.both:
            continue
        if at.condition.augmentation is Augmentation.NAKED or at.condition.arm is not Arm.REAL:
            seats = "both seats have" if len(match.opponents) == 1 else "every seat has"
            yield Problem(key, f"expected an augmentation with arm real in Phase {match.phase:d}: {seats} a system")
        if at.seat in match.seats[:seat_index]:
            message = (
                f"expected another seat than {at.seat}, of the same model: each has a store and a record of its own"
            )
            yield Problem(f"{path}.{seat_key(seat_index)}", message)


def _shifts(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    if len(match.shifts) > SHIFTS_MAX:
        yield Problem(f"{path}.shifts", f"expected at most {SHIFTS_MAX}, found {len(match.shifts)}")
        return
    if match.shifts and match.is_self_play:
        yield Problem(f"{path}.shifts", "expected none in self-play: they change the strategy of another seat")
    if match.shifts and GAMES[match.game].deals_twice(plan.rules_of(match.game)):
        yield Problem(f"{path}.shifts", "expected none where decks are mirrored: both strategies would play one deck")
    for index, shift in enumerate(match.shifts):
        first = match.shifts[index - 1].after if index else 0
        course = match.planned // max(1, match.careers)
        if not first < shift.after < course:
            message = f"expected more than {first} and fewer than {course}, found {shift.after}"
            yield Problem(f"{path}.shifts[{index}].after", message)


def _careers(path: str, match: Match, plan: Plan) -> Iterator[Problem]:
    """Careers are of augmented phases, equal, of whole units, and as many in every match of one game."""
    rules, game = plan.rules_of(match.game), GAMES[match.game]
    stores = [name for name in plan.memories_of(match) if name]
    if stores and match.careers:
        yield from _stale(match, plan)
    if stores and not match.careers:
        yield Problem(f"{path}.careers", f"expected a number of careers: {stores[0]} keeps a store from game to game")
    if not match.careers:
        return
    if match.condition.augmentation is Augmentation.NAKED:
        yield Problem(f"{path}.careers", "expected none: without an augmentation nothing lasts from game to game")
    if game.deals_twice(rules):
        yield Problem(f"{path}.careers", "expected none where decks are mirrored: a career would meet a deck twice")
    if match.planned % (match.careers * unit_results(match, plan)):
        message = f"expected a number that divides {match.planned} into whole {game.unit.many}, found {match.careers}"
        yield Problem(f"{path}.careers", message)
    first = next(candidate for candidate in plan.matches if candidate.game == match.game and candidate.careers)
    if match.careers != first.careers:
        yield Problem(f"{path}.careers", f"expected {first.careers} as in {first.id}, found {match.careers}")
    if any(rule.match == match.id for rule in plan.analysis.sequential):
        yield Problem(f"{path}.careers", "expected none in a match that is watched: careers are no sequence")


def _stale(match: Match, plan: Plan) -> Iterator[Problem]:
    """In the stale arm some contests of a career are stored, and some are not."""
    contests = career_contests(plan, match)
    for seat_index, name in enumerate(plan.memories_of(match)):
        until = stores_until(plan, match, seat_index) if name else None
        if until is not None and until >= contests:
            message = f"expected fewer than the {contests} contests of a career of {match.id}, found {until}"
            yield Problem(f"systems.{name}.stale_after", message)


def _system(path: str, match: Match, at: SeatAt, plan: Plan) -> Iterator[Problem]:
    """Problems of a seat's system."""
    seat, condition = at.seat, at.condition
    if condition.arm is Arm.NAKED:
        if condition.system:
            yield Problem(f"{path}.system", "expected none: in the naked arm a seat has its prompt alone")
        return
    system = plan.systems.get(condition.system)
    if system is None:
        systems = list(islice(plan.systems, SYSTEMS_NAMED_MAX))
        found = f"found {condition.system or 'none'}{did_you_mean(condition.system, systems)}"
        named = ", ".join(systems) or "(the plan names none)"
        yield Problem(f"{path}.system", f"expected one of the systems {named}; {found}")
        return
    if condition.augmentation not in system.augmentations:
        expected = ", ".join(sorted(system.augmentations))
        yield Problem(f"{path}.augmentation", f"expected {expected} with system {condition.system}")
    if condition.arm not in system.arms:
        expected = ", ".join(sorted(system.arms))
        yield Problem(f"{path}.arm", f"expected {expected} with system {condition.system}, found {condition.arm}")
        return
    yield from _parts(condition.system, system, plan)
    for name, one in {condition.system: system, **plan.parts_of(condition.system)}.items():
        yield from _for_game(path, name, one, match)
        yield from _use(name, one, seat, plan)
        yield from (problem.below(f"systems.{name}") for problem in one.problems(condition.arm))


def _parts(whole: str, system: System, plan: Plan) -> Iterator[Problem]:
    """The systems that one is made of: each is of its augmentation, and the harness asks it."""
    for name, augmentation in system.parts.items():
        part = plan.systems.get(name)
        if part is None or augmentation not in part.augmentations:
            fitting = (other for other, one in plan.systems.items() if augmentation in one.augmentations)
            near = did_you_mean(name, islice(fitting, SYSTEMS_NAMED_MAX))
            message = f"expected a system of the plan for {augmentation}, found {name}{near}"
            yield Problem(f"systems.{whole}", message)
        elif part.needs_tool_calls:
            message = f"expected harness: {name} is a part of {whole}, whose parts the harness asks"
            yield Problem(f"systems.{name}.use", message)


def _for_game(path: str, name: str, system: System, match: Match) -> Iterator[Problem]:
    """The name of a system, and its requirements of the game."""
    game = GAMES[match.game]
    if problem := system.name_problem(name):
        yield Problem(f"systems.{name}", problem)
    if system.keeps_store and not game.remembers:
        yield Problem(path, f"expected no memory: {game.title} has no notes to store")
    if system.asks_tool and not game.tool_templates:
        yield Problem(path, f"expected no tools: {game.title} has no tool")
    if lack := system.lacks(match.game):
        yield Problem(f"{path}.system", f"expected a system for {game.title}: {lack}")


def _use(name: str, system: System, seat_name: str, plan: Plan) -> Iterator[Problem]:
    """A system that is used by tool calls needs a model that calls tools; ways of use are never mixed in a matrix."""
    path, seat = f"systems.{name}.use", plan.seats.get(seat_name)
    if system.needs_tool_calls and seat and not seat.calls_tools:
        yield Problem(path, f"expected harness: {seat_name} is {seat.noun}, which calls no tools")
    ways = plan.ways_of_use.get(system.kind, [])
    if len(ways) > 1:
        found = f"expected one way of use of all systems of kind {system.kind}, found {' and '.join(ways)}"
        yield Problem(path, f"{found}: a matrix never mixes them")


def _arm(path: str, match: Match, first: Match) -> Iterator[Problem]:
    """Arms of one sub-phase are compared, so they differ in the condition alone: a delta is not of two opponents."""
    if len(match.table) != len(first.table):
        yield Problem(f"{path}.others", f"expected {len(first.table)} seats as in {first.id}: arms meet one table")
        return
    for seat_index, (at, base) in enumerate(zip(match.table, first.table, strict=True)):
        if at.seat != base.seat:
            yield Problem(f"{path}.{seat_key(seat_index)}", f"expected {base.seat} as in {first.id}: {ONE_OPPONENT}")
        if seat_index and at.condition != base.condition:
            yield Problem(f"{path}.{condition_key(seat_index)}", f"expected that of {first.id}: {ONE_OPPONENT}")
    if match.shifts != first.shifts:
        yield Problem(f"{path}.shifts", f"expected those of {first.id}: arms meet one strategy")
    if match.careers != first.careers:
        yield Problem(f"{path}.careers", f"expected {first.careers} as in {first.id}: arms are played alike")


def _repeats(plan: Plan) -> Iterator[Problem]:
    """The robustness check repeats a delta at temperature 0, so both need an opponent with the same briefing."""
    repeats = plan.repeats
    first: dict[tuple[str, str, Augmentation], Match] = {}
    deltas = [(index, match) for index, match in enumerate(plan.matches) if match.phase == Phase.ASYMMETRIC]
    for _, match in deltas:
        first.setdefault((match.measured, match.game, match.condition.augmentation), match)
    for index, match in deltas:
        repeat = repeats.get(match.measured)
        base = repeat and first.get((repeat.seat, match.game, match.condition.augmentation))
        if base and _opponents_told(match, plan) != _opponents_told(base, plan):
            names = ", ".join(at.seat for at in base.opponents)
            message = f"expected a seat with the patterns and briefing of {names}, as in {base.id}"
            why = f"{match.measured} repeats {base.measured} at another temperature"
            yield Problem(f"matches[{index}].{seat_key(1)}", f"{message}: {why}")
        if base and match.shifts != base.shifts:
            yield Problem(f"matches[{index}].shifts", f"expected those of {base.id}, which {match.measured} repeats")


def _opponents_told(match: Match, plan: Plan) -> list[object]:
    """What the opponents are told: all in which they differ from seat A in Phase 2, but for a seat that is missing."""
    opponents = (plan.seats.get(at.seat) for at in match.opponents)
    return [(seat.patterns, seat.briefing) for seat in opponents if seat]
