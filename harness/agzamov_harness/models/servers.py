"""What the server of a local model says of itself before a run, compared with what the seat asks for."""

from collections.abc import Callable
from typing import Any, NamedTuple

import httpx2
import msgspec

from agzamov_verify.manifest import ModelPin
from agzamov_verify.seats import GgufSeat, LocalModelSeat, OllamaSeat

from ..adapters.ollama import options_of
from .faults import ModelFault
from .inventory import Inventory

TIMEOUT_S = 30.0
SOCKET_URL = "http://localhost"
SAID_CHARACTERS_MAX = 100


class Server(msgspec.Struct, frozen=True):
    """A server's kind and version, and the context that it gives each request, in tokens."""

    kind: str
    version: str
    context_tokens: int


class Serving(NamedTuple):
    """A server that was looked at, and how to have it load the model anew, where that is possible."""

    server: Server
    reload: Callable[[], None] | None


def look_at(seat: LocalModelSeat, where: str, pin: ModelPin | None) -> Serving:
    """The seat's server at `where`, an address or a unix socket. Raises ModelFault if it is not what the seat needs."""
    serving = _ollama(seat, where, pin) if isinstance(seat, OllamaSeat) else _llama(seat, where)
    found = serving.server.context_tokens
    if found < seat.context_tokens:
        raise ModelFault(f"{where}: expected a context of {seat.context_tokens} tokens for each request, found {found}")
    return serving


def _ollama(seat: OllamaSeat, where: str, pin: ModelPin | None) -> Serving:
    """Loads the model with the seat's options, as only a loaded model shows its context."""
    with Inventory(where) as server:
        model = server.model(seat.model)
        if pin and (model.digest, model.size_bytes) != (pin.sha256, pin.size_bytes):
            raise ModelFault(f"{where}: expected {seat.model} with digest {pin.sha256}, found {model.digest}")
        load_anew(server, seat)
        loaded = server.loaded(seat.model)
        version = server.version()
    if loaded is None:
        raise ModelFault(
            f"{where}: expected {seat.model} in memory after loading it, found it unloaded; is there room?"
        )
    return Serving(Server("ollama", version, loaded.context_tokens), lambda: _reload(seat, where))


def load_anew(server: Inventory, seat: OllamaSeat) -> None:
    """Unload the model and load it with the seat's options: nothing of earlier prompts is left."""
    server.unload(seat.model)
    options = options_of(seat)
    server.load(seat.model, {name: options[name] for name in ("num_ctx", "num_thread")})


def _reload(seat: OllamaSeat, where: str) -> None:
    with Inventory(where) as server:
        load_anew(server, seat)


def _llama(seat: GgufSeat, where: str) -> Serving:
    props = _props(where)
    settings = props.get("default_generation_settings")
    context = settings.get("n_ctx") if isinstance(settings, dict) else 0
    slots = props.get("total_slots")
    if not isinstance(context, int) or not isinstance(slots, int):
        raise ModelFault(f"{where}: expected the properties of a llama.cpp server, found others")
    if slots < seat.concurrency:
        raise ModelFault(f"{where}: expected {seat.concurrency} slots, found {slots}; lower the seat's concurrency")
    version = str(props.get("build_info", ""))[:SAID_CHARACTERS_MAX]
    return Serving(Server("llama.cpp", version, context), None)


def _props(where: str) -> dict[str, Any]:
    socket = where if where.startswith("/") else ""
    transport = httpx2.HTTPTransport(uds=socket) if socket else None
    root = SOCKET_URL if socket else where.removesuffix("/").removesuffix("/v1")
    try:
        with httpx2.Client(transport=transport, base_url=root, timeout=TIMEOUT_S, trust_env=False) as client:
            answer = client.get("/props")
            value = answer.json() if answer.status_code == httpx2.codes.OK else None
    except (httpx2.HTTPError, ValueError) as error:
        raise ModelFault(f"{where}: expected a llama.cpp server, found none: {error}") from error
    if not isinstance(value, dict):
        raise ModelFault(f"{where}: expected a llama.cpp server's properties, found HTTP {answer.status_code}")
    return value
