"""`agzamov uci` as others start it: the conversation of match runners, python-chess, xboard, sudden ends."""

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import chess
import chess.engine
import chess.pgn
import pytest
import yaml

from agzamov_harness.exhibition.uci_output import lines_of
from agzamov_harness.run import signing_keys
from agzamov_verify.checks.exhibition import CheckedExhibition, check_exhibition
from agzamov_verify.core.dice import Dice
from harness.http_peer import Exchange, Peer, answers, says
from harness.uci_conversations import PATIENCE_S, PLAN, Program

SEATS = {"agent": {"kind": "random"}, "dice": {"kind": "random"}}
UCI = re.compile(
    r"id (name|author) .+|option name .+ type (check|spin) .+|uciok|readyok"
    r"|bestmove ([a-h][1-8]){2}[qrbn]?|bestmove \(none\)|info depth 1 pv ([a-h][1-8]){2}[qrbn]?|info string .+"
)
GRACE_S = 60.0


def words(folder: Path, **changes: Any) -> list[str]:
    """The command of a plan in a folder."""
    if not (folder / "key.pem").exists():
        signing_keys.generate(folder / "key.pem")
    (folder / "plan.yaml").write_text(yaml.safe_dump({**PLAN, "seats": SEATS, **changes}))
    return [sys.executable, "-m", "agzamov_harness", "uci", "plan.yaml", "--seat", "agent", "--key", "key.pem"]


def exhibition(folder: Path) -> CheckedExhibition:
    """The one that was left in a folder, checked."""
    (made,) = (folder / "exhibitions").iterdir()
    checked = check_exhibition(made)
    assert checked.problem == ""
    return checked


class EngineProcess(Program):
    """An engine in a process of its own, whose every line must be of the protocol."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._said: queue.Queue[str] = queue.Queue()
        assert self.process.stdout
        descriptor = self.process.stdout.fileno()
        threading.Thread(target=lambda: [self._said.put(line) for line in lines_of(descriptor)], daemon=True).start()
        super().__init__(self._send, self._receive)

    def _send(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def _receive(self, seconds: float) -> str:
        line = self._said.get(timeout=seconds)
        assert UCI.fullmatch(line), line
        return line

    def ended(self) -> tuple[int, str]:
        """Its exit code, and what it wrote to standard error."""
        code = self.process.wait(GRACE_S)
        assert self.process.stderr
        errors = self.process.stderr.read().decode()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe and not pipe.closed:
                pipe.close()
        return code, errors


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    started = EngineProcess(tmp_path, words(tmp_path))
    yield started
    if started.process.poll() is None:
        started.process.kill()
        started.process.wait()


# --- what match runners ask for ---------------------------------------------------------------------

READY = ["isready"], "readyok"
BEST = r"bestmove ([a-h][1-8]){2}[qrbn]?"
START_960 = chess.Board.from_chess960_pos(0)
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
PROMOTES = "8/P6k/8/8/8/8/8/K7 w - - 0 1"
CASTLES = "4k3/8/8/8/8/8/4PPPP/4K2R w K - 0 1"
STEPS: list[tuple[str, tuple[list[str], str]]] = [
    ("greets with a name", (["uci"], "id name .+")),
    ("names its author", ([], "id author .+")),
    ("offers Chess960", ([], "option name UCI_Chess960 type check default false")),
    ("offers an overhead", ([], r"option name Move Overhead type spin default 1000 min 0 max \d+")),
    ("ends its greeting", ([], "uciok")),
    ("is ready", READY),
    ("takes a new game", (["ucinewgame", *READY[0]], "readyok")),
    ("takes an unknown option", (["setoption name Hash value 16", *READY[0]], "readyok")),
    ("takes an option of its own", (["setoption name Move Overhead value 200", *READY[0]], "readyok")),
    ("takes an empty line", (["", *READY[0]], "readyok")),
    ("takes an unknown command", (["foo bar", *READY[0]], "readyok")),
    ("takes debug", (["debug on", "debug off", *READY[0]], "readyok")),
    ("takes register", (["register later", *READY[0]], "readyok")),
    ("plays from the start", (["position startpos", "go nodes 1"], BEST)),
    ("plays after a move", (["position startpos moves e2e4", "go nodes 1"], BEST)),
    ("plays to a depth", (["position startpos", "go depth 1"], BEST)),
    ("plays in a time", (["position startpos", "go movetime 1000"], BEST)),
    ("plays by a clock", (["position startpos", "go wtime 60000 btime 60000"], BEST)),
    ("plays by a clock with increment", (["go wtime 60000 btime 60000 winc 1000 binc 1000"], BEST)),
    ("plays by a clock with moves to go", (["go wtime 60000 btime 60000 movestogo 40"], BEST)),
    ("plays with the last moments", (["go wtime 30 btime 30"], BEST)),
    ("plays with no time at all", (["go wtime 0 btime 0"], BEST)),
    ("plays with a clock that is over", (["go wtime -100 btime -100"], BEST)),
    ("plays as Black by Black's clock", (["position startpos moves e2e4", "go wtime 1 btime 60000"], BEST)),
    ("plays without words", (["position startpos", "go"], BEST)),
    ("plays for a mate", (["position startpos", "go mate 1"], BEST)),
    ("plays among some moves", (["position startpos", "go searchmoves e2e4 d2d4 nodes 1"], BEST)),
    ("takes stop while idle", (["stop", *READY[0]], "readyok")),
    ("waits with infinite", (["position startpos", "go infinite", *READY[0]], "readyok")),
    ("stops", (["stop"], BEST)),
    ("waits with ponder", (["position startpos", "go ponder wtime 60000 btime 60000", *READY[0]], "readyok")),
    ("plays on ponderhit", (["ponderhit"], BEST)),
    ("takes a FEN", ([f"position fen {chess.STARTING_FEN}", "go nodes 1"], BEST)),
    ("takes a FEN with moves", ([f"position fen {chess.STARTING_FEN} moves d2d4 d7d5", "go nodes 1"], BEST)),
    ("takes a position without a move", ([f"position fen {MATED}", "go nodes 1"], r"bestmove \(none\)")),
    ("takes a promotion", ([f"position fen {PROMOTES} moves a7a8q h7g7", "go nodes 1"], BEST)),
    ("takes castling", ([f"position fen {CASTLES} moves e1g1 e8d8", "go nodes 1"], BEST)),
    ("takes an illegal move", (["position startpos moves e2e5"], "info string position ignored: .+")),
    ("goes on after it", (["position startpos", "go nodes 1"], BEST)),
    ("takes Chess960", (["setoption name UCI_Chess960 value true", "ucinewgame", *READY[0]], "readyok")),
    ("takes Shredder-FEN", ([f"position fen {START_960.shredder_fen()}", "go nodes 1"], BEST)),
    ("takes X-FEN", ([f"position fen {START_960.fen()}", "go nodes 1"], BEST)),
    ("takes the start in Shredder-FEN", ([f"position fen {chess.Board().shredder_fen()}", "go nodes 1"], BEST)),
    ("takes castling as the king takes its rook", ([f"position fen {CASTLES} moves e1h1 e8d8", "go nodes 1"], BEST)),
    ("leaves Chess960", (["setoption name UCI_Chess960 value false", *READY[0]], "readyok")),
    ("plays another game", (["ucinewgame", "position startpos", "go nodes 1"], BEST)),
    ("greets again", (["uci"], "uciok")),
]


@pytest.mark.slow
def test_it_goes_through_the_conversation_of_match_runners(engine: EngineProcess, tmp_path: Path) -> None:
    assert len(STEPS) >= 40
    for step, (lines, pattern) in STEPS:
        engine.say(*lines)
        try:
            engine.until(pattern)
        except AssertionError as error:
            raise AssertionError(f"step {step!r}: {error}") from error
    engine.say("quit")
    code, errors = engine.ended()
    assert (code, errors.splitlines()[-1].partition(" ")[0]) == (0, "exhibition:"), errors
    moves = sum(pattern == BEST for _, (_, pattern) in STEPS)
    timeless = 3  # of these the script may never have seen the position
    assert moves - timeless <= sum(game.decisions for game in exhibition(tmp_path).games) <= moves


# --- sudden ends --------------------------------------------------------------------------------------


def begun(engine: EngineProcess) -> EngineProcess:
    engine.say("uci", "isready", "position startpos", "go nodes 1")
    engine.until(BEST)
    return engine


def stops_reading(engine: EngineProcess) -> None:
    """Ask until it ends: an answer may still go to our thread that waits in `read`, which keeps the pipe open."""
    end = time.monotonic() + GRACE_S
    with suppress(BrokenPipeError):
        while engine.process.poll() is None and time.monotonic() < end:
            engine.say("isready")
            time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.parametrize("end", ["end of file", "SIGTERM", "SIGINT", "nobody reads"])
def test_a_program_that_dies_leaves_a_signed_exhibition(end: str, engine: EngineProcess, tmp_path: Path) -> None:
    begun(engine)
    assert engine.process.stdin
    assert engine.process.stdout
    match end:
        case "end of file":
            engine.say("position startpos", "go infinite")
            engine.process.stdin.close()
        case "nobody reads":
            engine.process.stdout.close()
            stops_reading(engine)
        case _:
            engine.process.send_signal(signal.Signals[end])
    code, errors = engine.ended()
    assert (code, "Traceback" in errors) == (0, False), errors
    assert exhibition(tmp_path).games[0].decisions == 1


@pytest.mark.slow
def test_an_exhibition_that_was_killed_is_packed_from_its_folder(engine: EngineProcess, tmp_path: Path) -> None:
    begun(engine)
    engine.process.kill()
    engine.ended()
    assert not (tmp_path / "exhibitions").exists() or not list((tmp_path / "exhibitions").iterdir())
    (run,) = (tmp_path / "runs").iterdir()
    command = [sys.executable, "-m", "agzamov_harness", "uci", str(run)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=GRACE_S, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert exhibition(tmp_path).games[0].decisions == 1


@pytest.mark.slow
def test_a_program_that_only_lists_its_engines_leaves_nothing(tmp_path: Path) -> None:
    """Each start left a sealed run and an empty signed exhibition."""
    done = subprocess.run(
        words(tmp_path), cwd=tmp_path, input="uci\nquit\n", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "uciok"), done.stderr
    assert "the run's folder was removed" in done.stderr
    assert [path for folder in ("runs", "exhibitions") for path in (tmp_path / folder).glob("*")] == []


@pytest.mark.slow
def test_an_exhibition_takes_no_runs_place(engine: EngineProcess, tmp_path: Path) -> None:
    """`--out` with the folder of runs replaced the run, its secret too, by the exhibition."""
    same = subprocess.run(
        [*words(tmp_path), "--out", "runs"],
        cwd=tmp_path,
        input="uci\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (same.returncode, "expected another folder than that of the runs" in same.stderr) == (2, True)
    begun(engine)
    engine.process.kill()
    engine.ended()
    (run,) = (tmp_path / "runs").iterdir()
    (tmp_path / "exhibitions" / run.name).mkdir(parents=True)
    command = [sys.executable, "-m", "agzamov_harness", "uci", str(run)]
    for out, told in (
        ("runs", "another folder than that of the runs"),
        ("exhibitions", "something else under the name"),
    ):
        done = subprocess.run(
            [*command, "--out", out], cwd=tmp_path, capture_output=True, text=True, timeout=GRACE_S, check=False
        )
        assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert (run / "secret").exists()


@pytest.mark.slow
def test_a_sealed_run_that_was_not_played_is_not_called_an_exhibition(tmp_path: Path) -> None:
    """Its removal was advised, of a registered run's secret perhaps."""
    command = [sys.executable, "-m", "agzamov_harness"]
    subprocess.run([*command, "seal", *words(tmp_path)[4:5], "--key", "key.pem"], cwd=tmp_path, check=True)
    (run,) = (tmp_path / "runs").iterdir()
    done = subprocess.run([*command, "uci", str(run)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.endswith(f" resume {run}\n")) == (2, True), done.stderr
    assert "remove" not in done.stderr


@pytest.mark.slow
def test_a_plan_that_is_wrong_is_told_on_standard_error_alone(tmp_path: Path) -> None:
    command = [*words(tmp_path), "--match", "p9"]
    done = subprocess.run(command, cwd=tmp_path, input="uci\nquit\n", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: --match p9: expected one of p0-chess960-naked-agent")


# --- python-chess as the program ---------------------------------------------------------------------


def play_games(folder: Path, games: int, plies_max: int, limit: chess.engine.Limit) -> None:
    """Play, as a match runner does: half of the games in Chess960, sides in turn. Raises for anything illegal."""
    draws = Dice(b"a program's own chance").stream(str(games))
    with chess.engine.SimpleEngine.popen_uci(words(folder), cwd=folder, timeout=PATIENCE_S) as engine:
        for number in range(games):
            board = chess.Board.from_chess960_pos(draws.below(960)) if number % 2 else chess.Board()
            while not board.is_game_over() and board.ply() < plies_max:
                if board.turn == (number % 4 < 2):
                    move = engine.play(board, limit, game=number).move
                    assert move in board.legal_moves
                else:
                    move = draws.choice(list(board.legal_moves))
                board.push(move)
        engine.quit()  # else it is killed, and writes nothing


@pytest.mark.slow
def test_python_chess_plays_both_variants(tmp_path: Path) -> None:
    play_games(tmp_path, 4, 40, chess.engine.Limit(white_clock=60, black_clock=60, white_inc=1, black_inc=1))
    checked = exhibition(tmp_path)
    assert [len(game.late) for game in checked.games] == [0] * 4
    assert all(0 < game.decisions <= 20 for game in checked.games), "a game of random moves may end before its limit"


@pytest.mark.slow
def test_a_model_behind_an_endpoint_castles_in_chess960(tmp_path: Path) -> None:
    """King f1, rook h1: f1g1 would be a step of the king."""
    board = chess.Board("4k3/8/8/8/8/8/8/5K1R w H - 0 1", chess960=True)
    says_castling = says("I castle.\nMOVE: f1h1", model="m")

    def serve(exchange: Exchange) -> None:
        is_list = exchange.request_seen.path.endswith("/models")
        (answers({"object": "list", "data": [{"id": "m", "object": "model"}]}) if is_list else says_castling)(exchange)

    with Peer(then=serve) as peer:
        model = {"kind": "openai", "base_url": peer.url, "model": "m"}
        command = words(tmp_path, seats={**SEATS, "agent": model})
        with chess.engine.SimpleEngine.popen_uci(command, cwd=tmp_path, timeout=PATIENCE_S) as engine:
            move = engine.play(board, chess.engine.Limit(nodes=1)).move
            engine.quit()
        assert move
        assert board.san(move) == "O-O"
    assert exhibition(tmp_path).games[0].moves == ["f1h1"]


@pytest.mark.exhaustive
def test_a_hundred_games_without_a_loss_on_time_or_an_illegal_move(tmp_path: Path) -> None:
    play_games(tmp_path, 100, 80, chess.engine.Limit(white_clock=180, black_clock=180, white_inc=2, black_inc=2))
    checked = exhibition(tmp_path)
    assert len(checked.games) >= 100
    assert not any(game.late for game in checked.games)


# --- xboard with polyglot -----------------------------------------------------------------------------

GAMES_FOLDER = "/usr/games"
XBOARD_S_MAX = 180.0


def tool(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path=GAMES_FOLDER)
    if not found:
        pytest.skip(f"no {name} here")
    return found


def finished_game(path: Path) -> chess.pgn.Game:
    """The game in a file, once it is there with its result."""
    end = time.monotonic() + XBOARD_S_MAX
    while time.monotonic() < end:
        if path.exists() and path.read_text().rstrip().endswith(("1-0", "0-1", "1/2-1/2")):
            with path.open() as file:
                game = chess.pgn.read_game(file)
            assert game
            return game
        time.sleep(0.2)
    raise AssertionError(f"no finished game after {XBOARD_S_MAX} s")


@pytest.mark.slow
def test_xboard_with_polyglot_plays_it_against_itself(tmp_path: Path) -> None:
    """The graphical route of Debian: xboard speaks its own protocol, and polyglot makes UCI of it."""
    xboard, polyglot, xvfb = tool("xboard"), tool("polyglot"), tool("xvfb-run")
    command = words(tmp_path)
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\ncd {tmp_path}\nexec {' '.join(command)}\n")
    script.chmod(0o755)
    for side in ("first", "second"):
        (tmp_path / f"{side}.ini").write_text(
            f"[PolyGlot]\nEngineCommand = {script}\nEngineName = {side}\nLog = true\nLogFile = {tmp_path}/{side}.log\n"
            "[Engine]\n"
        )
    arguments = [xvfb, "-a", xboard, "-size", "33", "-mode", "TwoMachines", "-matchGames", "1"]
    arguments += ["-fcp", f"{polyglot} {tmp_path}/first.ini", "-scp", f"{polyglot} {tmp_path}/second.ini"]
    arguments += ["-fd", str(tmp_path), "-sd", str(tmp_path), "-tc", "5", "-inc", "2", "-autoCallFlag", "false"]
    arguments += ["-saveGameFile", str(tmp_path / "game.pgn"), "-adjudicateDrawMoves", "12"]
    pgn, environment = tmp_path / "game.pgn", {**os.environ, "HOME": str(tmp_path)}
    with subprocess.Popen(
        arguments, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, process_group=0
    ) as process:
        try:
            game = finished_game(pgn)  # xboard itself then waits for a person to close a window
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert not game.errors
    assert len(list(game.mainline_moves())) >= 12
    assert game.headers["Result"] in {"1-0", "0-1", "1/2-1/2"}
    assert "time" not in game.headers.get("Termination", "") + game.end().comment
    assert not re.search("illegal|forfeit", game.end().comment)


@pytest.mark.slow
def test_a_memory_is_told_in_info_and_keeps_what_it_saw_from_game_to_game(tmp_path: Path) -> None:
    condition = {"augmentation": "memory", "arm": "real", "system": "notes"}
    match = {"phase": 2, "game": "chess960", "a": "agent", "b": "habit", "games": 4, "careers": 1}
    changes = {
        "seats": {"agent": {"kind": "reference"}, "habit": {"kind": "reference", "patterns": ["king_answers_checks"]}},
        "systems": {"notes": {"kind": "memory", "server": "full_text"}},
        "matches": [{**match, "condition": condition}, {**match, "condition": {"augmentation": "memory"}}],
    }
    engine = EngineProcess(tmp_path, words(tmp_path, **changes))
    engine.say("uci")
    engine.until("id name .*memory_real_notes.*")
    for moves in ("e2e4", "d2d4"):
        engine.say("ucinewgame", f"position startpos moves {moves}", "go nodes 1")
        engine.until(BEST)
    engine.say("quit")
    assert engine.ended()[0] == 0
    told = [line for line in engine.heard if line.startswith("info string memory_a: ")]
    assert told[0] == "info string memory_a: nothing"
    assert "First moves as White: e2e4" in told[1]
    assert [len(game.moves) for game in exhibition(tmp_path).games] == [2, 2]
