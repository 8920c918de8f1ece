"""Variants of chess that this folder plays: what a variant is called, begins from, and how a seat reads of castling.

Inside, castling is the king moving onto its own rook in both, on the board, in journals and to the engine
(UCI_Chess960): a standard start is one of the 960. A seat of standard chess is told and declares it as the king's two
squares.

    chess960    960 starts           e1h1, O-O
    chess       a short opening      e1g1, O-O
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import chess

from ...core.dice import Dice
from .openings import OPENINGS
from .starts import STARTS_960, opening_of, start_of_960

KING_STEPS: Final = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
"""Castling of standard chess as the king's two squares, and onto its rook."""
KING_STEPS_TOLD: Final = {onto_rook: steps for steps, onto_rook in KING_STEPS.items()}


class Variant(NamedTuple):
    """One variant. `rules` and `castling`: sentences of the system message. `turn`: the words that begin a turn.

    `starts`: how many there are. `start`: the start of a number, of a drawn order without replacement.
    `tells_king_steps`: how castling is told.
    """

    name: str
    title: str
    rules: str
    castling: str
    turn: str
    starts: int
    start: Callable[[Dice, int], str]
    tells_king_steps: bool


def moves_told(start_fen: str, moves: Sequence[str], variant: Variant) -> list[str]:
    """The moves of a game as its seats read them."""
    if not variant.tells_king_steps:
        return list(moves)
    board, told = chess.Board(start_fen, chess960=True), list[str]()
    for text in moves:
        move = chess.Move.from_uci(text)
        told.append(KING_STEPS_TOLD[text] if board.is_castling(move) else text)
        board.push(move)
    return told


CHESS960: Final = Variant(
    name="chess960",
    title="Chess960",
    rules=(
        "Chess960 (Fischer Random chess) against one opponent. The pieces start in one of the 960 positions; all other"
        " rules are those of chess."
    ),
    castling=(
        "Castling is written as the king moving onto its own rook: the king's square, then the square of the rook that"
        " it castles with. It may also be written as O-O (with the rook on the h-side) or O-O-O (with the rook on the"
        " a-side)."
    ),
    turn="It is your turn.",
    starts=STARTS_960,
    start=start_of_960,
    tells_king_steps=False,
)
STANDARD: Final = Variant(
    name="chess",
    title="chess",
    rules="chess against one opponent. It begins after a few moves of an opening, as the board shows.",
    castling=(
        "Castling is written as the two squares of the king: e1g1, e1c1, e8g8 or e8c8. It may also be written as O-O"
        " (with the rook on the h-file) or O-O-O (with the rook on the a-file)."
    ),
    turn="It is your turn in this game of chess.",
    starts=len(OPENINGS),
    start=opening_of,
    tells_king_steps=True,
)
