"""The scoring half of hold'em."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from ...plan.manifest import Plan
from ...protocols.norms import Protocol
from ...scoring.game_scoring import GameScoring, Played
from ...scoring.hypotheses.evidence import Evidence
from ...scoring.match_figures import Setting
from ...scoring.units.cells import CellKey, measured_first
from ...seats import benchmark_sides
from .cell import PokerCell, poker_cell, with_ranges
from .control_variates import Method, net_chips
from .game import GAME, PokerMatch
from .hand_script import HandRecord, PokerRules
from .match_analysis import PokerAnalysis, poker_analysis, preflop_quality
from .match_counts import PokerResult, poker_result, session_chips
from .rules import BIG_BLIND


class PokerNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hold'em rows of Table 8. The paper gives Phase 0 in games; a poker game is a session here."""

    hands_min: int
    phase0_sessions: int
    session_hands: int
    stack_bb: int


class PokerScoring(GameScoring):
    """Sessions, big blinds per 100 hands, variance reduction."""

    game = GAME
    counts = PokerResult
    analysis = PokerAnalysis

    def count(self, played: Played) -> PokerResult:
        return poker_result(played.records, played.rules, played.seat_index)

    def cell(self, key: CellKey, played: Played) -> PokerCell:
        records, seat_index = played.records, played.seat_index
        tallies = measured_first(played.tallies, seat_index)
        decks = f"{played.run}/{played.match.draws}"  # matches of other seats or phases have other decks
        cell = poker_cell(key, records, seat_index, tallies, decks, played.rules)
        sides = benchmark_sides(played.match.seats, played.plan.seats)
        if len(sides) != 1:
            return cell
        (benchmark_index,) = sides
        return with_ranges(cell, records, seat_index, benchmark_index, played.rules.stack_chips)

    def analyse(self, cell: PokerCell, setting: Setting, evidence: Evidence, played: Played) -> PokerAnalysis:
        records = played.records
        preflop = preflop_quality(records, played.rules, evidence.constants.clusters, cell.as_ratio)
        return poker_analysis(cell, setting, evidence, preflop)

    def observations(self, records: Sequence[HandRecord], rules: PokerRules, seat_index: int) -> list[int]:
        """Chips of each session."""
        return session_chips(records, rules.session_hands, seat_index)

    def luck(self, record: HandRecord, rules: PokerRules) -> tuple[Fraction, ...]:  # noqa: ARG002 - by the shipped weights
        """By the fixed baseline: docs/decisions/0017."""
        if record.story is None:
            return ()
        of_button = record.net_chips - net_chips(record, Method.BASELINE)
        return (of_button, -of_button)

    def size_departures(self, match: PokerMatch, plan: Plan, protocol: Protocol) -> Iterator[str]:
        norm, rules = protocol.norms(GAME.name, PokerNorm), plan.rules_of(GAME.name)
        if not match.phase and match.hands != norm.phase0_sessions * rules.session_hands:
            played = match.hands // rules.session_hands
            yield f"{match.id}: {played} sessions planned, {norm.phase0_sessions} required"
        elif match.phase and match.hands < norm.hands_min:
            yield f"{match.id}: {match.hands} hands planned, at least {norm.hands_min} required"

    def rule_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:
        rules, norm = plan.rules_of(GAME.name), protocol.norms(GAME.name, PokerNorm)
        if rules.session_hands != norm.session_hands:
            yield f"sessions of {rules.session_hands} hands planned, {norm.session_hands} required"
        if rules.stack_chips != norm.stack_bb * BIG_BLIND:
            required = norm.stack_bb * BIG_BLIND
            yield f"stacks of {rules.stack_chips} chips, {required} required ({BIG_BLIND} a BB)"

    def play_departures(self, plan: Plan, protocol: Protocol) -> Iterator[str]:  # noqa: ARG002 - as declared
        rules = plan.rules_of(GAME.name)
        if rules.mirrored:
            yield "decks are played from both sides, decks of their own required"
        if rules.shots:
            yield f"hold'em prompts with {rules.shots} worked example, none required"


SCORING = PokerScoring()
