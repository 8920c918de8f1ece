"""Live llama.cpp servers: a strict one, which is the very program of the model-server image, and a loose one.

with strict(model, tmp_path / "m.sock") as address: ...        # address: the socket's path
with loose(model) as address: ...                              # address: http://127.0.0.1:<port>
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

from agzamov_harness.models import gguf_server

SERVE = gguf_server.__file__
# The server's log, which another thread of it writes, may run into the line.
ADDRESS = re.compile(r"ready on (http://[0-9.]+:[0-9]+|\S+?\.sock)")
PATIENCE_S = 300
# Flash attention and one key-value cache for all slots: what llama.cpp does if nobody says otherwise.
LOOSE = """
import sys, xllamacpp
wanted = xllamacpp.CommonParams()
wanted.model.path, wanted.model_alias, wanted.port = sys.argv[1], {"model"}, 0
wanted.n_parallel, wanted.n_ctx = int(sys.argv[2]), int(sys.argv[2]) * int(sys.argv[3])
wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
wanted.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_ENABLED
wanted.warmup, wanted.verbosity = False, -1
server = xllamacpp.Server(wanted)
print("ready on", server.listening_address, file=sys.stderr, flush=True)
sys.stdin.read()
"""


@contextmanager
def strict(
    model: Path, listen: Path | None = None, slots: int = 2, context: int = 4096, alias: str = "model"
) -> Iterator[str]:
    """A server as the image starts it, on a unix socket or a free port."""
    settings = {"PATH": model, "LISTEN": listen or "127.0.0.1:0", "SLOTS": slots, "CONTEXT": context, "ALIAS": alias}
    environment = {f"AGZ_MODEL_{name}": str(value) for name, value in settings.items()}
    with _running([sys.executable, SERVE], environment, slots if listen else 1) as said:
        yield str(listen) if listen else said


@contextmanager
def loose(model: Path, slots: int = 2, context: int = 4096) -> Iterator[str]:
    """A server whose answers depend on what it was asked before."""
    with _running([sys.executable, "-c", LOOSE, str(model), str(slots), str(context)], {}) as said:
        yield said


@contextmanager
def _running(command: list[str], environment: Mapping[str, str], ready: int = 1) -> Iterator[str]:
    with NamedTemporaryFile("w") as log:  # no pipe: a server that nobody reads would stop when it is full
        process = subprocess.Popen(
            command, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log
        )
        with process:
            try:
                yield _address(process, Path(log.name), ready)
            finally:
                process.kill()


def _address(process: subprocess.Popen[bytes], log: Path, ready: int) -> str:
    """What the server says that it listens on, once so many processes of it do.

    The file is opened anew each time: on the server's own descriptor, reading would move the place where it writes.
    """
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        said = ADDRESS.findall(log.read_text())
        if len(said) >= ready:
            return str(said[0])
        time.sleep(0.02)
    raise AssertionError(f"the server did not start: {log.read_text()}")
