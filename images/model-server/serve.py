"""Serves one GGUF file by llama.cpp as an OpenAI-compatible API, so that an answer depends on its request alone.

    serve.py            serve until SIGTERM; "ready on <address>" on standard error says that it listens
    serve.py --check    exit code 0 if the server in this container answers, else 1

The environment says the rest: AGZ_MODEL_PATH, AGZ_MODEL_LISTEN (a path that ends in .sock, or HOST:PORT),
AGZ_MODEL_ALIAS, AGZ_MODEL_CONTEXT (tokens of one slot), AGZ_MODEL_SLOTS, AGZ_MODEL_THREADS, AGZ_MODEL_GPUS (a
number, or "all").

llama.cpp says errors alone: what it says of each request would fill any log.

Without flash attention and with a key-value cache for each slot, text and log probabilities were bit-equal
whatever the history, the order, the threads and the clients beside; with either, they were not.
"""

import http.client
import importlib.metadata
import os
import signal
import socket
import sys
from pathlib import Path

DEFAULTS = {
    "PATH": "/models/model.gguf",
    "LISTEN": "/run/agz/model.sock",
    "ALIAS": "model",
    "CONTEXT": "4096",
    "SLOTS": "1",
    "THREADS": "1",
    "GPUS": "0",
}
BATCH_TOKENS = 2048  # two long prompts side by side: cut at a batch's end, a prompt's sums have another order
ERRORS = 1
ALL_LAYERS = 999
RUNTIME = "runtime"  # beside the socket: llama.cpp in a wheel does not know its own version
CHECK_S = 5.0
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


def serve() -> None:
    """Load the model, listen, and wait for a signal."""
    path = Path(setting("PATH"))
    if not path.is_file():
        sys.exit(f"error: no model at {path}; mount a GGUF file there, read-only")
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS_IT)  # before there are threads, so that none of them takes one
    os.umask(0)  # whoever shares the volume is another user, and must be able to connect
    listen = setting("LISTEN")
    if listen.endswith(".sock"):
        Path(listen).unlink(missing_ok=True)
    server = started(path, listen)
    if listen.endswith(".sock"):
        Path(listen).with_name(RUNTIME).write_text(runtime())
    print(f"ready on {server.listening_address}", file=sys.stderr, flush=True)
    signal.sigwait(ENDS_IT)
    if listen.endswith(".sock"):
        Path(listen).unlink(missing_ok=True)
    os._exit(0)  # answers in flight are dropped: who stopped the server does not wait for them


def started(path: Path, listen: str) -> object:
    """The server, listening."""
    import xllamacpp  # noqa: PLC0415 - a check of the server that runs must not load it again

    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.model_alias = str(path), {setting("ALIAS")}
    slots = count("SLOTS")
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
    """0 if the server answers that it is well, else 1."""
    listen = setting("LISTEN")
    if listen.endswith(".sock"):
        connection: http.client.HTTPConnection = Local(listen)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", int(listen.rpartition(":")[2]), timeout=CHECK_S)
    try:
        connection.request("GET", "/health")
        return 0 if connection.getresponse().status == 200 else 1
    except OSError:
        return 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    serve()
