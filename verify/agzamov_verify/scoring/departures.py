"""Departures of a plan from its protocol's normative numbers (paper Table 8; SPEC S32), shifts and careers included."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final

from ..experiment.matches import Arm, Augmentation, Condition, Match, NakedPrompt, Phase
from ..experiment.opponent_patterns import ShiftKind, shift_kinds
from ..plan.manifest import Plan
from ..plan.streams import patterns_of, unit_results
from ..protocols import PROTOCOLS
from ..protocols.norms import Protocol, load_protocol
from ..table.decision import IllegalPolicy
from ..table.registry import GAMES
from .scorings import SCORINGS
from .units.score_constants import load_score_constants


def too_short(match: Match, plan: Plan) -> str:
    """The reason why the careers of a match are too short (docs/decisions/0040); empty where they are not."""
    game, least = GAMES[match.game], load_protocol(plan.protocol).verdict.career_units_min
    units = match.stream_results // unit_results(match, plan)
    return f"careers of {game.unit.counted(units)}, fewer than {least}" if match.careers and units < least else ""


OPPONENT = 1
"""Place of seat B, whose strategy is forced to change."""


def shift_departures(match: Match, plan: Plan, protocol: Protocol) -> Iterator[str]:
    """One line for each departure of a match's shifts."""
    game = GAMES[match.game]
    if not PROTOCOLS[plan.protocol].phases[match.phase].both:
        if match.shifts:
            yield f"{match.id}: the opponent's strategy is forced to change, in Phase {match.phase:d} it is not"
        return
    if not match.shifts and match.game in protocol.shift_after:
        first = game.result.counted(protocol.shift_after[match.game])
        yield f"{match.id}: no forced shift of the opponent's strategy, one after {first} is the protocol's"
    for index, kinds in enumerate(kinds_of_shifts(match, plan)):
        if not kinds:
            named = ", ".join(ShiftKind)
            yield f"{match.id}: the shift after {match.shifts[index].after:,} is of no kind of the protocol ({named})"
    rule = load_score_constants(protocol.id).learning.rules.get(match.game)
    course = match.planned // max(1, match.careers)
    marks = [0, *(shift.after for shift in match.shifts), course]
    if match.shifts and rule and min(end - start for start, end in pairwise(marks)) < rule.baseline_results:
        needed = game.result.counted(rule.baseline_results)
        yield f"{match.id}: fewer than {needed} before, between or after shifts, recovery is not tested there"


def kinds_of_shifts(match: Match, plan: Plan) -> list[tuple[ShiftKind, ...]]:
    """The kinds of each shift of a match, by the patterns of its game that seat B keeps before and after it."""
    patterns = [patterns_of(plan, match, OPPONENT, shifts) for shifts in range(len(match.shifts) + 1)]
    sorts = GAMES[match.game].pattern_sorts
    return [shift_kinds(before, after, sorts) for before, after in pairwise(patterns)]


def departures(plan: Plan) -> tuple[str, ...]:
    """One line for each departure, every rule compared; empty for a compliant plan.

    Those that weigh most on what may be believed come first: who is compared with what, then the rules of play and of
    the analysis, then sizes.
    """
    protocol = load_protocol(plan.protocol)
    compared = (*_arms(plan, protocol), *_seats(plan), *_opponents(plan), *_unequal(plan))
    rules = (*_rules(plan, protocol), *_play(plan, protocol), *_analysis(plan, protocol))
    return (*compared, *rules, *_robustness(plan, protocol), *_sizes(plan, protocol))


def _sizes(plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Matches of another size than required, and careers that are too few or too short."""
    for match in plan.matches:
        if match.measured not in plan.repeats:
            yield from SCORINGS[match.game].size_departures(match, plan, protocol)
        if match.condition.augmentation is not Augmentation.NAKED:
            yield from _careers(match, plan, protocol)


def _opponents(plan: Plan) -> Iterator[str]:
    """Matches without the Phase 0 match that they need, or against another opponent than their phase has."""
    version = PROTOCOLS[plan.protocol]
    for match in plan.matches:
        if match.measured in plan.repeats:
            continue
        if (
            version.has_gate
            and match.phase
            and not any(
                other.phase == 0 and other.measured == match.measured and other.game == match.game
                for other in plan.matches
            )
        ):
            yield f"{match.id}: no Phase 0 match of {match.measured} in this game"
        if version.phases[match.phase].opponent.self_play and not match.is_self_play:
            yield f"{match.id}: {' and '.join(at.seat for at in match.opponents)} is the opponent, self-play required"


def _arms(plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Systems that learn nothing, forced shifts, and sub-phases that are not played in all three arms at one size."""
    augmented = [match for match in plan.matches if match.condition.augmentation is not Augmentation.NAKED]
    if plan.naked_prompt is NakedPrompt.BARE and any(plan.memories_of(match) for match in augmented):
        yield "naked prompts are bare, as in the paper: the memory's frame required, by which no arm is known"
    for name in plan.systems_played:
        yield from plan.systems[name].departures(name)
    for match in augmented:
        yield from shift_departures(match, plan, protocol)
        rule = PROTOCOLS[plan.protocol].phases[match.phase]
        if match.condition.arm is not Arm.REAL or rule.both or rule.sub_phases:
            continue
        for arm in (Arm.NAKED, Arm.PLACEBO):
            others = [other for other in augmented if _is_other_arm(match, other, arm)]
            if not others:
                yield f"{match.id}: no {arm.value} arm beside it, three arms required"
            elif match.planned not in {other.planned for other in others}:
                yield f"{match.id}: its {arm.value} arm has another size, one size required"


def _careers(match: Match, plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Too few careers, and too short ones."""
    if 0 < match.careers < protocol.verdict.careers_min:
        yield f"{match.id}: {match.careers} careers planned, at least {protocol.verdict.careers_min} required"
    if short := too_short(match, plan):
        yield f"{match.id}: {short}"


def _is_other_arm(real: Match, other: Match, arm: Arm) -> bool:
    """True if a match is that arm of a real arm's sub-phase: a placebo of the same system."""
    place, there = real.condition, other.condition
    ours = (real.measured, real.game, real.phase, real.part, place.augmentation)
    same = ours == (other.measured, other.game, other.phase, other.part, there.augmentation)
    return same and there.arm is arm and there.system in ("", place.system)


def _analysis(plan: Plan, protocol: Protocol) -> Iterator[str]:
    if Fraction(plan.analysis.alpha) != Fraction(protocol.significance):
        yield f"hypotheses at alpha {plan.analysis.alpha}, {protocol.significance} required"
    for rule in plan.analysis.sequential:
        if rule.blocks_per_look:
            yield f"{rule.match}: may end early by its declared rule, whole length required"


def _play(plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Rules that have no number in the protocol file: their defaults are the protocol's."""
    for name in plan.games:
        yield from SCORINGS[name].play_departures(plan, protocol)


_OTHER: Final = {
    IllegalPolicy.SUBSTITUTE: "retried, substitution",
    IllegalPolicy.RETRY_THEN_FORFEIT: "substituted, three more tries and then a forfeit",
}
"""What a plan does with illegal actions where it departs from a protocol with this policy, and what is required."""


def _is_only_met_augmented(name: str, plan: Plan) -> bool:
    """True if a seat is only an opponent in phases of augmented play, where it may keep patterns (SPEC S5)."""
    phases, played = PROTOCOLS[plan.protocol].phases, [match for match in plan.matches if name in match.seats]
    return all(name != match.measured and phases[match.phase].augmented for match in played)


def _unequal(plan: Plan) -> Iterator[str]:
    """Models that meet under unlike limits, where every seat of a table is looked at."""
    phases = PROTOCOLS[plan.protocol].phases
    met = {name for match in plan.matches if phases[match.phase].every_seat for name in match.seats}
    models = [seat for name, seat in plan.playing.items() if name in met and seat.is_model]
    for field, words in (("tokens_limit", "tokens of a reply"), ("temperature", "temperature")):
        found = sorted({str(getattr(seat, field)) for seat in models if hasattr(seat, field)})
        if len(found) > 1:
            yield f"models meet under unlike limits of {words} ({', '.join(found)}), one for all required"


def _rules(plan: Plan, protocol: Protocol) -> Iterator[str]:
    version = PROTOCOLS[plan.protocol]
    # Rules of a game that is not played depart only where the plan sets them: defaults need not be this protocol's.
    names = [name for name in version.games if name in plan.games or plan.rules_of(name) != GAMES[name].rules()]
    for name in names:
        yield from SCORINGS[name].rule_departures(plan, protocol)
    if plan.engine.nodes != protocol.engine.nodes:
        yield f"adjudication by the engine at {plan.engine.nodes} nodes, {protocol.engine.nodes} required"
    if plan.engine.hash_mib != protocol.engine.hash_mib:
        yield f"adjudication by the engine with {plan.engine.hash_mib} MiB of hash, {protocol.engine.hash_mib} required"
    policies = [getattr(plan.rules_of(name), "illegal", version.illegal) for name in names]
    if set(policies) - {version.illegal}:
        yield f"illegal actions are {_OTHER[version.illegal]} required"


def _seats(plan: Plan) -> Iterator[str]:
    """Departures of seats: a briefing that a naked seat has not, and those of a seat's own settings.

    Of a seat of the robustness check alone, those of the seat that it repeats: its temperature is the check's.
    """
    repeats = plan.repeats
    measured_once = {name for match in plan.matches if match.measured not in repeats for name in match.seats}
    for name, seat in plan.playing.items():
        if seat.is_person and not PROTOCOLS[plan.protocol].people:
            yield f"seat {name} is a person, who is shown what is legal, a model or a scripted player required"
        if seat.briefing or (seat.patterns and not _is_only_met_augmented(name, plan)):
            yield f"seat {name} is told how to play or what to expect, a naked seat is told neither"
        is_repeat = name in repeats and name not in measured_once
        yield from (plan.seats[repeats[name].seat] if is_repeat else seat).departures(name)


def _robustness(plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Phase 2 conditions of a model that are not played again, at the temperature and in the size of the protocol."""
    norm, again = protocol.robustness, _repeated(plan, protocol)
    phase2 = [match for match in plan.matches if match.phase == Phase.ASYMMETRIC and match.measured not in plan.repeats]
    for name in dict.fromkeys(match.measured for match in phase2):
        seat = plan.seats[name]
        if not seat.has_temperature:
            continue
        conditions = [(name, match.game, match.condition) for match in phase2 if match.measured == name]
        if missing := len(conditions) - len(again & set(conditions)):
            yield (
                f"seat {name}: {missing} of {len(conditions)} conditions of Phase 2 without the robustness check,"
                f" {norm.contests_min} games (or sessions of hands) of each at temperature {norm.temperature} required"
            )


def _contest_results(match: Match, plan: Plan) -> int:
    return GAMES[match.game].contest_results(plan.rules_of(match.game), len(match.table))


def _repeated(plan: Plan, protocol: Protocol) -> set[tuple[str, str, Condition]]:
    """The seats and conditions that are played again as the protocol asks."""
    norm, repeats = protocol.robustness, plan.repeats
    found = set()
    for match in plan.matches:
        repeat = repeats.get(match.measured)
        least = norm.contests_min * _contest_results(match, plan)
        if repeat and Fraction(repeat.temperature) == Fraction(norm.temperature) and match.planned >= least:
            found.add((repeat.seat, match.game, match.condition))
    return found
