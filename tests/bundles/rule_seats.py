"""Seats that bring games to ends that seldom come: repetitions, fifty moves without progress, bare kings, mates.

`shuffles` takes its last move back, `wanders` moves no pawn and takes nothing, `grabs` takes what it can. Which of
several moves they choose is drawn from the question.
"""

import chess

from agzamov_harness.ports import Completion
from agzamov_verify.core.questions import Answer, Chat, Question
from agzamov_verify.games.draughts.board import legal_moves, read_fen
from bundles.eccentric_seat import draw_of
from bundles.spelling_seat import fen_of, king_by_two_squares


def in_chess(question: Question) -> Answer:
    """A move of chess or Chess960 as the name of the seat says."""
    assert isinstance(question, Chat)
    fen = fen_of(question.messages[-1].content)
    assert fen
    board, draw = chess.Board(fen, chess960=True), draw_of(question)
    if question.to == "grabs":
        return _grabs(question, board, draw)
    legal = sorted(board.legal_moves, key=chess.Move.uci)
    quiet = [move for move in legal if _is_quiet(board, move)]
    back = _back(question, 2)
    if question.to == "shuffles":
        knights = [move for move in quiet if board.piece_type_at(move.from_square) == chess.KNIGHT]
        found = [move for move in legal if move.uci() == back] or knights or legal
    else:
        found = [move for move in quiet if move.uci() != back] or quiet or legal
    return _said(found[draw % len(found)].uci())


def in_chess_or_draughts(question: Question) -> Answer:
    """A move of chess, or of draughts, where every seat takes its last move back if it can."""
    assert isinstance(question, Chat)
    if "\nBoard, rank 8" in question.messages[-1].content:
        return in_chess(question)
    fen = fen_of(question.messages[1].content)
    assert fen
    legal, back = [move.text for move in legal_moves(read_fen(fen))], _back(question)
    return _said(back if back in legal else legal[draw_of(question) % len(legal)])


def _grabs(question: Chat, board: chess.Board, draw: int) -> Answer:
    legal = sorted(board.legal_moves, key=chess.Move.uci)
    castling = next((move for move in legal if board.is_castling(move)), None)
    if castling and question.attempt == 0:
        short = board.is_kingside_castling(castling)
        forms = king_by_two_squares(board, castling), "O-O" if short else "O-O-O", "0-0" if short else "0-0-0"
        return _said(forms[draw % len(forms)])
    takes = [move for move in legal if board.is_capture(move)]
    mates = [move for move in legal if _is_mate(board, move)]
    pawns = [move for move in legal if board.piece_type_at(move.from_square) == chess.PAWN and draw % 3]
    found = takes or mates or pawns or legal
    return _said(found[draw % len(found)].uci())


def _is_quiet(board: chess.Board, move: chess.Move) -> bool:
    is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
    return not (is_pawn or board.is_capture(move) or board.is_castling(move))


def _is_mate(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


def _back(question: Chat, width: int = 0) -> str:
    """The move that takes the seat's last one back; empty where it has none. `width`: of a square without a hyphen."""
    lines = question.messages[-1].content.splitlines()
    played = next(line for line in lines if line.startswith("Moves so far: ")).split()[3:]
    if len(played) < 2:
        return ""
    last = played[-2]
    return last[width : 2 * width] + last[:width] if width else "-".join(reversed(last.split("-")))


def _said(move: str) -> Completion:
    return Completion(text=f"MOVE: {move}", completion_tokens=2, finish="stop", model="mover", prompt_tokens=9)
