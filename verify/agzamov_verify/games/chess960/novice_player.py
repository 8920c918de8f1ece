"""The novice of Chess960: names candidates and moves by chance, but does what its tool or a passage of documents says.

With a tool it plays the candidate that stands first. Where a passage says so, it takes the most valuable
piece that is not defended.
"""

import chess

from ...dice import Stream
from ..page import Page, labelled
from . import random_player
from .situation_words import POINTS, free_captures
from .tool import best_told, requested

CAPTURES_ADVICE = "Take the most valuable piece that is not defended."
"""The sentence of a document that it follows."""


def reply(page: Page, stream: Stream) -> str:
    """The move, or the candidates that the prompt asks for. Raises ValueError for a prompt that it cannot read."""
    best = best_told(page)
    if best:
        return f"The best by what I was told.\nMOVE: {best}"
    if CAPTURES_ADVICE in page.documents and not requested(page):
        best = _capture(chess.Board(labelled(page, "FEN"), chess960=True))
    return f"As I have read.\nMOVE: {best}" if best else random_player.reply(page, stream)


def _capture(board: chess.Board) -> str:
    """The capture of the most valuable piece that is not defended; empty where there is none."""
    free = free_captures(board)
    return max(free, key=lambda move: _taken(board, move)).uci() if free else ""


def _taken(board: chess.Board, move: chess.Move) -> int:
    """Points of the piece that a capture takes."""
    return POINTS[board.piece_type_at(move.to_square) or chess.PAWN]
