"""Every spelling of a move that is accepted: docs/reading.md has the grammar.

UCI as the prompt asks for it is exact. All else is normalised: a text may be read as two squares, as standard algebraic
notation and as castling, and is accepted if the readings come to one legal move.
"""

import re
from collections.abc import Iterator
from typing import Final

import chess

from ...table.declared import Accepted, Fault, FaultKind
from .rules import Game960

_SHOWN_CHARS = 20
_NUMBER: Final = re.compile(r"[0-9]{1,3}\.(?:\.\.)? ?")
_AFTER: Final = re.compile(r"(?: ?e\.?p\.?)?[+#!]{0,3}$")
_SQUARES: Final = re.compile(
    r"([A-Ha-h][1-8]) ?(?:-|x|:|->|>|to )? ?([A-Ha-h][1-8]) ?(?:[=/]? ?([QRBNqrbn])|\(([QRBNqrbn])\))?"
)
_CASTLING: Final = re.compile(r"([Oo0])-\1(-\1)?")
_PIECE_IN_SMALL: Final = re.compile(r"[kqrn][a-h1-8x-]{0,4}[a-h][1-8]")  # a small b is a pawn of that file
_PAWN_IN_CAPITALS: Final = re.compile(r"[A-H][1-8]")
_FIGURES: Final = {0x2654 + offset: "KQRBN"[offset % 6 : offset % 6 + 1] for offset in range(12)}


def read_move(text: str, game: Game960) -> Accepted[chess.Move] | Fault:
    """The legal move that `text` spells, or why there is none."""
    move = game.read(text)
    if isinstance(move, chess.Move):
        return Accepted(move, exact=True)
    plain = _AFTER.sub("", _NUMBER.sub("", text.translate(_FIGURES), count=1)).strip()
    readings = list(_readings(plain, game))
    faults = [reading for reading in readings if isinstance(reading, Fault)]
    legal = {reading for reading in readings if isinstance(reading, chess.Move)}
    if len(legal) > 1 or any(fault.kind is FaultKind.AMBIGUOUS for fault in faults):
        return Fault(FaultKind.AMBIGUOUS, f"{text[:_SHOWN_CHARS]!r} may mean more than one legal move")
    if legal:
        return Accepted(legal.pop(), exact=False)
    return faults[0] if faults else move


def spelled(text: str) -> str:
    """One spelling of two squares in whatever form; any other text as it is."""
    squares = _SQUARES.fullmatch(text.strip())
    return "".join(squares.groups("")).lower() if squares else text.strip()


def _readings(text: str, game: Game960) -> Iterator[chess.Move | Fault]:
    """Each way to read `text`: a legal move, or the fault."""
    squares = _SQUARES.fullmatch(text)
    if squares:
        origin, target, promotion, bracketed = squares.groups("")
        uci = (origin + target + promotion + bracketed).lower()
        yield _castling(uci, game) or game.read(uci)
    castling = _CASTLING.fullmatch(text)
    if castling:
        yield game.read("O-O-O" if castling[2] else "O-O")
        return
    yield from _algebraic(text, game)
    if _PIECE_IN_SMALL.fullmatch(text):
        yield from _algebraic(text[0].upper() + text[1:], game)
    if _PAWN_IN_CAPITALS.fullmatch(text):
        yield from _algebraic(text.lower(), game)


def _castling(uci: str, game: Game960) -> chess.Move | None:
    """Castling written as in chess, the king to the c- or g-file, where that is two files or more and no other move."""
    board = game.board
    if len(uci) != 4 or isinstance(game.read(uci), chess.Move):
        return None
    origin, target = chess.parse_square(uci[:2]), chess.parse_square(uci[2:])
    king = board.king(board.turn)
    if origin != king or uci[1] != uci[3] or uci[2] not in "cg" or chess.square_distance(origin, target) < 2:
        return None
    move = game.read("O-O" if uci[2] == "g" else "O-O-O")
    return move if isinstance(move, chess.Move) else None


def _algebraic(text: str, game: Game960) -> Iterator[chess.Move | Fault]:
    """Standard algebraic notation, short or long. Castling is not a king's move to a rook there."""
    try:
        move = game.board.parse_san(text)
    except chess.AmbiguousMoveError:
        yield Fault(FaultKind.AMBIGUOUS, "")
    except chess.IllegalMoveError:
        yield Fault(FaultKind.ILLEGAL, f"{text[:_SHOWN_CHARS]} is not legal in this position")
    except chess.InvalidMoveError:
        return
    else:
        if move and not game.board.is_castling(move):
            yield move
