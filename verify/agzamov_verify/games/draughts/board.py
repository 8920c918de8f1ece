"""Positions of English draughts on bitboards: legal moves, moves played, FEN, the diagram.

Squares have their standard numbers; square n is bit n - 1. Black begins on 1 to 12 and goes towards 32.

     .  1  .  2  .  3  .  4        rows of four, the first of Black's crown row for White
     5  .  6  .  7  .  8  .
     .  9  . 10  . 11  . 12
    13  . 14  . 15  . 16  .        from an even row (1-4 is row 0): n + 4 and n + 5 go down
     . 17  . 18  . 19  . 20        from an odd row: n + 3 and n + 4
    ...

The rules are those of "WCDF Rules of Draughts", section 1: a man moves and captures forward, a king both ways, one
square; captures are compulsory, any of them may be chosen, and each is made to its end; a man that reaches the crown
row is crowned and its move ends there; a piece is not jumped twice.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

BLACK, WHITE = 0, 1
SQUARES: Final = range(1, 33)
ROW: Final = 4
"""Squares of a row."""
FULL: Final = 2**32 - 1
EVEN_ROWS: Final = 0x0F0F0F0F
BY_THREE: Final = 0xE0E0E0E0
"""Squares of odd rows but the first of each: from there n + 3 is on the board. Mirrored upwards from even rows."""
BY_FIVE: Final = 0x07070707
"""Squares of even rows but the last of each: from there n + 5 is on the board."""
CROWN_ROWS: Final = (0xF0000000, 0x0000000F)
"""Where a man of Black, of White, is crowned."""
FEN_LETTERS: Final = "BW"
DIAGRAM_LETTERS: Final = ("bw", "BW")
"""Of men and of kings."""
START_FEN: Final = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
FEN_CHARACTERS_MAX: Final = 120
ROWS_KEPT: Final = 2**14
"""Pairs of rows of diagrams that are kept in memory, of 1.6 million that there are."""


class Move(NamedTuple):
    """A legal move: the squares that the piece stands on, the first and each that it comes to, and what it takes."""

    path: tuple[int, ...]
    taken: int = 0

    @property
    def text(self) -> str:
        """11-15 or 15x24x31, as PDN has it."""
        return ("x" if self.taken else "-").join(map(str, self.path))


class Position(NamedTuple):
    """Pieces of Black and of White, which of them are kings (bitboards), and the side to move.

    As a value it is the key of a repetition.
    """

    black: int
    white: int
    kings: int
    turn: int


START: Final = Position(0x00000FFF, 0xFFF00000, 0, BLACK)

Step = tuple[int, int]
"""A square and its bit."""
Jump = tuple[int, int, int]
"""The bit that is jumped, the square behind it and its bit."""


def _neighbour(square: int, down: int, right: int) -> int:
    """The square that is diagonally next, or 0 beyond the rim."""
    row, place = divmod(square - 1, ROW)
    column = 2 * place + (row % 2 == 0)
    row, column = row + down, column + right
    return row * ROW + column // 2 + 1 if 0 <= row < 8 and 0 <= column < 8 else 0


def _tables(directions: tuple[int, ...]) -> tuple[list[list[Step]], list[list[Jump]]]:
    """Steps and jumps from each square by its number, for a piece that goes in these directions (1 is down)."""
    steps: list[list[Step]] = [[] for _ in range(33)]
    jumps: list[list[Jump]] = [[] for _ in range(33)]
    for square in SQUARES:
        for down in directions:
            for right in (-1, 1):
                near = _neighbour(square, down, right)
                if near:
                    steps[square].append((near, 1 << near - 1))
                    far = _neighbour(near, down, right)
                    if far:
                        jumps[square].append((1 << near - 1, far, 1 << far - 1))
    return steps, jumps


_MEN: Final = (_tables((1,)), _tables((-1,)))
_KING: Final = _tables((-1, 1))
BIT: Final = [0, *(1 << square - 1 for square in SQUARES)]


def squares_of(pieces: int) -> Iterator[int]:
    """The numbers of the squares of a bitboard, the least first."""
    while pieces:
        least = pieces & -pieces
        yield least.bit_length()
        pieces ^= least


def legal_moves(position: Position) -> list[Move]:
    """All legal moves, by the number of the square that the piece leaves; captures are told by their whole path."""
    return captures(position) if must_capture(position) else _steps(position)


def must_capture(position: Position) -> bool:
    """True if the side to move can capture. All pieces at once, without a list of moves."""
    black, white, kings, turn = position
    own, other = (black, white) if turn == BLACK else (white, black)
    empty = ~(black | white) & FULL
    own_kings = own & kings
    down, up = (own, own_kings) if turn == BLACK else (own_kings, own)
    straight = down << 4 & other
    aslant = ((down & BY_THREE) << 3 | (down & BY_FIVE) << 5) & other
    landed = (straight & BY_THREE) << 3 | (straight & BY_FIVE) << 5 | aslant << 4
    if landed & empty:
        return True
    straight = up >> 4 & other
    aslant = ((up & _UP_THREE) >> 3 | (up & _UP_FIVE) >> 5) & other
    return bool(((straight & _UP_THREE) >> 3 | (straight & _UP_FIVE) >> 5 | aslant >> 4) & empty)


def can_move(position: Position) -> bool:
    """True if the side to move has a legal move."""
    black, white, kings, turn = position
    own = black if turn == BLACK else white
    empty = ~(black | white) & FULL
    own_kings = own & kings
    down, up = (own, own_kings) if turn == BLACK else (own_kings, own)
    reached = down << 4 | (down & BY_THREE) << 3 | (down & BY_FIVE) << 5
    reached |= up >> 4 | (up & _UP_THREE) >> 3 | (up & _UP_FIVE) >> 5
    return bool(reached & empty) or must_capture(position)


_UP_THREE: Final = 0x07070700
"""Squares of even rows but the first row and the last of each: from there n - 3 is on the board."""
_UP_FIVE: Final = 0xE0E0E0E0
"""Squares of odd rows but the first of each: from there n - 5 is on the board."""


def _steps(position: Position) -> list[Move]:
    black, white, kings, turn = position
    occupied = black | white
    men = _MEN[turn][0]
    moves = []
    for square in squares_of(black if turn == BLACK else white):
        table = _KING[0] if kings & BIT[square] else men
        moves += [Move((square, target)) for target, bit in table[square] if not occupied & bit]
    return moves


def step_of(position: Position, path: tuple[int, ...]) -> Move | None:
    """The legal step of these two squares; None where it is none, and where something must be captured."""
    if len(path) != 2 or must_capture(position):
        return None
    black, white, kings, turn = position
    origin, target = path
    if not (black if turn == BLACK else white) & BIT[origin]:
        return None
    table = (_KING if kings & BIT[origin] else _MEN[turn])[0]
    bit = BIT[target]
    return Move(path) if (target, bit) in table[origin] and not (black | white) & bit else None


def captures(position: Position) -> list[Move]:
    """All captures, each to its end."""
    black, white, kings, turn = position
    own, other = (black, white) if turn == BLACK else (white, black)
    moves: list[Move] = []
    for square in squares_of(own):
        bit = BIT[square]
        is_king = kings & bit
        jumps = (_KING if is_king else _MEN[turn])[1]
        # A king may come back to the square that it left, which is empty while it moves.
        _go_on(moves, jumps, (square,), 0, other, (black | white) & ~bit, 0 if is_king else CROWN_ROWS[turn])
    return moves


def _go_on(
    moves: list[Move], jumps: list[list[Jump]], path: tuple[int, ...], taken: int, other: int, occupied: int, last: int
) -> None:
    """Add every way to end a capture that has come so far. `last`: the row where a man stops."""
    is_over = True
    for over, target, bit in jumps[path[-1]]:
        if over & other and not occupied & bit:
            is_over = False
            longer = (*path, target)
            if bit & last:
                moves.append(Move(longer, taken | over))
            else:
                _go_on(moves, jumps, longer, taken | over, other & ~over, occupied & ~over, last)
    if is_over and taken:
        moves.append(Move(path, taken))


def played(position: Position, move: Move) -> Position:
    """The position after a legal move."""
    black, white, kings, turn = position
    (path, taken), origin = move, BIT[move.path[0]]
    target = BIT[path[-1]]
    left = ~taken & FULL
    if kings & origin:
        kings = kings & ~origin | target
    elif target & CROWN_ROWS[turn]:
        kings |= target
    if turn == BLACK:
        return Position(black & ~origin | target, white & left, kings & left, WHITE)
    return Position(black & left, white & ~origin | target, kings & left, BLACK)


def is_man_move(position: Position, move: Move) -> bool:
    """True if an uncrowned man makes the move."""
    return not position.kings & BIT[move.path[0]]


def fen(position: Position) -> str:
    """The position in the FEN of PDN: the side to move, White's squares, Black's squares, K before those of kings."""
    white, black = _placed(position.white, position.kings), _placed(position.black, position.kings)
    return f"{FEN_LETTERS[position.turn]}:W{white}:B{black}"


def _placed(pieces: int, kings: int) -> str:
    kings &= pieces
    first, second = _eight(0, pieces & 255, kings & 255), _eight(8, pieces >> 8 & 255, kings >> 8 & 255)
    third, fourth = _eight(16, pieces >> 16 & 255, kings >> 16 & 255), _eight(24, pieces >> 24, kings >> 24)
    return f"{first}{second}{third}{fourth}"[1:]


@cache
def _eight(first: int, pieces: int, kings: int) -> str:
    """The pieces on the eight squares after the first so many, each behind a comma."""
    names = (f"K{first + n}" if kings & BIT[n] else f"{first + n}" for n in squares_of(pieces))
    return "".join(f",{name}" for name in names)


def read_fen(text: str) -> Position:
    """The position of a FEN. Raises ValueError for another text, for two pieces on a square, for an uncrowned man."""
    parts = text.split(":") if len(text) <= FEN_CHARACTERS_MAX else ()
    if len(parts) != 3 or parts[0] not in _TURNS or parts[1][:1] != "W" or parts[2][:1] != "B":
        raise ValueError(f"expected a position such as {START_FEN}, found {text[:60]!r}")
    turn, (white, white_kings), (black, black_kings) = parts[0], _read_squares(parts[1]), _read_squares(parts[2])
    if black & white or (black & ~black_kings & CROWN_ROWS[BLACK]) or (white & ~white_kings & CROWN_ROWS[WHITE]):
        raise ValueError(f"expected one piece a square, and kings on the crown row, found {text[:60]!r}")
    return Position(black, white, black_kings | white_kings, _TURNS[turn])


_TURNS: Final = {letter: turn for turn, letter in enumerate(FEN_LETTERS)}
_PIECES: Final = {
    f"{king}{number}": (BIT[square], BIT[square] if king else 0)
    for square in SQUARES
    for king in ("", "K")
    for number in (f"{square}", f"{square:02}")
}
"""The pieces that a FEN may name: the bit of the square, once more for a king."""


def _read_squares(text: str) -> tuple[int, int]:
    """The pieces and the kings of a side, behind its letter."""
    pieces = kings = 0
    for word in text[1:].split(",") if text[1:] else ():
        piece, king = _PIECES.get(word, (0, 0))
        if not piece or pieces & piece:
            raise ValueError(f"expected each square from 1 to 32 once, found {word!r}")
        pieces |= piece
        kings |= king
    return pieces, kings


def diagram(position: Position) -> str:
    """The board, squares 1 to 4 at the top: each number with its piece, b w men, B W kings, a dot for none."""
    black, white, kings, _ = position
    first = _two_rows(0, black & 255, white & 255, kings & 255)
    second = _two_rows(2, black >> 8 & 255, white >> 8 & 255, kings >> 8 & 255)
    third = _two_rows(4, black >> 16 & 255, white >> 16 & 255, kings >> 16 & 255)
    return f"{first}\n{second}\n{third}\n{_two_rows(6, black >> 24, white >> 24, kings >> 24)}"


@lru_cache(maxsize=ROWS_KEPT)
def _two_rows(row: int, black: int, white: int, kings: int) -> str:
    """Two rows of the diagram, from this one on: they seldom change, so each pair is written once."""
    lower = _row(row + 1, black >> ROW, white >> ROW, kings >> ROW)
    return f"{_row(row, black, white, kings)}\n{lower}"


def _row(row: int, black: int, white: int, kings: int) -> str:
    cells = []
    for place in range(ROW):
        bit = 1 << place
        letters = DIAGRAM_LETTERS[bool(kings & bit)]
        piece = letters[BLACK] if black & bit else letters[WHITE] if white & bit else "."
        number = f"{row * ROW + place + 1:>2}{piece}"
        cells.append(f"    {number}" if row % 2 == 0 else f"{number}    ")
    return "".join(cells).rstrip()
