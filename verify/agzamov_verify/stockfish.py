"""The engine protocol: one UCI process that gives the same score for a question on any machine.

Stockfish 15.1 with `Threads 1`, `UCI_Chess960 true`, the manifest's `Hash`, all else default. Per
question `ucinewgame`, `isready`, `position fen <start> moves <all so far>`, `go nodes N`. The score
is the one of the last `multipv 1` info line before bestmove, bound flags ignored. Scores were
measured identical across order, processes and instruction sets; anything looser differs.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import chess

from .questions import Evaluate, Evaluation

NAME = "Stockfish 15.1"
NET_SHA256 = "ad9b423546714137916bd38978af6fd68d7b8951bef25ff76bf43da72d6cb786"
LINE_BYTES_MAX = 2**16
HANDSHAKE_S = 10.0
PLACES = ("stockfish", "/usr/games/stockfish", "/usr/local/bin/stockfish")


class EngineFault(Exception):
    """The engine process is missing, is not the pinned one, or has died."""


def find_engine(path: str | None = None) -> Path:
    """The engine's path: `path` if given, else the first that is installed. Raises EngineFault."""
    for place in (path,) if path else PLACES:
        found = shutil.which(place)
        if found:
            return Path(found)
    wanted = path or "stockfish"
    raise EngineFault(f"no engine at {wanted}; install {NAME}, on Debian 12: apt-get install stockfish")


class UciEngine:
    """A running engine. Close it, or use it as a context manager. Raises EngineFault."""

    def __init__(self, path: Path, hash_mib: int, options: tuple[tuple[str, str], ...] = ()) -> None:
        self._path = path
        try:
            self._process = subprocess.Popen(
                [str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,  # so that a wrapper script ends with all that it started
            )
        except OSError as error:
            raise EngineFault(f"cannot start {path}: {error.strerror}") from error
        self.name = self._greet()
        for option, value in (("Threads", "1"), ("Hash", str(hash_mib)), ("UCI_Chess960", "true"), *options):
            self._send(f"setoption name {option} value {value}")

    def evaluate(self, question: Evaluate, nodes: int) -> Evaluation:
        """The score of a position from the side to move; a finished game needs no engine."""
        score = "cp 0"
        for line in self._search(question.start_fen, question.moves, f"nodes {nodes}"):
            if " score " in line and " multipv 1 " in line:
                score = line.partition(" score ")[2]
        kind, value = score.split()[:2]
        if kind == "mate":
            return Evaluation(None, int(value))
        return Evaluation(int(value), None)

    def best_move(self, fen: str, moves: str, limit: str) -> str:
        """The engine's move in UCI after a search with the given `go` limit."""
        *_, last = self._search(fen, moves, limit)
        return last.split()[1]

    def net_sha256(self) -> str:
        """SHA-256 of the network that the engine plays with, by its own export."""
        with tempfile.TemporaryDirectory() as folder:
            exported = Path(folder) / "net.nnue"
            self._send(f"export_net {exported}")
            self._wait_ready()
            if not exported.exists():
                raise EngineFault(f"expected {NAME}, found {self.name or 'an engine'}, which cannot export its net")
            return hashlib.sha256(exported.read_bytes()).hexdigest()

    def require(self, name: str, net_sha256: str) -> None:
        """Raises EngineFault unless this is the engine of that name with that net."""
        if self.name != name:
            found = self.name or "an engine without a name"
            raise EngineFault(f"expected {name} at {self._path}, found {found}")
        net = self.net_sha256()
        if net != net_sha256:
            raise EngineFault(f"expected the net {net_sha256[:16]} in {self._path}, found {net[:16]}")

    def close(self) -> None:
        """End the process; safe to call twice."""
        if self._process.poll() is None:
            self._kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # closing flushes, and there may be nobody left to read
                if pipe:
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _search(self, fen: str, moves: str, limit: str) -> Iterator[str]:
        start = chess.Board(fen, chess960=True).fen()
        self._send("ucinewgame")
        self._wait_ready()
        self._send(f"position fen {start}" + (f" moves {moves}" if moves else ""))
        self._send(f"go {limit}")
        while True:
            line = self._line()
            yield line
            if line.startswith("bestmove"):
                return

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _greet(self) -> str:
        """The engine's name. A program that does not say `uciok` in time is ended: it is no engine."""
        watchdog = threading.Timer(HANDSHAKE_S, self._kill)
        watchdog.start()
        try:
            return self._handshake()
        except EngineFault as error:
            self.close()
            raise EngineFault("expected a UCI engine, found a program that does not answer `uci`") from error
        finally:
            watchdog.cancel()

    def _handshake(self) -> str:
        self._send("uci")
        name = ""
        while (line := self._line()) != "uciok":
            if line.startswith("id name "):
                name = line.removeprefix("id name ")
        return name

    def _wait_ready(self) -> None:
        self._send("isready")
        while self._line() != "readyok":
            pass

    def _send(self, command: str) -> None:
        if "\n" in command or "\r" in command:
            raise EngineFault("expected a one-line command")
        try:
            assert self._process.stdin
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise EngineFault("the engine process has ended") from error

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline(LINE_BYTES_MAX)
        if not line:
            raise EngineFault("the engine process has ended")
        return line.decode("utf-8", "replace").strip()
