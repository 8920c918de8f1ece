"""The random player of chess (SPEC S16): a uniform legal move."""

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from .legal_moves import board_of, legal_uci
from .tool import candidates_line, requested
from .who_stands_better import Better, is_judgement, judgement_line


def random_reply(page: Page, stream: Stream) -> str:
    """One of the legal moves of the FEN, so many candidates, or a side. Raises ValueError for another prompt."""
    moves = legal_uci(board_of(labelled(page, "FEN")))
    if is_judgement(page):
        return f"By chance.\n{judgement_line(stream.choice(list(Better)))}"
    if most := requested(page):
        named = stream.deal(moves, min(most, len(moves)))
        return f"Some of {len(moves)} legal moves, by chance.\n{candidates_line(named)}"
    return f"One of {len(moves)} legal moves, by chance.\nMOVE: {stream.choice(moves)}"
