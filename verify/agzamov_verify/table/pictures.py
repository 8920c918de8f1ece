"""Pictures of a position: indexed pixels, their digest, and a PNG file of the same bytes on every machine.

A question holds the digest of size, palette and pixels. The file that is sent is no part of it: compressors of one name
give different bytes, so ours stores the pixels without compression (docs/decisions/0095).

    digest   SHA-256 of "agzamov picture 1\\n", width and height (4 bytes each, most significant first), the number of
             colours (1 byte), three bytes a colour (red, green, blue), and one byte a pixel, by rows from the top left
"""

import hashlib
import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Final, NamedTuple, TypeAlias

from ..core.questions import Message
from ..core.shown import Shown

COLOURS_MAX: Final = 16
"""Of a palette: a pixel has 4 bits in the file."""
STORED_BYTES_MAX: Final = 65_535
"""Of a stored block (RFC 1951, section 3.2.4)."""
_HEAD: Final = b"agzamov picture 1\n"
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_ZLIB_HEAD: Final = b"\x78\x01"
_BIT_DEPTH, _INDEXED = 4, 3

Colour: TypeAlias = tuple[int, int, int]


class PictureStyle(StrEnum):
    """The look of a position: two, so that a gap is not one look's."""

    FIGURES = "figures"
    DISCS = "discs"


class PictureDetail(StrEnum):
    """How closely a server is asked to look; sent where its API has such a field."""

    AUTO = "auto"
    LOW = "low"
    HIGH = "high"


class Picture(NamedTuple):
    """Indexed pixels: one byte each, by rows from the top left. `width` is even, a colour is red, green, blue."""

    width: int
    height: int
    palette: tuple[Colour, ...]
    pixels: bytes

    @property
    def sha256(self) -> str:
        """The digest of size, palette and pixels."""
        told = hashlib.sha256(_HEAD)
        told.update(struct.pack(">IIB", self.width, self.height, len(self.palette)))
        told.update(_colours(self.palette))
        told.update(self.pixels)
        return told.hexdigest()

    @property
    def png(self) -> bytes:
        """A PNG file (W3C PNG, 4 bits a pixel, colour type 3) whose data are stored, not compressed."""
        header = struct.pack(">IIBBBBB", self.width, self.height, _BIT_DEPTH, _INDEXED, 0, 0, 0)
        parts = (b"IHDR", header), (b"PLTE", _colours(self.palette)), (b"IDAT", _stored(self._lines())), (b"IEND", b"")
        return _SIGNATURE + b"".join(_chunk(name, body) for name, body in parts)

    def _lines(self) -> bytes:
        """The rows with filter type 0, two pixels a byte."""
        halves = bytes(left << 4 | right for left, right in zip(self.pixels[::2], self.pixels[1::2], strict=True))
        width = self.width // 2
        return b"".join(b"\0" + halves[at : at + width] for at in range(0, len(halves), width))


def _colours(palette: Sequence[Colour]) -> bytes:
    return b"".join(bytes(colour) for colour in palette)


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _stored(data: bytes) -> bytes:
    return _ZLIB_HEAD + b"".join(_blocks(data)) + struct.pack(">I", zlib.adler32(data))


def _blocks(data: bytes) -> Iterator[bytes]:
    """Stored blocks: whether it is the last, the length, its complement, the bytes."""
    for at in range(0, len(data), STORED_BYTES_MAX):
        block = data[at : at + STORED_BYTES_MAX]
        is_last = at + len(block) == len(data)
        yield struct.pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF) + block


class SightProbe(NamedTuple):
    """A question about an image whose answer is known: `of` is what it shows, and a reply must hold `answer`."""

    of: str
    question: str
    answer: str


class GamePictures(ABC):
    """Positions of a game as images."""

    game: str
    probe: ClassVar[SightProbe]

    @abstractmethod
    def drawn(self, of: str, style: PictureStyle) -> Picture:
        """The picture of a position in the game's own words. Raises ValueError for words that it cannot read."""

    @abstractmethod
    def in_words(self, message: Message) -> Message | None:
        """A decision's message with what its image shows told in words; None for a request that is no decision."""

    def shown(self, of: str, style: PictureStyle, detail: PictureDetail) -> Shown:
        """The picture as a message has it."""
        picture = self.drawn(of, style)
        return Shown(detail.value, self.game, picture.height, of, picture.sha256, style.value, picture.width)

    def sent(self, shown: Shown) -> bytes:
        """The file of a picture that a question shows. Raises ValueError where it is drawn otherwise here."""
        picture = self.drawn(shown.of, PictureStyle(shown.style))
        if picture.sha256 != shown.sha256:
            raise ValueError(f"expected a picture with digest {shown.sha256}, drew {picture.sha256}")
        return picture.png


def image_line(shown: Shown) -> str:
    """A picture in words, for a person."""
    size = f"{shown.width}x{shown.height}"
    return f"[image: {shown.of}, style {shown.style}, {size}, detail {shown.detail}, sha256 {shown.sha256}]"


def with_images(message: Message) -> str:
    """A message's text with a line for each image."""
    return "\n".join([message.content, *map(image_line, message.shown)])


class Bitmap(NamedTuple):
    """A small mask of marks, by rows; "." is see-through."""

    rows: tuple[str, ...]

    def padded(self, width: int, height: int) -> "Bitmap":
        """The same in the middle of a see-through field of that size."""
        left, top = (width - len(self.rows[0])) // 2, (height - len(self.rows)) // 2
        rows = [("." * left + row).ljust(width, ".") for row in self.rows]
        empty = "." * width
        return Bitmap((*[empty] * top, *rows, *[empty] * (height - top - len(rows))))

    def doubled(self) -> "Bitmap":
        """The same, twice as wide and high."""
        return Bitmap(tuple("".join(mark * 2 for mark in row) for row in self.rows for _ in range(2)))


def tile_of(bitmap: Bitmap | None, side: int, ground: int, colours: Mapping[str, int]) -> tuple[bytes, ...]:
    """Rows of a square of pixels of one colour, with a bitmap of the same size on it; `colours`: of its marks."""
    rows = bitmap.rows if bitmap else ("." * side,) * side
    return tuple(bytes(ground if mark == "." else colours[mark] for mark in row) for row in rows)


def bitmaps_of(text: str) -> dict[str, Bitmap]:
    """The bitmaps of a file: each a line `name:`, then its rows."""
    found: dict[str, list[str]] = {}
    rows: list[str] = []
    for line in text.splitlines():
        if line.endswith(":"):
            rows = found[line[:-1]] = []
        else:
            rows.append(line)
    return {name: Bitmap(tuple(rows)) for name, rows in found.items()}
