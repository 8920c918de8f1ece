"""The plan of a run: matches cut into streams, each a script that depends on nothing but the seed.

A match without memory is cut into blocks that are independent of each other and run side by side.
Both colours of a start, and a whole session of hands, stay in one block.
"""

from collections.abc import Iterator
from functools import lru_cache

import chess
import msgspec

from ..dice import Dice
from ..games.chess960 import script as chess960
from ..games.chess960.script import ChessRecord
from ..games.decision import Tally
from ..games.holdem import script as holdem
from ..games.holdem.script import HandRecord, PokerRules
from ..games.patterns import CHESS_PATTERNS, POKER_PATTERNS, Pattern
from ..games.players import GameName, Player
from ..manifest import ChessMatch, Match, Plan, PokerMatch
from ..script import Script
from ..seats import HouseSeat

STARTS = 960


class StreamPlan(msgspec.Struct, frozen=True):
    """One stream: games or hands [first, first + count) of a match."""

    id: str
    match: Match
    first: int
    count: int


class ChessBlock(msgspec.Struct, frozen=True, tag="chess960"):
    """What the games of one stream came to."""

    first: int
    records: tuple[ChessRecord, ...]


class PokerBlock(msgspec.Struct, frozen=True, tag="holdem"):
    """What the hands of one stream came to, with the tallies of seats A and B."""

    first: int
    records: tuple[HandRecord, ...]
    tallies: tuple[Tally, Tally]


Block = ChessBlock | PokerBlock


def streams_of(match: Match) -> Iterator[StreamPlan]:
    """The streams of a match, in order."""
    match match:
        case ChessMatch():
            total, size = match.games, match.block_games
        case PokerMatch():
            total, size = match.hands, match.block_hands
    for number, first in enumerate(range(0, total, size)):
        yield StreamPlan(f"{match.id}-b{number:05d}", match, first, min(size, total - first))


def block_script(stream: StreamPlan, plan: Plan, dice: Dice) -> Script[Block]:
    """The script of one stream."""
    match stream.match:
        case ChessMatch():
            return _chess_block(stream, stream.match, plan, dice)
        case PokerMatch():
            return _poker_block(stream, stream.match, plan, dice)


def a_is_first(index: int) -> bool:
    """Whether seat A has White, or the button, in game or hand `index`: they alternate."""
    return index % 2 == 0


def deck_number(index: int, hands: int, rules: PokerRules) -> int:
    """The deck of hand `index` in a match of so many: its own, or in a mirrored match's second half an earlier one.

    Neighbours change places there. So the button goes on alternating, and holds what the other seat held on it.
    """
    half = hands // 2
    return (index - half) ^ 1 if rules.mirrored and index >= half else index


def start_fen(dice: Dice, pair: int) -> str:
    """The start of a pair of games: without replacement until all 960 have been played."""
    cycle, at = divmod(pair, STARTS)
    return chess.Board.from_chess960_pos(_start_order(dice, cycle)[at]).fen()


@lru_cache(maxsize=4)
def _start_order(dice: Dice, cycle: int) -> list[int]:
    return dice.stream(f"chess960/starts/{cycle}").deal(range(STARTS), STARTS)


def _chess_block(stream: StreamPlan, match: ChessMatch, plan: Plan, dice: Dice) -> Script[Block]:
    seats = [_player(plan, name, CHESS_PATTERNS) for name in (match.a, match.b)]
    records = []
    for index in range(stream.first, stream.first + stream.count):
        name = GameName(f"{match.id}-g{index:05d}", f"chess960/{index}")
        white, black = seats if a_is_first(index) else reversed(seats)
        start = start_fen(dice, index // 2)
        records.append((yield from chess960.play(name, start, white, black, plan.chess960, dice)))
    return ChessBlock(stream.first, tuple(records))


def _poker_block(stream: StreamPlan, match: PokerMatch, plan: Plan, dice: Dice) -> Script[Block]:
    a, b = (_player(plan, name, POKER_PATTERNS) for name in (match.a, match.b))
    tally_a, tally_b = Tally(), Tally()
    records = []
    for index in range(stream.first, stream.first + stream.count):
        name = GameName(f"{match.id}-h{index:07d}", f"holdem/{index}")
        first, deck = a_is_first(index), deck_number(index, match.hands, plan.holdem)
        deal = holdem.deal_cards(dice, deck, button_is_a=a_is_first(deck))
        players, tallies = ((a, b), (tally_a, tally_b)) if first else ((b, a), (tally_b, tally_a))
        records.append((yield from holdem.play(name, deal, players, plan.holdem, dice, tallies)))
    return PokerBlock(stream.first, tuple(records), (tally_a, tally_b))


def _player(plan: Plan, name: str, catalogue: dict[Pattern, str]) -> Player:
    seat = plan.seats[name]
    patterns = tuple(catalogue[pattern] for pattern in seat.patterns if pattern in catalogue)
    return Player(name, patterns, seat.briefing, isinstance(seat, HouseSeat))
