"""What a reference player knows of habits: rules that it must keep itself, and a profile of its opponent, in words."""

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

import chess

from agzamov_verify.players.reading import Page, labelled

# --- chess ---------------------------------------------------------------------------------------

_CASTLES = re.compile(r"^(?:- )?castles? within (?:your|its) first (\d{1,3}) moves", re.IGNORECASE | re.MULTILINE)
_AVOIDS_TRADES = re.compile(
    r"^(?:- )?never makes? a move that allows or makes a trade of queens", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ChessHabits:
    """What a chess player always does, whether it must (a rule) or is known to (a profile)."""

    castles_within_moves: int
    avoids_queen_trades: bool


def chess_habits(text: str) -> ChessHabits:
    """The habits that rules or a profile put in words; none where they say nothing of them."""
    castles = _CASTLES.search(text)
    return ChessHabits(int(castles[1]) if castles else 0, bool(_AVOIDS_TRADES.search(text)))


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


# --- hold'em -------------------------------------------------------------------------------------

_PERCENTS = {
    "vpip": r"VPIP: (\d{1,3})",
    "pfr": r"PFR: (\d{1,3})",
    "three_bet": r"3-Bet: (\d{1,3})",
    "folds_to_cbet": r"Folds to c-bet: (\d{1,3})",
    "check_raise": r"Check-raise freq: (\d{1,3})",
    "folds_button_to_3bet": r"(?:Folds to 3-bet on the button: |on the button, fold to a 3-bet )(\d{1,3})",
    "min_raises_pairs": r"Min-raises preflop with pocket pairs: (\d{1,3})",
}
_PERCENT = {name: re.compile(words + r"(?:\.\d+)?%", re.IGNORECASE) for name, words in _PERCENTS.items()}
_MIN_RAISES_ALWAYS = re.compile(
    "before the flop, with a pocket pair, raise to the smallest legal amount", re.IGNORECASE
)
_RIVER_BLUFFS = re.compile(r"Bluff-to-value ratio on river: (\d{1,3}(?:\.\d+)?):1", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PokerHabits:
    """A hold'em player's tendencies in percent; `river_bluffs` of its bets on the river."""

    vpip: int
    pfr: int
    three_bet: int
    folds_to_cbet: int
    check_raise: int
    folds_button_to_3bet: int
    min_raises_pairs: int
    river_bluffs: int


def poker_habits(text: str, prior: PokerHabits) -> PokerHabits:
    """The tendencies that rules or a profile put in words, and `prior` where they say nothing."""
    found = {name: words.search(text) for name, words in _PERCENT.items()}
    said = {name: min(100, int(match[1])) for name, match in found.items() if match}
    if _MIN_RAISES_ALWAYS.search(text):
        said["min_raises_pairs"] = 100
    if ratio := _RIVER_BLUFFS.search(text):
        said["river_bluffs"] = round(100 * float(ratio[1]) / (float(ratio[1]) + 1))
    return replace(prior, **said)
