"""The model behind llama.cpp's own server, under the settings that make an answer a function of its request alone."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

SLOT_TOKENS = 1024
SERVE = """
import sys, xllamacpp
wanted = xllamacpp.CommonParams()
wanted.model.path, wanted.model_alias, wanted.port = sys.argv[1], {"tinymodel"}, 0
wanted.n_parallel, wanted.n_ctx = int(sys.argv[2]), int(sys.argv[2]) * int(sys.argv[3])
wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
wanted.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
wanted.kv_unified = wanted.warmup = False
wanted.verbosity = -1
server = xllamacpp.Server(wanted)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@contextmanager
def served(model: Path, slots: int = 1, slot_tokens: int = SLOT_TOKENS) -> Iterator[str]:
    """The address of a server of `model`, which ends with the block. Raises RuntimeError if it does not start."""
    command = [sys.executable, "-c", SERVE, str(model), str(slots), str(slot_tokens)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"expected an address of a server of {model}, found none; is xllamacpp installed?")
        try:
            yield address
        finally:
            process.kill()


def post(address: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """What the server answers to a JSON request."""
    request = Request(address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310 - our own server
    with urlopen(request, timeout=60) as answer:  # noqa: S310
        return dict(json.loads(answer.read()))


def chat(address: str, messages: Sequence[tuple[str, str]]) -> tuple[str, str, int]:
    """The greedy reply to (role, content) messages: its text, finish reason and count of prompt tokens."""
    said = [{"role": role, "content": content} for role, content in messages]
    body = {"model": "tinymodel", "messages": said, "temperature": 0, "max_tokens": 32}
    answer = post(address, "/v1/chat/completions", body)
    choice = answer["choices"][0]
    return choice["message"]["content"], choice["finish_reason"], answer["usage"]["prompt_tokens"]
