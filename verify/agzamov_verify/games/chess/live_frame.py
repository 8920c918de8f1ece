"""A game of chess in progress, as its prompts show it."""

from collections.abc import Sequence
from typing import Any, Final

import chess

from ...core.questions import Message
from ...table.prompt_lines import labelled, read_page

NO_MOVE: Final = "none"
SQUARES: Final = 4
"""Characters of the two squares in a move."""


def chess_live_frame(asked: Sequence[tuple[Message, ...]]) -> dict[str, Any]:
    """The position that was asked about last, with the move that led there. Raises ValueError."""
    page = read_page(asked[-1])
    images = [shown for message in asked[-1] for shown in message.shown]
    fen = labelled(page, "FEN")
    if images:
        fen, moves = f"{images[0].of}{fen.rpartition(')')[2]}", NO_MOVE
    else:
        moves = labelled(page, "Moves so far")
    board = chess.BaseBoard(fen.split()[0])
    to_act = int(fen.split()[1] == "b")
    frame = {"board": board.board_fen(), "by": -1, "to_act": to_act, "label": "start", "said": "Start position"}
    if moves == NO_MOVE:
        return frame
    played = moves.split()
    last, by = played[-1], 1 - to_act
    side = chess.WHITE if by == 0 else chess.BLACK
    earlier = {"from": played[-2][:2], "to": played[-2][2:SQUARES]} if len(played) > 1 else None
    number = f"{_number(fen, by)}{'…' if by else '.'}"
    return {
        **frame,
        "by": by,
        "label": f"{number} {last}",
        "said": f"{'Black' if by else 'White'} plays {last}",
        "from": last[:2],
        "to": _reached(board, last, side),
        **({"earlier": earlier} if earlier else {}),
    }


def _number(fen: str, by: int) -> int:
    """The number of the move that was played last: Black's move raises the FEN's number."""
    return int(fen.split()[5]) - by


def _reached(board: chess.BaseBoard, move: str, side: chess.Color) -> str:
    """The square that a move reached; the king's where it castled, which UCI may write as taking its own rook."""
    target = chess.parse_square(move[2:SQUARES])
    if board.color_at(target) == side:
        return move[2:SQUARES]
    king = board.king(side)
    return move[2:SQUARES] if king is None else chess.square_name(king)
