"""A seat as an engine: always a legal move, in time, once; and what it leaves verifies and is marked."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest
from click.testing import CliRunner

from agzamov_harness.cli import main
from agzamov_harness.exhibition import exhibition_run
from agzamov_harness.leaderboard import submissions
from agzamov_harness.ports import PortFault
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.seal_signature import public_pem
from agzamov_verify.checks import exhibition_files
from agzamov_verify.checks.exhibition import check_exhibition
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.commands.check_command import check
from agzamov_verify.commands.report_command import report
from agzamov_verify.core.envelope import sign_payload
from agzamov_verify.core.journal import Entry, encode
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.table.exhibition import MARK
from bundles.bundle_factory import STRANGER, SUBMITTER, chained
from bundles.bundle_factory import edited as edited_entries
from harness.uci_conversations import PLAN, Conversation, Seat


def best(fen: str) -> Reply:
    """The last legal move by the alphabet, in a model's words."""
    move = max(move.uci() for move in chess.Board(fen, chess960=True).legal_moves)
    return Reply(text=f"I think so.\nMOVE: {move}", model="m", completion_tokens=3)


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Callable[..., Conversation]]:
    """Begins a conversation with a seat that answers so."""

    def begun(answer: Callable[[str], Any] = best, **changes: Any) -> Conversation:
        return Conversation(tmp_path, Seat(answer), {**PLAN, **changes}).greeted()

    return begun


def test_a_game_is_played_recorded_and_checked(talk: Callable[..., Conversation]) -> None:
    program = talk()
    program.say("ucinewgame", "isready")
    program.until("readyok")
    board = chess.Board()
    for _ in range(4):
        program.say(
            f"position startpos moves {' '.join(move.uci() for move in board.move_stack)}".strip(), "go nodes 1"
        )
        board.push_uci(program.until("bestmove .*").split()[1])
        board.push(min(board.legal_moves, key=chess.Move.uci))
    assert "info string agent: I think so. MOVE: h2h4" in program.heard
    checked = check_exhibition(program.exhibition())
    assert (checked.problem, checked.entries) == ("", 8)
    (game,) = checked.games
    assert (game.moves, game.is_white, game.decisions) == ([move.uci() for move in board.move_stack[:-1]], True, 4)
    assert (game.drawn, game.late) == ([], [])


def test_castling_is_said_as_the_program_writes_it(talk: Callable[..., Conversation]) -> None:
    program = talk(lambda _: Reply(text="MOVE: e1h1"))
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    program.say(f"position fen {fen}", "go nodes 1")
    assert program.until("bestmove .*") == "bestmove e1g1"
    program.say("setoption name UCI_Chess960 value true", f"position fen {fen.replace('K -', 'H -')}", "go nodes 1")
    assert program.until("bestmove .*") == "bestmove e1h1"
    checked = check_exhibition(program.exhibition())
    assert [(game.start_fen, game.moves) for game in checked.games] == [(fen, ["e1h1"])] * 2


def test_a_move_taken_back_another_side_and_a_new_game_begin_another_game(talk: Callable[..., Conversation]) -> None:
    program = talk()
    for lines in (
        ("position startpos", "go"),
        ("position startpos moves h2h4 a7a5", "go"),
        ("position startpos moves h2h4 a7a6", "go"),
        ("position startpos moves h2h4", "go"),
        ("ucinewgame", "position startpos moves h2h4", "go"),
    ):
        program.say(*lines)
        program.until("bestmove .*")
    games = check_exhibition(program.exhibition()).games
    assert [len(game.moves) for game in games] == [3, 3, 2, 2]
    assert [game.is_white for game in games] == [True, True, False, False]


@pytest.mark.slow
def test_isready_is_answered_and_info_is_said_while_the_seat_thinks(talk: Callable[..., Conversation]) -> None:
    free = threading.Event()

    def slow(fen: str) -> Reply:
        free.wait(60)
        return best(fen)

    program = talk(slow)
    program.say("position startpos", "go nodes 1", "isready")
    program.until("readyok")
    program.until(r"info string thinking, \d+ s")
    free.set()
    assert program.until("bestmove .*") == "bestmove h2h4"
    program.exhibition()


def test_a_seat_that_is_late_has_a_legal_move_drawn_and_its_reply_dropped(talk: Callable[..., Conversation]) -> None:
    free = threading.Event()

    def slow(fen: str) -> Reply:
        free.wait(60)
        return best(fen)

    program = talk(slow)
    program.say("position startpos", "go movetime 300")
    move = program.until("bestmove .*").split()[1]
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    program.say("position startpos", "go infinite", "stop")
    program.until("bestmove .*")
    free.set()
    checked = check_exhibition(program.exhibition())
    assert checked.problem == ""
    assert [len(game.drawn) for game in checked.games] == [1, 1]
    assert "info string no answer before the program needed a move" in program.heard


def test_the_move_of_go_infinite_waits_for_stop(talk: Callable[..., Conversation]) -> None:
    program = talk()
    program.say("position startpos", "go infinite")
    program.until("info string agent: .*")
    program.say("isready")
    program.until("readyok")
    assert not [line for line in program.heard if line.startswith("bestmove")]
    program.say("stop")
    assert program.until("bestmove .*") == "bestmove h2h4"
    program.exhibition()


ANSWERS = {
    "no move": Reply(text="I resign."),
    "illegal": Reply(text="MOVE: e2e5"),
    "cut": Reply(text="MOVE: e2", finish="length"),
    "none": NoReply(reason="refused"),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_without_a_legal_move_has_one_drawn(answer: str, talk: Callable[..., Conversation]) -> None:
    program = talk(
        lambda _: ANSWERS[answer], chess960={"illegal": "retry_then_forfeit", "adjudication": {"policy": "none"}}
    )
    program.say("position startpos", "go nodes 1")
    move = program.until("bestmove .*").split()[1]
    assert chess.Move.from_uci(move) in chess.Board().legal_moves
    assert check_exhibition(program.exhibition()).games[0].drawn == [0]


def test_a_fault_of_a_server_ends_the_record_and_the_program_still_gets_moves(
    talk: Callable[..., Conversation],
) -> None:
    def fails(fen: str) -> Reply:
        if " b " in fen:
            raise PortFault("the server is gone")
        return best(fen)

    program = talk(fails)
    for lines in ("position startpos", "position startpos moves e2e4", "position startpos moves d2d4"):
        program.say(lines, "go nodes 1")
        program.until("bestmove [a-h][1-8][a-h][1-8]")
    assert "info string error: the server is gone" in program.heard
    checked = check_exhibition(program.exhibition())
    assert (checked.problem, checked.entries, len(checked.games)) == ("", 3, 2)


def test_nonsense_is_answered_or_ignored_and_never_ends_it(talk: Callable[..., Conversation]) -> None:
    program = talk()
    program.say(
        "",
        "xyzzy",
        "position",
        "position fen 8/8/8/8 w",
        "position startpos moves e2e5",
        "setoption",
        "setoption name Hash value 16",
        "setoption name Move Overhead value -1",
        "go searchmoves e2e4 mate x wtime",
        "stop",
        "stop",
        "ponderhit",
        "joho isready",
    )
    program.until("readyok")
    assert len([line for line in program.heard if line.startswith("bestmove ")]) <= 1
    assert [line for line in program.heard if line.startswith("info string position ignored: expected")]
    program.exhibition()


def test_a_position_without_a_move_has_none(talk: Callable[..., Conversation]) -> None:
    program = talk()
    program.say("position startpos moves f2f3 e7e5 g2g4 d8h4", "go nodes 1")
    assert program.until("bestmove .*") == "bestmove (none)"
    program.say("position startpos", "go nodes 1")
    assert program.until("bestmove .*") == "bestmove h2h4"
    program.exhibition()


# --- what it leaves -----------------------------------------------------------------------------------


@pytest.fixture
def played(talk: Callable[..., Conversation]) -> Path:
    program = talk()
    program.say("position startpos", "go nodes 1")
    program.until("bestmove .*")
    program.say("position startpos moves h2h4 a7a5", "go nodes 1")
    program.until("bestmove .*")
    return program.exhibition()


def test_verify_report_and_leaderboard_mark_it(played: Path, tmp_path: Path) -> None:
    shown = CliRunner().invoke(check, [str(played)])
    assert shown.exit_code == 0, shown.output
    assert " ".join(shown.output.split()).startswith(MARK.replace("Exhibition: ", "Exhibition "))
    document = json.loads(CliRunner().invoke(check, [str(played), "--json"]).output)
    assert (document["exhibition"], document["rank"], document["level"], document["mark"]) == (True, None, None, MARK)
    written = CliRunner().invoke(report, [str(played), "--out", str(tmp_path / "page.html")])
    assert written.exit_code == 0, written.output
    assert MARK.replace("'", "&#x27;") in (tmp_path / "page.html").read_text()
    assert "it has no rank" in no_bundle(played)
    assert submissions.no_bundle is no_bundle


@pytest.mark.parametrize("command", ["resume", "pack"])
def test_the_folder_of_an_exhibition_is_no_run_to_go_on_with(command: str, talk: Callable[..., Conversation]) -> None:
    program = talk()
    program.say("position startpos", "go nodes 1")
    program.until("bestmove .*")
    program.exhibition()
    told = CliRunner().invoke(main, [command, str(program.directory.path)])
    assert told.exit_code == 2
    assert told.output.endswith(f" uci {program.directory.path}\n")
    assert (told.output.count("\n"), "changed" in told.output) == (1, False)


def test_a_key_that_was_asked_for_is_compared(played: Path, tmp_path: Path) -> None:
    for key, code in ((SUBMITTER, 0), (STRANGER, 1)):
        (tmp_path / "key.pub").write_bytes(public_pem(key))
        assert CliRunner().invoke(check, [str(played), "--key", str(tmp_path / "key.pub")]).exit_code == code


def signed_again(folder: Path, match: str = "") -> None:
    """What an owner does after touching a file."""
    statement = json.loads((folder / exhibition_files.STATEMENT).read_bytes())
    predicate = json.loads(base64.b64decode(statement["payload"]))["predicate"]
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in exhibition_files.SIGNED}
    told = exhibition_files.statement_of(digests, match or predicate["match"], predicate["run"], predicate["secret"])
    (folder / exhibition_files.STATEMENT).write_bytes(sign_payload(told, SUBMITTER))


def edited(folder: Path, old: str, new: str) -> None:
    """Change one answer, as somebody does who knows of no chain."""
    path = folder / exhibition_files.JOURNAL
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    signed_again(folder)


def retold(folder: Path, at: int, old: str, new: str) -> None:
    """Change one answer, and chain all lines anew."""
    path = folder / exhibition_files.JOURNAL
    story = [msgspec.json.decode(line, type=Entry) for line in path.read_bytes().splitlines()]
    answer = story[at].answer
    assert isinstance(answer, Reply)
    assert old in answer.text
    changed = edited_entries(story, at, answer=msgspec.structs.replace(answer, text=answer.text.replace(old, new)))
    path.write_bytes(b"".join(encode(entry) + b"\n" for entry in chained(changed)))
    signed_again(folder)


DEFECTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another file": (lambda folder: (folder / "x.txt").write_text("x"), "x.txt: expected the files"),
    "a file less": (lambda folder: (folder / "calls.jsonl").unlink(), "calls.jsonl: expected the files"),
    "an unsigned change": (
        lambda folder: (folder / "journal.jsonl").write_bytes(b""),
        "journal.jsonl: expected sha256",
    ),
    "another match": (lambda folder: signed_again(folder, "p9"), "expected a match of the plan, found p9"),
    "another reply": (lambda folder: edited(folder, "MOVE: h2h4", "MOVE: h2h3"), "entry 2: expected prev"),
    "another position": (lambda folder: retold(folder, 0, "w KQkq", "w -"), "expected a question to agent in game"),
    "an illegal position": (lambda folder: retold(folder, 0, "RNBQKBNR", "RNBQQBNR"), "expected a legal position"),
    "illegal moves": (lambda folder: retold(folder, 2, "a7a5", "a7a4"), "expected legal moves"),
    "no position": (lambda folder: retold(folder, 0, "position", "posture"), "expected a position from the program"),
    "a move that the reply has not": (
        lambda folder: retold(folder, 1, "MOVE: h2h4", "MOVE: h2h3"),
        "expected a question to program in game",
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_an_exhibition_with_one_defect_fails(defect: str, played: Path) -> None:
    change, words = DEFECTS[defect]
    change(played)
    assert words in check_exhibition(played).problem
    assert CliRunner().invoke(check, [str(played)]).exit_code == 1
    assert CliRunner().invoke(report, [str(played)]).exit_code == 1


def test_a_journal_that_is_cut_is_one_of_a_program_that_ended_there(played: Path) -> None:
    path = played / exhibition_files.JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        signed_again(played)
        assert check_exhibition(played).problem == ""
    assert no_bundle(played)


PLANS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no such seat": ({}, "nobody", "--seat nobody: expected one of the seats agent, dice"),
    "no match of it": ({}, "dice", "--seat dice: expected a match of chess960 or chess with it as `a` \\(none\\)"),
    "a seat named program": (
        {"seats": {**PLAN["seats"], "program": {"kind": "random"}}},
        "agent",
        "seats.program: expected another name",
    ),
}


@pytest.mark.parametrize("case", PLANS)
def test_a_plan_that_cannot_be_played_by_a_program_is_told(case: str) -> None:
    changes, seat, words = PLANS[case]
    with pytest.raises(ManifestError, match=words):
        exhibition_run.match_of(plan_from({**PLAN, **changes}), seat)
