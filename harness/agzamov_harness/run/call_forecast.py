"""Expected number of calls of a plan's seats: from its sizes, and from what is assumed about games and players.

`agzamov plan` prints it with what follows from it (`planning.workload`); a run that plays says by it how far it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.table.planted import PER_MILLE, PERCENT
from agzamov_verify.table.registry import GAMES

from .assumptions import Assumptions
from .simulated_length import simulated_decisions

TOOL_CALLS_ASSUMED: Final = 2
"""Calls of a model for each decision where it searches its memory by tool calls: the search, and the decision."""


def decisions(match: Match, plan: Plan, assumed: Mapping[str, Fraction]) -> Fraction:
    """The expected number of decisions of all seats together in one result: the mean over the rules it is played by."""
    game, rules = GAMES[match.game], rules_played(match, plan)
    if game.has_finishing_order(plan.rules_of(match.game)):
        return simulated_decisions(match.game, plan.rules_of(match.game), len(match.seats))
    return sum((game.decisions(each, assumed) for each in rules), Fraction(0)) / len(rules)


def judgements(match: Match) -> Fraction:
    """Questions to seat A before a first move (who stands better)."""
    return GAMES[match.game].judgements(match)


def rules_played(match: Match, plan: Plan) -> Sequence[Any]:
    """The rules of a match's results: one for all, or one for each that it has."""
    return GAMES[match.game].rules_played(match, plan.rules_of(match.game))


def calls_a_seat(match: Match, plan: Plan, assumptions: Assumptions) -> int:
    """Each of the seats; a seat that plays itself is asked twice as often, once under each letter."""
    return ceil(match.planned * decisions(match, plan, assumptions.by_name) / len(match.seats))


def calls_a_decision(match: Match, seat_index: int, plan: Plan) -> int:
    """Calls of a seat for each decision: two where it calls tools, or names candidates for one."""
    if any(system.needs_tool_calls for system in plan.parts_of(match.systems[seat_index]).values()):
        return TOOL_CALLS_ASSUMED
    use = plan.tool_of(match, seat_index)
    return 2 if use and (use.is_steered or GAMES[match.game].names_candidates) else 1


def planted_questions(decisions_of_seat: int, plan: Plan) -> int:
    """The expected number of planted questions of a model's seat that makes so many decisions in a match."""
    norm = load_protocol(plan.protocol).planted
    common = Fraction(norm.common_permille * decisions_of_seat, PER_MILLE) + norm.common_min
    again = Fraction(norm.again_permille * decisions_of_seat, PER_MILLE) + norm.again_min
    return ceil(common * (1 + Fraction(norm.twice_percent, PERCENT)) + 2 * again)


def calls_at_table(match: Match, plan: Plan, assumptions: Assumptions) -> Iterator[tuple[str, int, int]]:
    """Of each seat at the table: its name, its expected calls for decisions, and its expected planted questions."""
    decided = calls_a_seat(match, plan, assumptions)
    for index, name in enumerate(match.seats):
        asked = decided * calls_a_decision(match, index, plan) + (0 if index else ceil(judgements(match)))
        yield name, asked, planted_questions(decided, plan) if plan.seats[name].is_model else 0


def calls_of_seats(match: Match, plan: Plan, assumptions: Assumptions) -> dict[str, int]:
    """The expected number of calls of each seat in a match, planted questions among them."""
    calls = dict[str, int]()
    for name, asked, planted in calls_at_table(match, plan, assumptions):
        calls[name] = calls.get(name, 0) + asked + planted
    return calls


def model_calls(plan: Plan, assumptions: Assumptions) -> int:
    """The expected number of calls of all seats of models, planted questions among them."""
    rows = (row for match in plan.matches for row in calls_at_table(match, plan, assumptions))
    return sum(asked + planted for name, asked, planted in rows if plan.seats[name].is_model)
