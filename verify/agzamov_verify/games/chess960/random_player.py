"""The random player of chess (SPEC S16): a uniform legal move."""

import chess

from ...dice import Stream
from ..page import Page, labelled


def reply(page: Page, stream: Stream) -> str:
    """One of the legal moves of the FEN, in a fixed order. Raises ValueError for a prompt that it cannot read."""
    board = chess.Board(labelled(page, "FEN"), chess960=True)
    moves = sorted(move.uci() for move in board.generate_legal_moves())
    return f"One of {len(moves)} legal moves, by chance.\nMOVE: {stream.choice(moves)}"
