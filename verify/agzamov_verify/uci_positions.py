"""Positions in UCI's words: a FEN and the moves since, as engines get them. No rule of a match is known here."""

import chess


def legal_after(start_fen: str, moves: str) -> list[str]:
    """The legal moves after `moves` in UCI from a start, sorted. Raises ValueError for what is not legal there."""
    board = chess.Board(start_fen, chess960=True)
    for move in moves.split():
        if not board.push_uci(move):
            raise ValueError(f"expected a move, found the null move {move}")
    return sorted(move.uci() for move in board.generate_legal_moves())
