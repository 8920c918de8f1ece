"""All results of a run: what the harness claims and what verify recomputes, by the same function."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from ..dice import Dice
from ..games.chess960.script import ChessRecord
from ..games.decision import Tally
from ..games.holdem.script import HandRecord
from ..manifest import FORMAT as MANIFEST_FORMAT
from ..manifest import ChessMatch, Match, Plan, PokerMatch, Price
from ..phases.streams import Block, ChessBlock, PokerBlock
from ..protocol import Protocol, load_protocol
from .chess960 import ChessResult, chess_result, chess_tallies
from .compliance import departures
from .conduct import Conduct, conduct
from .exact import Figure, figure
from .holdem import PokerResult, poker_result, poker_tallies
from .statistics import binomial_p_greater

FORMAT: Literal["agz-results-1"] = "agz-results-1"


class Gate(msgspec.Struct, frozen=True):
    """Phase 0: more wins, fewer errors and a smaller p than the protocol's bounds, or no further."""

    passed: bool
    win_rate: Figure
    error_rate: Figure
    reason: str


class MatchResult(msgspec.Struct, frozen=True):
    """One match. `result` is seat A's; `gate` is there in Phase 0."""

    id: str
    phase: int
    game: str
    a: str
    b: str
    result: ChessResult | PokerResult
    conduct: tuple[Conduct, Conduct]
    gate: Gate | None


class Results(msgspec.Struct, frozen=True):
    """Everything that is recomputed from the journals alone."""

    format: Literal["agz-results-1"]
    run: str
    protocol: str
    departures: tuple[str, ...]
    matches: tuple[MatchResult, ...]
    not_played: tuple[str, ...]


def results_of(
    run: str, plan: Plan, dice: Dice, blocks: Mapping[str, Sequence[Block]], manifest_format: str = MANIFEST_FORMAT
) -> Results:
    """The results of a run from its blocks by match id; a match without blocks was not played."""
    played = tuple(match_result(match, blocks[match.id], plan, dice) for match in plan.matches if match.id in blocks)
    missing = tuple(match.id for match in plan.matches if match.id not in blocks)
    return Results(FORMAT, run, plan.protocol, departures(plan, manifest_format), played, missing)


def match_result(match: Match, blocks: Sequence[Block], plan: Plan, dice: Dice) -> MatchResult:
    """The result of one match from its blocks in order."""
    protocol = load_protocol(plan.protocol)
    result, tallies, games = _scored(match, blocks, plan, dice, protocol)
    conducts = tuple(
        conduct(name, tally, games, plan.prices.get(name, Price()), protocol.error_flag_percent)
        for name, tally in zip((match.a, match.b), tallies, strict=True)
    )
    gate = _gate(result, tallies[0], protocol) if match.phase == 0 else None
    return MatchResult(match.id, match.phase, match.game, match.a, match.b, result, (conducts[0], conducts[1]), gate)


def _scored(
    match: Match, blocks: Sequence[Block], plan: Plan, dice: Dice, protocol: Protocol
) -> tuple[ChessResult | PokerResult, tuple[Tally, Tally], int]:
    def seed(name: str) -> bytes:
        stream = dice.stream(f"bootstrap/{match.id}/{name}")
        return b"".join(stream.word().to_bytes(4, "big") for _ in range(8))

    resamples = protocol.bootstrap_resamples
    match match:
        case ChessMatch():
            games = chess_records(blocks)
            return chess_result(games, seed, resamples), chess_tallies(games), len(games)
        case PokerMatch():
            hands = hand_records(blocks)
            result = poker_result(hands, plan.holdem, seed("bb_per_100"), resamples)
            return result, poker_tallies(blocks), len(hands)


def _gate(result: ChessResult | PokerResult, tally: Tally, protocol: Protocol) -> Gate:
    wins, n = _wins(result)
    errors = Fraction(tally.faults, tally.decisions) if tally.decisions else Fraction(1)
    norm = protocol.phase0
    reasons = []
    if 100 * wins <= norm.win_percent_above * n:
        reasons.append(f"{wins} wins of {n} are not above {norm.win_percent_above} %")
    if 100 * errors >= norm.error_percent_below:
        reasons.append(f"the error rate is not below {norm.error_percent_below} %")
    if binomial_p_greater(wins, n) >= Fraction(norm.p_below):
        reasons.append(f"the binomial p is not below {norm.p_below}")
    return Gate(not reasons, figure(Fraction(wins, n)), figure(errors), "; ".join(reasons))


def _wins(result: ChessResult | PokerResult) -> tuple[int, int]:
    match result:
        case ChessResult():
            return result.adjudicated.wins, result.games
        case PokerResult():
            return result.sessions_won, result.units


def chess_records(blocks: Sequence[Block]) -> list[ChessRecord]:
    """The chess games of `blocks`, in order."""
    return [record for block in blocks if isinstance(block, ChessBlock) for record in block.records]


def hand_records(blocks: Sequence[Block]) -> list[HandRecord]:
    """The hands of `blocks`, in order."""
    return [record for block in blocks if isinstance(block, PokerBlock) for record in block.records]
