"""The novice of Chess960: names candidates and moves by chance, but does what its tool or a passage of documents says.

With a tool it plays the candidate that stands first. Where a passage says so, it takes the most valuable
piece that is not defended. What it has examined: that capture, then, where its opponent is known to answer checks with
its king, the checks, then moves by chance. Of its own rules it keeps those of moves.
"""

from collections.abc import Iterator

import chess

from ...dice import Stream
from ..page import Page, labelled
from ..patterns import Pattern
from . import random_player
from .habit_moves import allowed
from .habits import chess_habits, last_move
from .situation_words import POINTS, free_captures
from .tool import best_told, candidates_line, requested

CAPTURES_ADVICE = "Take the most valuable piece that is not defended."
"""The sentence of a document that it follows."""


def reply(page: Page, stream: Stream) -> str:
    """The move, or the candidates that the prompt asks for. Raises ValueError for a prompt that it cannot read."""
    if most := requested(page):
        return _candidates(page, stream, most)
    if best := best_told(page) or next(_advised(page), ""):
        why = "The best by what I was told." if page.tool else "As I have read."
        return f"{why}\nMOVE: {best}"
    return _by_its_rules(page, stream) if page.rules else random_player.reply(page, stream)


def _candidates(page: Page, stream: Stream, most: int) -> str:
    """What documents and the opponent's habit say first, then moves by chance."""
    known = [*_advised(page), *_checks(page, stream)]
    if not known:
        return random_player.reply(page, stream)
    legal = sorted(move.uci() for move in _board(page).generate_legal_moves())
    named = list(dict.fromkeys((*known, *stream.deal(legal, len(legal)))))
    return f"By what I was told, then by chance.\n{candidates_line(named[:most])}"


def _board(page: Page) -> chess.Board:
    return chess.Board(labelled(page, "FEN"), chess960=True)


def _advised(page: Page) -> Iterator[str]:
    """The capture of the most valuable piece that is not defended, where a passage says so and there is one."""
    if CAPTURES_ADVICE not in page.documents:
        return
    board = _board(page)
    if free := free_captures(board):
        yield max(free, key=lambda move: _taken(board, move)).uci()


def _checks(page: Page, stream: Stream) -> list[str]:
    """The moves that give check, in a drawn order, where the opponent is known to answer a check with its king."""
    if Pattern.KING_ANSWERS_CHECKS not in chess_habits(page.profile).kept:
        return []
    board = _board(page)
    checks = sorted(move.uci() for move in board.generate_legal_moves() if board.gives_check(move))
    return stream.deal(checks, len(checks))


def _by_its_rules(page: Page, stream: Stream) -> str:
    """A move by chance out of those that keep its rules."""
    moves = sorted(move.uci() for move in allowed(_board(page), chess_habits(page.rules), last_move(page)))
    return f"One of {len(moves)} moves that keep my rules, by chance.\nMOVE: {stream.choice(moves)}"


def _taken(board: chess.Board, move: chess.Move) -> int:
    """Points of the piece that a capture takes."""
    return POINTS[board.piece_type_at(move.to_square) or chess.PAWN]
