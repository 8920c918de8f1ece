"""Moves of chess as replies spell them (reading, section 2, and page 6.4.4)."""

import re
from dataclasses import dataclass

import chess

from .reading import declared

SHOWN = 20
FIGURES = {0x2654 + at: "KQRBN"[at % 6 : at % 6 + 1] for at in range(12)}
NUMBER, BEHIND = re.compile(r"[0-9]{1,3}\.(?:\.\.)? ?"), re.compile(r"(?: ?e\.?p\.?)?[+#!]{0,3}$")
SQUARES = re.compile(
    r"([A-Ha-h][1-8]) ?(?:-|x|:|->|>|to )? ?([A-Ha-h][1-8]) ?(?:[=/]? ?([QRBNqrbn])|\(([QRBNqrbn])\))?"
)
CASTLING = re.compile(r"([Oo0])-\1(-\1)?")
MAN_IN_SMALL, PAWN_IN_CAPITALS = re.compile(r"[kqrn][a-h1-8x-]{0,4}[a-h][1-8]"), re.compile(r"[A-H][1-8]")


@dataclass
class Reading:
    """What a reply was read as."""

    kind: str
    action: str = ""
    why: str = ""


def _castlings(board: chess.Board) -> dict[str, str]:
    """UCI of the legal castlings by their names."""
    moves = [move for move in board.legal_moves if board.is_castling(move)]
    return {"O-O" if board.is_kingside_castling(move) else "O-O-O": move.uci() for move in moves}


def _castled(board: chess.Board, start: str, end: str) -> str:
    """UCI of the castling whose king ends on a square, two files or more away; empty where there is none."""
    king = board.king(board.turn)
    far = abs(ord(start[0]) - ord(end[0])) > 1
    if king is None or start != chess.square_name(king) or end[1] != start[1] or end[0] not in "cg" or not far:
        return ""
    return _castlings(board).get("O-O" if end[0] == "g" else "O-O-O", "")


def _by_squares(board: chess.Board, found: re.Match[str]) -> Reading:
    """The move that two squares are, or their fault (rows 6 and 7)."""
    start, end, man = found[1].lower(), found[2].lower(), (found[3] or found[4] or "").lower()
    uci = start + end + man
    if uci in {move.uci() for move in board.legal_moves}:
        return Reading("normalised", uci)
    castled = "" if man else _castled(board, start, end)
    if castled:
        return Reading("normalised", castled)
    if start == end or (man and {start[1], end[1]} not in ({"7", "8"}, {"1", "2"})):
        return Reading("no_action", why=f"{uci!r} is not a move")
    return Reading("illegal", why=f"{uci} is not legal in this position")


def _by_san(board: chess.Board, text: str) -> Reading | None:
    """The move that algebraic notation is, or its fault; None for what has not its form."""
    try:
        move = board.parse_san(text)
    except chess.AmbiguousMoveError:
        return Reading("ambiguous")
    except chess.IllegalMoveError:
        return Reading("illegal", why=f"{text[:SHOWN]} is not legal in this position")
    except chess.InvalidMoveError:
        return None
    return Reading("normalised", move.uci()) if move and not board.is_castling(move) else None


def _readings(board: chess.Board, text: str) -> list[Reading]:
    """Every way to read a text without move number and signs behind."""
    squares, castling = SQUARES.fullmatch(text), CASTLING.fullmatch(text)
    out: list[Reading | None] = [_by_squares(board, squares)] if squares else []
    if castling:
        name = "O-O-O" if castling[2] else "O-O"
        move = _castlings(board).get(name)
        return [
            Reading("normalised", move) if move else Reading("illegal", why=f"{name} is not legal in this position")
        ]
    out.append(_by_san(board, text))
    if MAN_IN_SMALL.fullmatch(text):
        out.append(_by_san(board, text[0].upper() + text[1:]))
    if PAWN_IN_CAPITALS.fullmatch(text):
        out.append(_by_san(board, text.lower()))
    return [reading for reading in out if reading]


def read_move(text: str, finish: str, board: chess.Board) -> Reading:
    """The move that a reply declares."""
    told = declared(text, finish, "MOVE")
    if told.fault:
        return Reading(told.fault, why=told.why)
    legal = {move.uci(): move.uci() for move in board.legal_moves} | _castlings(board)
    if told.text in legal:
        return Reading("exact" if told.exact else "normalised", legal[told.text])
    plain = BEHIND.sub("", NUMBER.sub("", told.text.translate(FIGURES), count=1)).strip()
    readings = _readings(board, plain)
    moves = {reading.action for reading in readings if reading.action}
    if len(moves) > 1 or any(reading.kind == "ambiguous" for reading in readings):
        return Reading("ambiguous", why=f"{told.text[:SHOWN]!r} may mean more than one legal move")
    if moves:
        return Reading("normalised", moves.pop())
    return readings[0] if readings else Reading("no_action", why=f"{told.text[:SHOWN]!r} is not a move")
