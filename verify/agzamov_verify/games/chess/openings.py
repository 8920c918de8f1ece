"""Short balanced openings that games of standard chess begin from, by ECO code (Encyclopaedia of Chess Openings).

From the one start of chess two deterministic players play two games for ever. Each line is main theory of 4 to 8 plies,
an even number, so that White is to move; each is played with both colours, so what it favours favours nobody. A book of
measured openings may take the place of this table.
"""

from functools import cached_property
from typing import Final

import chess
import msgspec


class Opening(msgspec.Struct, frozen=True, dict=True):
    """A line from the start of chess, in UCI."""

    eco: str
    name: str
    moves: str

    @cached_property
    def fen(self) -> str:
        """The position after the line, with castling rights as in Chess960 (X-FEN, the same letters)."""
        board = chess.Board(chess960=True)
        for move in self.moves.split():
            board.push_uci(move)
        return board.fen()


OPENINGS: Final = (
    Opening("A13", "English, Agincourt", "c2c4 e7e6 g1f3 d7d5"),
    Opening("A20", "English, King's", "c2c4 e7e5 g2g3 g8f6"),
    Opening("A30", "English, Symmetrical", "g1f3 c7c5 c2c4 g8f6"),
    Opening("A57", "Benko Gambit", "d2d4 g8f6 c2c4 c7c5 d4d5 b7b5"),
    Opening("A60", "Modern Benoni", "d2d4 g8f6 c2c4 c7c5 d4d5 e7e6"),
    Opening("A80", "Dutch", "d2d4 f7f5 g2g3 g8f6"),
    Opening("B01", "Scandinavian", "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5"),
    Opening("B07", "Pirc", "e2e4 d7d6 d2d4 g8f6 b1c3 g7g6"),
    Opening("B12", "Caro-Kann, Advance", "e2e4 c7c6 d2d4 d7d5 e4e5 c8f5"),
    Opening("B22", "Sicilian, Alapin", "e2e4 c7c5 c2c3 g8f6 e4e5 f6d5"),
    Opening("B30", "Sicilian, Old", "e2e4 c7c5 g1f3 b8c6"),
    Opening("B50", "Sicilian, Modern", "e2e4 c7c5 g1f3 d7d6"),
    Opening("C02", "French, Advance", "e2e4 e7e6 d2d4 d7d5 e4e5 c7c5"),
    Opening("C10", "French, Classical", "e2e4 e7e6 d2d4 d7d5 b1c3 g8f6"),
    Opening("C42", "Petrov", "e2e4 e7e5 g1f3 g8f6"),
    Opening("C45", "Scotch", "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4"),
    Opening("C50", "Italian", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"),
    Opening("C65", "Ruy Lopez, Berlin", "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6"),
    Opening("C78", "Ruy Lopez, Morphy", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6"),
    Opening("D10", "Slav", "d2d4 d7d5 c2c4 c7c6"),
    Opening("D20", "Queen's Gambit Accepted", "d2d4 d7d5 c2c4 d5c4"),
    Opening("D37", "Queen's Gambit Declined", "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 g1f3 f8e7"),
    Opening("D85", "Grünfeld", "d2d4 g8f6 c2c4 g7g6 b1c3 d7d5"),
    Opening("E12", "Queen's Indian", "d2d4 g8f6 c2c4 e7e6 g1f3 b7b6"),
    Opening("E20", "Nimzo-Indian", "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4"),
    Opening("E60", "King's Indian", "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7"),
)
