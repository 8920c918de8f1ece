"""Where a plan departs from its protocol's normative numbers (paper Table 8; SPEC S32)."""

from collections.abc import Iterator
from fractions import Fraction

from ..games.chess960.adjudication import AdjudicationPolicy
from ..games.chess960.script import ChessRules
from ..games.decision import IllegalPolicy
from ..games.holdem.rules import BIG_BLIND
from ..manifest import FORMAT, ChessMatch, Plan, PokerMatch
from ..protocol import Protocol, load_protocol
from ..seats import EndpointSeat, LocalModelSeat


def departures(plan: Plan, manifest_format: str = FORMAT) -> tuple[str, ...]:
    """One line for each departure; empty for a compliant plan. Bundles of the first format never named all of them."""
    protocol = load_protocol(plan.protocol)
    named = (*_sizes(plan, protocol), *_rules(plan, protocol), *_seats(plan))
    return (*named, *_analysis(plan, protocol), *_play(plan, protocol)) if manifest_format == FORMAT else named


def _sizes(plan: Plan, protocol: Protocol) -> Iterator[str]:
    for match in plan.matches:
        match match:
            case ChessMatch(phase=0) if match.games != protocol.chess960.phase0_games:
                yield f"{match.id}: {match.games} games, {protocol.chess960.phase0_games} required"
            case ChessMatch() if match.phase and match.games < protocol.chess960.games_min:
                yield f"{match.id}: {match.games} games, at least {protocol.chess960.games_min} required"
            case PokerMatch(phase=0) if match.hands != protocol.holdem.phase0_sessions * plan.holdem.session_hands:
                yield f"{match.id}: {match.hands} hands, {protocol.holdem.phase0_sessions} sessions required"
            case PokerMatch() if match.phase and match.hands < protocol.holdem.hands_min:
                yield f"{match.id}: {match.hands} hands, at least {protocol.holdem.hands_min} required"
            case _:
                pass
        if match.phase and not any(
            other.phase == 0 and other.a == match.a and type(other) is type(match) for other in plan.matches
        ):
            yield f"{match.id}: no Phase 0 match of {match.a} in this game"
        if match.phase == 1 and match.a != match.b:
            yield f"{match.id}: {match.b} is the opponent, self-play required"


def _analysis(plan: Plan, protocol: Protocol) -> Iterator[str]:
    if Fraction(plan.analysis.alpha) != Fraction(protocol.significance):
        yield f"hypotheses at alpha {plan.analysis.alpha}, {protocol.significance} required"
    for rule in plan.analysis.sequential:
        if rule.blocks_per_look:
            yield f"{rule.match}: may end early by its declared rule, whole length required"


def _play(plan: Plan, protocol: Protocol) -> Iterator[str]:
    """Rules that have no number in the protocol file: their defaults are the protocol's."""
    chess, norm = plan.chess960, ChessRules()
    if any(isinstance(match, ChessMatch) for match in plan.matches):
        if chess.plies_max < norm.plies_max:
            yield f"chess games end at {chess.plies_max} plies, at least {norm.plies_max} required"
        if chess.draw_claims is not norm.draw_claims:
            yield f"draws are claimed {chess.draw_claims.value}, {norm.draw_claims.value} required"
        if chess.prompt is not norm.prompt:
            yield f"chess prompt {chess.prompt.value}, {norm.prompt.value} required"
        if plan.quality.nodes not in (0, protocol.engine.nodes):
            yield f"moves judged at {plan.quality.nodes} nodes, {protocol.engine.nodes} required"
    if plan.holdem.mirrored and any(isinstance(match, PokerMatch) for match in plan.matches):
        yield "decks are played from both sides, decks of their own required"
    for name, seat in plan.playing.items():
        if seat.patterns or seat.briefing:
            yield f"seat {name} is told how to play or what to expect, a naked seat is told neither"


def _rules(plan: Plan, protocol: Protocol) -> Iterator[str]:
    rule, norm = plan.chess960.adjudication, protocol.chess960
    if rule.policy is not AdjudicationPolicy.STOCKFISH:
        yield f"adjudication by {rule.policy.value}, {norm.adjudication} required"
    elif (rule.threshold_centipawns, rule.plies) != (norm.adjudication_centipawns, norm.adjudication_plies):
        yield f"adjudication at {rule.threshold_centipawns} centipawns for {rule.plies} plies"
    if plan.engine.nodes != protocol.engine.nodes:
        yield f"engine at {plan.engine.nodes} nodes, {protocol.engine.nodes} required"
    if plan.engine.hash_mib != protocol.engine.hash_mib:
        yield f"engine with {plan.engine.hash_mib} MiB of hash, {protocol.engine.hash_mib} required"
    if plan.holdem.session_hands != protocol.holdem.session_hands:
        yield f"sessions of {plan.holdem.session_hands} hands, {protocol.holdem.session_hands} required"
    if plan.holdem.stack_chips != protocol.holdem.stack_bb * BIG_BLIND:
        required = protocol.holdem.stack_bb * BIG_BLIND
        yield f"stacks of {plan.holdem.stack_chips} chips, {required} required ({BIG_BLIND} a BB)"
    if IllegalPolicy.RETRY_THEN_FORFEIT in (plan.chess960.illegal, plan.holdem.illegal):
        yield "illegal actions are retried, substitution required"


def _seats(plan: Plan) -> Iterator[str]:
    for name, seat in plan.playing.items():
        if isinstance(seat, EndpointSeat) and "temperature" not in seat.accepts:
            yield f"seat {name} runs at its own temperature"
        elif isinstance(seat, EndpointSeat | LocalModelSeat) and Fraction(seat.temperature):
            yield f"seat {name} at temperature {seat.temperature}, 0 required"
