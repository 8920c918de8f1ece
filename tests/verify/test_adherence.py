"""Adherence: how often a seat kept the patterns that the plan gave it, by game, by career, before and after a shift."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest

from agzamov_verify.experiment.opponent_patterns import Adherence, Pattern
from agzamov_verify.games.chess.cell import chess_cell
from agzamov_verify.games.chess.game import ChessBlock
from agzamov_verify.games.chess.game_script import ChessRecord, Ending
from agzamov_verify.games.chess.pattern_detectors import DETECTORS
from agzamov_verify.games.chess.pattern_sentences import CHESS_PATTERNS, ChessPattern
from agzamov_verify.games.chess.rules import End
from agzamov_verify.games.holdem.pattern_sentences import POKER_PATTERNS
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.scoring.adherence import PatternAdherence, adherence_of
from agzamov_verify.scoring.game_scoring import Played
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.scoring.units.score_constants import load_score_constants
from agzamov_verify.show.text.match_details import adherence_words
from agzamov_verify.table.decision import Tally

ROOT = Path(__file__).parents[2]
START = chess.Board.from_chess960_pos(518).fen()
CASTLES = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8"
BLACK_LATER = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 d7d6 d2d3 e8h8"


def record(text: str, number: int = 0, substituted: tuple[int, ...] = ()) -> ChessRecord:
    ending = Ending(End.PLY_LIMIT, 1)
    return ChessRecord(f"g{number}", START, tuple(text.split()), ending, ending, (Tally(), Tally()), substituted)


def rows(texts: Sequence[str], careers: int = 0, **changes: Any) -> list[PatternAdherence]:
    patterned = {"kind": "reference", "patterns": ["castles_early", "folds_button_to_3bet"]}
    match = {"phase": 2, "game": "chess960", "a": "agent", "b": "other", "games": len(texts), **changes}
    seats = {"agent": {"kind": "reference"}, "other": patterned}
    plan = msgspec.convert({"title": "Adherence", "seats": seats, "matches": [match]}, Plan)
    records = tuple(record(text, number) for number, text in enumerate(texts))
    played = Played("run", plan, plan.matches[0], 0, [ChessBlock(0, records)])
    cell = msgspec.structs.replace(chess_cell(CellKey("m", "chess960", 2), records, 0, "run"), careers=careers)
    return list(adherence_of(cell, played, load_score_constants("agz-0.1").clusters))


def test_every_chess_pattern_has_a_detector() -> None:
    assert DETECTORS.keys() == CHESS_PATTERNS.keys()


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [(CASTLES, 0, (1, 1)), (CASTLES, 1, (1, 1)), (BLACK_LATER, 1, (2, 1)), ("e2e4 e7e5 g1f3 g8f6", 0, (0, 0))],
)
def test_castling_early_is_counted_where_it_is_legal(text: str, place: int, expected: tuple[int, int]) -> None:
    assert DETECTORS[ChessPattern.CASTLES_EARLY](record(text), place) == Adherence(*expected)


def test_a_substituted_move_is_no_occasion() -> None:
    assert DETECTORS[ChessPattern.CASTLES_EARLY](record(BLACK_LATER, substituted=(7,)), 1) == Adherence(1, 1)


def test_a_row_for_each_pattern_of_the_game_counts_the_seat_in_both_colours() -> None:
    (row,) = rows([CASTLES, CASTLES, BLACK_LATER, BLACK_LATER])
    assert (row.side, row.seat, row.pattern) == ("b", "other", ChessPattern.CASTLES_EARLY)
    assert (row.occasions, row.kept) == (5, 4)
    assert row.share.value
    assert (row.share.value.decimal, row.share.ci_note) == ("0.800000", "2 games, an interval needs 30")
    assert "other (B), castles_early: kept 4 of 5, 0.8000 [no interval" in adherence_words(row, "games")


def test_the_share_has_an_interval_over_games() -> None:
    waits = product(["a2a3", "a2a4", "b2b3", "b2b4", "h2h3", "h2h4", "g2g3", "c2c3"], ["a7a6", "a7a5", "b7b6", "h7h6"])
    texts = [f"{(BLACK_LATER, CASTLES)[at % 2]} {' '.join(wait)}" for at, wait in enumerate(waits)]
    (row,) = rows(texts)
    assert (row.occasions, row.kept, row.share.n) == (48, 32, (32,))
    assert row.share.ci


def test_where_every_occasion_was_kept_the_games_without_a_break_have_an_interval() -> None:
    (row,) = rows([f"{CASTLES} {wait}" for wait in ("a2a3", "b2b3", "h2h3", "g2g3")])
    assert (row.occasions, row.kept, row.share.ci) == (4, 4, None)
    assert row.throughout
    assert row.throughout.ci
    assert (row.throughout.ci.low, row.throughout.ci.high) == ("0.510109", "1.000000")


def test_over_careers_the_share_is_of_careers() -> None:
    (row,) = rows([CASTLES, BLACK_LATER, BLACK_LATER, CASTLES] * 5, careers=5)
    assert (row.share.over, row.share.n, row.throughout) == ("careers", (5,), None)


def test_results_after_a_shift_to_other_patterns_are_left_out() -> None:
    (row,) = rows([CASTLES] * 6, shifts=[{"after": 4, "patterns": []}])
    assert (row.occasions, row.kept) == (4, 4)
    told_later = [{"after": 4, "patterns": ["avoids_queen_trades"]}]
    found = [row.pattern for row in rows([CASTLES] * 6, shifts=told_later)]
    assert found == [ChessPattern.CASTLES_EARLY, ChessPattern.AVOIDS_QUEEN_TRADES]


@pytest.mark.parametrize(("pattern", "text"), [*CHESS_PATTERNS.items(), *POKER_PATTERNS.items()])
def test_the_page_of_patterns_has_each_with_its_words(pattern: Pattern, text: str) -> None:
    assert f"| `{pattern}` | {text} |" in (ROOT / "docs" / "patterns.md").read_text()
