"""The reference player of draughts: reads a FEN, searches a few plies, answers in a model's words.

Alpha-beta, deepened while nodes are few; at its ends captures are played out, as they are compulsory. Values are whole
numbers, hundredths of a man, so that its moves are the same on every machine. What it weighs beside the pieces is the
usual of programs since A. L. Samuel, "Some Studies in Machine Learning Using the Game of Checkers" (1959): how far men
have come, the guard of the own back row, and for whoever is ahead in kings how near they are to those of the other.
"""

from typing import Final, NamedTuple

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from .board import BLACK, ROW, SQUARES, Move, Position, legal_moves, must_capture, played, read_fen, squares_of
from .rules import positions_of

DEPTH_MAX: Final = 12
NODES_MAX: Final = 1_500
"""The search ends here, whatever the position."""
NODES_ENOUGH: Final = 300
"""No deeper iteration starts after so many."""
NOISE: Final = 4
MAN, KING = 100, 150
LOST: Final = -100_000
AHEAD: Final = 80
"""From so much ahead on, pieces are exchanged and kings hunt."""
GUARDS: Final = (0b0101, 0b1010 << 28)
"""Two squares of each side's back row that keep kings out: 1 and 3, 30 and 32."""
ADVANCE: Final = 3
GUARD: Final = 6
HUNT: Final = 2
EXCHANGE: Final = 3


def _row_of(square: int) -> int:
    return (square - 1) // ROW


_ADVANCED: Final = (
    [0, *(ADVANCE * _row_of(square) for square in SQUARES)],
    [0, *(ADVANCE * (7 - _row_of(square)) for square in SQUARES)],
)
"""Of a man of Black, of White, by its square."""


def _column_of(square: int) -> int:
    return 2 * ((square - 1) % ROW) + (_row_of(square) % 2 == 0)


_APART: Final = [
    [max(abs(_row_of(one) - _row_of(two)), abs(_column_of(one) - _column_of(two))) for two in (1, *SQUARES)]
    for one in (1, *SQUARES)
]
"""Moves of a king from one square to another, by their numbers."""


def reference_reply(page: Page, stream: Stream) -> str:
    """The best move that a short search finds, with a line that says why. Raises ValueError for another prompt."""
    position = read_fen(labelled(page, "FEN"))
    line = best_line(position, stream, frozenset(positions_of(labelled(page, "Moves so far").split())))
    remark = f"Searched to depth {line.depth}, I expect to stand at {line.value / MAN:+.1f} men."
    return f"{remark}\nMOVE: {line.move.text}"


class Line(NamedTuple):
    """Result of a search: the move, its value for the side to move, the plies looked ahead."""

    move: Move
    value: int
    depth: int


class _Spent(Exception):
    """The nodes of this search are used up."""


def best_line(position: Position, stream: Stream, known: frozenset[Position] = frozenset()) -> Line:
    """The best move of the side to move; a position that was there before counts as a draw."""
    order = legal_moves(position)
    taste = {move: stream.below(NOISE) for move in order}
    search, line = _Search(), Line(order[0], value_of(position), 0)
    for depth in range(1, DEPTH_MAX + 1):
        if len(order) == 1:
            break
        try:
            ranked = search.root(position, order, taste, known, depth)
        except _Spent:
            break
        order.sort(key=lambda move: -ranked[move])
        line = Line(order[0], ranked[order[0]], depth)
        if search.nodes > NODES_ENOUGH or abs(line.value) > -LOST // 2:
            break
    return line


class _Search:
    """The nodes that are used on one decision. Values are for the side to move."""

    def __init__(self) -> None:
        self.nodes = 0

    def root(
        self, position: Position, order: list[Move], taste: dict[Move, int], known: frozenset[Position], depth: int
    ) -> dict[Move, int]:
        """The value of each move, exact for the best."""
        ranked: dict[Move, int] = {}
        best = LOST
        for move in order:
            after = played(position, move)
            value = 0 if after in known else -self._value(after, depth - 1, 1, LOST, taste[move] - best)
            ranked[move] = value + taste[move]
            best = max(best, ranked[move])
        return ranked

    def _value(self, position: Position, depth: int, ply: int, alpha: int, beta: int) -> int:
        """Fail-soft alpha-beta; captures cost no depth below the last ply."""
        self.nodes += 1
        if self.nodes > NODES_MAX:
            raise _Spent
        if depth <= 0 and not must_capture(position):
            return value_of(position)
        best = LOST + ply
        for move in legal_moves(position):
            value = -self._value(played(position, move), depth - 1, ply + 1, -beta, -max(alpha, best))
            best = max(best, value)
            if best >= beta:
                break
        return best


def value_of(position: Position) -> int:
    """The value of a position as it stands, for the side to move."""
    black, white, kings, turn = position
    material = _material(black, kings) - _material(white, kings)
    value = material
    for side, own, sign in ((BLACK, black, 1), (1 - BLACK, white, -1)):
        advanced = _ADVANCED[side]
        value += sign * sum(advanced[square] for square in squares_of(own & ~kings))
        value += sign * GUARD * (own & GUARDS[side]).bit_count()
    if abs(material) >= AHEAD:
        value += _hunt(position) if material > 0 else -_hunt(position)
    return value if turn == BLACK else -value


def _material(pieces: int, kings: int) -> int:
    return MAN * (pieces & ~kings).bit_count() + KING * (pieces & kings).bit_count()


def _hunt(position: Position) -> int:
    """What draws the side ahead on: fewer pieces on the board, and its kings near the other side's pieces."""
    black, white, kings, _ = position
    pieces = (black | white).bit_count()
    ahead, behind = (black, white) if _material(black, kings) > _material(white, kings) else (white, black)
    hunted = list(squares_of(behind))
    near = sum(7 - min(_APART[king][square] for square in hunted) for king in squares_of(ahead & kings) if hunted)
    return EXCHANGE * (24 - pieces) + HUNT * near
