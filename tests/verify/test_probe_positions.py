"""Forced mates and their proofs, won endings and their exact length, and what a game says of a probe (S22)."""

from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import chess
import msgspec
import pytest

from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.experiment.matches import Phase, PositionClass
from agzamov_verify.games.chess.game_script import ChessRecord, ChessRules, Ending
from agzamov_verify.games.chess.match_analysis import PERMILLE, calculated, efficiency, evaluated, probe_cells
from agzamov_verify.games.chess.probe_positions import (
    ENDING_PLIES_MAX,
    ProbePosition,
    fens_of,
    probe_of,
    probe_positions,
    rules_from,
    unproven,
)
from agzamov_verify.games.chess.rules import End, Game960
from agzamov_verify.games.chess.stress_positions import positions_of
from agzamov_verify.games.chess.who_stands_better import REQUEST, Better, messages, read_judgement
from agzamov_verify.scoring.hypotheses.evidence import Probe
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.table.adjudication import AdjudicationPolicy
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.scripted_players import scripted_reply

POSITIONS = probe_positions().positions
MATES = [row for row in POSITIONS if row.part is PositionClass.MATE]
ENDINGS = [row for row in POSITIONS if row.part is PositionClass.WON]
IN_THREE = max(MATES, key=lambda row: len(row.proof))
KEY = CellKey("m", "chess960", Phase.STRESS)


def names(rows: list[ProbePosition]) -> list[str]:
    return [row.name for row in rows]


def test_there_are_thirty_of_each_class_and_ten_of_each_sort() -> None:
    assert Counter(row.moves for row in MATES) == {1: 10, 2: 10, 3: 10}
    pieces = Counter(row.fen.split()[0].translate(str.maketrans("", "", "12345678/kK")) for row in ENDINGS)
    assert pieces == {"Q": 10, "R": 10, "P": 10}
    assert len({row.fen for row in POSITIONS}) == len(POSITIONS) == 60
    for row in POSITIONS:
        board = chess.Board(row.fen, chess960=True)
        assert board.is_valid()
        assert board.turn == chess.WHITE
        assert board.fen() == row.fen


@pytest.mark.parametrize("row", MATES, ids=lambda row: row.name)
def test_a_mate_is_proven_against_every_defence(row: ProbePosition) -> None:
    assert unproven(row.fen, row.moves, row.proof) == ""
    assert unproven(row.fen, row.moves - 1, row.proof)


def test_a_proof_with_one_line_cut_out_cut_short_or_doubled_is_refused_with_its_place() -> None:
    row = IN_THREE
    assert len(row.proof) > 10
    missing = unproven(row.fen, row.moves, row.proof[1:])
    assert missing.startswith("after ")
    assert "expected one move of White, and a mate in time" in missing
    *moves, _ = row.proof[0].split()
    assert "after " in unproven(row.fen, row.moves, (" ".join(moves), *row.proof[1:]))
    assert "after " in unproven(row.fen, row.moves, (*row.proof, row.proof[0]))
    illegal = row.proof[0].split()
    illegal[1] = "a1a1"
    assert "expected no defence that is not legal" in unproven(row.fen, row.moves, (*row.proof, " ".join(illegal)))


def endings_module() -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / "stress_positions" / "endings.py"
    spec = spec_from_file_location("endings", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_tables_have_the_published_longest_wins_and_the_endings_their_lengths() -> None:
    """Queen 10, rook 16, pawn 28 moves; and 124,960 won positions of the pawn with White to move."""
    endings = endings_module()
    lengths = {piece: endings.table(piece).white for piece in "QRP"}
    longest = {piece: int(table[table < endings.DRAWN].max()) for piece, table in lengths.items()}
    assert longest == {"Q": 10, "R": 16, "P": 28}
    assert int((lengths["P"] < endings.DRAWN).sum()) == 124_960
    for row in ENDINGS:
        board = chess.Board(row.fen)
        (piece,) = set(
            board.pieces(chess.PAWN, True) | board.pieces(chess.ROOK, True) | board.pieces(chess.QUEEN, True)
        )
        symbol = board.piece_at(piece).symbol()  # type: ignore[union-attr]
        assert int(lengths[symbol][board.king(True), piece, board.king(False)]) == row.moves


# --- what a game says ----------------------------------------------------------------------------


def record(fen: str, plies: int = 0, end: End = End.PLY_LIMIT, halfpoints: int = 1, **more: object) -> ChessRecord:
    ending = Ending(end, halfpoints)
    made = ChessRecord("g", fen, ("a1a1",) * plies, ending, ending, (Tally(), Tally()))
    return msgspec.structs.replace(made, **more)


@pytest.mark.parametrize(
    ("end", "halfpoints", "plies", "substituted", "right"),
    [
        (End.CHECKMATE, 2, 5, (), 1),
        (End.CHECKMATE, 2, 3, (), 1),
        (End.CHECKMATE, 2, 7, (), 0),
        (End.CHECKMATE, 2, 5, (2,), 0),
        (End.CHECKMATE, 2, 5, (1,), 1),
        (End.CHECKMATE, 0, 4, (), 0),
        (End.PLY_LIMIT, 1, 5, (), 0),
        (End.FORFEIT, 2, 1, (), 0),
    ],
)
def test_a_calculation_is_right_if_white_mates_in_time_by_moves_of_its_own(
    end: End, halfpoints: int, plies: int, substituted: tuple[int, ...], right: int
) -> None:
    made = record(IN_THREE.fen, plies, end, halfpoints, substituted=substituted)
    assert calculated(made) == right
    assert efficiency(made) is None
    assert evaluated(made) is None


def test_efficiency_is_the_shortest_win_over_the_moves_taken() -> None:
    row = ENDINGS[0]
    twice = 2 * (2 * row.moves) - 1
    assert efficiency(record(row.fen, 2 * row.moves - 1, End.CHECKMATE, 2)) == PERMILLE
    assert efficiency(record(row.fen, twice, End.CHECKMATE, 2)) == PERMILLE // 2
    assert efficiency(record(row.fen, 1, End.CHECKMATE, 2)) == PERMILLE
    assert efficiency(record(row.fen, ENDING_PLIES_MAX)) == 0
    assert calculated(record(row.fen, 1, End.CHECKMATE, 2)) is None


def test_only_the_first_game_of_a_position_in_which_a_has_white_counts() -> None:
    worse_black = next(row for row in positions_of(PositionClass.SLIGHT) if row.worse == "black")
    right, wrong = (record(worse_black.fen, judgement=better) for better in (Better.WHITE, Better.BLACK))
    (cell,) = probe_cells(KEY, [right, wrong, wrong, wrong], 0)
    assert (cell.probe, cell.values) == (Probe.EVALUATION, (1,))
    assert list(probe_cells(KEY, [record(chess.STARTING_FEN)], 0)) == []
    assert evaluated(record(positions_of(PositionClass.EQUAL)[0].fen)) is None


def test_values_are_in_the_order_of_play() -> None:
    rows = [record(row.fen, 2 * row.moves - 1, End.CHECKMATE, 2) for row in MATES[:2]]
    lost = record(MATES[2].fen)
    (cell,) = probe_cells(KEY, [rows[0], lost, lost, lost, rows[1], lost], 0)
    assert cell.values == (1, 0, 1)


def test_probes_are_played_out_and_not_longer_than_needed() -> None:
    rules = ChessRules()
    assert rules_from(chess.STARTING_FEN, rules) is rules
    assert rules_from(IN_THREE.fen, rules).plies_max == 5
    assert rules_from(ENDINGS[0].fen, rules).plies_max == ENDING_PLIES_MAX
    assert rules_from(IN_THREE.fen, rules).adjudication.policy is AdjudicationPolicy.NONE
    assert probe_of(fens_of(PositionClass.WON)[0]) == ENDINGS[0]


# --- the question --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "side"),
    [("BETTER: white", "white"), ("I think.\nBETTER: Black", "black"), ("BETTER: equal", None), ("white", None)],
)
def test_a_judgement_is_read_from_its_declared_line(text: str, side: str | None) -> None:
    assert read_judgement(Reply(text=text)) == side


def test_no_reply_is_no_judgement() -> None:
    assert read_judgement(NoReply(reason="filtered")) is None


@pytest.mark.parametrize("kind", ["random", "novice", "reference"])
def test_scripted_players_answer_the_question(kind: str) -> None:
    game = Game960(positions_of(PositionClass.SEVERE)[0].fen)
    asked = messages(game)
    assert REQUEST in asked[1].content
    assert read_judgement(Reply(text=scripted_reply(kind, asked, 7))) in set(Better)
