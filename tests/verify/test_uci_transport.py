"""The two ways to an engine: a process of our own, and a unix socket behind which one starts for each caller."""

import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from agzamov_verify.core.questions import Evaluate
from agzamov_verify.engines import uci_engine
from agzamov_verify.engines.uci_engine import NET_SHA256, EngineFault, UciEngine, find_engine
from agzamov_verify.engines.uci_wire import SILENCE_S_MAX, SocketWire

try:
    ENGINE = find_engine()
    MISSING = ""
except EngineFault as fault:
    ENGINE, MISSING = Path("stockfish"), str(fault)

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING)
HASH_MIB, NODES = 1, 500
QUESTION = Evaluate(game="g", moves="", start_fen=chess.Board.from_chess960_pos(925).fen(), turn=0, to=ENGINE)
GREETING = b"id name Fakefish 1\nuciok\n"


class Behind:
    """A unix socket; `serve` runs with each connection that is made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.children: list[subprocess.Popen[bytes]] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        """An engine for each caller, as socat gives it."""
        self.children.append(subprocess.Popen([str(ENGINE)], stdin=connection, stdout=connection))

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with connection:
                self.serve(connection)


class Talker(Behind):
    """Greets as an engine does; at the first `isready` it hangs up, or falls silent."""

    silent = False

    def serve(self, connection: socket.socket) -> None:
        heard = connection.recv(4096)
        connection.sendall(GREETING)
        while b"isready" not in heard:
            heard += connection.recv(4096)
        while self.silent and connection.recv(4096):
            pass


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Behind]:
    served = Behind(tmp_path / "engine.sock")
    yield served
    for child in served.children:
        child.kill()
        child.wait()


@needs_engine
def test_an_engine_behind_a_socket_gives_the_score_that_a_process_gives(behind: Behind) -> None:
    with UciEngine(behind.path, HASH_MIB) as far, UciEngine(ENGINE, HASH_MIB) as near:
        assert far.name == near.name
        assert far.evaluate(QUESTION, NODES) == near.evaluate(QUESTION, NODES)


@needs_engine
def test_each_caller_has_an_engine_of_its_own_that_ends_when_it_hangs_up(behind: Behind) -> None:
    with UciEngine(behind.path, HASH_MIB), UciEngine(behind.path, HASH_MIB):
        assert len(behind.children) == 2
        assert all(child.poll() is None for child in behind.children)
    assert [child.wait(120) for child in behind.children] == [0, 0]


@needs_engine
def test_an_engine_behind_a_socket_that_dies_is_a_fault(behind: Behind) -> None:
    with UciEngine(behind.path, HASH_MIB) as engine:
        behind.children[0].kill()
        with pytest.raises(EngineFault, match="the engine process has ended"):
            engine.evaluate(QUESTION, NODES)


@needs_engine
def test_a_socket_is_found_as_an_engine_and_must_show_its_net_like_any_other(behind: Behind) -> None:
    with UciEngine(find_engine(str(behind.path)), HASH_MIB) as engine:
        engine.require(uci_engine.NAME, NET_SHA256)
        with pytest.raises(EngineFault, match="expected the net"):
            engine.require(uci_engine.NAME, "0" * 64)


def test_a_silent_engine_is_a_fault_that_names_the_limit(tmp_path: Path) -> None:
    talker = Talker(tmp_path / "engine.sock")
    talker.silent = True
    with UciEngine(talker.path, HASH_MIB) as engine:
        engine.require_name("Fakefish 1")
        assert isinstance(engine._wire, SocketWire)
        assert engine._wire._socket.gettimeout() == SILENCE_S_MAX
        engine._wire._socket.settimeout(0.2)  # it has greeted, however late that was
        with pytest.raises(EngineFault, match="no line from the engine in 120 s"):
            engine.evaluate(QUESTION, NODES)


def test_an_engine_that_hangs_up_is_a_fault(tmp_path: Path) -> None:
    path = Talker(tmp_path / "engine.sock").path
    with UciEngine(path, HASH_MIB) as engine, pytest.raises(EngineFault, match="the engine process has ended"):
        engine.evaluate(QUESTION, NODES)


def test_a_socket_that_nobody_serves_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "engine.sock"
    with socket.socket(socket.AF_UNIX) as nobody:
        nobody.bind(str(path))
    with pytest.raises(EngineFault, match=f"cannot start {path}: "):
        UciEngine(path, HASH_MIB)
