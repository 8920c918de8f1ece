"""The reference player of Chess960: reads a FEN, searches a few plies, answers in a model's words.

Alpha-beta with a quiescence search over captures and check evasions, deepened while nodes are few.
It expects of the opponent what its profile says: a reply that the profile rules out is not
searched, which is all that true information is worth to it. Its own rules narrow its own moves.

Piece values: T. Michniewski, "Simplified Evaluation Function" (chessprogramming.org); the values of
squares and the drive of a bare king to the rim are in its spirit.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

import chess

from agzamov_verify.dice import Stream

from .reading import ChessHabits, Page, chess_habits, labelled

DEPTH_MIN, DEPTH_MAX = 2, 8
NODES_MAX = 4_000  # the search ends here, whatever the position
NODES_ENOUGH = 250  # no deeper iteration starts after this many
SETTLE_PLIES_MAX = 6
NOISE_CENTIPAWNS = 8
DELTA_MARGIN_CENTIPAWNS = 150
CASTLING_CENTIPAWNS = 40
BARE_CENTIPAWNS = 400  # a side with no pawns and no more than this is driven to the rim
MATE, MATE_PER_PLY = 1_000_000, 100
MATE_LEAST = MATE - 100 * MATE_PER_PLY
NO_HABITS = ChessHabits(0, avoids_queen_trades=False)

Tables: TypeAlias = tuple[list[list[int]], list[list[int]]]
Key: TypeAlias = tuple[int, ...]


def reply(page: Page, stream: Stream) -> str:
    """The best move found within the rules, with a line that says what was seen."""
    board = chess.Board(labelled(page, "FEN"), chess960=True)
    foe = chess_habits(page.profile)
    known = _repeatable(board, labelled(page, "Moves so far").split())
    moves = sorted(allowed(board, chess_habits(page.rules)), key=chess.Move.uci)
    noise = {move: stream.below(NOISE_CENTIPAWNS) for move in moves}
    line = _Search(board, foe, known).best(noise)
    expects = "" if foe == NO_HABITS else " I count on what I was told of this opponent."
    seen = f"Looking {line.depth} plies ahead, I expect to stand at {line.value / 100:+.1f} pawns.{expects}"
    return f"{seen}\nMOVE: {line.move.uci()}"


# --- habits --------------------------------------------------------------------------------------


def allowed(board: chess.Board, rules: ChessHabits) -> list[chess.Move]:
    """The legal moves that keep the rules. Castling goes first, since its rule says when."""
    castling = due_castling(board, rules)
    moves = castling or list(board.generate_legal_moves())
    if not rules.avoids_queen_trades:
        return moves
    return [move for move in moves if not trades_queens(board, move)] or moves


def due_castling(board: chess.Board, habits: ChessHabits) -> list[chess.Move]:
    """The legal castling moves, where the side to move is one that castles by now."""
    if board.fullmove_number > habits.castles_within_moves:
        return []
    return list(board.generate_castling_moves())


def trades_queens(board: chess.Board, move: chess.Move) -> bool:
    """Whether `move` takes a queen with a queen that can be retaken, or lets a queen take a queen."""
    mine, theirs = board.occupied_co[board.turn], board.occupied_co[not board.turn]
    queens = board.queens
    if not queens & mine or not queens & theirs:
        return False
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    takes_queen = origin & queens and target & queens & theirs
    board.push(move)
    by = chess.BB_ALL if takes_queen else board.queens & board.occupied_co[board.turn]
    of = target if takes_queen else board.queens & board.occupied_co[not board.turn]
    trade = any(board.generate_legal_captures(by, of))
    board.pop()
    return trade


# --- values --------------------------------------------------------------------------------------


def _middle(square: chess.Square) -> int:
    """0 in the corners, 6 on the four squares of the centre."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return min(file, 7 - file) + min(rank, 7 - rank)


def _pawn(square: chess.Square) -> int:
    file, rank = chess.square_file(square), chess.square_rank(square)
    return 100 + (0, 0, 3, 6, 14, 32, 80, 0)[rank] + (0, 0, 1, 5, 5, 1, 0, 0)[file] * min(rank, 4)


def _rook(square: chess.Square) -> int:
    return 500 + 2 * _middle(square) + 15 * (chess.square_rank(square) == 6)


def _sheltered_king(square: chess.Square) -> int:
    return (20, 25, 15, 0, 0, 0, 25, 20)[chess.square_file(square)] - 25 * chess.square_rank(square)


_PLACED: tuple[Callable[[chess.Square], int], ...] = (
    _pawn,
    lambda square: 320 + 8 * _middle(square) - 24,
    lambda square: 330 + 4 * _middle(square) - 10,
    _rook,
    lambda square: 900 + 2 * _middle(square),
)


def _tables(king: Callable[[chess.Square], int]) -> Tables:
    """Centipawns by colour, piece type and square; colours and types are indexed as `chess` numbers them."""
    white = [[], *([place(square) for square in chess.SQUARES] for place in (*_PLACED, king))]
    black = [[row[square ^ 56] for square in chess.SQUARES if row] for row in white]
    return black, white


_MIDDLEGAME = _tables(_sheltered_king)
_ENDING = _tables(lambda square: 6 * _middle(square))


def _officers(board: chess.Board, side: chess.Color) -> int:
    """Centipawns of a side's pieces other than pawns and king."""
    own = board.occupied_co[side]
    minors = (board.knights | board.bishops) & own
    return 325 * minors.bit_count() + 500 * (board.rooks & own).bit_count() + 900 * (board.queens & own).bit_count()


def _bared(board: chess.Board) -> chess.Color | None:
    """The side to be driven to the rim, if there is one."""
    for side in chess.COLORS:
        ahead = _officers(board, not side) - _officers(board, side)
        if ahead >= BARE_CENTIPAWNS and _officers(board, side) <= BARE_CENTIPAWNS:
            if not board.pawns & board.occupied_co[side]:
                return side
    return None


def _repeatable(board: chess.Board, moves: list[str]) -> frozenset[Key]:
    """The positions of this game that could come back, found by taking the quiet moves back."""
    earlier, known = board.copy(stack=False), set()
    for text in reversed(moves[-board.halfmove_clock :] if board.halfmove_clock else []):
        move = chess.Move.from_uci(text)
        piece = earlier.remove_piece_at(move.to_square)
        if piece is None or earlier.piece_at(move.from_square):
            break  # castling, which cannot come back
        earlier.set_piece_at(move.from_square, piece)
        earlier.turn = not earlier.turn
        known.add(_key(earlier))
    return frozenset(known)


def _key(board: chess.Board) -> Key:
    white, turn = board.occupied_co[chess.WHITE], int(board.turn)
    return (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, white, turn)


# --- search --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """What a search came to: the move, its value for the side to move, and the plies looked ahead."""

    move: chess.Move
    value: int
    depth: int


class _Spent(Exception):  # noqa: N818 - the end of a budget is not an error
    """The nodes of this search are used up."""


class _Search:
    """A board that is searched, and the nodes used on it. Scores are centipawns for the side to move."""

    def __init__(self, board: chess.Board, foe: ChessHabits, known: frozenset[Key]) -> None:
        self._board, self._foe, self._known = board, foe, known
        self._me, self._nodes = board.turn, 0
        self._bared = _bared(board)
        ending = min(_officers(board, side) for side in chess.COLORS) <= 1300
        self._tables = _ENDING if ending else _MIDDLEGAME

    def best(self, noise: dict[chess.Move, int]) -> Line:
        """The best of the moves in `noise`, which tells near-equals apart."""
        order = sorted(noise, key=self._gain, reverse=True)
        line = Line(order[0], self._static(), 0)
        for depth in range(1, DEPTH_MAX + 1):
            try:
                ranked = self._root(order, noise, depth)
            except _Spent:  # the board is left as it was then, and is not used again
                return line
            order = sorted(order, key=lambda move: -ranked[move])
            line = Line(order[0], ranked[order[0]], depth)
            enough = depth >= DEPTH_MIN and self._nodes > NODES_ENOUGH
            if enough or abs(line.value) >= MATE_LEAST or len(order) == 1:
                break
        return line

    def _root(self, order: list[chess.Move], noise: dict[chess.Move, int], depth: int) -> dict[chess.Move, int]:
        ranked: dict[chess.Move, int] = {}
        best, score = -MATE, self._static()
        for move in order:
            gained = score + self._gain(move)
            self._push(move)
            if _key(self._board) in self._known:
                value = 0
            else:
                value = -self._value(depth - 1, 1, -MATE, noise[move] - best, -gained)
            self._board.pop()
            ranked[move] = value + noise[move]
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
            least = max(alpha, best) - score - DELTA_MARGIN_CENTIPAWNS
            moves = list(self._board.generate_legal_captures())
        for gain, move in self._ordered(moves):
            if best >= beta or gain <= least:
                break
            if self._refuses(move):
                continue
            self._push(move)
            value = -self._settled(plies - 1, ply + 1, -beta, -max(alpha, best), -score - gain)
            self._board.pop()
            best = max(best, value)
        return best

    def _ordered(self, moves: list[chess.Move]) -> list[tuple[int, chess.Move]]:
        """The moves with their gains, the greatest first."""
        return sorted([(self._gain(move), move) for move in moves], key=itemgetter(0), reverse=True)

    def _due(self) -> list[chess.Move]:
        return [] if self._board.turn == self._me else due_castling(self._board, self._foe)

    def _refuses(self, move: chess.Move) -> bool:
        if self._board.turn == self._me or not self._foe.avoids_queen_trades:
            return False
        return trades_queens(self._board, move)

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

    def _push(self, move: chess.Move) -> None:
        self._nodes += 1
        if self._nodes > NODES_MAX:
            raise _Spent
        self._board.push(move)

    def _gain(self, move: chess.Move) -> int:
        """What `move` adds to the mover's pieces and takes from the other's, by value and square."""
        board, own, theirs = self._board, self._tables[self._board.turn], self._tables[not self._board.turn]
        if chess.BB_SQUARES[move.to_square] & board.occupied_co[board.turn]:
            return CASTLING_CENTIPAWNS
        piece = board.piece_type_at(move.from_square) or chess.KING
        gain = own[move.promotion or piece][move.to_square] - own[piece][move.from_square]
        taken = board.piece_type_at(move.to_square)
        if taken is None and piece == chess.PAWN and move.to_square == board.ep_square:
            taken = chess.PAWN
        return gain + theirs[taken][move.to_square] if taken else gain

    def _drive(self) -> int:
        """In a won ending: the bare king's distance from the centre, and the nearness of the other."""
        if self._bared is None:
            return 0
        board = self._board
        hunted, hunter = board.king(self._bared), board.king(not self._bared)
        if hunted is None or hunter is None:
            return 0
        driven = 12 * (6 - _middle(hunted)) + 4 * (14 - chess.square_manhattan_distance(hunted, hunter))
        return -driven if board.turn == self._bared else driven

    def _static(self) -> int:
        """The value of the position as it stands, for the side to move."""
        tables, turn = self._tables, self._board.turn
        pieces = self._board.piece_map().items()
        return sum((1 if p.color == turn else -1) * tables[p.color][p.piece_type][square] for square, p in pieces)
