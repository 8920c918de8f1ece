"""Serves a seat's GGUF file on this machine by the wheel of llama.cpp, for a run in processes.

The program is the one in the image `model-server`, so settings and slots are the same. What a container adds is not
there: nothing pins the wheel (the preflight notes its version), and the server runs as whoever started the run. It ends
with this process, however that ends, and is started with none of its environment.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.seats import GgufSeat

from ..ports import ModelFault, PortFault, Wait
from ..servers.server_process import StderrLog, log_folder
from ..servers.server_readiness import wait_for_model
from . import gguf_server

WHEEL: Final = "xllamacpp"
SOCKET: Final = "model.sock"
END_S_MAX: Final = 10.0


NOT_LOADED = "error loading model:"
"""What llama.cpp prints before the reason."""


def settings(seat: GgufSeat) -> dict[str, str]:
    """The environment of a seat's server, wherever it runs."""
    return {
        "AGZ_MODEL_CONTEXT": str(seat.context_tokens),
        "AGZ_MODEL_GPUS": str(seat.gpus),
        "AGZ_MODEL_SLOTS": str(seat.concurrency),
        "AGZ_MODEL_THREADS": str(seat.threads),
    }


def slot_sockets(first: Path, seat: GgufSeat) -> tuple[Path, ...]:
    """The sockets of a seat's slots that have processes of their own; one where one process has all slots."""
    slots = 1 if seat.gpus else seat.concurrency
    return (first, *(first.with_name(f"{first.stem}-{slot}{first.suffix}") for slot in range(1, slots)))


def require_wheel() -> None:
    """Raises PortFault where llama.cpp is not installed."""
    if find_spec(WHEEL) is None:
        raise PortFault(
            "llama.cpp is not installed here; type: make local-models (in a clone), or write isolation: container"
        )


@contextmanager
def served_here(name: str, seat: GgufSeat, weights: Path, wait: Wait) -> Iterator["GgufServer"]:
    """A seat's server, once every slot has loaded the weights. Raises PortFault."""
    require_wheel()
    with (
        log_folder("model") as logs,
        TemporaryDirectory(prefix="agz-model-") as folder,
        _running(name, seat, weights, Path(folder) / SOCKET, logs / f"{name}.log") as server,
    ):
        for socket in slot_sockets(server.socket, seat):
            wait_for_model(socket, server.waiting(wait))
        yield server


class GgufServer:
    """A server that was started, and what it said last."""

    def __init__(self, name: str, process: "subprocess.Popen[bytes]", socket: Path, log: StderrLog) -> None:
        self.socket, self._name, self._process, self._log = socket, name, process, log

    def waiting(self, wait: Wait) -> Wait:
        """The same wait, which raises ModelFault once the server has ended."""

        def wait_while_it_runs(seconds: float) -> None:
            if self._process.poll() is not None:
                if cause := self._log.last_line(NOT_LOADED).partition(NOT_LOADED)[2].strip():
                    raise ModelFault(
                        f"seat {self._name}: llama.cpp cannot load the weights: {printable(cause)}; compare the file's"
                        " size and digest with those that its publisher names, and fetch it again"
                    )
                last = self._log.last_line() or "it said nothing"
                raise ModelFault(
                    f"seat {self._name}: its model server ended with exit code {self._process.returncode}: {last}"
                )
            wait(seconds)

        return wait_while_it_runs


@contextmanager
def _running(name: str, seat: GgufSeat, weights: Path, socket: Path, log_path: Path) -> Iterator[GgufServer]:
    log = StderrLog(log_path)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "AGZ_MODEL_PATH": str(weights),
        "AGZ_MODEL_LISTEN": str(socket),
        **settings(seat),
    }
    process = subprocess.Popen(
        [sys.executable, "-I", gguf_server.__file__],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log.file,
        start_new_session=True,  # a Ctrl-C at the terminal is for the run, which ends its calls first
    )
    try:
        yield GgufServer(name, process, socket, log)
    finally:
        log.close()
        assert process.stdin
        process.stdin.close()  # it ends with it
        try:
            process.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
