"""The reference player of Chess960: reads a FEN, searches a few plies, answers in a model's words.

Alpha-beta over captures and check evasions at its ends, deepened while nodes are few. It expects of
the opponent what the profile says: a reply that the profile rules out is not searched, which is all
that true information is worth to it. Its own rules narrow its own moves. With a tool it names its best moves
as candidates, and plays the one that the tool puts first.

Piece values: T. Michniewski, "Simplified Evaluation Function" (chessprogramming.org); the values of
squares and the drive of a bare king to the rim are in its spirit.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

import chess

from ...core.dice import Stream
from ...table.prompt_lines import Page, labelled
from .patterns import (
    NO_HABITS,
    REFUSED,
    ChessHabits,
    PositionKey,
    allowed,
    chess_habits,
    due_moves,
    last_move,
    position_key,
    refuses,
    repeatable,
)
from .tool import best_told, candidates_line, requested
from .who_stands_better import Better, is_judgement, judgement_line

DEPTH_MIN, DEPTH_MAX = 2, 8
NODES_MAX = 3_000  # the search ends here, whatever the position
NODES_ENOUGH = 250  # no deeper iteration starts after this many
SETTLE_PLIES_MAX = 6
NOISE_CENTIPAWNS = 8
MARGIN_CENTIPAWNS = 150  # a capture that stays further below the best so far is not tried
CASTLING_CENTIPAWNS = 40
OBSTACLE_CENTIPAWNS, OBSTACLES_MAX = 20, 7  # what each piece in the way weighs on one who must castle
BARE_CENTIPAWNS = 400  # a side with no pawns and no more than this is driven to the rim
ENDING_CENTIPAWNS = 1300  # from here down the king belongs in the centre
MATE, MATE_PER_PLY = 1_000_000, 100
MATE_LEAST = MATE - 100 * MATE_PER_PLY

Tables: TypeAlias = tuple[list[list[int]], list[list[int]]]


def reference_reply(page: Page, stream: Stream) -> str:
    """The best move within the rules or by its tool, with a line that says why; or the answer to another request."""
    board = chess.Board(labelled(page, "FEN"), chess960=True)
    foe, rules = chess_habits(page.profile), chess_habits(page.rules)
    if is_judgement(page):
        line = best_line(page, board, board.legal_moves, stream)
        ahead = board.turn if line.value > 0 else not board.turn
        remark = f"Searched to depth {line.depth}, I see {line.value / 100:+.1f} pawns for the side to move."
        return f"{remark}\n{judgement_line(Better.WHITE if ahead else Better.BLACK)}"
    moves = allowed(board, rules, last_move(page))
    told = best_told(page)
    if told and chess.Move.from_uci(told) in moves:
        return f"The best of my candidates by what my tool found.\nMOVE: {told}"
    line = best_line(page, board, moves, stream, foe, rules)
    if most := requested(page):
        return f"What I consider.\n{candidates_line([move.uci() for move in line.ranked[:most]])}"
    profile_note = " I count on what I was told of this opponent." if foe != NO_HABITS else ""
    remark = f"Searched to depth {line.depth}, I expect to stand at {line.value / 100:+.1f} pawns.{profile_note}"
    return f"{remark}\nMOVE: {line.move.uci()}"


def best_line(
    page: Page,
    board: chess.Board,
    moves: Iterable[chess.Move],
    stream: Stream,
    foe: ChessHabits = NO_HABITS,
    rules: ChessHabits = NO_HABITS,
) -> "Line":
    """The best of some moves against an opponent with the habits `foe`, for a player that keeps `rules`."""
    taste = {
        move: stream.below(NOISE_CENTIPAWNS) - obstacles_centipawns(board, move, rules)
        for move in sorted(moves, key=chess.Move.uci)
    }
    return _Search(board, foe, repeatable(page, board)).best(taste)


def obstacles_centipawns(board: chess.Board, move: chess.Move, rules: ChessHabits) -> int:
    """Penalty, in centipawns, for the pieces in the way of castling after `move`, if the player must still castle."""
    side, least = board.turn, OBSTACLES_MAX
    rank = chess.BB_RANK_1 if side else chess.BB_RANK_8
    if board.fullmove_number >= rules.castles_within_moves or not board.castling_rights & rank:
        return 0
    board.push(move)
    king = board.king(side)
    for rook in chess.scan_forward(board.clean_castling_rights() & rank if king is not None else 0):
        files = {chess.square_file(king or 0), chess.square_file(rook)} | ({2, 3} if rook < (king or 0) else {5, 6})
        between = sum(chess.BB_FILES[file] for file in range(min(files), max(files) + 1)) & rank & board.occupied
        least = min(least, between.bit_count() - 2)
    board.pop()
    return OBSTACLE_CENTIPAWNS * least


def _middle(square: chess.Square) -> int:
    """0 in the corners, 6 on the four squares of the centre."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return min(file, 7 - file) + min(rank, 7 - rank)


def _pawn(square: chess.Square) -> int:
    file, rank = chess.square_file(square), chess.square_rank(square)
    return 100 + (0, 0, 3, 6, 14, 32, 80, 0)[rank] + (0, 0, 1, 5, 5, 1, 0, 0)[file] * min(rank, 4)


def _sheltered(square: chess.Square) -> int:
    return (20, 25, 15, 0, 0, 0, 25, 20)[chess.square_file(square)] - 25 * chess.square_rank(square)


_PLACED: tuple[Callable[[chess.Square], int], ...] = (
    _pawn,
    lambda square: 320 + 8 * _middle(square) - 24,
    lambda square: 330 + 4 * _middle(square) - 10,
    lambda square: 500 + 2 * _middle(square) + 15 * (chess.square_rank(square) == 6),
    lambda square: 900 + 2 * _middle(square),
)


def _tables(king: Callable[[chess.Square], int]) -> Tables:
    """Centipawns by colour, piece type and square; colours and types are indexed as `chess` numbers them."""
    white = [[], *([place(square) for square in chess.SQUARES] for place in (*_PLACED, king))]
    return [[row[square ^ 56] for square in chess.SQUARES if row] for row in white], white


_MIDDLEGAME, _ENDING = _tables(_sheltered), _tables(lambda square: 6 * _middle(square))


def _officers(board: chess.Board, side: chess.Color) -> int:
    """Centipawns of a side's pieces other than pawns and king."""
    pieces = board.occupied_co[side]
    minors, rooks = (board.knights | board.bishops) & pieces, board.rooks & pieces
    return 325 * minors.bit_count() + 500 * rooks.bit_count() + 900 * (board.queens & pieces).bit_count()


def _bared(board: chess.Board) -> chess.Color | None:
    """The side to be driven to the rim, if there is one."""
    for side in chess.COLORS:
        officers, opposing_officers = _officers(board, side), _officers(board, not side)
        if not board.pawns & board.occupied_co[side] and officers <= BARE_CENTIPAWNS <= opposing_officers - officers:
            return side
    return None


@dataclass(frozen=True, slots=True)
class Line:
    """Result of a search: the move, its value for the side to move, the plies looked ahead, and all moves by rank."""

    move: chess.Move
    value: int
    depth: int
    ranked: tuple[chess.Move, ...] = ()


class _Spent(Exception):
    """The nodes of this search are used up."""


class _Search:
    """A board that is searched, and the nodes used on it. Scores are centipawns for the side to move."""

    def __init__(self, board: chess.Board, foe: ChessHabits, known: frozenset[PositionKey]) -> None:
        self._board, self._foe, self._known = board, foe, known
        self._me, self._nodes = board.turn, 0
        self._foe_refuses = not self._foe.kept.isdisjoint(REFUSED)
        self._bared = _bared(board)
        ending = min(_officers(board, side) for side in chess.COLORS) <= ENDING_CENTIPAWNS
        self._tables = _ENDING if ending else _MIDDLEGAME

    def best(self, taste: dict[chess.Move, int]) -> Line:
        """The best of the moves in `taste`, whose centipawns are added to what the search finds."""
        order = sorted(taste, key=self._gain, reverse=True)
        line = Line(order[0], self._static(), 0, tuple(order))
        for depth in range(1, DEPTH_MAX + 1):
            try:
                ranked = self._root(order, taste, depth)
            except _Spent:  # the board is left as it was then, and is not used again
                return line
            order = sorted(order, key=lambda move: -ranked[move])
            line = Line(order[0], ranked[order[0]], depth, tuple(order))
            enough = depth >= DEPTH_MIN and self._nodes > NODES_ENOUGH
            if enough or abs(line.value) >= MATE_LEAST or len(order) == 1:
                break
        return line

    def _root(self, order: list[chess.Move], taste: dict[chess.Move, int], depth: int) -> dict[chess.Move, int]:
        """The value of each move, exact for the best; a position seen before counts as a draw."""
        ranked: dict[chess.Move, int] = {}
        best, score = -MATE, self._static()
        for move in order:
            gained = score + self._gain(move)
            self._push(move)
            repeated = position_key(self._board) in self._known
            value = 0 if repeated else -self._value(depth - 1, 1, -MATE, taste[move] - best, -gained)
            self._board.pop()
            ranked[move] = value + taste[move]
            best = max(best, ranked[move])
        return ranked

    def _value(self, depth: int, ply: int, alpha: int, beta: int, score: int) -> int:
        """Fail-soft alpha-beta. A reply that the profile dictates costs no depth."""
        if depth <= 0:
            return self._settled(SETTLE_PLIES_MAX, ply, alpha, beta, score)
        due = self._due()
        moves = due or list(self._board.generate_legal_moves())
        if not moves:
            return ply * MATE_PER_PLY - MATE if self._board.is_check() else 0
        best = -MATE
        for gain, move in self._expected(self._ordered(moves)):
            self._push(move)
            value = -self._value(depth - (not due), ply + 1, -beta, -max(alpha, best), -score - gain)
            self._board.pop()
            best = max(best, value)
            if best >= beta:
                break
        return best

    def _settled(self, plies: int, ply: int, alpha: int, beta: int, score: int) -> int:
        """The value once captures have been played out and checks met."""
        best = score + self._drive()
        if not plies:
            return best
        moves, least = self._due(), -MATE
        if moves or self._board.is_check():
            best = ply * MATE_PER_PLY - MATE
            moves = moves or list(self._board.generate_legal_moves())
        elif best < beta:
            least = max(alpha, best) - score - MARGIN_CENTIPAWNS
            moves = list(self._board.generate_legal_captures())
        for gain, move in self._ordered(moves):
            if best >= beta or gain <= least:
                break
            if not self._refuses(move):
                self._push(move)
                value = -self._settled(plies - 1, ply + 1, -beta, -max(alpha, best), -score - gain)
                self._board.pop()
                best = max(best, value)
        return best

    def _due(self) -> list[chess.Move]:
        board = self._board
        if board.turn == self._me or self._foe == NO_HABITS:
            return []
        return due_moves(board, self._foe, board.move_stack[-1] if board.move_stack else None)

    def _refuses(self, move: chess.Move) -> bool:
        return self._foe_refuses and self._board.turn != self._me and refuses(self._board, self._foe, move)

    def _expected(self, moves: list[tuple[int, chess.Move]]) -> Iterator[tuple[int, chess.Move]]:
        """The moves that the side to move would consider; all of them when it would refuse each."""
        refused = 0
        for gain, move in moves:
            if self._refuses(move):
                refused += 1
            else:
                yield gain, move
        if refused == len(moves):
            yield from moves

    def _ordered(self, moves: list[chess.Move]) -> list[tuple[int, chess.Move]]:
        """The moves with their gains, the greatest first."""
        return sorted([(self._gain(move), move) for move in moves], key=itemgetter(0), reverse=True)

    def _push(self, move: chess.Move) -> None:
        self._nodes += 1
        if self._nodes > NODES_MAX:
            raise _Spent
        self._board.push(move)

    def _gain(self, move: chess.Move) -> int:
        """Gain of `move`, by value and square: added to the mover's pieces and taken from the other's."""
        board, values, opposing_values = self._board, self._tables[self._board.turn], self._tables[not self._board.turn]
        if chess.BB_SQUARES[move.to_square] & board.occupied_co[board.turn]:
            return CASTLING_CENTIPAWNS
        piece = board.piece_type_at(move.from_square) or chess.KING
        gain = values[move.promotion or piece][move.to_square] - values[piece][move.from_square]
        taken = board.piece_type_at(move.to_square)
        if taken is None and piece == chess.PAWN and move.to_square == board.ep_square:
            taken = chess.PAWN
        return gain + opposing_values[taken][move.to_square] if taken else gain

    def _drive(self) -> int:
        """Progress of a won ending: distance of the bare king from the centre, and nearness of the other king."""
        if self._bared is None:
            return 0
        hunted, hunter = self._board.king(self._bared), self._board.king(not self._bared)
        if hunted is None or hunter is None:
            return 0
        driven = 12 * (6 - _middle(hunted)) + 4 * (14 - chess.square_manhattan_distance(hunted, hunter))
        return -driven if self._board.turn == self._bared else driven

    def _static(self) -> int:
        """The value of the position as it stands, for the side to move."""
        tables, turn = self._tables, self._board.turn
        pieces = self._board.piece_map().items()
        return sum((1 if p.color == turn else -1) * tables[p.color][p.piece_type][square] for square, p in pieces)
