"""The random player of draughts: a uniform legal move."""

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from .board import legal_moves, read_fen


def random_reply(page: Page, stream: Stream) -> str:
    """One of the legal moves of the FEN. Raises ValueError for another prompt."""
    moves = legal_moves(read_fen(labelled(page, "FEN")))
    return f"One of {len(moves)} legal moves, by chance.\nMOVE: {stream.choice(moves).text}"
