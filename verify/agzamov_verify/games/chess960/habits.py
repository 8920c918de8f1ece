"""Habits of a chess player in words: rules that it must keep itself, or a profile of its opponent."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import chess

from ..page import Page, labelled
from ..patterns import Pattern
from .note_words import CASTLES_WITHIN_MOVES, habits_shown

_CASTLES = re.compile(r"^(?:- )?castles? within (?:your|its) first (\d{1,3}) moves", re.IGNORECASE | re.MULTILINE)
_WORDS: Final[Mapping[Pattern, str]] = {
    Pattern.AVOIDS_QUEEN_TRADES: "never makes? a move that allows or makes a trade of queens",
    Pattern.KING_ANSWERS_CHECKS: "when in check, moves? (?:your|its) king",
    Pattern.PIECES_ANSWER_CHECKS: "when in check, do(?:es)? not move (?:your|its) king",
    Pattern.ALWAYS_RECAPTURES: "takes? back a piece that has just captured one of (?:yours|its)",
    Pattern.MOVES_ATTACKED_QUEEN: "moves? (?:your|its) queen whenever it is attacked",
    Pattern.NEVER_RETREATS: "never moves? a knight, bishop, rook or queen to a rank nearer to (?:your|its) own side",
    Pattern.KEEPS_OWN_HALF: "never moves? a knight, bishop, rook or queen into (?:your|its) opponent's half",
    Pattern.PUSHES_ROOK_PAWNS: "within (?:your|its) first 6 moves, push(?:es)? the pawn on the a-file or the h-file",
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
    within_moves = int(castles[1]) if castles else CASTLES_WITHIN_MOVES * (Pattern.CASTLES_EARLY in shown)
    named = {pattern for pattern, sentence in _SENTENCES.items() if sentence.search(text)}
    return ChessHabits(within_moves, frozenset(named | shown - {Pattern.CASTLES_EARLY}))


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
