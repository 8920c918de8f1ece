"""A scripted HTTP server on loopback: each request gets the next step, and what is left over fails the test.

    with Peer([status(429), says("MOVE: e2e4")]) as peer:
        ...                                    # ask peer.url twice
    assert peer.requests[1].json["temperature"] == 0

`then` answers every request after the script. A step gets the exchange and writes what it likes, down
to bytes that are no HTTP.
"""

import json
import os
import socket
import struct
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

RELEASE_S = 60
LASTING_PORTS = range(20_000, 32_000)
"""Below those that Linux gives to whoever asks for any (ip_local_port_range)."""


class Request(NamedTuple):
    """What came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Exchange(BaseHTTPRequestHandler):
    """One request, and the way to answer it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    peer: "Peer"
    request_seen: Request

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.request_seen = Request(self.command, self.path, headers, body)
        self.peer.handle(self)

    do_GET = do_POST  # noqa: N815 - the base's name

    def write(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def end(self) -> None:
        """Close the connection after this exchange."""
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        """Stay quiet."""


Step = Callable[[Exchange], None]


class Peer:
    """The server. Use it as a context manager; its end checks that the script was asked for, whole and no more."""

    def __init__(self, script: Iterable[Step] = (), then: Step | None = None) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self.released = Event()
        self.then, self._script = then, list(script)
        self._unexpected = self._at_once = 0
        self._lock = Lock()
        handler = type("BoundExchange", (Exchange,), {"peer": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def handle(self, exchange: Exchange) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self.requests.append(exchange.request_seen)
            step = self._script.pop(0) if self._script else self.then
            self._unexpected += step is None
        try:
            (step or status(418, "no step was scripted for this request"))(exchange)
        except OSError:
            exchange.end()  # the client has gone
        finally:
            with self._lock:
                self._at_once -= 1

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is None:
            assert not self._script, f"{len(self._script)} scripted answers were never asked for"
            assert not self._unexpected, f"{self._unexpected} requests beyond the script"


def lasting_port() -> int:
    """A port of loopback that stays free between two servers: nobody gets it who asks for any."""
    first = os.getpid() * 101 % len(LASTING_PORTS)
    for port in (*LASTING_PORTS[first:], *LASTING_PORTS[:first]):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of many tests."""


# --- steps ---------------------------------------------------------------------------------------


def response(status_code: int, body: bytes, headers: dict[str, str] | None = None, reason: str = "Reason") -> bytes:
    """A whole HTTP response; `headers` come after those that it needs."""
    given = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"HTTP/1.1 {status_code} {reason}\r\n{lines}\r\n".encode("latin-1") + body


def sends(data: bytes) -> Step:
    """Exactly these bytes, and the end of the connection."""

    def step(exchange: Exchange) -> None:
        exchange.write(data)
        exchange.end()

    return step


def answers(value: object, status_code: int = 200, headers: dict[str, str] | None = None) -> Step:
    """A JSON value, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda exchange: exchange.write(response(status_code, body, headers))


def status(code: int, message: str = "planned", headers: dict[str, str] | None = None) -> Step:
    """An error as OpenAI's servers spell it."""
    return answers({"error": {"message": message, "type": "t", "param": None, "code": None}}, code, headers)


def says(text: object, **changes: object) -> Step:
    """A completion with this content."""
    return answers(completion(text, **changes))


def completion(text: object = "MOVE: e2e4", finish: object = "stop", **changes: object) -> dict[str, Any]:
    """A whole chat completion; `changes` replace its top-level fields."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "system_fingerprint": "fp",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, "refusal": None}}
        ],
        "usage": {
            "prompt_tokens": 30,
            "completion_tokens": 5,
            "total_tokens": 35,
            "prompt_tokens_details": {"cached_tokens": 3},
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
        **changes,
    }


def drops(exchange: Exchange) -> None:
    """Close without a word."""
    exchange.end()


def resets(exchange: Exchange) -> None:
    """Break the connection with a reset."""
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.connection.close()
    exchange.end()


def hangs(exchange: Exchange) -> None:
    """Say nothing until the test is over."""
    exchange.peer.released.wait(RELEASE_S)
    exchange.end()


def drips(exchange: Exchange) -> None:
    """A body that never ends, a blank at a time."""
    exchange.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    while not exchange.peer.released.wait(0.02):
        exchange.write(b"1\r\n \r\n")


def slowly(step: Step, seconds: float) -> Step:
    """The same step after a while."""

    def late(exchange: Exchange) -> None:
        time.sleep(seconds)
        step(exchange)

    return late
