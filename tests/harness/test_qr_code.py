"""The QR code of an address, read back from the terminal's blocks by a reader of its own (ISO/IEC 18004)."""

import sys
from collections.abc import Iterator

import pytest

from agzamov_harness.people import qr_code

ADDRESS = "http://192.168.100.200:65535/0123456789abcdef0123456789abcdef/"
QUIET = 4
"""Light modules on each side."""
HALVES = {"█": "11", "▀": "10", "▄": "01", " ": "00"}
"""Upper and lower half of a character: 1 is light."""
SIZE, BYTES = 33, 0b0100
BLOCKS = {0b01: (1, 80), 0b00: (2, 32)}
"""Of version 4 by level of correction, L and M: blocks, and words of data in each. The blocks' words take turns."""
FORMAT_MASK = 0b101010000010010
MASKS = (
    lambda row, column: (row + column) % 2,
    lambda row, column: row % 2,
    lambda row, column: column % 3,
    lambda row, column: (row + column) % 3,
    lambda row, column: (row // 2 + column // 3) % 2,
    lambda row, column: row * column % 2 + row * column % 3,
    lambda row, column: (row * column % 2 + row * column % 3) % 2,
    lambda row, column: ((row + column) % 2 + row * column % 3) % 2,
)


def modules(drawn: str) -> list[list[int]]:
    """The dark modules of a drawing, without its quiet zone."""
    lines = [line.removeprefix(qr_code.WHITE_ON_BLACK).removesuffix(qr_code.PLAIN) for line in drawn.splitlines()]
    rows = [[1 - int(HALVES[sign][half]) for sign in line] for line in lines for half in (0, 1)]
    size = len(rows[0]) - 2 * QUIET
    assert not any(map(any, rows[:QUIET]))
    return [row[QUIET : QUIET + size] for row in rows[QUIET : QUIET + size]]


def data_places(size: int) -> Iterator[tuple[int, int]]:
    """Row and column of each bit of the data, in versions 2 to 6."""
    align, column, upwards = size - 7, size - 1, True
    while column > 0:
        column -= column == 6
        for row in range(size - 1, -1, -1) if upwards else range(size):
            for at in (column, column - 1):
                corner = (row < 9 and (at < 9 or at >= size - 8)) or (row >= size - 8 and at < 9)
                if not (corner or row == 6 or at == 6 or (abs(row - align) < 3 and abs(at - align) < 3)):
                    yield row, at
        column, upwards = column - 2, not upwards


def read(dark: list[list[int]]) -> str:
    """The text of a code of version 4 that holds bytes; nothing is corrected."""
    assert len(dark) == SIZE
    level, number = divmod(int("".join(map(str, dark[8][:5])), 2) ^ FORMAT_MASK >> 10, 8)
    bits = [dark[row][column] ^ (MASKS[number](row, column) == 0) for row, column in data_places(SIZE)]
    words = [int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits) - 7, 8)]
    blocks, size = BLOCKS[level]
    data = b"".join(bytes(words[block : blocks * size : blocks]) for block in range(blocks))
    kind, count = data[0] >> 4, (data[0] & 15) << 4 | data[1] >> 4
    assert kind == BYTES
    shifted = int.from_bytes(data) >> 4 & (1 << 8 * (len(data) - 1)) - 1
    return shifted.to_bytes(len(data) - 1)[1 : 1 + count].decode("ascii")


def test_the_code_on_the_terminal_is_the_address() -> None:
    pytest.importorskip("segno")
    assert read(modules(qr_code.qr_code(ADDRESS))) == ADDRESS


def test_without_the_library_it_is_told_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "segno", None)  # importing it fails
    assert qr_code.qr_code(ADDRESS) == qr_code.MISSING
    assert "make phone" in qr_code.MISSING
