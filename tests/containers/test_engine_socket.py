"""Where the container engine is looked for, and what is said where none answers."""

import errno
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from agzamov_harness.containers import engine_socket
from agzamov_harness.containers.engine_socket import NoEngine, candidates, engine_host, unreachable

SOMEWHERE = Path("/somewhere/docker.sock")
FAULTS = [
    (errno.ENOENT, True, "Docker is installed but not running; start it"),
    (errno.ECONNREFUSED, True, "Docker is installed but not running; start it"),
    (errno.ENOENT, False, "Docker is not installed; install it (on Debian 12: sudo apt-get install docker.io"),
    (errno.EACCES, True, "you have no permission to use it; add yourself to its group"),
    (errno.EACCES, False, "you have no permission to use it; add yourself to its group"),
]


@contextmanager
def answering(path: Path) -> Iterator[None]:
    """A socket whose owner answers every caller, as an engine does."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen()

        def answer() -> None:
            while True:
                try:
                    caller, _ = listener.accept()
                except OSError:
                    return
                with caller:
                    caller.recv(4096)  # a question that is never read resets the connection
                    caller.sendall(b"HTTP/1.0 200 OK\r\n\r\nOK")

        threading.Thread(target=answer, daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state folder of scripts/engine; the system has no engine."""
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("AGZ_ENGINE_STATE", str(tmp_path))
    monkeypatch.setattr(engine_socket, "_of_context", lambda: f"unix://{tmp_path}/system.sock")
    return tmp_path


def test_the_engine_that_our_script_started_is_found_without_a_variable(state: Path) -> None:
    with answering(state / "docker.sock"):
        assert engine_host() == f"unix://{state}/docker.sock"


def test_the_systems_engine_comes_first(state: Path) -> None:
    with answering(state / "docker.sock"), answering(state / "system.sock"):
        assert engine_host() == f"unix://{state}/system.sock"


def test_an_engine_that_is_named_is_the_only_one(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{state}/named.sock")
    with answering(state / "docker.sock"), pytest.raises(NoEngine, match=r"no container engine at .*named\.sock"):
        engine_host()


def test_a_socket_that_nobody_serves_any_more_is_no_engine(state: Path) -> None:
    with answering(state / "docker.sock"):
        pass
    with pytest.raises(NoEngine, match=r"no container engine at .*system\.sock: Docker is"):
        engine_host()


def test_an_engine_on_another_machine_is_refused() -> None:
    with pytest.raises(NoEngine, match=r"on this machine \(unix://…\), found tcp://far"):
        list(candidates({"DOCKER_HOST": "tcp://far:2375"}))


@pytest.mark.parametrize(("number", "installed", "told"), FAULTS)
def test_a_fault_says_what_is_the_matter_and_what_to_do(number: int, installed: bool, told: str) -> None:
    message = unreachable(SOMEWHERE, OSError(number, "x"), installed=installed)
    assert message.startswith(f"no container engine at {SOMEWHERE}: {told}")
    assert message.endswith("or write `isolation: process` in the plan")
