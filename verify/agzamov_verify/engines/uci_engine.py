"""A UCI engine that gives the same score for a question on any machine.

Stockfish 15.1 with `Threads 1`, `UCI_Chess960 true`, the manifest's `Hash`, all else default. Per
question `ucinewgame`, `isready`, `position fen <start> moves <all so far>`, `go nodes N`. The score is
the last one that is exact and no bound (`exact_score`), whoever asks: adjudication, judged moves, tools,
stress positions, audits. Scores were measured identical across order, processes and instruction sets;
anything looser differs.
"""

import hashlib
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeVar

import chess

from ..core.questions import LINE_MOVES_MAX, Evaluate, Evaluation, Examine, Examined, ExaminedMove
from .exact_score import NoExactScore, Searched, searched
from .program_digest import program_sha256
from .uci_wire import SILENCE_S_MAX, connect

T = TypeVar("T")


def legal_after(start_fen: str, moves: str) -> list[str]:
    """The legal moves after `moves` in UCI from a start, sorted. Raises ValueError for what is not legal there."""
    board = chess.Board(start_fen, chess960=True)
    for move in moves.split():
        if not board.push_uci(move):
            raise ValueError(f"expected a move, found the null move {move}")
    return sorted(move.uci() for move in board.generate_legal_moves())


NAME = "Stockfish 15.1"
NET_SHA256 = "ad9b423546714137916bd38978af6fd68d7b8951bef25ff76bf43da72d6cb786"
SEAT_HASH_MIB = 16
HANDSHAKE_S = 60.0
"""A busy machine may take many seconds to start a program of 40 MB."""
PLACES = ("stockfish", "/usr/games/stockfish", "/usr/local/bin/stockfish")


_EXPORTED = set[tuple[str, str]]()
"""Programs and the nets that they have exported, by their SHA-256."""


class EngineFault(Exception):
    """The engine is missing, is not the pinned one, or has died."""


def find_engine(path: str | None = None) -> Path:
    """The engine's path: `path` if given, be it a program or a socket, else the first that is installed.

    Raises EngineFault.
    """
    if path and Path(path).is_socket():
        return Path(path)
    for place in (path,) if path else PLACES:
        executable = shutil.which(place)
        if executable:
            return Path(executable)
    tried = path or "stockfish"
    raise EngineFault(f"no engine at {tried}; install {NAME}, on Debian 12: apt-get install stockfish")


def engine_or_why(path: str | None = None) -> tuple[Path | None, str]:
    """The engine's path as `find_engine` has it, or None and why there is none: checks can do without."""
    try:
        return find_engine(path), ""
    except EngineFault as error:
        return None, str(error)


def seated_engine(path: Path, skill: int) -> "UciEngine":
    """An engine with the settings of a Stockfish seat. Raises EngineFault."""
    return UciEngine(path, SEAT_HASH_MIB, (("Skill Level", str(skill)),))


class Answers(Protocol):
    """Earlier answers of an engine. `found`: how many were used; `asked_again`: how many of them it gave anew."""

    found: int
    asked_again: int

    def answer(self, options: str, question: str, kind: type[T], ask: Callable[[], T]) -> T:
        """The answer of an engine with these options to a question, from `ask` where there is none yet."""
        ...


class UciEngine:
    """A running engine: the program at `path`, or the one behind that unix socket.

    Close it, or use it as a context manager. Raises EngineFault. `answers`: where it is asked only what is not there.
    `searches`: how often it was asked.
    """

    def __init__(self, path: Path, hash_mib: int, options: tuple[tuple[str, str], ...] = ()) -> None:
        self._path = path
        self.answers: Answers | None = None
        self.searches = 0
        try:
            self._wire = connect(path)
        except OSError as error:
            raise EngineFault(f"cannot start {path}: {error.strerror or error}") from error
        self.name = self._greet()
        self._options = ""
        self._configure(hash_mib, options)

    @property
    def stored(self) -> int:
        """How many earlier answers were used, by all engines that share them."""
        return self.answers.found if self.answers else 0

    @property
    def stored_again(self) -> int:
        """How many of these were asked again, by all engines that share them."""
        return self.answers.asked_again if self.answers else 0

    def evaluate(self, question: Evaluate, nodes: int) -> Evaluation:
        """The score of a position from the side to move; a finished game needs no engine."""
        return self._searched(question.start_fen, question.moves, nodes).evaluation

    def search(self, start_fen: str, moves: str, nodes: int, only: str = "") -> tuple[str, Evaluation]:
        """The engine's move, and its score from the side to move; `only`: with no other move at the root."""
        found = self._searched(start_fen, moves, nodes, only)
        return found.best, found.evaluation

    def examine(self, question: Examine) -> Examined:
        """Values from the side to move, and the lines that the engine expects: see the question."""
        if question.candidates:
            return Examined(tuple(self._examined(question, [move]) for move in question.candidates))
        if not question.lines_max:
            return Examined((self._examined(question, []),))
        found: list[ExaminedMove] = []
        left = legal_after(question.start_fen, question.moves)
        while left and len(found) < question.lines_max:
            found.append(self._examined(question, left if found else []))
            left.remove(found[-1].line.partition(" ")[0])
        return Examined(tuple(found))

    def _examined(self, question: Examine, only: list[str]) -> ExaminedMove:
        """The engine's best move, of those in `only` where there are any, with its value and line."""
        best, value, line = self._searched(question.start_fen, question.moves, question.nodes, " ".join(only))
        first = only[0] if len(only) == 1 else best
        expected = line[:LINE_MOVES_MAX] if line[:1] == (first,) else (first,)
        return ExaminedMove(value.centipawns, " ".join(expected), value.mate)

    def _searched(self, start_fen: str, moves: str, nodes: int, only: str = "") -> Searched:
        """The result of one search. Raises EngineFault where it has no exact score, as in a finished game."""
        limit = f"nodes {nodes} searchmoves {only}" if only else f"nodes {nodes}"  # takes all words that follow
        try:
            return self._answered(start_fen, moves, limit, Searched, searched)
        except NoExactScore as error:
            raise EngineFault(f"{error}, from {start_fen} after {moves or 'no moves'}, {limit}") from error

    def best_move(self, fen: str, moves: str, limit: str) -> str:
        """The engine's move in UCI after a search with the given `go` limit."""
        return self._answered(fen, moves, limit, str, _best_move)

    def net_sha256(self) -> str:
        """SHA-256 of the network that the engine plays with, by its own export.

        An engine behind a socket, which may be in a container, exports beside its socket: that folder is all we share.
        """
        with tempfile.TemporaryDirectory() as folder:
            place = self._path.parent if self._path.is_socket() else Path(folder)
            exported = place / f"net-{secrets.token_hex(8)}.nnue"
            self._send(f"export_net {exported}")
            self._wait_ready()
            try:
                return hashlib.sha256(exported.read_bytes()).hexdigest()
            except OSError as error:
                actual = self.name or "an engine"
                raise EngineFault(f"expected {NAME}, found {actual}, which cannot export its net") from error
            finally:
                with suppress(OSError):  # a folder that we may only read keeps it
                    exported.unlink()

    def require(self, name: str, net_sha256: str) -> None:
        """Raises EngineFault unless this is the engine of that name with that net.

        A program that has exported this net is not asked for it again in this process: it writes 45 MB for that.
        """
        self.require_name(name)
        shown = program_sha256(self._path), net_sha256
        if shown in _EXPORTED:
            return
        net = self.net_sha256()
        if net != net_sha256:
            raise EngineFault(f"expected the net {net_sha256[:16]} in {self._path}, found {net[:16]}")
        if shown[0]:
            _EXPORTED.add(shown)

    def require_name(self, name: str) -> None:
        """Raises EngineFault unless the engine has this name, the only check of an engine in a pinned image."""
        if self.name != name:
            actual = self.name or "an engine without a name"
            raise EngineFault(f"expected {name} at {self._path}, found {actual}")

    def close(self) -> None:
        """End the engine; safe to call twice."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answered(self, fen: str, moves: str, limit: str, kind: type[T], read: Callable[[Iterator[str]], T]) -> T:
        """What `read` takes from the lines of a search, now or earlier."""
        if self.answers is None:
            return read(self._search(fen, moves, limit))
        question = f"{kind.__name__}\nposition fen {fen} moves {moves}\ngo {limit}"
        return self.answers.answer(self._options, question, kind, lambda: read(self._search(fen, moves, limit)))

    def _search(self, fen: str, moves: str, limit: str) -> Iterator[str]:
        start = chess.Board(fen, chess960=True).fen()
        self.searches += 1
        self._send("ucinewgame")
        self._wait_ready()
        self._send(f"position fen {start}" + (f" moves {moves}" if moves else ""))
        self._send(f"go {limit}")
        while True:
            line = self._line()
            yield line
            if line.startswith("bestmove"):
                self._wait_ready()  # an engine whose input was cut ends its search early, and answers all the same
                return

    def _configure(self, hash_mib: int, options: tuple[tuple[str, str], ...]) -> None:
        settings = (("Threads", "1"), ("Hash", str(hash_mib)), ("UCI_Chess960", "true"), *options)
        self._options = "\n".join(f"setoption name {option} value {value}" for option, value in settings)
        for line in self._options.splitlines():
            self._send(line)

    def _greet(self) -> str:
        """The engine's name. A program that does not say `uciok` in time is ended: it is no engine."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self._wire.cut()

        watchdog = threading.Timer(HANDSHAKE_S, end)
        watchdog.start()
        try:
            return self._handshake()
        except EngineFault as error:
            self.close()
            actual = f"no `uciok` within {HANDSHAKE_S:g} s" if late.is_set() else "a program that ended before `uciok`"
            raise EngineFault(f"expected a UCI engine at {self._path}, found {actual}") from error
        finally:
            watchdog.cancel()

    def _handshake(self) -> str:
        self._send("uci")
        name = ""
        while (line := self._line()) != "uciok":
            if line.startswith("id name "):
                name = line.removeprefix("id name ")
            self._handshake_line(line)
        return name

    def _handshake_line(self, line: str) -> None:
        """Take note of a line before `uciok`; a subclass may."""

    def _wait_ready(self) -> None:
        self._send("isready")
        while self._line() != "readyok":
            pass

    def _send(self, command: str) -> None:
        if "\n" in command or "\r" in command:
            raise EngineFault("expected a one-line command")
        try:
            self._wire.send(command.encode() + b"\n")
        except OSError as error:
            raise EngineFault("the engine process has ended") from error

    def _line(self) -> str:
        try:
            line = self._wire.line()
        except TimeoutError as error:
            raise EngineFault(f"no line from the engine in {SILENCE_S_MAX:.0f} s") from error
        except OSError as error:
            raise EngineFault("the engine process has ended") from error
        if not line:
            raise EngineFault("the engine process has ended")
        return line.decode("utf-8", "replace").strip()


def _best_move(lines: Iterator[str]) -> str:
    *_, last = lines
    return last.split()[1]
