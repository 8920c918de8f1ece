"""Patterns of a chess player: the habits they are read from, the moves they ask for, and how many of a game kept them.

Moves that a habit of a chess player asks for in a position, and moves that it rules out.

Players keep their rules by it, expect of an opponent what a profile says by it, and detectors count by it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import chess

from ...experiment.opponent_patterns import Pattern
from ...table.prompt_lines import Page, labelled
from .habit_words import CASTLES_WITHIN_MOVES, ROOK_PAWNS_WITHIN_MOVES, habits_shown
from .pattern_sentences import ChessPattern

_CASTLES = re.compile(r"^(?:- )?castles? within (?:your|its) first (\d{1,3}) moves", re.IGNORECASE | re.MULTILINE)
_WORDS: Final[Mapping[Pattern, str]] = {
    ChessPattern.AVOIDS_QUEEN_TRADES: "never makes? a move that allows or makes a trade of queens",
    ChessPattern.KING_ANSWERS_CHECKS: "when in check, moves? (?:your|its) king",
    ChessPattern.PIECES_ANSWER_CHECKS: "when in check, do(?:es)? not move (?:your|its) king",
    ChessPattern.ALWAYS_RECAPTURES: "takes? back a piece that has just captured one of (?:yours|its)",
    ChessPattern.MOVES_ATTACKED_QUEEN: "moves? (?:your|its) queen whenever it is attacked",
    ChessPattern.NEVER_RETREATS: (
        "never moves? a knight, bishop, rook or queen to a rank nearer to (?:your|its) own side"
    ),
    ChessPattern.KEEPS_OWN_HALF: "never moves? a knight, bishop, rook or queen into (?:your|its) opponent's half",
    ChessPattern.PUSHES_ROOK_PAWNS: (
        "within (?:your|its) first 6 moves, push(?:es)? the pawn on the a-file or the h-file"
    ),
}
_SENTENCES = {
    pattern: re.compile(f"^(?:- )?{words}", re.IGNORECASE | re.MULTILINE) for pattern, words in _WORDS.items()
}


@dataclass(frozen=True, slots=True)
class ChessHabits:
    """Fixed habits of a chess player: those that it must keep (a rule) or is known for (a profile).

    `castles_within_moves` is of castling early, 0 where it is no habit; all others are in `kept`.
    """

    castles_within_moves: int = 0
    kept: frozenset[Pattern] = frozenset()


NO_HABITS: Final = ChessHabits()


def chess_habits(text: str) -> ChessHabits:
    """The habits that rules or a profile put in words, and those that the counts of its notes show."""
    shown = habits_shown(text)
    castles = _CASTLES.search(text)
    within_moves = int(castles[1]) if castles else CASTLES_WITHIN_MOVES * (ChessPattern.CASTLES_EARLY in shown)
    named = {pattern for pattern, sentence in _SENTENCES.items() if sentence.search(text)}
    return ChessHabits(within_moves, frozenset(named | shown - {ChessPattern.CASTLES_EARLY}))


def last_move(page: Page) -> chess.Move | None:
    """The move that led to the position, None at the start."""
    moves = labelled(page, "Moves so far").replace("none", "").split()
    return chess.Move.from_uci(moves[-1]) if moves else None


PositionKey: TypeAlias = tuple[int, ...]


def position_key(board: chess.Board) -> PositionKey:
    """The pieces and the side to move, enough to know a position by."""
    white, turn = board.occupied_co[chess.WHITE], int(board.turn)
    return (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings, white, turn)


def repeatable(page: Page, board: chess.Board) -> frozenset[PositionKey]:
    """The positions of this game that could come back, found by taking the quiet moves back."""
    earlier, known = board.copy(stack=False), set()
    moves = labelled(page, "Moves so far").replace("none", "").split()
    for text in reversed(moves[-board.halfmove_clock :] if board.halfmove_clock else []):
        move = chess.Move.from_uci(text)
        piece = earlier.remove_piece_at(move.to_square)
        far = chess.square_distance(move.from_square, move.to_square) > 1
        if piece is None or earlier.piece_at(move.from_square) or (far and piece.piece_type == chess.KING):
            break  # castling, which cannot come back
        earlier.set_piece_at(move.from_square, piece)
        earlier.turn = not earlier.turn
        known.add(position_key(earlier))
    return frozenset(known)


Due: TypeAlias = Callable[[chess.Board, chess.Move | None], list[chess.Move]]
"""The legal moves that a habit asks for, none where it asks for nothing. The last move is None at the start."""

Refuses: TypeAlias = Callable[[chess.Board, chess.Move], bool]
"""True if a habit rules a legal move out."""

_ROOK_FILES: Final = chess.BB_FILE_A | chess.BB_FILE_H
_FIRST_RANK_OF_BLACK: Final = 4


def due_moves(board: chess.Board, habits: ChessHabits, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that all habits together ask for: where two contradict each other, the earlier one's."""
    moves: list[chess.Move] = []
    for pattern, due in DUE.items():
        if pattern in habits.kept:
            asked = due(board, last)
            moves = [move for move in moves if move in asked] or moves or asked
    if not habits.castles_within_moves:
        return moves
    asked = due_castling(board, habits.castles_within_moves)
    return [move for move in moves if move in asked] or moves or asked


def refuses(board: chess.Board, habits: ChessHabits, move: chess.Move) -> bool:
    """True if some habit rules the move out."""
    return any(pattern in habits.kept and refused(board, move) for pattern, refused in REFUSED.items())


def allowed(board: chess.Board, habits: ChessHabits, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that keep all habits; a habit that asks for moves outranks one that excludes them."""
    moves = due_moves(board, habits, last) or list(board.generate_legal_moves())
    return [move for move in moves if not refuses(board, habits, move)] or moves


def keeping(board: chess.Board, pattern: Pattern, last: chess.Move | None) -> list[chess.Move]:
    """The legal moves that keep one pattern; none, or all, where there is nothing to keep."""
    if pattern in REFUSED:
        return [move for move in board.generate_legal_moves() if not REFUSED[pattern](board, move)]
    if pattern is ChessPattern.CASTLES_EARLY:
        return due_castling(board, CASTLES_WITHIN_MOVES)
    return DUE[pattern](board, last)


def due_castling(board: chess.Board, within_moves: int) -> list[chess.Move]:
    """The legal castling moves, where the side to move is one that castles by now."""
    if board.fullmove_number > within_moves:
        return []
    return list(board.generate_castling_moves())


def king_moves_in_check(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The king's moves out of check."""
    if not board.is_check():
        return []
    return list(board.generate_legal_moves(board.kings & board.occupied_co[board.turn]))


def piece_moves_in_check(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The moves out of check of all pieces but the king."""
    return list(board.generate_legal_moves(~board.kings)) if board.is_check() else []


def recaptures(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:
    """Captures of the piece that has just captured."""
    if last is None or board.halfmove_clock:
        return []
    changed_file = chess.square_file(last.from_square) != chess.square_file(last.to_square)
    is_pawn_move = last.promotion or board.piece_type_at(last.to_square) == chess.PAWN
    if is_pawn_move and not changed_file:
        return []
    return list(board.generate_legal_captures(chess.BB_ALL, chess.BB_SQUARES[last.to_square]))


def attacked_queen_moves(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """The moves of a queen that is attacked."""
    queens = board.queens & board.occupied_co[board.turn]
    attacked = sum(
        chess.BB_SQUARES[square]
        for square in chess.scan_forward(queens)
        if board.attackers_mask(not board.turn, square)
    )
    return list(board.generate_legal_moves(attacked)) if attacked else []


def rook_pawn_moves(board: chess.Board, last: chess.Move | None) -> list[chess.Move]:  # noqa: ARG001 - as declared
    """Moves of the pawns on the a-file and the h-file, early in the game."""
    if board.fullmove_number > ROOK_PAWNS_WITHIN_MOVES:
        return []
    return list(board.generate_legal_moves(board.pawns & _ROOK_FILES))


def trades_queens(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` takes a queen with a queen that can be retaken, or lets a queen take a queen."""
    theirs, queens = board.occupied_co[not board.turn], board.queens
    if not queens & theirs or not queens & ~theirs:
        return False
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    takes_queen = origin & queens and target & queens & theirs
    if not takes_queen and not _queens_in_line(board, move):
        return False
    board.push(move)
    by = chess.BB_ALL if takes_queen else board.queens & board.occupied_co[board.turn]
    of = target if takes_queen else board.queens & board.occupied_co[not board.turn]
    trade = any(board.generate_legal_captures(by, of))
    board.pop()
    return trade


def _queens_in_line(board: chess.Board, move: chess.Move) -> bool:
    """True if after `move` queens of both sides may see each other: a fast test before the move is made.

    Castling and captures en passant empty other squares than their own, so of them it is always True.
    """
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    if move.to_square == board.ep_square or target & board.occupied_co[board.turn]:
        return True
    own = board.queens & board.occupied_co[board.turn] & ~origin
    if move.promotion == chess.QUEEN or origin & board.queens:
        own |= target
    theirs = list(chess.scan_forward(board.queens & board.occupied_co[not board.turn] & ~target))
    occupied = board.occupied & ~origin | target
    return any(
        chess.ray(queen, other) and not chess.between(queen, other) & occupied
        for queen in chess.scan_forward(own)
        for other in theirs
    )


def retreats(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` brings a knight, bishop, rook or queen to a rank nearer to its own side."""
    if chess.BB_SQUARES[move.from_square] & (board.pawns | board.kings):
        return False
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    return ranks < 0 if board.turn else ranks > 0


def leaves_own_half(board: chess.Board, move: chess.Move) -> bool:
    """True if `move` brings a knight, bishop, rook or queen into the opponent's half of the board."""
    if chess.BB_SQUARES[move.from_square] & (board.pawns | board.kings):
        return False
    return (chess.square_rank(move.to_square) >= _FIRST_RANK_OF_BLACK) is board.turn


DUE: Final[Mapping[Pattern, Due]] = {
    ChessPattern.KING_ANSWERS_CHECKS: king_moves_in_check,
    ChessPattern.PIECES_ANSWER_CHECKS: piece_moves_in_check,
    ChessPattern.ALWAYS_RECAPTURES: recaptures,
    ChessPattern.MOVES_ATTACKED_QUEEN: attacked_queen_moves,
    ChessPattern.PUSHES_ROOK_PAWNS: rook_pawn_moves,
}
"""Habits that ask for moves, the most urgent first. Castling early comes last, and has a number of moves."""

REFUSED: Final[Mapping[Pattern, Refuses]] = {
    ChessPattern.AVOIDS_QUEEN_TRADES: trades_queens,
    ChessPattern.NEVER_RETREATS: retreats,
    ChessPattern.KEEPS_OWN_HALF: leaves_own_half,
}
"""Habits that rule moves out, unless every move is ruled out."""
