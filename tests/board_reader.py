"""A reader of chess boards: decodes a PNG file and matches each square with the committed bitmaps.

It imports nothing of the writer.

The colours below are those of the two styles, written down a second time.
"""

import struct
import zlib
from pathlib import Path

BITMAPS = Path(__file__).parents[1] / "verify" / "agzamov_verify" / "games" / "chess" / "bitmaps.txt"
SQUARE, BORDER = 56, 32
COLOURS: dict[str, tuple[tuple[int, int, int], ...]] = {  # light, dark, White's fill and lines, Black's
    "figures": ((238, 216, 176), (181, 136, 99), (255, 255, 255), (0, 0, 0), (20, 20, 20), (235, 235, 235)),
    "discs": ((200, 214, 226), (120, 150, 178), (252, 244, 214), (60, 40, 10), (84, 22, 40), (255, 226, 190)),
}


class CannotRead(ValueError):
    """A file that is no PNG of the kind, or a square that no template fits."""


def decoded(data: bytes) -> list[bytes]:
    """Rows of red, green and blue of a 4-bit indexed PNG file."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise CannotRead("no PNG signature")
    chunks, at = dict[bytes, bytes](), 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if struct.unpack_from(">I", data, at + 8 + length)[0] != zlib.crc32(name + body):
            raise CannotRead(f"wrong checksum of {name!r}")
        chunks[name], at = chunks.get(name, b"") + body, at + 12 + length
    width, height, depth, kind, packing, filters, interlace = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    if (depth, kind, packing, filters, interlace) != (4, 3, 0, 0, 0) or b"IEND" not in chunks:
        raise CannotRead("expected an indexed PNG of 4 bits a pixel")
    raw, stride = zlib.decompress(chunks[b"IDAT"]), width // 2 + 1
    if len(raw) != stride * height or any(raw[::stride]):
        raise CannotRead("expected rows with filter type 0")
    palette = [chunks[b"PLTE"][at : at + 3] for at in range(0, len(chunks[b"PLTE"]), 3)]
    both = {
        byte: palette[byte >> 4] + palette[byte & 15] for byte in set(raw) if max(byte >> 4, byte & 15) < len(palette)
    }
    return [b"".join(both[byte] for byte in raw[at + 1 : at + stride]) for at in range(0, len(raw), stride)]


def templates(style: str) -> dict[bytes, str]:
    """Pixels of every square with every piece, and the piece; "." for none."""
    light, dark, fill, lines, black_fill, black_lines = map(bytes, COLOURS[style])
    masks: dict[str, list[str]] = {}
    for line in BITMAPS.read_text().splitlines():
        if line.endswith(":"):
            rows = masks[line[:-1]] = []
        else:
            rows.append(line)
    found = {}
    for ground in (light, dark):
        found[ground * SQUARE * SQUARE] = "."
        for letter in "KQRBNP":
            for name, inside, edge in ((letter, fill, lines), (letter.lower(), black_fill, black_lines)):
                paint = {".": ground, "o": inside, "#": edge, "x": edge}
                wide = [b"".join(paint[mark] * 2 for mark in row) for row in masks[f"{style} {letter}"]]
                found[b"".join(row * 2 for row in wide)] = name
    return found


def placement_in(data: bytes, style: str) -> str:
    """The piece placement that a PNG file shows. Raises CannotRead."""
    rows = decoded(data)
    known = templates(style)
    ranks: list[str] = []
    for rank in range(8):
        cells = ""
        for file in range(8):
            left, top = BORDER + SQUARE * file, BORDER + SQUARE * rank
            pixels = b"".join(row[3 * left : 3 * (left + SQUARE)] for row in rows[top : top + SQUARE])
            if pixels not in known:
                raise CannotRead(f"no piece fits {'abcdefgh'[file]}{8 - rank}")
            cells += known[pixels]
        ranks.append(cells)
    text = "/".join(ranks)
    for count in range(8, 0, -1):
        text = text.replace("." * count, str(count))
    return text
