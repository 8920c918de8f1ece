"""Habits of chess players in words: the sentences of patterns, and how notes spell counts and are searched for.

Words of notes: spelling of counted habits, search texts, and the counts from which a habit is believed.

A line of a note is "label: kept of occasions". Counts of one habit are added over all lines of a profile. A habit is
believed when the counts are 10 times as probable of a player that breaks it five times less often than others do. Of a
player without it that happens in at most 1 of 10 cases, however often one looks (Ville's inequality), and one note of
another opponent costs no more than a few occasions that kept it.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import chess

from ...experiment.opponent_patterns import Adherence, Pattern
from .pattern_sentences import ChessPattern

NOTE_CHARACTERS_MAX: Final = 600
CASTLES_WITHIN_MOVES: Final = 8
ROOK_PAWNS_WITHIN_MOVES: Final = 6
"""The numbers in the words of two patterns."""

BREAKS_LESS_OFTEN: Final = 5
TIMES_AS_PROBABLE: Final = 10
OCCASIONS_MAX: Final = 1_000


class Noted(NamedTuple):
    """A habit as notes spell it, and how often players without it keep it all the same, in percent."""

    label: str
    others_percent: int


# Shares of others: of the reference player in 30 games of at most 40 plies against itself, 51, 89, 30, 75, 65, 91 and
# 3 % in this order, rounded up, but for castling.
NOTED: Final[Mapping[Pattern, Noted]] = {
    ChessPattern.CASTLES_EARLY: Noted("Castled where castling was legal in its first 8 moves", 50),
    ChessPattern.AVOIDS_QUEEN_TRADES: Noted("Avoided a trade of queens where it could make or allow one", 91),
    ChessPattern.KING_ANSWERS_CHECKS: Noted("Answered a check by moving its king where it could", 40),
    ChessPattern.ALWAYS_RECAPTURES: Noted("Took back at once where it could", 80),
    ChessPattern.MOVES_ATTACKED_QUEEN: Noted("Moved its attacked queen where it could", 70),
    ChessPattern.NEVER_RETREATS: Noted("Moved no piece backwards where it could", 94),
    ChessPattern.PUSHES_ROOK_PAWNS: Noted("Pushed its a-pawn or h-pawn in its first 6 moves where it could", 10),
}
"""Habits that notes count. Of one that is the opposite of another, the counts of that other tell."""
_COUNTS = {
    pattern: re.compile(rf"^{re.escape(noted.label)}: (\d{{1,6}}) of (\d{{1,6}})$", re.MULTILINE)
    for pattern, noted in NOTED.items()
}


def counts_line(pattern: Pattern, counted: Adherence) -> str:
    """The line of a note."""
    return f"{NOTED[pattern].label}: {counted.kept} of {counted.occasions}"


def query(board: chess.Board) -> str:
    """The search for a decision: the labels of the opponent's habits that could show from this position on."""
    return "; ".join(noted.label for pattern, noted in NOTED.items() if _could_show(pattern, board))


def _could_show(pattern: Pattern, board: chess.Board) -> bool:
    opponent = board.occupied_co[not board.turn]
    match pattern:
        case ChessPattern.CASTLES_EARLY:
            rank = chess.BB_RANK_8 if board.turn else chess.BB_RANK_1
            return board.fullmove_number <= CASTLES_WITHIN_MOVES and bool(board.castling_rights & rank)
        case ChessPattern.PUSHES_ROOK_PAWNS:
            return board.fullmove_number <= ROOK_PAWNS_WITHIN_MOVES
        case ChessPattern.AVOIDS_QUEEN_TRADES:
            return bool(board.queens & opponent and board.queens & ~opponent)
        case ChessPattern.MOVES_ATTACKED_QUEEN:
            return bool(board.queens & opponent)
        case _:
            return True


def habits_shown(text: str) -> frozenset[Pattern]:
    """The habits that the counts in some notes show."""
    return frozenset(pattern for pattern in NOTED if is_believed(pattern, added_counts(pattern, text)))


def added_counts(pattern: Pattern, text: str) -> Adherence:
    """The counts of one habit over all lines, scaled down to so many occasions as decide any habit.

    A line that keeps more often than it could is none.
    """
    lines = [(int(kept), int(occasions)) for kept, occasions in _COUNTS[pattern].findall(text)]
    kept = sum(kept for kept, occasions in lines if kept <= occasions)
    occasions = sum(occasions for kept, occasions in lines if kept <= occasions)
    if occasions <= OCCASIONS_MAX:
        return Adherence(occasions, kept)
    return Adherence(OCCASIONS_MAX, kept * OCCASIONS_MAX // occasions)


def is_believed(pattern: Pattern, counted: Adherence) -> bool:
    """True if the counts are much more probable of a player with the habit."""
    return _is_as_probable(pattern, counted, TIMES_AS_PROBABLE)


def speaks_for(pattern: Pattern, counted: Adherence) -> bool:
    """True if the counts are at least as probable of a player with the habit: it is believed by no others."""
    return bool(counted.occasions) and _is_as_probable(pattern, counted, 1)


def _is_as_probable(pattern: Pattern, counted: Adherence, times: int) -> bool:
    """True if the counts are `times` as probable of a player with the habit: in whole numbers, so alike everywhere.

    Others keep it in u %, so one with the habit in 100 - (100 - u) / 5 %: kept once, it is (400 + u) / 5u times as
    probable; broken once, 1/5 as probable.
    """
    others = NOTED[pattern].others_percent
    habitual = 100 * (BREAKS_LESS_OFTEN - 1) + others
    with_habit = habitual**counted.kept
    without_habit = (BREAKS_LESS_OFTEN * others) ** counted.kept * BREAKS_LESS_OFTEN ** (
        counted.occasions - counted.kept
    )
    return bool(with_habit >= times * without_habit)
