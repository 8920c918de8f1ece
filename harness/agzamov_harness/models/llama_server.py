"""Facts that a llama.cpp server gives before a run: its build, its slots, and the context of each."""

from pathlib import Path
from typing import Any

import httpx2

from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.seats import Determinism

from ..adapters.context_length import DATE_VARIABLE
from ..adapters.http_transport import guard
from ..ports import ModelFault
from ..seat_kind import ModelServer, Serving

TIMEOUT_S = 30.0
SOCKET_URL = "http://localhost"
SAID_CHARACTERS_MAX = 100
RUNTIME_FILE = "runtime"
CLOCK = "strftime_now"
"""The function by which a chat template reads the clock."""


def look_at(address: str, slots_needed: int, determinism: Determinism) -> Serving:
    """The server at an address or a socket.

    Raises ModelFault if it has too few slots, or is none; or if answers of a strict seat would depend on the clock.
    """
    props = _props(address)
    settings = props.get("default_generation_settings")
    context = settings.get("n_ctx") if isinstance(settings, dict) else 0
    slots = props.get("total_slots")
    if not isinstance(context, int) or not isinstance(slots, int):
        raise ModelFault(f"{address}: expected the properties of a llama.cpp server, found others")
    if slots < slots_needed:
        raise ModelFault(f"{address}: expected {slots_needed} slots, found {slots}; lower the seat's concurrency")
    if determinism is Determinism.STRICT and reads_clock(str(props.get("chat_template", ""))):
        raise ModelFault(
            f"{address}: the model's chat template writes the time of the request into the prompt ({CLOCK}): take a"
            " file whose template does not, or name determinism: measured in the plan"
        )
    return Serving(ModelServer("llama.cpp", _runtime(address, str(props.get("build_info", ""))), context), None)


def reads_clock(template: str) -> bool:
    """Whether a chat template reads the clock, and takes no date in its place."""
    return CLOCK in template and DATE_VARIABLE not in template


def _runtime(address: str, build: str) -> str:
    """Build of the server. A wheel's llama.cpp calls itself b0-unknown; our image has its version beside the socket."""
    if not address.startswith("/"):
        return build[:SAID_CHARACTERS_MAX]
    version_file = Path(address).with_name(RUNTIME_FILE)
    try:
        with version_file.open(errors="replace") as file:
            version = printable(file.read(SAID_CHARACTERS_MAX))
    except OSError:
        version = ""
    return f"{version} ({build})"[:SAID_CHARACTERS_MAX] if version else build[:SAID_CHARACTERS_MAX]


def _props(address: str) -> dict[str, Any]:
    socket = address if address.startswith("/") else ""
    transport = httpx2.HTTPTransport(uds=socket) if socket else None
    root = SOCKET_URL if socket else address.removesuffix("/").removesuffix("/v1")
    try:
        with httpx2.Client(transport=transport, base_url=root, timeout=TIMEOUT_S, trust_env=False) as client:
            guard(client, TIMEOUT_S)
            answer = client.get("/props")
            value = answer.json() if answer.status_code == httpx2.codes.OK else None
    except (httpx2.HTTPError, ValueError) as error:
        raise ModelFault(f"{address}: expected a llama.cpp server, found none: {error}") from error
    if not isinstance(value, dict):
        raise ModelFault(f"{address}: expected a llama.cpp server's properties, found HTTP {answer.status_code}")
    return value
