"""All results of a run: counts and exact sums, which the harness claims and verify recomputes by the same function.

Every estimate, interval, rate and p-value is in the analysis.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from ..core.seat_letters import seat_index_of, seat_letter
from ..experiment.matches import Arm, Condition, Match, SeatAt, others_of
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..table.game import Block
from ..table.registry import GAMES
from .departures import departures
from .game_scoring import Played, blocks_played, match_of
from .gate import Gate, gate_of, is_gate
from .own_actions import why_forfeited, why_no_finding
from .scorings import SCORINGS, AnyCounts
from .seat_stats import SeatStats, stats_of
from .team_outcomes import TeamOutcome, team_outcomes

FORMAT: Final = "agz-results-1"


class MatchResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """One match as one of its seats sees it, which is the one that is looked at.

    `id`: that of the match (`Match.id`); where several of its seats are looked at, `@` and the letter of this one
    behind it. `side`: its letter. `table`: all seats with their conditions; `seat_stats` are theirs, in that order.
    `result` is that of the seat that is looked at. `gate` is for Phase 0. `part`: the class of positions
    that it was played from, in Phase 5. `teams`: what each team won, in the first row of the match; left out where
    the game has none. `no_finding`: why nothing is found about its seats (`own_actions`); left out where it may be.
    """

    id: str
    phase: int
    game: str
    side: str
    table: tuple[SeatAt, ...]
    result: AnyCounts
    seat_stats: tuple[SeatStats, ...]
    gate: Gate | None
    part: str
    teams: tuple[TeamOutcome, ...] = ()
    no_finding: str = ""

    @property
    def match(self) -> str:
        """The id of the match."""
        return match_of(self.id)

    @property
    def seat_index(self) -> int:
        """The index of the seat that is looked at."""
        return seat_index_of(self.side)

    @property
    def measured(self) -> str:
        """The name of the seat that is looked at."""
        return self.table[self.seat_index].seat

    @property
    def condition(self) -> Condition:
        """The condition of the seat that is looked at."""
        return self.table[self.seat_index].condition

    @property
    def stats(self) -> SeatStats:
        """Counts of the seat that is looked at."""
        return self.seat_stats[self.seat_index]

    @property
    def opponents(self) -> tuple[SeatAt, ...]:
        """The other seats of the table, in order."""
        return others_of(self.table, self.seat_index)

    @property
    def is_self_play(self) -> bool:
        """True if one seat has every chair of the table."""
        return len({at.seat for at in self.table}) == 1

    @property
    def is_baseline(self) -> bool:
        """True for self-play under one condition, which has no winner to speak of."""
        return self.is_self_play and self.condition.arm is Arm.NAKED


class Results(msgspec.Struct, frozen=True):
    """Results recomputed from the journals alone."""

    format: str
    run: str
    protocol: str
    departures: tuple[str, ...]
    matches: tuple[MatchResult, ...]
    not_played: tuple[str, ...]

    @property
    def of_matches(self) -> Sequence[MatchResult]:
        """One row of each match: where several of its seats are looked at, each row has the statistics of all seats."""
        return list({row.match: row for row in reversed(self.matches)}.values())[::-1]

    @property
    def failed_gates(self) -> tuple[str, ...]:
        """The ids of the matches whose gate was not passed."""
        return tuple(row.match for row in self.matches if row.gate and not row.gate.passed)


def results_of(run: str, plan: Plan, blocks: Mapping[str, Sequence[Block]]) -> Results:
    """The results of a run from its blocks by match id; a match without blocks was not played."""
    blocks = blocks_played(blocks)
    played = tuple(
        result
        for match in plan.matches
        if match.id in blocks
        for result in match_results(match, blocks[match.id], plan, run)
    )
    missing = tuple(match.id for match in plan.matches if match.id not in blocks)
    return Results(FORMAT, run, plan.protocol, departures(plan), played, missing)


def without_forfeited(results: Results) -> Results:
    """The results as a person is shown them: matches that forfeits decided have no finding either (`own_actions`)."""
    rows = tuple(row if row.no_finding else without_forfeited_row(row, results.protocol) for row in results.matches)
    return msgspec.structs.replace(results, matches=rows)


def without_forfeited_row(row: MatchResult, protocol: str) -> MatchResult:
    """One row as `without_forfeited` has it."""
    why = why_forfeited(row.seat_stats, row.result.count, GAMES[row.game].result.many, protocol)
    return msgspec.structs.replace(row, no_finding=why) if why else row


def match_results(match: Match, blocks: Sequence[Block], plan: Plan, run: str = "") -> list[MatchResult]:
    """The results of one match, one for each seat that is looked at, from its blocks in order."""
    return [match_result(match, seat_index, blocks, plan, run) for seat_index in plan.looked_at(match)]


def match_result(match: Match, seat_index: int, blocks: Sequence[Block], plan: Plan, run: str = "") -> MatchResult:
    """The result of one match for one of its seats, from its blocks in order."""
    protocol, played = load_protocol(plan.protocol), Played(run, plan, match, seat_index, blocks)
    result, tallies = SCORINGS[match.game].count(played), played.tallies
    stats = stats_of(played)
    gate = gate_of(result, tallies[seat_index], protocol.phase0) if is_gate(plan, match.phase) else None
    named = played.id, match.phase, match.game, seat_letter(seat_index), match.table
    teams = team_outcomes(GAMES[match.game], played.records) if seat_index == plan.looked_at(match)[0] else ()
    return MatchResult(*named, result, stats, gate, match.part, teams, why_no_finding(stats, plan.protocol))
