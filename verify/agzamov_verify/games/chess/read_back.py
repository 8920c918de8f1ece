"""The question what an image of a board shows, put before a game of a seat that is shown images.

    question to the seat      an image of a position that the sealed seed draws
    its reply                 BOARD: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR

It is no decision. A reply that names no board has no square right; one that
was cut at its token limit is a class of its own.
"""

from typing import Final

import chess
import msgspec

from ...core.dice import Stream
from ...core.questions import Message, NoReply, Reply
from ...table.declared import Accepted, Fault, FaultKind, read_declared
from ...table.players import PictureWish
from .board_picture import ChessPictures, cells_of
from .legal_moves import legal_uci

TAG: Final = "BOARD:"
SQUARES: Final = 64
PLIES_MAX: Final = 60
"""Of random moves from the start of a game to a position that is read back."""
SYSTEM: Final = """\
You are shown an image of a chess position and asked to write it down.

You may think before you answer. Declare the position on the last line of your answer, as the first field of a FEN: \
the ranks from the eighth to the first with / between them, White's pieces as KQRBNP, Black's as kqrbnp, digits for \
empty squares, in exactly this form:
BOARD: <ranks>
Only the last line that starts with BOARD: counts."""
REQUEST: Final = "This is not yet the time to move. Which position does the image show?"
TEMPLATES: Final = {"read_back_system": SYSTEM, "read_back_request": REQUEST}


class ReadBack(msgspec.Struct, frozen=True, gc=False):
    """One board read back. `place`: who was asked, 0 White. `is_cut`: the reply ended at its token limit."""

    place: int
    squares_right: int
    is_cut: bool


def drawn_placement(start_fen: str, draws: Stream) -> str:
    """The piece placement after a drawn number of random moves."""
    board = chess.Board(start_fen, chess960=True)
    for _ in range(draws.below(PLIES_MAX + 1)):
        moves = legal_uci(board)
        if not moves:
            break
        board.push(chess.Move.from_uci(draws.choice(moves)))
    return board.board_fen()


def messages(placement: str, wish: PictureWish, pictures: ChessPictures) -> tuple[Message, ...]:
    """The prompt of the seat."""
    shown = pictures.shown(placement, wish.style, wish.detail)
    return Message(SYSTEM, "system"), Message(REQUEST, "user", (shown,))


def read_back(answer: Reply | NoReply, placement: str, place: int) -> ReadBack:
    """The squares that a reply has right."""
    reading = read_declared(answer, TAG, _board)
    if isinstance(reading, Fault):
        return ReadBack(place, 0, reading.kind is FaultKind.CUT)
    pairs = zip("".join(cells_of(placement)), reading.action, strict=True)
    return ReadBack(place, sum(one == other for one, other in pairs), is_cut=False)


def _board(text: str) -> Accepted[str] | Fault:
    try:
        return Accepted("".join(cells_of(text.split(maxsplit=1)[0] if text.split() else "")), exact=True)
    except ValueError:
        return Fault(FaultKind.NO_ACTION, "the first field of a FEN was expected")
