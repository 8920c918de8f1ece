"""The positions of a game, from its start to its end: what `replay.js` draws."""

from collections.abc import Iterator
from typing import Any, Final

import chess

from .script import ChessRecord

SIDES: Final = ("White", "Black")


def chess_frames(record: ChessRecord) -> Iterator[dict[str, Any]]:
    """Frame k is the position after k plies.

    `board` is the piece placement of its FEN; `from` and `to` the squares of the move that led there, the king's own
    two where it castles.
    """
    board = chess.Board(record.start_fen, chess960=True)
    substituted = set(record.substituted)
    yield {"label": "start", "said": f"Start position {record.start_fen}", "board": board.board_fen(), "by": -1}
    for ply, uci in enumerate(record.moves):
        move, side = chess.Move.from_uci(uci), ply % len(SIDES)
        san, king = board.san(move), board.king(board.turn)
        castles = board.is_castling(move)
        board.push(move)
        reached = board.king(not board.turn) if castles else move.to_square
        assert king is not None
        assert reached is not None
        yield {
            "label": f"{ply // 2 + 1}{'…' if side else '.'} {san}",
            "said": f"{SIDES[side]} plays {san}{_not_own(ply, substituted)}",
            "board": board.board_fen(),
            "by": side,
            "from": chess.square_name(king if castles else move.from_square),
            "to": chess.square_name(reached),
            **({"drawn": True} if ply in substituted else {}),
        }


def _not_own(ply: int, substituted: set[int]) -> str:
    return ", drawn from the seed in place of an illegal or missing move" if ply in substituted else ""
