"""A study with people as its plan has it: who plays against what, and everything that makes such a plan impossible.

A person is a seat that is met and never measured, of any kind. The matches of a person are of one sub-phase each:

    4a            seat A has no system, and is not the seat of the other sub-phases: an engine alone
    4b            seat A has a tool
    4c            seat A has a tool and a memory, which is a career of this person's games in this sub-phase
    model         seat A without a system, model_memory with a memory alone: the two further arms of draft-H18

The engine's strength is that of the seat of 4a. People who meet the same one are a stratum.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from ..experiment.matches import MEASURED, Arm, Augmentation, Match, condition_key
from ..experiment.people_settings import PeopleSettings, SubPhase
from ..experiment.plan_fields import Problem
from ..protocols import PROTOCOLS
from ..table.registry import GAMES
from .manifest import Plan

PERSON = 1
"""The index of the person's seat at the table."""
NEEDED = (SubPhase.ENGINE, SubPhase.ENGINE_MODEL, SubPhase.ENGINE_MODEL_MEMORY)
"""Sub-phases without which none of the three deltas can be had."""
BY_AUGMENTATION = {
    Augmentation.TOOLS: SubPhase.ENGINE_MODEL,
    Augmentation.FULL: SubPhase.ENGINE_MODEL_MEMORY,
    Augmentation.MEMORY: SubPhase.MODEL_MEMORY,
}


class Person(NamedTuple):
    """One person. `stratum`: the name of the seat that plays 4a, whose strength is the stratum's."""

    name: str
    stratum: str
    matches: Mapping[SubPhase, Match]


def is_study(plan: Plan) -> bool:
    """Whether the protocol of a plan is one of studies with people."""
    return any(rule.sub_phases for rule in PROTOCOLS[plan.protocol].phases.values())


def settings_of(plan: Plan) -> PeopleSettings:
    """The settings of a study; the defaults where the plan has none."""
    return PeopleSettings() if isinstance(plan.people, msgspec.UnsetType) else plan.people


def sub_phase_of(match: Match, plan: Plan) -> SubPhase | None:
    """The sub-phase of a match by its condition; None where it is of none."""
    condition = match.condition
    if condition.augmentation is Augmentation.NAKED:
        models = {other.measured for other in plan.matches if other.condition.augmentation is not Augmentation.NAKED}
        return SubPhase.MODEL if match.measured in models else SubPhase.ENGINE
    return BY_AUGMENTATION.get(condition.augmentation) if condition.arm is Arm.REAL else None


def people_of(plan: Plan) -> list[Person]:
    """The people of a study, in the order of the plan; none in a plan of another protocol."""
    if not is_study(plan):
        return []
    found: dict[str, dict[SubPhase, Match]] = {}
    for match in plan.matches:
        if sub_phase := sub_phase_of(match, plan):
            found.setdefault(match.seats[PERSON], {}).setdefault(sub_phase, match)
    return [
        Person(name, matches[SubPhase.ENGINE].measured if SubPhase.ENGINE in matches else "", _in_order(matches))
        for name, matches in found.items()
    ]


def sub_phases_of(plan: Plan) -> tuple[SubPhase, ...]:
    """The sub-phases that a study has, in their order."""
    played = {sub_phase for person in people_of(plan) for sub_phase in person.matches}
    return tuple(one for one in SubPhase if one in played)


def pairs_each(plan: Plan) -> int:
    """Start pairs of each person in each sub-phase."""
    match = next(match for person in people_of(plan) for match in person.matches.values())
    return match.planned // _unit_results(match, plan)


def tool_nodes(match: Match, plan: Plan) -> int:
    """Nodes of each search of the engine that seat A asks; 0 where it asks none."""
    tool = plan.tool_of(match, MEASURED)
    return tool.nodes if tool else 0


def people_problems(plan: Plan) -> Iterator[Problem]:
    """Everything that makes a study with people impossible, or a plan of another protocol that has its key."""
    if not is_study(plan):
        if not isinstance(plan.people, msgspec.UnsetType):
            yield Problem("people", f"expected nothing: {plan.protocol} is no protocol of studies with people")
        return
    if isinstance(plan.people, msgspec.UnsetType):
        yield Problem("people", "expected the settings of the study, {} for the defaults")
    elif plan.people.hold and plan.people.hold.most_s < plan.people.hold.median_s:
        hold = plan.people.hold
        yield Problem("people.hold.most_s", f"expected {hold.median_s} or more, found {hold.most_s}")
    seen = set[tuple[str, SubPhase]]()
    for index, match in enumerate(plan.matches):
        yield from _match_problems(f"matches[{index}]", match, plan, seen)
    for person in people_of(plan):
        yield from _person_problems(person, plan)


def _match_problems(path: str, match: Match, plan: Plan, seen: set[tuple[str, SubPhase]]) -> Iterator[Problem]:
    sub_phase, name = sub_phase_of(match, plan), match.seats[PERSON]
    if sub_phase is None:
        words = "none (4a), tools with arm real (4b), full with arm real (4c), or memory with arm real"
        yield Problem(f"{path}.{condition_key(MEASURED)}", f"expected {words}")
        return
    if (name, sub_phase) in seen:
        why = "a person meets one engine at one strength; give a person who meets another one another name"
        yield Problem(path, f"expected one match of {name} in {sub_phase.value}, found another: {why}")
    seen.add((name, sub_phase))
    if name in {other.measured for other in plan.matches}:
        yield Problem(f"{path}.b", f"expected a person, found {name}, which is measured")
    if match.others or match.shifts:
        yield Problem(path, "expected one person, and no shifts")
    remembers = any(plan.memories_of(match))
    if match.careers != int(remembers):
        expected = "1: a person's games of a sub-phase are one career" if remembers else "0"
        yield Problem(f"{path}.careers", f"expected {expected}, found {match.careers}")
    if not remembers and match.block_results != _unit_results(match, plan):
        yield Problem(
            f"{path}.block_games", f"expected {_unit_results(match, plan)}: the order is drawn by start pairs"
        )


def _person_problems(person: Person, plan: Plan) -> Iterator[Problem]:
    """Each person plays all arms, alike many games of each, by one model."""
    first = people_of(plan)[0]
    if missing := [one.value for one in NEEDED if one not in person.matches]:
        yield Problem("matches", f"expected matches of {person.name} in {', '.join(missing)}: each plays all arms")
    elif person.matches.keys() != first.matches.keys():
        yield Problem("matches", f"expected the sub-phases of {first.name} for {person.name}: each plays all arms")
    sizes = {match.planned for match in (*person.matches.values(), *first.matches.values())}
    if len(sizes) > 1:
        found = ", ".join(map(str, sorted(sizes)))
        yield Problem("matches", f"expected as many games of {person.name} in each sub-phase as of all, found {found}")
    models = {match.measured for one, match in person.matches.items() if one is not SubPhase.ENGINE}
    if len(models) > 1:
        yield Problem("matches", f"expected one seat in the arms of {person.name} with a model, found {sorted(models)}")


def _unit_results(match: Match, plan: Plan) -> int:
    return GAMES[match.game].unit_results(plan.rules_of(match.game), len(match.table))


def _in_order(matches: Mapping[SubPhase, Match]) -> dict[SubPhase, Match]:
    return {one: matches[one] for one in SubPhase if one in matches}
