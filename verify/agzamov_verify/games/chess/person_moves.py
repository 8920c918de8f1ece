"""The legal moves of a person at one decision of chess, each with the squares by which it is made.

Castling is made by the king onto its own rook, or onto the square that it reaches where no other move of the king
goes there, so that both habits work in Chess960 as in chess.
"""

from typing import Any

import chess

from ...core.questions import Message
from ...show.person_choices import Choices, require_decision
from ...table.prompt_lines import labelled, read_page
from .draw_offers import MARK, TAKEN, OfferState, offer_state
from .prompt import REMINDER
from .variants import KING_STEPS_TOLD, Variant


def chess_choices(messages: tuple[Message, ...], variant: Variant) -> Choices:
    """The moves by the position of a prompt: action, squares, and the board after each. Raises ValueError."""
    require_decision(messages, REMINDER)
    page = read_page(messages)
    board, offers = chess.Board(labelled(page, "FEN"), chess960=True), offer_state(page.situation)
    legal = sorted(board.legal_moves, key=chess.Move.uci)
    reached = {(move.from_square, move.to_square) for move in legal}
    moves = [_move(board, move, reached, variant) for move in legal]
    actions = {move["action"] for move in moves}
    check = board.king(board.turn) if board.is_check() else None
    shown = {
        "kind": "moves",
        "moves": moves,
        "check": "" if check is None else chess.square_name(check),
        "draw_offers": offers.value if offers else "",
    }
    if offers is OfferState.MAY:
        actions |= {f"{action} {MARK}" for action in actions}
    elif offers is OfferState.OPEN:
        actions.add(TAKEN)
    return Choices(shown, actions.__contains__)


def _move(board: chess.Board, move: chess.Move, reached: set[tuple[int, int]], variant: Variant) -> dict[str, Any]:
    """One move: `to` are the squares that may be pointed at, `stands` the one on which its piece stands then."""
    san, castles, text = board.san(move), board.is_castling(move), move.uci()
    board.push(move)
    after, king = board.board_fen(), board.king(not board.turn)
    board.pop()
    stands = king if castles and king is not None else move.to_square
    targets = [move.to_square]
    if castles and stands != move.from_square and (move.from_square, stands) not in reached:
        targets.append(stands)
    return {
        "action": KING_STEPS_TOLD[text] if castles and variant.tells_king_steps else text,
        "san": san,
        "from": chess.square_name(move.from_square),
        "to": [chess.square_name(square) for square in targets],
        "stands": chess.square_name(stands),
        "promotion": chess.piece_symbol(move.promotion) if move.promotion else "",
        "board": after,
    }
