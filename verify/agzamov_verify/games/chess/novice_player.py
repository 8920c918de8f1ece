"""The novice of Chess960: names candidates and moves by chance, but follows its tool and document passages.

With a tool it plays the candidate that stands first. Where a passage says so, it takes the most valuable
piece that is not defended. What it has examined: that capture, then, against an opponent that is known to begin with
its rook pawns, moves to the middle, then moves by chance. Of its own rules it keeps those of moves.
"""

from collections.abc import Iterator

import chess

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from . import random_player
from .habit_words import ROOK_PAWNS_WITHIN_MOVES
from .legal_moves import board_of, legal_uci
from .pattern_sentences import ChessPattern
from .patterns import allowed, chess_habits, last_move
from .situation_words import POINTS, free_captures
from .tool import best_told, candidates_line, requested
from .who_stands_better import is_judgement

CAPTURES_ADVICE = "Take the most valuable piece that is not defended."
"""The sentence of a document that it follows."""


def novice_reply(page: Page, stream: Stream) -> str:
    """The move, or the candidates that the prompt asks for. Raises ValueError for a prompt that it cannot read."""
    if is_judgement(page):
        return random_player.random_reply(page, stream)
    if most := requested(page):
        return _candidates(page, stream, most)
    if best := best_told(page) or next(_advised(page), ""):
        why = "The best by what I was told." if page.tool else "As I have read."
        return f"{why}\nMOVE: {best}"
    return _by_its_rules(page, stream) if page.rules else random_player.random_reply(page, stream)


def _candidates(page: Page, stream: Stream, most: int) -> str:
    """Moves named by documents and by the opponent's habit, then moves by chance."""
    known = [*_advised(page), *_to_the_middle(page, stream)]
    if not known:
        return random_player.random_reply(page, stream)
    legal = legal_uci(_board(page))
    named = list(dict.fromkeys((*known, *stream.deal(legal, len(legal)))))
    return f"By what I was told, then by chance.\n{candidates_line(named[:most])}"


def _board(page: Page) -> chess.Board:
    return board_of(labelled(page, "FEN"))


def _advised(page: Page) -> Iterator[str]:
    """The capture of the most valuable piece that is not defended, where a passage says so and there is one."""
    if CAPTURES_ADVICE not in page.documents:
        return
    board = _board(page)
    if free := free_captures(board):
        yield max(free, key=lambda move: _taken(board, move)).uci()


def _to_the_middle(page: Page, stream: Stream) -> list[str]:
    """The moves to the four middle squares, in a drawn order, while the opponent is known to push its rook pawns."""
    board = _board(page)
    is_known = ChessPattern.PUSHES_ROOK_PAWNS in chess_habits(page.profile).kept
    if not is_known or board.fullmove_number > ROOK_PAWNS_WITHIN_MOVES:
        return []
    moves = sorted(move.uci() for move in board.generate_legal_moves(to_mask=chess.BB_CENTER))
    return stream.deal(moves, len(moves))


def _by_its_rules(page: Page, stream: Stream) -> str:
    """A move by chance out of those that keep its rules."""
    moves = sorted(move.uci() for move in allowed(_board(page), chess_habits(page.rules), last_move(page)))
    return f"One of {len(moves)} moves that keep my rules, by chance.\nMOVE: {stream.choice(moves)}"


def _taken(board: chess.Board, move: chess.Move) -> int:
    """Points of the piece that a capture takes."""
    return POINTS[board.piece_type_at(move.to_square) or chess.PAWN]
