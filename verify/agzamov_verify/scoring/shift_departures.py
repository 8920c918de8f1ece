"""Departures of a plan's forced shifts: where there are none, of which kind they are, and room to measure recovery."""

from collections.abc import Iterator
from itertools import pairwise

from ..experiment import Match
from ..games.patterns import ShiftKind, shift_kinds
from ..games.registry import GAMES
from ..manifest import Plan
from ..protocol import Protocol
from ..protocols import PROTOCOLS
from ..streams import patterns_of
from .score_constants import load_score_constants

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
    return [shift_kinds(before, after) for before, after in pairwise(patterns)]
