"""The reference players as an OpenAI-compatible HTTP server, so that the HTTP path needs no model.

    GET  /v1/models              reference, random, novice
    POST /v1/chat/completions    messages and seed in, a chat completion with usage out

All but the random player call tools where they are offered some, those of a memory or of a game
(`reference_server.tool_calls`).

Answers depend on the request alone. A fault plan spoils every n-th call in a named way, as real
servers were seen to fail; a delay stands for a slow model.
"""

import hashlib
import json
import socket
import sys
import time
from collections import Counter
from enum import StrEnum
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Lock
from typing import Any, NamedTuple

from agzamov_verify.core.questions import Message, ToolCall
from agzamov_verify.memory.tool_calls import closing_observation
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.table.scripted_players import RANDOM, scripted_reply

from .tool_calls import as_told, game_call, offered, remembered, tool_call

BODY_BYTES_MAX = 2**24
REFERENCE = "reference"
MODELS = (REFERENCE, RANDOM, "novice")
CREATED = 1_767_225_600  # 2026-01-01; a constant, so that equal requests get equal answers
HANG_S = 3600
SOCKET_MODE = 0o666
ID_DIGITS = 32
SAVED_WORDS = "I have saved what I saw."
"""The reply after a contest."""


class StagedFaultKind(StrEnum):
    """Kind of a fault that is injected into a call."""

    RATE_LIMIT = "429"
    SERVER_ERROR = "500"
    UNAVAILABLE = "503"
    UNAUTHORIZED = "401"
    DROP = "drop"
    HANG = "hang"
    GARBAGE = "garbage"
    NO_CHOICES = "no_choices"
    TRUNCATED = "truncated"


class StagedFault(NamedTuple):
    """Spoil every `every`-th call."""

    kind: StagedFaultKind
    every: int


class ServerCannotListen(ManifestError):
    """The address that a person chose is taken, or is none of this machine's."""


class BadRequest(ValueError):
    """A request that no server would answer: status 400, or 404 for an unknown model."""

    def __init__(self, message: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.status = status


def parse_fault(text: str) -> StagedFault:
    """ "429@10" as a StagedFault. Raises ValueError."""
    kind, _, every = text.partition("@")
    if not every.isdecimal() or not int(every):
        raise ValueError(f"expected KIND@N with N from 1, found {text!r}")
    kinds = [known.value for known in StagedFaultKind]
    if kind not in kinds:
        raise ValueError(f"expected one of {', '.join(kinds)}, found {kind!r}")
    return StagedFault(StagedFaultKind(kind), int(every))


def completion(body: object) -> dict[str, Any]:
    """The chat completion for a parsed request. Raises BadRequest."""
    if not isinstance(body, dict):
        raise BadRequest("expected a JSON object")
    model, messages = body.get("model"), _messages(body.get("messages"))
    if model not in MODELS:
        raise BadRequest(f"model {model!r} not found", HTTPStatus.NOT_FOUND)
    call = _call(body, model, messages)
    if call:
        spelled = [{"id": completion_id(body)[-9:], "type": "function", "function": _function(call)}]
        message: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": spelled}
        finish, used = "tool_calls", len(call.arguments.split())
    else:
        text, finish, used = _played(body, model, messages)
        message = {"role": "assistant", "content": text}
    prompt = sum(len(message.content.split()) for message in messages)
    return {
        "id": completion_id(body),
        "object": "chat.completion",
        "created": CREATED,
        "model": model,
        "system_fingerprint": "reference",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": used, "total_tokens": prompt + used},
    }


def _call(body: dict[str, Any], model: str, messages: tuple[Message, ...]) -> ToolCall | None:
    """The call that comes next; None where the player declares. Raises BadRequest."""
    tools = body.get("tools")
    if not tools or model == RANDOM:
        return None
    if name := offered(tools):
        is_answered = any(message.role == "tool" for message in messages)
        try:
            return None if is_answered else game_call(model, messages, name, _seed(body))
        except ValueError as error:
            raise BadRequest(str(error)) from error
    return tool_call(messages, tools)


def _seed(body: dict[str, Any]) -> int:
    seed = body.get("seed")
    return seed if isinstance(seed, int) else 0


def _function(call: ToolCall) -> dict[str, str]:
    return {"name": call.name, "arguments": call.arguments}


def _played(body: dict[str, Any], model: str, messages: tuple[Message, ...]) -> tuple[str, str, int]:
    """The player's text, its finish reason and its length in tokens. Raises BadRequest."""
    if closing_observation(messages) is not None:
        return SAVED_WORDS, "stop", len(SAVED_WORDS.split())
    try:
        told = as_told(messages) if offered(body.get("tools")) else remembered(messages)
        text = scripted_reply(model, told, _seed(body))
    except ValueError as error:
        raise BadRequest(str(error)) from error
    return _limited(text, body.get("max_completion_tokens", body.get("max_tokens")))


def completion_id(body: object) -> str:
    """The id of the first completion for a parsed request; the server tells further ones of it apart."""
    written = json.dumps(body, sort_keys=True).encode()
    return f"chatcmpl-{hashlib.sha256(written).hexdigest()[:ID_DIGITS]}"


def start(host: str, port: int, delay_s: float = 0.0, faults: tuple[StagedFault, ...] = ()) -> ThreadingHTTPServer:
    """A server that is listening; call `serve_forever` on it. Port 0 takes a free one. Raises ServerCannotListen."""
    try:
        return _Server((host, port), _handler(delay_s, faults))
    except OSError as error:
        reason = error.strerror or error
        raise ServerCannotListen(
            f"{host}:{port}: {reason}; choose another with --host or --port, 0 takes a free one"
        ) from error


def start_on_socket(path: Path, delay_s: float = 0.0, faults: tuple[StagedFault, ...] = ()) -> ThreadingHTTPServer:
    """The same on a unix socket that every user who sees it may connect to; a socket left behind is replaced."""
    if path.is_socket():
        path.unlink()
    server = _SocketServer(path, _handler(delay_s, faults))
    path.chmod(SOCKET_MODE)
    return server


def _handler(delay_s: float, faults: tuple[StagedFault, ...]) -> "type[_Handler]":
    state = _State(delay_s, faults)

    class Handler(_Handler):
        """The handler of one server."""

        server_state = state

    return Handler


class _Server(ThreadingHTTPServer):
    """One thread for each connection."""

    request_queue_size = 1024  # the default of 5 makes clients that come together wait for a second

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away, because it was stopped, is not worth a traceback."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _SocketServer(_Server):
    """The same on a unix socket, which has no port and no address of a client."""

    address_family = socket.AF_UNIX

    def __init__(self, path: Path, handler: "type[_Handler]") -> None:
        handler.disable_nagle_algorithm = False  # an option of TCP
        super().__init__(str(path), handler)  # type: ignore[arg-type] # the address of a unix socket is a path

    def server_bind(self) -> None:
        """Bind without asking for the name of a host."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "localhost", 0


class _State:
    """State shared by all connections of one server."""

    def __init__(self, delay_s: float, faults: tuple[StagedFault, ...]) -> None:
        self.delay_s = delay_s
        self._faults = faults
        self._calls = 0
        self._given = Counter[str]()
        self._lock = Lock()

    def unique_id(self, given: str) -> str:
        """The id of a completion, which no other has: an equal request gets an equal answer, and one more of it."""
        with self._lock:
            self._given[given] += 1
            return given if self._given[given] == 1 else f"{given}-{self._given[given]}"

    def next_fault(self) -> StagedFaultKind | None:
        """The fault of the next call, if it has one."""
        with self._lock:
            self._calls += 1
            return next((fault.kind for fault in self._faults if self._calls % fault.every == 0), None)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "agzamov-reference"
    disable_nagle_algorithm = True
    wbufsize = -1
    server_state: _State

    def do_GET(self) -> None:
        """List the models, or say that nothing is here."""
        if self.path.rstrip("/") == "/v1/models":
            data = [{"id": name, "object": "model", "created": CREATED, "owned_by": "agzamov"} for name in MODELS]
            self._send(HTTPStatus.OK, {"object": "list", "data": data})
        else:
            self._send_error(HTTPStatus.NOT_FOUND, f"no such path: {self.path}")

    def do_POST(self) -> None:
        """Answer a chat completion, or spoil it as planned."""
        body = self._body()  # before anything else: what is left unread would be taken for the next request
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send_error(HTTPStatus.NOT_FOUND, f"no such path: {self.path}")
            return
        time.sleep(self.server_state.delay_s)
        fault = self.server_state.next_fault()
        if fault is not None:
            self._spoil(fault)
            return
        try:
            completed = completion(json.loads(body))
            self._send(HTTPStatus.OK, {**completed, "id": self.server_state.unique_id(completed["id"])})
        except BadRequest as error:
            self._send_error(error.status, str(error))
        except (ValueError, RecursionError):
            self._send_error(HTTPStatus.BAD_REQUEST, "expected JSON")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""

    def _body(self) -> bytes:
        length = self.headers.get("content-length", "")
        if length.isdecimal() and len(length) <= len(str(BODY_BYTES_MAX)) and int(length) <= BODY_BYTES_MAX:
            return self.rfile.read(int(length))
        self.close_connection = True
        return b""

    def _spoil(self, fault: StagedFaultKind) -> None:
        match fault:
            case (
                StagedFaultKind.RATE_LIMIT
                | StagedFaultKind.SERVER_ERROR
                | StagedFaultKind.UNAVAILABLE
                | StagedFaultKind.UNAUTHORIZED
            ):
                self._send_error(HTTPStatus(int(fault.value)), "planned fault")
            case StagedFaultKind.DROP:
                self.close_connection = True
            case StagedFaultKind.HANG:
                time.sleep(HANG_S)
            case StagedFaultKind.GARBAGE:
                self._send_bytes(HTTPStatus.OK, b"<html>bad gateway</html>", "text/html")
            case StagedFaultKind.NO_CHOICES:
                self._send(HTTPStatus.OK, {"id": "x", "object": "chat.completion", "choices": []})
            case StagedFaultKind.TRUNCATED:
                self._send_bytes(HTTPStatus.OK, b'{"id": "x", "choices": [{"mess', "application/json")

    def _send_error(self, status: HTTPStatus, message: str) -> None:
        self._send(status, {"error": {"message": message, "type": status.phrase, "param": None, "code": status.value}})

    def _send(self, status: HTTPStatus, value: object) -> None:
        self._send_bytes(status, json.dumps(value).encode(), "application/json")

    def _send_bytes(self, status: HTTPStatus, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        if status in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(data)


def _messages(value: object) -> tuple[Message, ...]:
    if not isinstance(value, list) or not value:
        raise BadRequest("expected a non-empty list of messages")
    messages = []
    for item in value:
        role, content = (item.get("role"), item.get("content")) if isinstance(item, dict) else (None, None)
        if content is None and isinstance(item, dict) and item.get("tool_calls"):
            content = ""
        if not isinstance(role, str) or not isinstance(content, str):
            raise BadRequest("expected messages with a role and a text content")
        messages.append(Message(content, role))
    return tuple(messages)


def _limited(text: str, tokens_max: object) -> tuple[str, str, int]:
    """The text cut to a number of words, as its tokens are; the finish reason; the words used."""
    words = text.split(" ")
    if isinstance(tokens_max, int) and 0 < tokens_max < len(words):
        return " ".join(words[:tokens_max]), "length", tokens_max
    return text, "stop", len(words)
