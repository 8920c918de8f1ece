"""The published Phase 0 files, and the same files with one defect each."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from click.testing import CliRunner

from agzamov_verify.core import canon
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from audits import Audit, PublishedError, audit, render
from audits.command import NODES, audit_command
from audits.findings import Step
from audits.paper_rows import Row, Verdict
from audits.published_files import GAMES, REPLIES, RESULTS, SUMMARY
from audits.replies import Declared

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT.parent / "shared" / "data" / "phase0"
PAGE = ROOT / "docs" / "published-phase0.md"
FLIPPED = {"1-0": "0-1", "0-1": "1-0"}
DRAW, MATED = 26, 15  # lines of p0_g0027 and p0_g0016

needs_files = pytest.mark.skipif(
    not (PUBLISHED / RESULTS).exists(), reason="the authors' published Phase 0 files are not beside this repository"
)
Json = dict[str, Any]


@dataclass
class Copy:
    """The published files as plain JSON, to be spoiled and written to a folder."""

    games: list[Json]
    pgns: list[str]
    replies: list[Json]
    summary: Json

    def write(self, folder: Path) -> Path:
        (folder / RESULTS).write_text("".join(json.dumps(game) + "\n" for game in self.games))
        (folder / GAMES).write_text("\n\n".join(self.pgns) + "\n")
        (folder / REPLIES).write_text("".join(json.dumps(reply) + "\n" for reply in self.replies))
        (folder / SUMMARY).write_text(json.dumps(self.summary))
        return folder

    def rewrite_pgn(self, at: int) -> None:
        """Make both PGN texts of a game say what its record says, as a careful forger would."""
        self.games[at]["pgn"] = self.pgns[at] = pgn_of(self.games[at])

    def keep_plies(self, at: int, plies: int) -> None:
        """Cut a game, with its replies and its PGN texts."""
        game = self.games[at]
        game["moves"] = game["moves"][:plies]
        game["total_moves"] = plies
        self.replies = [r for r in self.replies if r["game_id"] != game["game_id"] or r["ply"] <= plies]
        self.rewrite_pgn(at)

    def drop(self, at: int) -> None:
        """Remove a game from every file."""
        name = self.games.pop(at)["game_id"]
        self.pgns.pop(at)
        self.replies = [reply for reply in self.replies if reply["game_id"] != name]


def pgn_of(record: Json) -> str:
    board = chess.Board.from_chess960_pos(record["starting_position_id"])
    game = chess.pgn.Game()
    game.setup(board)
    tags = {"Round": "game_id", "White": "white_id", "Black": "black_id", "Result": "result"}
    for tag, field in tags.items():
        game.headers[tag] = record[field]
    node: chess.pgn.GameNode = game
    for move in record["moves"]:
        node = node.add_variation(chess.Move.from_uci(move["uci"]))
    node.comment = record["result_reason"]
    return str(game)


def json_lines(name: str) -> list[Json]:
    return [json.loads(line) for line in (PUBLISHED / name).read_text().splitlines()]


@pytest.fixture
def copy() -> Copy:
    if not (PUBLISHED / RESULTS).exists():
        pytest.skip("the authors' published Phase 0 files are not beside this repository")
    games = json_lines(RESULTS)
    summary = json.loads((PUBLISHED / SUMMARY).read_text())
    return Copy(games, [game["pgn"].strip() for game in games], json_lines(REPLIES), summary)


@pytest.fixture(scope="module")
def unaided() -> Audit:
    """The audit of the real files without an engine."""
    return audit(PUBLISHED, None, 1, NODES)


@pytest.fixture(scope="module")
def full() -> Audit:
    """The audit of the real files with the pinned engine."""
    try:
        engine = find_engine()
    except EngineFault as fault:
        pytest.skip(str(fault))
    return audit(PUBLISHED, engine, os.cpu_count() or 1, NODES)


def row(rows: tuple[Row, ...], metric: str) -> Row:
    return next(row for row in rows if row.metric == metric)


def found(copy: Copy, folder: Path, step: Step) -> list[str]:
    """The findings of one step in a spoiled copy, as lines."""
    return [finding.line() for finding in audit(copy.write(folder), None, 1, NODES).findings if finding.step is step]


# the real files


@needs_files
@pytest.mark.parametrize(
    ("metric", "verdict", "computed", "note"),
    [
        ("Games played", "reproduced", "30", ""),
        ("Model wins", "reproduced", "29 (96.7%)", ""),
        ("Draws", "reproduced", "1 (3.3%)", ""),
        ("Model losses", "reproduced", "0 (0.0%)", ""),
        ("Model score", "reproduced", "0.983", "29.5 of 30 points"),
        ("p-value (binomial)", "reproduced", "2.887e-08", "29 or more wins of 30"),
        ("Total API calls", "cannot be derived", "", "813 model moves are recorded"),
        ("Total API calls", "cannot be derived", "", "857, 44 more (5.4% of the moves)"),
        ("Format errors", "differs", "676 (83.1%)", "672 hold no MOVE: line; 4 hold the beginning of a move"),
        ("Illegal move errors", "differs", "2 (0.2%)", "p0_g0030 ply 30 d1a1, played d8d2"),
        ("Average game length", "differs", "27.6 moves", "1630 plies in 30 games: 54.33"),
        ("Average game duration", "reproduced", "270 seconds", "270.15 s"),
        ("Total cost (API)", "cannot be derived", "", "no file records tokens"),
        ("Ended by adjudication (Stockfish)", "cannot be derived", "", "no engine was asked"),
        ("Ended by checkmate", "reproduced", "1", ""),
        ("Ended by insufficient material", "reproduced", "1", ""),
    ],
)
def test_a_row_of_table_7_is_recomputed(unaided: Audit, metric: str, verdict: str, computed: str, note: str) -> None:
    found = row(unaided.table7, metric)
    assert (verdict, computed) == (found.verdict, found.computed)
    assert note in found.note


@needs_files
@pytest.mark.parametrize(
    ("metric", "verdict", "computed", "note"),
    [
        ("Colours alternate", "reproduced", "the model has White in 15, Black in 15", ""),
        ("Distinct starts", "differs", "29 of 30", "position 409 is the start of p0_g0006 and p0_g0017"),
        ("5% error threshold", "differs", "678 of 813 (83.4%)", ""),
        ("Adjudications to checkmates", "reproduced", "28:1", ""),
        ("Length of game 27", "differs", "85 moves", "170 plies"),
        ("End of game 27", "differs", "KB v K", ""),
    ],
)
def test_a_sentence_of_section_10_is_recomputed(
    unaided: Audit, metric: str, verdict: str, computed: str, note: str
) -> None:
    found = row(unaided.section10, metric)
    assert (verdict, computed) == (found.verdict, found.computed)
    assert note in found.note


@needs_files
def test_the_real_files_agree_with_one_another_and_with_the_rules_of_chess(unaided: Audit) -> None:
    assert unaided.findings == ()
    totals = unaided.totals
    assert (
        totals.games,
        totals.plies,
        totals.model_moves,
        totals.legal,
        totals.pgn_agree,
    ) == (30, 1630, 813, 30, 30)


@needs_files
def test_every_reply_has_one_class(unaided: Audit) -> None:
    assert unaided.replies == {
        Declared.PLAYED: 135,
        Declared.OTHER: 0,
        Declared.ILLEGAL: 2,
        Declared.CUT: 4,
        Declared.NO_MOVE: 0,
        Declared.NO_LINE: 672,
    }


@needs_files
def test_the_material_rule_ends_all_28_adjudicated_games_where_they_end(unaided: Audit) -> None:
    assert sum(ruling.by_material for ruling in unaided.rulings if ruling.adjudicated) == 28
    assert sum(ruling.material is not None for ruling in unaided.rulings) == 28


@needs_files
@pytest.mark.slow
def test_the_engines_rule_holds_in_21_or_13_of_the_28_and_the_page_says_so(full: Audit) -> None:
    adjudicated = [ruling for ruling in full.rulings if ruling.adjudicated]
    assert (
        len(adjudicated),
        sum(ruling.by_engine(3) for ruling in adjudicated),
        sum(ruling.by_engine(6) for ruling in adjudicated),
    ) == (28, 21, 13)
    stopped = row(full.table7, "Ended by adjudication (Stockfish)")
    assert (stopped.verdict, stopped.computed) == (Verdict.DIFFERS, "21 over 3 plies, 13 over 6")
    assert render(full) in PAGE.read_text(), "run the command on the page again and paste its output"


@pytest.mark.slow
@needs_files
def test_the_command_prints_the_report_or_canonical_json() -> None:
    text = CliRunner().invoke(audit_command, [str(PUBLISHED), "--nodes", "1"])
    assert (text.exit_code, text.output.endswith("the rules of chess\n")) == (0, True)
    machine = CliRunner().invoke(audit_command, [str(PUBLISHED), "--nodes", "1", "--json"])
    assert machine.exit_code == 0
    value = canon.loads(machine.output.removesuffix("\n").encode())
    assert isinstance(value, dict)
    assert {"engine", "findings", "nodes", "replies", "rulings", "section10", "table7", "totals"} == set(value)


# the forgeries


def test_one_flipped_winner_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[0]["result"] = "0-1"
    lines = found(copy, tmp_path, Step.PGN)
    assert f"pgn: {GAMES} p0_g0001: expected Result '0-1', found '1-0'" in lines


def test_a_winner_flipped_in_every_file_is_still_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[0]["result"] = "0-1"
    copy.rewrite_pgn(0)
    assert found(copy, tmp_path, Step.RULE) == [
        (
            f"adjudication rule: {RESULTS} p0_g0001 ply 45: expected the material rule that gives the game to Black"
            " here, found that the material rule fires at ply 45 for White (difference +12 at the end);"
            " no engine was asked"
        )
    ]


def test_every_adjudicated_winner_flipped_is_28_findings(copy: Copy, tmp_path: Path) -> None:
    for at, game in enumerate(copy.games):
        if game["result_reason"] == "adjudication":
            game["result"] = FLIPPED[game["result"]]
            copy.rewrite_pgn(at)
    assert len(found(copy, tmp_path, Step.RULE)) == 28


def test_a_flipped_checkmate_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[MATED]["result"] = "1-0"
    copy.rewrite_pgn(MATED)
    assert found(copy, tmp_path, Step.END) == [f"end: {RESULTS} p0_g0016 ply 30: expected result 0-1, found 1-0"]


def test_a_game_cut_to_10_plies_and_still_adjudicated_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.keep_plies(0, 10)
    assert found(copy, tmp_path, Step.RULE) == [
        (
            f"adjudication rule: {RESULTS} p0_g0001 ply 10: expected the material rule that gives the game to White"
            " here, found that the material rule fires nowhere (difference +1 at the end); no engine was asked"
        )
    ]


@pytest.mark.slow
def test_a_cut_game_is_a_finding_by_the_engines_rule_too(copy: Copy, tmp_path: Path) -> None:
    try:
        engine = find_engine()
    except EngineFault as fault:
        pytest.skip(str(fault))
    copy.keep_plies(0, 10)
    result = audit(copy.write(tmp_path), engine, 2, 1000)
    assert [f.game for f in result.findings if f.step is Step.RULE and f.ply == 10] == ["p0_g0001"]


def test_the_draw_deleted_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.drop(DRAW)
    assert found(copy, tmp_path, Step.IDS) == [f"ids: {RESULTS} line 27: expected p0_g0027, found p0_g0028"]


def test_the_last_game_deleted_contradicts_the_summary(copy: Copy, tmp_path: Path) -> None:
    copy.drop(29)
    lines = found(copy, tmp_path, Step.SUMMARY)
    assert f"summary: {SUMMARY}: expected n_games 29, found 30" in lines


def test_the_draw_replaced_by_a_copy_of_game_1_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[DRAW] = {**copy.games[0], "game_id": "p0_g0027"}
    copy.rewrite_pgn(DRAW)
    assert found(copy, tmp_path, Step.IDS) == [
        f"ids: {RESULTS} p0_g0027: expected a game of its own, found p0_g0001 move for move"
    ]


def test_the_draw_replaced_by_game_1_under_its_own_id_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[DRAW], copy.pgns[DRAW] = copy.games[0], copy.pgns[0]
    assert found(copy, tmp_path, Step.IDS) == [
        f"ids: {RESULTS} line 27: expected p0_g0027, found p0_g0001",
        f"ids: {RESULTS} p0_g0001: expected one line, found 2 lines",
    ]


def test_a_changed_position_id_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[0]["starting_position_id"] = 271
    moves = found(copy, tmp_path, Step.MOVES)
    assert moves == [
        f"moves: {RESULTS} p0_g0001 ply 28: expected a legal move, found h8g8, after which the game cannot be replayed"
    ]
    pgn = found(copy, tmp_path, Step.PGN)
    assert any(line.startswith(f"pgn: {GAMES} p0_g0001: expected FEN") for line in pgn)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("model_wins", 30, "expected model_wins 29, found 30"),
        ("model_score", 1.0, "expected model_score 0.9833, found 1.0"),
        ("p_value", 0.04, "expected p_value 0.0000, found 0.04"),
        ("avg_moves", 27.5, "expected avg_moves 54.3333, found 27.5"),
        ("format_errors", 3, "expected format, illegal and nonsense errors of 0 in all, found 3"),
        ("total_api_calls", 812, "expected total_api_calls of at least the 813 model moves, found 812"),
        ("passed", False, "expected passed True, found False"),
        ("result_reasons", {"checkmate": 29}, "expected checkmate 1, found 29"),
    ],
)
def test_a_forged_summary_is_a_finding(copy: Copy, tmp_path: Path, name: str, value: object, line: str) -> None:
    copy.summary[name] = value
    assert f"summary: {SUMMARY}: {line}" in found(copy, tmp_path, Step.SUMMARY)


def test_deleted_files_are_findings_and_their_rows_cannot_be_derived(copy: Copy, tmp_path: Path) -> None:
    copy.write(tmp_path)
    for name in (GAMES, REPLIES, SUMMARY):
        (tmp_path / name).unlink()
    result = audit(tmp_path, None, 1, NODES)
    assert [f"files: {name}: expected the file, found none in DIR" for name in (GAMES, REPLIES, SUMMARY)] == [
        finding.line() for finding in result.findings
    ]
    formats = row(result.table7, "Format errors")
    assert (Verdict.UNDERIVABLE, f"{REPLIES} is not in DIR") == (formats.verdict, formats.note)
    assert f"cannot be derived: {GAMES} is not in DIR" in render(result)
    assert f"cannot be derived: {REPLIES} is not in DIR" in render(result)


def test_the_draw_relabelled_a_forfeit_win_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[DRAW] |= {"result": "1-0", "result_reason": "forfeit"}
    copy.rewrite_pgn(DRAW)
    place = f"end: {RESULTS} p0_g0027 ply 170: expected"
    assert found(copy, tmp_path, Step.END) == [
        f"{place} insufficient_material in the final position, found result_reason forfeit",
        f"{place} result 1/2-1/2, found 1-0",
    ]


def test_a_win_relabelled_stalemate_is_a_finding(copy: Copy, tmp_path: Path) -> None:
    copy.games[0] |= {"result": "1/2-1/2", "result_reason": "stalemate"}
    copy.rewrite_pgn(0)
    assert found(copy, tmp_path, Step.END) == [
        (
            f"end: {RESULTS} p0_g0001 ply 45: expected a game that still goes on in the final position,"
            " found result_reason stalemate"
        )
    ]


def test_altered_last_moves_differ_from_both_pgn_texts(copy: Copy, tmp_path: Path) -> None:
    alter_last_two(copy.games[0])
    assert found(copy, tmp_path, Step.PGN) == [
        f"pgn: {RESULTS} pgn of p0_g0001 ply 44: expected h7h6, found b4c6",
        f"pgn: {GAMES} p0_g0001 ply 44: expected h7h6, found b4c6",
    ]


@pytest.mark.parametrize(("at", "step"), [(MATED, Step.END), (DRAW, Step.END), (22, Step.REPLIES), (24, Step.REPLIES)])
def test_last_moves_altered_in_every_file_are_seen_only_by_an_end_or_a_declared_move(
    copy: Copy, tmp_path: Path, at: int, step: Step
) -> None:
    alter_last_two(copy.games[at])
    copy.rewrite_pgn(at)
    assert len(found(copy, tmp_path, step)) == 1


def test_last_moves_altered_in_every_file_may_leave_no_trace(copy: Copy, tmp_path: Path) -> None:
    """A limit of these files, not of the audit: nothing in them is signed."""
    alter_last_two(copy.games[0])
    copy.rewrite_pgn(0)
    assert audit(copy.write(tmp_path), None, 1, NODES).findings == ()


def test_a_move_altered_in_every_file_contradicts_the_reply_that_declared_it(copy: Copy, tmp_path: Path) -> None:
    game = copy.games[0]
    game["moves"][0]["uci"] = "d1c3"
    game["moves"] = game["moves"][:1]
    game["total_moves"] = 1
    copy.rewrite_pgn(0)
    lines = found(copy, tmp_path, Step.REPLIES)
    assert f"replies: {REPLIES} p0_g0001 ply 1: expected the declared move d1e3, found d1c3 played" in lines


def alter_last_two(record: Json) -> None:
    """Replace the last two moves by other legal ones."""
    board = chess.Board.from_chess960_pos(record["starting_position_id"])
    for move in record["moves"][:-2]:
        board.push_uci(move["uci"])
    for move in record["moves"][-2:]:
        others = sorted(legal.uci() for legal in board.legal_moves if legal.uci() != move["uci"])
        move["uci"] = others[-1]
        board.push_uci(move["uci"])


@pytest.mark.parametrize(
    ("spoil", "step", "line"),
    [
        (
            lambda game: game["moves"][4].update(uci="a1a8"),
            Step.MOVES,
            "ply 5: expected a legal move, found a1a8, after which the game cannot be replayed",
        ),
        (lambda game: game.update(total_moves=44), Step.MOVES, ": expected total_moves 45, found 44"),
        (lambda game: game["moves"][4].update(n=6), Step.MOVES, "ply 5: expected n 5 white, found n 6 white"),
        (
            lambda game: game.update(duration_seconds=3.5),
            Step.TIMES,
            ": expected 307.285 s between start_time and end_time, found duration_seconds 3.500",
        ),
        (
            lambda game: game.update(white_id="random", black_id="model"),
            Step.PGN,
            ": expected White 'random', found 'model'",
        ),
    ],
)
def test_a_spoiled_record_is_a_finding(
    copy: Copy, tmp_path: Path, spoil: Callable[[Json], None], step: Step, line: str
) -> None:
    spoil(copy.games[0])
    assert any(line in at for at in found(copy, tmp_path, step) if "p0_g0001" in at)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('[Round "p0_g0003"]', '[Round "p0_g0002"]', "p0_g0003: expected the game, found none with that Round"),
        ("1. Ne3 b6", "1. Ne3 Qa5", "p0_g0001: expected a legal game, found illegal san: 'Qa5'"),
        ("{ adjudication } 1-0", "{ adjudication } 0-1", "the tag says '1-0' and the text ends with 0-1"),
        ("{ adjudication }", "{ checkmate }", "p0_g0001: expected comment 'adjudication', found 'checkmate'"),
    ],
)
def test_a_spoiled_pgn_file_is_a_finding(copy: Copy, tmp_path: Path, old: str, new: str, line: str) -> None:
    at = 2 if "p0_g0003" in old else 0
    copy.pgns[at] = copy.pgns[at].replace(old, new)
    assert any(line in each for each in found(copy, tmp_path, Step.PGN))


def test_findings_make_exit_code_1(copy: Copy, tmp_path: Path) -> None:
    copy.drop(DRAW)
    result = CliRunner().invoke(audit_command, [str(copy.write(tmp_path)), "--nodes", "1"])
    assert result.exit_code == 1
    assert "expected p0_g0027, found p0_g0028" in result.output


# files of our own, so that the reading is tested where the published ones are not

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def own_files() -> Copy:
    """One game, 1. f3 e5 2. g4 Qh4#, won by the model with Black."""
    moves = [
        {"uci": uci, "side": "white" if n % 2 else "black", "n": n, "time_ms": 5.0, "error": False}
        for n, uci in enumerate(FOOLS_MATE, 1)
    ]
    game: Json = {
        "game_id": "p0_g0001",
        "starting_position_id": 518,
        "result": "0-1",
        "result_reason": "checkmate",
        "total_moves": 4,
        "white_id": "random",
        "black_id": "model",
        "moves": moves,
        "white_errors": 0,
        "black_errors": 0,
        "start_time": "2026-01-01T00:00:00+00:00",
        "end_time": "2026-01-01T00:00:08+00:00",
        "duration_seconds": 8.0,
        "phase": 0,
        "saved_at": "2026-01-01T00:00:09+00:00",
    }
    game["pgn"] = pgn_of(game)
    said = {2: "I take the centre.\n\nMOVE: e7e5\nNOTE: watch f3", 4: "Mate.\n**MOVE:** d8h4"}
    replies = [{"game_id": "p0_g0001", "ply": ply, "reasoning": text} for ply, text in said.items()]
    return Copy([game], [game["pgn"]], replies, {})


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = own_files().write(tmp_path)
    (folder / SUMMARY).unlink()
    return folder


def test_a_small_folder_of_our_own_is_audited(own: Path) -> None:
    result = audit(own, None, 1, NODES)
    assert [finding.step for finding in result.findings] == [Step.FILES]
    assert row(result.table7, "Model wins").computed == "1 (100.0%)"
    assert result.replies
    assert (result.replies[Declared.PLAYED], result.replies[Declared.NO_LINE]) == (1, 1)


def test_a_reply_that_is_missing_or_too_many_is_a_finding(own: Path) -> None:
    lines = (own / REPLIES).read_text().splitlines()
    (own / REPLIES).write_text(lines[0] + "\n" + lines[0].replace('"ply": 2', '"ply": 3') + "\n")
    wrong = [finding.line() for finding in audit(own, None, 1, NODES).findings if finding.step is Step.REPLIES]
    assert wrong == [
        f"replies: {REPLIES} p0_g0001 ply 3: expected 0 replies, found 1",
        f"replies: {REPLIES} p0_g0001 ply 4: expected 1 replies, found 0",
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("MOVE: e7e5", Declared.PLAYED),
        ("MOVE: d7d5\n", Declared.OTHER),
        ("MOVE: e8e1", Declared.ILLEGAL),
        ("MOVE: e7", Declared.CUT),
        ("MOVE:", Declared.CUT),
        ("MOVE: e7\nNOTE: more", Declared.NO_MOVE),
        ("MOVE: e5", Declared.NO_MOVE),
        ("I play e7e5", Declared.NO_LINE),
    ],
)
def test_a_reply_is_read_by_its_last_move_line(own: Path, text: str, kind: Declared) -> None:
    (own / REPLIES).write_text(json.dumps({"game_id": "p0_g0001", "ply": 2, "reasoning": text}) + "\n")
    result = audit(own, None, 1, NODES)
    assert result.replies
    assert [kind] == [each for each, count in result.replies.items() if count]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (RESULTS, b"", f"{RESULTS}: expected 1 to 10000 games, found 0"),
        (RESULTS, b'{"game_id": "p0_g0001"\n', f"{RESULTS} line 1: Input data was truncated"),
        (RESULTS, b"{}\n", f"{RESULTS} line 1: Object missing required field `game_id`"),
        (REPLIES, b'{"game_id": "a", "ply": "1", "reasoning": ""}\n', f"{REPLIES} line 1: Expected `int`, got `str`"),
        (REPLIES, b'{"game_id": "\xff"}\n', f"{REPLIES} line 1: "),
        (REPLIES, b'{"game_id": "a\\nb", "ply": 1, "reasoning": ""}\n', f"{REPLIES} line 1: Expected `str` matching"),
        (SUMMARY, b"[]", f"{SUMMARY}: Expected `object`, got `array`"),
        (GAMES, b"\xff", f"{GAMES}: 'utf-8' codec can't decode"),
    ],
)
def test_a_broken_file_is_one_line_and_exit_code_2(own: Path, name: str, content: bytes, message: str) -> None:
    (own / name).write_bytes(content)
    with pytest.raises(PublishedError) as error:
        audit(own, None, 1, NODES)
    assert str(error.value).startswith(message)
    result = CliRunner().invoke(audit_command, [str(own)])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_a_folder_without_results_is_exit_code_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(audit_command, [str(tmp_path)])
    assert (2, f"error: expected {RESULTS} in {tmp_path}, found none") == (
        result.exit_code,
        result.output.partition(";")[0],
    )


def test_an_engine_that_is_not_there_is_exit_code_2(own: Path) -> None:
    result = CliRunner().invoke(audit_command, [str(own), "--engine", "no-such-engine"])
    assert (result.exit_code, result.output.partition(";")[0]) == (2, "error: no engine at no-such-engine")


def test_an_engine_of_another_version_is_exit_code_2(tmp_path: Path) -> None:
    copy = own_files()
    copy.games[0]["result_reason"] = "adjudication"
    copy.keep_plies(0, 2)
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\necho id name Stockfish 16\necho uciok\nexec cat >/dev/null\n")
    engine.chmod(0o755)
    copy.write(tmp_path)
    (tmp_path / SUMMARY).unlink()
    result = CliRunner().invoke(audit_command, [str(tmp_path), "--engine", str(engine)])
    expected = f"error: expected Stockfish 15.1 at {engine}, found Stockfish 16\n"
    assert (result.exit_code, result.output) == (2, expected)
