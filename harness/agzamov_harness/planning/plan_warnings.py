"""Warnings of a plan that may be played: gates that cannot be passed, controls of nothing, a protocol in draft."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from typing import Final

from agzamov_verify.core.columns import ascii_words
from agzamov_verify.experiment.matches import CONTROLS, Arm, Match, Phase
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols import is_draft
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.scoring.inference.power import critical_count, rate_reaching
from agzamov_verify.scoring.inference.proportions import HALF, binomial_p
from agzamov_verify.scoring.inference.significance import Alternative
from agzamov_verify.show.glossary import label
from agzamov_verify.table.registry import GAMES

from .study_forecast import study_warnings

SO_NOTHING: Final = "so nothing after it is played"


def plan_warnings(plan: Plan) -> Iterator[str]:
    """One sentence each; `plan` and `run` print them before anything is sealed."""
    for match in plan.matches:
        if impossible := impossible_gate(match, plan):
            yield f"{match.id}: {impossible}{f'; {SO_NOTHING}' if _stops_another(match, plan) else ''}"
    yield from study_warnings(plan)
    real = {_arm(match) for match in plan.matches if match.condition.arm is Arm.REAL}
    for match in plan.matches:
        if match.condition.arm in CONTROLS and _arm(match) not in real:
            yield (
                f"{match.id}: a control without the real arm of {ascii_words(match.condition.system)}, so it controls"
                " nothing; add the same match with arm: real"
            )
    for match in plan.matches:
        if lacks_naked(match, plan):
            yield (
                f"{match.id}: no match without {ascii_words(match.condition.system)}, so this run alone shows no effect"
                " of it; add the same match with arm: naked"
            )
    yield from _unused(plan)
    yield from _not_in_budget(plan)
    if is_draft(plan.protocol):
        yield f"protocol {plan.protocol} is a draft: a verifier of a later release may refuse this run's bundle"


def lacks_naked(match: Match, plan: Plan) -> bool:
    """True of a real arm of Phase 2 beside which nothing is played without its system."""
    if match.phase != Phase.ASYMMETRIC or match.condition.arm is not Arm.REAL:
        return False
    wanted = match.game, match.phase, match.measured, match.condition.augmentation
    return not any(
        (other.game, other.phase, other.measured, other.condition.augmentation) == wanted
        and other.condition.arm is Arm.NAKED
        and other.condition.system in ("", match.condition.system)
        for other in plan.matches
    )


def _unused(plan: Plan) -> Iterator[str]:
    """Seats and systems that no match names: nobody asks whether they could play."""
    systems = plan.systems.keys() - set(plan.systems_played)
    for kind, names in (("seat", plan.seats.keys() - plan.playing.keys()), ("system", systems)):
        for name in sorted(names):
            yield f"{kind} {ascii_words(name)}: no match names it, so it is neither checked nor played"


def _not_in_budget(plan: Plan) -> Iterator[str]:
    """Models that a budget does not stop, since nobody says what they cost."""
    unpriced = [name for name, seat in plan.playing.items() if seat.is_hosted and name not in plan.prices]
    if unpriced and Fraction(plan.budget.cost_usd_max):
        names = ", ".join(map(ascii_words, unpriced))
        yield f"the budget of {plan.budget.cost_usd_max} USD does not count {names}, without a price in prices"


def _arm(match: Match) -> tuple[str, Phase, str, str]:
    return match.game, match.phase, match.measured, match.condition.system


def _stops_another(gate: Match, plan: Plan) -> bool:
    """True if a later match of its game has the seat that must pass."""
    return any(match.phase and match.game == gate.game and gate.measured in match.seats for match in plan.matches)


def impossible_gate(match: Match, plan: Plan) -> str:
    """The reason why not even a seat that wins everything passes this Phase 0; empty where it may be passed."""
    if match.phase:
        return ""
    bound, units, least = _bound(plan), _contests(match, plan), _contests_least(plan)
    if units >= least:
        return ""
    p, contest = float(binomial_p(units, units, Alternative.GREATER)), GAMES[match.game].contest.many
    return (
        f"this {label('Phase 0')} can never be passed: {units} wins of {units} {contest} have p {p:.3g}; for p below"
        f" {float(bound):g} it needs at least {least} {contest}"
    )


def gate_words(match: Match, plan: Plan) -> str:
    """Wins that a Phase 0 needs, and how good a player passes it; why it cannot be passed; empty of other phases."""
    if match.phase:
        return ""
    if impossible := impossible_gate(match, plan):
        return f"WARNING: {impossible}"
    units, contest = _contests(match, plan), GAMES[match.game].contest.many
    wins = max(
        critical_count(units, _bound(plan), HALF),
        units * load_protocol(plan.protocol).phase0.win_percent_above // 100 + 1,
    )
    if not (rate := rate_reaching(wins, units)):
        return ""
    return (
        f"passed with {wins} wins of {units} {contest}; a player who truly wins {float(100 * rate):.0f} % of them"
        " passes with 80 % probability"
    )


def _bound(plan: Plan) -> Fraction:
    """A gate's p must be below it."""
    return Fraction(load_protocol(plan.protocol).phase0.p_below)


def _contests(match: Match, plan: Plan) -> int:
    """Games or sessions, each won or lost as a whole."""
    return match.planned // GAMES[match.game].contest_results(plan.rules_of(match.game), len(match.table))


def _contests_least(plan: Plan) -> int:
    """So many contests, all won, have a p below the bound: 2^-n < p."""
    return next(n for n in count(1) if binomial_p(n, n, Alternative.GREATER) < _bound(plan))
