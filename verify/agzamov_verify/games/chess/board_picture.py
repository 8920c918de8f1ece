"""The picture of a chess board: squares, pieces with their letters, coordinates on all sides; White below.

Pieces and characters are bitmaps in `bitmaps.txt`, drawn by scripts/draw_chess_bitmaps.py. Two styles differ in colours
and in the form of the pieces.
"""

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import ClassVar, Final

from ...core.questions import Message
from ...table.pictures import Bitmap, Colour, GamePictures, Picture, PictureStyle, SightProbe, bitmaps_of, tile_of

BOARD_SHOWN: Final = "(its board is in the image)"
"""In the place of a FEN's placement."""
SQUARE, BORDER = 56, 32
SIDE: Final = 8 * SQUARE + 2 * BORDER
"""Of the picture, in pixels."""
KEPT: Final = 64
"""Pictures that are kept, since a position is drawn for a question and again to be sent."""
_PAPER, _LIGHT, _DARK, _WHITE, _BLACK, _ON_WHITE, _ON_BLACK, _INK = range(8)
"""Colours of a palette: paper, light and dark squares, White's and Black's pieces, their lines, and characters."""


LOOKS: Final[Mapping[PictureStyle, tuple[Colour, ...]]] = {
    PictureStyle.FIGURES: (
        (250, 250, 245),
        (238, 216, 176),
        (181, 136, 99),
        (255, 255, 255),
        (20, 20, 20),
        (0, 0, 0),
        (235, 235, 235),
        (30, 30, 30),
    ),
    PictureStyle.DISCS: (
        (225, 232, 238),
        (200, 214, 226),
        (120, 150, 178),
        (252, 244, 214),
        (84, 22, 40),
        (60, 40, 10),
        (255, 226, 190),
        (20, 40, 70),
    ),
}


@cache
def _bitmaps() -> dict[str, Bitmap]:
    text = (files(__package__) / "bitmaps.txt").read_text(encoding="ascii")
    return {name: bitmap.doubled() for name, bitmap in bitmaps_of(text).items()}


@lru_cache(KEPT)
def board_picture(placement: str, style: PictureStyle) -> Picture:
    """The picture of a FEN's piece placement. Raises ValueError for one that is none."""
    edge = _edge_row()
    rows = [*edge]
    for row, cells in enumerate(cells_of(placement)):
        side = _rank_tile(8 - row)
        tiles = (_square(piece, (row + column) % 2, style) for column, piece in enumerate(cells))
        rows += map(b"".join, zip(side, *tiles, side, strict=True))
    return Picture(SIDE, SIDE, LOOKS[style], b"".join([*rows, *edge]))


@cache
def _square(piece: str, is_dark: int, style: PictureStyle) -> tuple[bytes, ...]:
    """Rows of a square with its piece; "." for none."""
    ground = _DARK if is_dark else _LIGHT
    fill, lines = (_WHITE, _ON_WHITE) if piece.isupper() else (_BLACK, _ON_BLACK)
    bitmap = None if piece == "." else _bitmaps()[f"{style.value} {piece.upper()}"]
    return tile_of(bitmap, SQUARE, ground, {"o": fill, "#": lines, "x": lines})


@cache
def _rank_tile(rank: int) -> tuple[bytes, ...]:
    """Rows of the border beside a rank, with its number."""
    return tile_of(_bitmaps()[f"glyph {rank}"].padded(BORDER, SQUARE), SQUARE, _PAPER, {"x": _INK})


@cache
def _edge_row() -> tuple[bytes, ...]:
    """Rows of the border above and below, with the letters of the files."""
    corner = (bytes([_PAPER]) * BORDER,) * BORDER
    letters = (_bitmaps()[f"glyph {file}"].padded(SQUARE, BORDER) for file in "abcdefgh")
    tiles = (tile_of(letter, SQUARE, _PAPER, {"x": _INK}) for letter in letters)
    return tuple(map(b"".join, zip(corner, *tiles, corner, strict=True)))


def cells_of(placement: str) -> list[str]:
    """Eight ranks from the eighth down, eight characters each, dots for empty squares. Raises ValueError."""
    ranks = ["".join("." * int(mark) if mark in "12345678" else mark for mark in rank) for rank in placement.split("/")]
    if len(ranks) != 8 or any(len(rank) != 8 or set(rank) - set(".KQRBNPkqrbnp") for rank in ranks):
        raise ValueError(f"expected the piece placement of a FEN, found {placement[:80]!r}")
    return ranks


class ChessPictures(GamePictures):
    """Chess boards as images; a position is told by the piece placement of its FEN."""

    probe: ClassVar[SightProbe] = SightProbe(
        "8/8/8/8/3Q4/8/8/8",
        "The image shows a chess board with one piece. Name the square that it stands on, as e5, and nothing else.",
        "d4",
    )

    def __init__(self, game: str) -> None:
        self.game = game

    def drawn(self, of: str, style: PictureStyle) -> Picture:
        return board_picture(of, style)

    def in_words(self, message: Message) -> Message | None:
        (shown,) = message.shown
        told = message.content.replace(f"FEN: {BOARD_SHOWN} ", f"FEN: {shown.of} ")
        return Message(told, message.role) if told != message.content else None
