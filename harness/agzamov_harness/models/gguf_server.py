"""Serves one GGUF file by llama.cpp as an OpenAI-compatible API, so that an answer depends on its request alone.

    gguf_server.py            serve until SIGTERM, or until standard input closes where it is a pipe; "ready on
                              <address>" on standard error says that a slot listens
    gguf_server.py --check    exit code 0 if every slot answers, else 1

A program of its own that imports llama.cpp's wheel and nothing of ours: the image `model-server` holds this file, and a
run in processes starts it.

The environment says the rest: AGZ_MODEL_PATH, AGZ_MODEL_LISTEN (a path that ends in .sock, or HOST:PORT),
AGZ_MODEL_ALIAS, AGZ_MODEL_CONTEXT (tokens of one slot), AGZ_MODEL_SLOTS, AGZ_MODEL_THREADS (of one slot),
AGZ_MODEL_GPUS (a number, or "all").

On a processor each slot is a process of its own: requests that share a batch get other last bits with most weights,
since a kernel sums in another order for another shape (docs/decisions/0087). The processes share the pages of the
weights. Slot 0 listens at AGZ_MODEL_LISTEN, slot N beside it: model-N.sock. One process has all slots behind a port,
whose clients know no other, and on GPUs, where each process would hold the weights again.

llama.cpp says errors alone: what it says of each request would fill any log.
"""

import http.client
import importlib.metadata
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import Any

DEFAULTS = {
    "PATH": "/models/model.gguf",
    "LISTEN": "/run/agz/model.sock",
    "ALIAS": "model",
    "CONTEXT": "4096",
    "SLOTS": "1",
    "THREADS": "1",
    "GPUS": "0",
}
WHEEL = "xllamacpp"
BATCH_TOKENS = 2048  # of slots that share a process: two long prompts side by side are cut at a batch's end
LOOK_S = 0.2
END_S_MAX = 2.0
ERRORS = 1
ALL_LAYERS = 999
RUNTIME = "runtime"  # beside the socket: llama.cpp in a wheel does not know its own version
CHECK_S = 5.0
OK = 200
ENDS_IT = (signal.SIGTERM, signal.SIGINT)


def setting(name: str) -> str:
    """One setting, from the environment or its default."""
    return os.environ.get(f"AGZ_MODEL_{name}") or DEFAULTS[name]


def count(name: str) -> int:
    """A setting that is a number from 1. Ends the program on another."""
    text = setting(name)
    if not text.isdecimal() or not int(text):
        sys.exit(f"error: AGZ_MODEL_{name}: expected a number from 1, found {text!r}")
    return int(text)


def address(slot: int) -> str:
    """Where a slot that has a process of its own listens."""
    path = Path(setting("LISTEN"))
    return str(path.with_name(f"{path.stem}-{slot}{path.suffix}")) if slot else setting("LISTEN")


def processes() -> int:
    """One for each slot behind sockets, on a processor; else one for all."""
    return count("SLOTS") if setting("GPUS") == "0" and setting("LISTEN").endswith(".sock") else 1


def serve() -> None:
    """Listen in as many processes as slots, and wait for a signal. Ends them all when one has ended."""
    if not Path(setting("PATH")).is_file():
        sys.exit(f"error: no model at {setting('PATH')}; mount a GGUF file there, read-only")
    end_with_standard_input()
    if processes() == 1:
        serve_slot(0, count("SLOTS"))
    command = [sys.executable, __file__, "--slot"]
    for each in ENDS_IT:
        signal.signal(each, lambda *_: sys.exit(0))
    slots = [subprocess.Popen([*command, str(slot)], stdin=subprocess.PIPE) for slot in range(processes())]
    try:
        while all(slot.poll() is None for slot in slots):
            time.sleep(LOOK_S)
        ended = next(slot.returncode for slot in slots if slot.returncode is not None)
        sys.exit(ended if ended > 0 else 128 - ended)
    finally:
        end(slots)


def end(slots: "list[subprocess.Popen[bytes]]") -> None:
    """End the processes, and wait for them. Answers in flight are dropped."""
    for slot in slots:
        slot.terminate()
    for slot in slots:
        try:
            slot.wait(END_S_MAX)
        except subprocess.TimeoutExpired:
            slot.kill()
            slot.wait()


def end_with_standard_input() -> None:
    """End this process when its standard input closes, where that is a pipe: whoever started it has ended."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=wait, daemon=True).start()


def serve_slot(slot: int, slots: int) -> None:
    """Load the model, listen for a slot, or for so many, and wait for a signal."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS_IT)  # before there are threads, so that none of them takes one
    end_with_standard_input()
    os.umask(0)  # whoever shares the volume is another user, and must be able to connect
    listen = address(slot)
    if listen.endswith(".sock"):
        Path(listen).unlink(missing_ok=True)
    server = started(Path(setting("PATH")), listen, slots)
    if listen.endswith(".sock"):
        Path(listen).with_name(RUNTIME).write_text(runtime())
    print(f"ready on {server.listening_address}", file=sys.stderr, flush=True)
    signal.sigwait(ENDS_IT)
    if listen.endswith(".sock"):
        Path(listen).unlink(missing_ok=True)
    os._exit(0)  # answers in flight are dropped: who stopped the server does not wait for them


def started(path: Path, listen: str, slots: int) -> Any:
    """The server, listening."""
    xllamacpp: Any = import_module(WHEEL)  # a check of the server must not load it again

    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.model_alias = str(path), {setting("ALIAS")}
    wanted.n_parallel, wanted.n_ctx = slots, slots * count("CONTEXT")
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = count("THREADS")
    wanted.n_batch = wanted.n_ubatch = BATCH_TOKENS
    wanted.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    wanted.kv_unified = wanted.ctx_shift = False
    wanted.fit_params = False  # it would change the context to fit the machine
    wanted.n_gpu_layers = gpu_layers(xllamacpp.get_device_info())
    wanted.cache_ram_mib = 0
    wanted.verbosity = ERRORS
    wanted.cache_idle_slots = wanted.ui = False
    wanted.cache_prompt = False  # unless a request asks for it: bits depend on where a cached beginning ends
    wanted.offline = True
    if listen.endswith(".sock"):
        wanted.hostnames, wanted.port = [listen], 0
    else:
        host, _, port = listen.rpartition(":")
        wanted.hostnames, wanted.port = [host], int(port)
    return xllamacpp.Server(wanted)


def gpu_layers(devices: list[dict[str, object]]) -> int:
    """How many layers go to a GPU: all that the plan asks one for, or none. Ends the program where there is none."""
    wanted = setting("GPUS")
    if wanted == "0":
        return 0
    found = sum("GPU" in str(device.get("type")) for device in devices)
    if not found or (wanted != "all" and found < int(wanted)):
        sys.exit(
            f"error: AGZ_MODEL_GPUS: expected {wanted} GPUs that this llama.cpp can use, found {found};"
            " the image has llama.cpp for the processor alone: write gpus: 0, or take an Ollama seat"
        )
    return ALL_LAYERS


def runtime() -> str:
    """Which build serves, by the version of its package."""
    return f"xllamacpp {importlib.metadata.version('xllamacpp')}"


class Local(http.client.HTTPConnection):
    """An HTTP connection over a unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=CHECK_S)
        self.path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(CHECK_S)
        self.sock.connect(self.path)


def check() -> int:
    """0 if every slot answers that it is well, else 1."""
    return 0 if all(is_well(address(slot)) for slot in range(processes())) else 1


def is_well(listen: str) -> bool:
    """Whether the server there answers that it is well."""
    if listen.endswith(".sock"):
        connection: http.client.HTTPConnection = Local(listen)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", int(listen.rpartition(":")[2]), timeout=CHECK_S)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == OK
    except OSError:
        return False


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    if sys.argv[1:2] == ["--slot"]:
        serve_slot(int(sys.argv[2]), 1)
    serve()
