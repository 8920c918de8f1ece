"""A relay between a memory server and the models that it needs: it passes requests on, and records them.

A server with an embedding or chat model of its own is told the relay's address, ${MODELS_URL}, in the place of a real
one. So the plan seals which models it asks, the key stays with the harness, and what was asked and answered stands in
the bundle (attested). One relay serves one server; its path begins with a secret, since other users of the machine can
reach its port.
"""

import hashlib
import hmac
import os
import re
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Self

import httpx2
import msgspec

from agzamov_verify.core import canon
from agzamov_verify.memory.declared_server import Launch

from ..adapters.api_key import key_in
from ..foundation.append_only import open_append, write_line
from ..foundation.unix_clock import unix_ns

BODY_BYTES_MAX: Final = 2**24
TEXT_CHARACTERS_MAX: Final = 20_000
"""Of a request, and of a chat model's answer, in the record; the digests are those of the whole."""
TIMEOUT_S: Final = 600
SECRET_BYTES: Final = 16
NANOSECONDS_A_MICROSECOND, NANOSECONDS_A_SECOND = 1_000, 1_000_000_000
JSON: Final = "application/json"
BAD_GATEWAY, NOT_FOUND, TOO_LARGE = 502, 404, 413
BELOW = re.compile(r"(/(?!\.{1,2}(/|\?|$))[A-Za-z0-9._~-]+)+(\?[!-~]*)?")
"""What may follow the address of the models: a path without a step back."""


class ServersModels(msgspec.Struct, frozen=True):
    """Where the models are that a memory server asks; nowhere: it needs none.

    `url`: an OpenAI-compatible API. `key_env`: the variable with its key, which the server never sees. `record`: the
    file to which each request is appended.
    """

    url: str = ""
    key_env: str = ""
    record: Path | None = None

    @classmethod
    def of(cls, launch: Launch) -> Self:
        """Those that an adapter names, recorded nowhere yet."""
        return cls(launch.models_url, launch.models_key_env)

    def key(self, environment: Mapping[str, str] = os.environ) -> str:
        """The key to send; empty for none. Raises PortFault."""
        return key_in(self.key_env, self.url, environment)


class ModelCall(msgspec.Struct, frozen=True):
    """One request of a memory server to a model, as recorded: `at` in Unix seconds, `us` microseconds.

    `told` is a chat model's answer. An embedding is its digest alone: a thousand numbers tell a reader nothing.
    """

    answer_sha256: str
    asked: str
    at: int
    model: str
    path: str
    request_sha256: str
    served: str
    status: int
    store: str
    told: str
    us: int


@contextmanager
def relayed(models: ServersModels, store: str) -> Iterator[str]:
    """The address of a relay for the server of `store`, without a slash at its end; "" where it needs no models.

    Raises PortFault where the key is missing.
    """
    if not models.url:
        yield ""
        return
    with _Relay(models, store) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        try:
            yield relay.url
        finally:
            relay.shutdown()


class _Relay(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, models: ServersModels, store: str) -> None:
        self.models, self.store, self.key = models, store, models.key()
        self.prefix = f"/{secrets.token_urlsafe(SECRET_BYTES)}"
        self.client = httpx2.Client(timeout=TIMEOUT_S, trust_env=False, follow_redirects=False)
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}{self.prefix}"

    def server_close(self) -> None:
        super().server_close()
        self.client.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A server that went away is told of by its own fault."""

    def passed_on(self, method: str, path: str, body: bytes) -> httpx2.Response:
        """The models' own answer. Raises httpx2.HTTPError."""
        headers = {"Content-Type": JSON}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return self.client.request(method, self.models.url.rstrip("/") + path, content=body or None, headers=headers)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "agzamov", ""
    server: _Relay

    def do_GET(self) -> None:
        self._relay("GET", b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
            self._answer(TOO_LARGE, _error(f"expected a body of at most {BODY_BYTES_MAX} bytes with its length"))
            self.close_connection = True
            return
        self._relay("POST", self.rfile.read(int(length)))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Requests are recorded, not printed."""

    def _relay(self, method: str, body: bytes) -> None:
        prefix, path = self.path[: len(self.server.prefix)], self.path[len(self.server.prefix) :]
        if not hmac.compare_digest(prefix.encode(), self.server.prefix.encode()) or not BELOW.fullmatch(path):
            self._answer(NOT_FOUND, _error("not found"))
            return
        began_ns = unix_ns()
        try:
            answer = self.server.passed_on(method, path, body)
            status, told, kind = answer.status_code, answer.content, answer.headers.get("Content-Type", JSON)
        except httpx2.HTTPError as error:
            status, kind = BAD_GATEWAY, JSON
            told = _error(f"{self.server.models.url}: {type(error).__name__}: {error}")
        if method == "POST":
            us = (unix_ns() - began_ns) // NANOSECONDS_A_MICROSECOND
            self._record(model_call(self.server.store, path, body, status, told, began_ns // NANOSECONDS_A_SECOND, us))
        self._answer(status, told, kind)

    def _record(self, call: ModelCall) -> None:
        if path := self.server.models.record:
            with open_append(path) as file:
                write_line(file, canon.dumps(call))

    def _answer(self, status: int, body: bytes, kind: str = JSON) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def model_call(store: str, path: str, body: bytes, status: int, answer: bytes, at: int, us: int) -> ModelCall:
    """The record of a request and its answer; whatever they hold."""
    asked, told = _object(body), _object(answer)
    return ModelCall(
        answer_sha256=hashlib.sha256(answer).hexdigest(),
        asked=_short(body.decode(errors="replace")),
        at=at,
        model=_short(str(asked.get("model", ""))),
        path=_short(path),
        request_sha256=hashlib.sha256(body).hexdigest(),
        served=_short(str(told.get("model", ""))),
        status=status,
        store=store,
        told="" if "data" in told else _short(answer.decode(errors="replace")),
        us=us,
    )


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return found if isinstance(found, dict) else {}


def _short(text: str) -> str:
    return text if len(text) <= TEXT_CHARACTERS_MAX else f"{text[:TEXT_CHARACTERS_MAX]}..."


def _error(message: str) -> bytes:
    return msgspec.json.encode({"error": {"message": message, "type": "relay"}})
