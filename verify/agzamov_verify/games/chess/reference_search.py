"""The search of the reference player of chess: alpha-beta over captures and check evasions at its ends.

It is deepened while nodes are few; nodes are counted, so it finds the same on any machine. A reply that the profile
of the opponent rules out is not searched. A move that gives no check, after which the other side stands well enough to
stop, is counted and not made: its value is that of the position as it then stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from .patterns import NO_HABITS, REFUSED, ChessHabits, PositionKey, due_moves, position_key, refuses
from .reference_board import Gained, ReferenceBoard
from .reference_values import bared, middle, tables_of

DEPTH_MIN, DEPTH_MAX = 2, 8
NODES_MAX = 3_000  # the search ends here, whatever the position
NODES_ENOUGH = 250  # no deeper iteration starts after this many
SETTLE_PLIES_MAX = 6
MARGIN_CENTIPAWNS = 150  # a capture that stays further below the best so far is not tried
MATE, MATE_PER_PLY = 1_000_000, 100
MATE_LEAST = MATE - 100 * MATE_PER_PLY


@dataclass(frozen=True, slots=True)
class Line:
    """Result of a search: the move, its value for the side to move, the plies looked ahead, and all moves by rank."""

    move: chess.Move
    value: int
    depth: int
    ranked: tuple[chess.Move, ...] = ()


class _Spent(Exception):
    """The nodes of this search are used up."""


class Search:
    """A board that is searched, and the nodes used on it. Scores are centipawns for the side to move."""

    def __init__(self, board: chess.Board, foe: ChessHabits, known: frozenset[PositionKey]) -> None:
        self._board, self._foe, self._known = board, foe, known
        self._me, self.nodes = board.turn, 0
        self._foe_refuses = not self._foe.kept.isdisjoint(REFUSED)
        self._bared, self._tables = bared(board), tables_of(board)
        self._made = ReferenceBoard(board, self._tables)

    def best(self, taste: dict[chess.Move, int]) -> Line:
        """The best of the moves in `taste`, whose centipawns are added to what the search finds."""
        order = [move for _, move, _ in self._made.ordered(taste)]
        line = Line(order[0], self._static(), 0, tuple(order))
        for depth in range(1, DEPTH_MAX + 1):
            try:
                ranked = self._root(order, taste, depth)
            except _Spent:  # the board is left as it was then, and is not used again
                return line
            order = sorted(order, key=lambda move: -ranked[move])
            line = Line(order[0], ranked[order[0]], depth, tuple(order))
            enough = depth >= DEPTH_MIN and self.nodes > NODES_ENOUGH
            if enough or abs(line.value) >= MATE_LEAST or len(order) == 1:
                break
        return line

    def _root(self, order: list[chess.Move], taste: dict[chess.Move, int], depth: int) -> dict[chess.Move, int]:
        """The value of each move, exact for the best; a position seen before counts as a draw."""
        ranked: dict[chess.Move, int] = {}
        best, score = -MATE, self._static()
        for move in order:
            gained = score + self._made.gained(move)[0]
            self._count()
            self._board.push(move)
            repeated = position_key(self._board) in self._known
            value = 0 if repeated else -self._value(depth - 1, 1, (-MATE, taste[move] - best), -gained, move)
            self._board.pop()
            ranked[move] = value + taste[move]
            best = max(best, ranked[move])
        return ranked

    def _value(self, depth: int, ply: int, window: tuple[int, int], score: int, last: chess.Move) -> int:
        """Fail-soft alpha-beta. A reply that the profile dictates costs no depth."""
        if depth <= 0:
            return self._settled(SETTLE_PLIES_MAX, ply, window, score, last)
        made, (alpha, beta) = self._made, window
        due, in_check = self._due(last), made.is_check()
        moves = made.ordered(due) if due else made.legal(in_check=in_check)
        if not moves:
            return ply * MATE_PER_PLY - MATE if in_check else 0
        left, best, checking = depth - (not due), -MATE, None
        may_stop = left <= 0 and self._other_may_stop()
        for gain, move, piece in self._expected(moves) if self._foe_refuses else moves:
            self._count()
            value, least = score + gain, max(alpha, best)
            is_known = False
            if may_stop and value <= least:
                squares, uncovering = checking = checking or made.checking_squares()
                is_known = not (squares[piece] >> move.to_square | uncovering >> move.from_square) & 1
            if not is_known:
                kept = made.play(move)
                value = -self._value(left, ply + 1, (-beta, -least), -value, move)
                made.take_back(kept)
            best = max(best, value)
            if best >= beta:
                break
        return best

    def _settled(self, plies: int, ply: int, window: tuple[int, int], score: int, last: chess.Move) -> int:
        """The value once captures have been played out and checks met."""
        best = score + self._drive()
        if not plies:
            return best
        made, (alpha, beta) = self._made, window
        due, least = self._due(last), -MATE
        in_check = made.is_check()
        if due or in_check:
            best = ply * MATE_PER_PLY - MATE
            moves = made.ordered(due) if due else made.legal(in_check=in_check)
        elif best < beta:
            least = max(alpha, best) - score - MARGIN_CENTIPAWNS
            moves = made.captures()
        else:
            return best
        return self._played_out(moves, (plies, ply, least), (alpha, beta), (score, best))

    def _played_out(
        self, moves: list[Gained], depth: tuple[int, int, int], window: tuple[int, int], scores: tuple[int, int]
    ) -> int:
        """The best of what the moves, which gain more than `least`, come to, and the score so far."""
        (plies, ply, least), (alpha, beta), (score, best) = depth, window, scores
        made, checking = self._made, None
        ends, may_stop = plies == 1 and self._bared is None, self._other_may_stop()
        for gain, move, piece in moves:
            if best >= beta or gain <= least:
                break
            if self._foe_refuses and self._refuses(move):
                continue
            self._count()
            value, most = score + gain, max(alpha, best)
            is_known = ends
            if may_stop and value <= most and not ends:
                squares, uncovering = checking = checking or made.checking_squares()
                is_known = not (squares[piece] >> move.to_square | uncovering >> move.from_square) & 1
            if not is_known:
                kept = made.play(move)
                value = -self._settled(plies - 1, ply + 1, (-beta, -most), -value, move)
                made.take_back(kept)
            best = max(best, value)
        return best

    def _other_may_stop(self) -> bool:
        """True if the other side, when it is not in check after a move, may leave the position as it stands."""
        return self._bared is None and (self._board.turn != self._me or self._foe == NO_HABITS)

    def _due(self, last: chess.Move) -> list[chess.Move]:
        board = self._board
        if board.turn == self._me or self._foe == NO_HABITS:
            return []
        return due_moves(board, self._foe, last)

    def _refuses(self, move: chess.Move) -> bool:
        return self._board.turn != self._me and refuses(self._board, self._foe, move)

    def _expected(self, moves: list[Gained]) -> Iterator[Gained]:
        """The moves that the side to move would consider; all of them when it would refuse each."""
        refused = 0
        for gained in moves:
            if self._refuses(gained[1]):
                refused += 1
            else:
                yield gained
        if refused == len(moves):
            yield from moves

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > NODES_MAX:
            raise _Spent

    def _drive(self) -> int:
        """Progress of a won ending: distance of the bare king from the centre, and nearness of the other king."""
        if self._bared is None:
            return 0
        hunted, hunter = self._board.king(self._bared), self._board.king(not self._bared)
        if hunted is None or hunter is None:
            return 0
        driven = 12 * (6 - middle(hunted)) + 4 * (14 - chess.square_manhattan_distance(hunted, hunter))
        return -driven if self._board.turn == self._bared else driven

    def _static(self) -> int:
        """The value of the position as it stands, for the side to move."""
        tables, turn = self._tables, self._board.turn
        pieces = self._board.piece_map().items()
        return sum((1 if p.color == turn else -1) * tables[p.color][p.piece_type][square] for square, p in pieces)
