"""The draw of starts: which position a game begins from. The games of a pair share one, each with both colours.

    Chess960            the 960 starts in a drawn order, none twice
    standard chess      short openings in a drawn order, none twice
    positions           those of a class of Phase 5 in a drawn order, another in each career

Orders are drawn from the sealed seed, so a start depends on nothing but the pair's number.
"""

from functools import lru_cache
from typing import Final

import chess

from ...core.dice import Dice
from ...experiment.matches import PositionClass
from .openings import OPENINGS

PAIR: Final = 2
"""Games of one start, one with each colour."""
STARTS_960: Final = 960


@lru_cache(maxsize=STARTS_960)
def start_of_960(dice: Dice, pair: int) -> str:
    """The Chess960 start of a pair of games, as FEN."""
    return chess.Board.from_chess960_pos(_order(dice, "chess960", STARTS_960)[pair]).fen()


def opening_of(dice: Dice, pair: int) -> str:
    """The position after the opening of a pair of games of standard chess, as FEN."""
    return OPENINGS[_order(dice, "chess", len(OPENINGS))[pair]].fen


def position_of(dice: Dice, positions: PositionClass, fens: tuple[str, ...], pair: int, career_pairs: int) -> str:
    """The position of a class, out of all its `fens`, that a pair of games begins from. A career has so many pairs."""
    career, place = divmod(pair, career_pairs)
    return _position_order(dice, positions, fens, career)[place]


@lru_cache(maxsize=8)
def _order(dice: Dice, name: str, starts: int) -> list[int]:
    return dice.stream(f"{name}/starts/0").deal(range(starts), starts)


@lru_cache(maxsize=64)
def _position_order(dice: Dice, positions: PositionClass, fens: tuple[str, ...], career: int) -> list[str]:
    return dice.stream(f"chess960/positions/{positions.value}/{career}").deal(fens, len(fens))
