"""A font in which every character is an equally wide box, so that a page is laid out alike on every machine.

TrueType as browsers demand it (OpenType 1.9): ten tables, two glyphs. Glyph 1, a square, stands for every character
from U+0020 to U+2BFF. Advance, ascent and descent are halves and quarters of an em, which no rounding of sizes changes.
"""

import base64
import struct
from collections.abc import Mapping

EM, ADVANCE, ASCENT, DESCENT = 1024, 512, 768, 256
FIRST, LAST = 0x20, 0x2BFF
NAME = "Box"


def page_in_boxes(html: str) -> str:
    """A page whose every text is set in the font, without the policy that would refuse it."""
    font = base64.b64encode(font_file()).decode()
    style = f"@font-face {{ font-family: {NAME}; src: url(data:font/ttf;base64,{font}) }}"
    style += f" * {{ font-family: {NAME} !important; font-weight: 400 !important; letter-spacing: 0 !important }}"
    found = html.replace('http-equiv="Content-Security-Policy"', 'name="policy"', 1)
    assert found != html
    return found.replace("</head>", f"<style>{style}</style></head>", 1)


def font_file() -> bytes:
    """The bytes of the font."""
    width, height = ADVANCE - 64, ASCENT - 64
    square = struct.pack(">5hHH4B", 1, 0, 0, width, height, 3, 0, 1, 1, 1, 1)
    square += struct.pack(">8h", 0, 0, width, 0, 0, height, 0, -height)
    glyph = square + b"\0" * (-len(square) % 4)
    characters = LAST - FIRST + 1
    # Two segments (cmap, format 4): all characters by an array of glyphs, and the one that ends every such table.
    segments = struct.pack(">7H", 4, 32 + 2 * characters, 0, 4, 4, 1, 0)
    segments += struct.pack(">9H", LAST, 0xFFFF, 0, FIRST, 0xFFFF, 0, 1, 4, 0)
    tables: Mapping[str, bytes] = {
        "OS/2": struct.pack(
            ">HhHHHhhhhhhhhhhh10s4I4sHHHhhhHH",
            3,
            ADVANCE,
            400,
            5,
            0,
            *(0,) * 11,
            b"\0" * 10,
            1,
            0,
            0,
            0,
            b"TEST",
            64,
            FIRST,
            LAST,
            ASCENT,
            -DESCENT,
            0,
            ASCENT,
            DESCENT,
        )
        + struct.pack(">IIhhHHH", 1, 0, 512, ASCENT, 0, FIRST, 0),
        "cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + segments + struct.pack(f">{characters}H", *(1,) * characters),
        "glyf": glyph,
        "head": struct.pack(
            ">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, EM, 0, 0, 0, 0, width, height, 0, 8, 2, 1, 0
        ),
        "hhea": struct.pack(
            ">IhhhHhhhhhh4hhH", 0x10000, ASCENT, -DESCENT, 0, ADVANCE, 0, 0, width, 1, 0, 0, 0, 0, 0, 0, 0, 1
        ),
        "hmtx": struct.pack(">Hhh", ADVANCE, 0, 0),
        "loca": struct.pack(">III", 0, 0, len(glyph)),
        "maxp": struct.pack(">IH13H", 0x10000, 2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        "name": names(),
        "post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 1, 0, 0, 0, 0),
    }
    return assembled(tables)


def names() -> bytes:
    texts = {1: NAME, 2: "Regular", 3: NAME, 4: NAME, 5: "Version 1.0", 6: NAME}
    rows, data = b"", b""
    for number, text in texts.items():
        spelled = text.encode("utf-16-be")
        rows += struct.pack(">6H", 3, 1, 0x409, number, len(spelled), len(data))
        data += spelled
    return struct.pack(">HHH", 0, len(texts), 6 + len(rows)) + rows + data


def assembled(tables: Mapping[str, bytes]) -> bytes:
    """The file: an offset table with checksums, then the tables in order of their names."""
    count, at = len(tables), 12 + 16 * len(tables)
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(">IHHHH", 0x10000, count, power * 16, count.bit_length() - 1, count * 16 - power * 16)
    body = b""
    for tag, data in sorted(tables.items()):
        padded = data + b"\0" * (-len(data) % 4)
        checksum = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        head += struct.pack(">4sIII", tag.encode(), checksum, at + len(body), len(data))
        body += padded
    return head + body
