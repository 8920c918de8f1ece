"""All results of a run: counts and exact sums, which the harness claims and verify recomputes by the same function.

Every estimate, interval, rate and p-value is in the analysis.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..experiment import Arm, Condition, Match
from ..games.decision import Tally
from ..games.game import Block
from ..manifest import Plan
from ..protocol import Protocol, load_protocol
from ..protocols import PROTOCOLS
from .compliance import departures
from .counts import Counts
from .game_scoring import Played
from .inference.proportions import binomial_p
from .inference.significance import Alternative
from .registry import SCORINGS, AnyCounts
from .seat_stats import FREE, SeatStats, seat_stats

FORMAT: Final = "agz-results-1"


class Gate(msgspec.Struct, frozen=True):
    """Phase 0: more wins, fewer errors and a smaller p than the protocol's bounds, or no further."""

    passed: bool
    reason: str


class MatchResult(msgspec.Struct, frozen=True):
    """One match. `condition` and `result` are seat A's, `b_condition` is seat B's, `seat_stats` all seats' in order.

    `gate` is for Phase 0. `part`: the class of positions that it was played from, in Phase 5.
    """

    id: str
    phase: int
    game: str
    a: str
    b: str
    condition: Condition
    b_condition: Condition
    result: AnyCounts
    seat_stats: tuple[SeatStats, ...]
    gate: Gate | None
    part: str

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the seats that seat A met, each once."""
        return tuple(dict.fromkeys(stats.seat for stats in self.seat_stats[1:]))

    @property
    def is_baseline(self) -> bool:
        """True for self-play under one condition, which has no winner to speak of."""
        return self.opponents == (self.a,) and self.condition.arm is Arm.NAKED


class Results(msgspec.Struct, frozen=True):
    """Results recomputed from the journals alone."""

    format: str
    run: str
    protocol: str
    departures: tuple[str, ...]
    matches: tuple[MatchResult, ...]
    not_played: tuple[str, ...]


def results_of(run: str, plan: Plan, blocks: Mapping[str, Sequence[Block]]) -> Results:
    """The results of a run from its blocks by match id; a match without blocks was not played."""
    played = tuple(match_result(match, blocks[match.id], plan, run) for match in plan.matches if match.id in blocks)
    missing = tuple(match.id for match in plan.matches if match.id not in blocks)
    return Results(FORMAT, run, plan.protocol, departures(plan), played, missing)


def match_result(match: Match, blocks: Sequence[Block], plan: Plan, run: str = "") -> MatchResult:
    """The result of one match from its blocks in order."""
    protocol, played = load_protocol(plan.protocol), Played(run, plan, match, blocks)
    result, tallies = SCORINGS[match.game].count(played), played.tallies
    stats = tuple(
        seat_stats(name, tally, plan.prices.get(name, FREE), protocol.error_flag_percent)
        for name, tally in zip(match.seats, tallies, strict=True)
    )
    gate = _gate(result, tallies[0], protocol) if PROTOCOLS[plan.protocol].phases[match.phase].gate else None
    named = match.id, match.phase, match.game, match.a, match.b
    return MatchResult(*named, match.condition, match.b_condition, result, stats, gate, match.part)


def _gate(result: Counts, tally: Tally, protocol: Protocol) -> Gate:
    wins, n = result.wins
    errors = Fraction(tally.faults, tally.decisions) if tally.decisions else Fraction(1)
    norm = protocol.phase0
    reasons = []
    if 100 * wins <= norm.win_percent_above * n:
        reasons.append(f"{wins} wins of {n} are not above {norm.win_percent_above} %")
    if 100 * errors >= norm.error_percent_below:
        reasons.append(f"the error rate is not below {norm.error_percent_below} %")
    if binomial_p(wins, n, Alternative.GREATER) >= Fraction(norm.p_below):
        reasons.append(f"the binomial p is not below {norm.p_below}")
    return Gate(not reasons, "; ".join(reasons))
