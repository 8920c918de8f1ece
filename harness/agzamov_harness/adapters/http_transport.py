"""HTTP as every client of a model server speaks it here: one deadline for a whole call, no redirect, nothing decoded.

A client's own timeout is for each read alone, so a server that drips (headers, `100 Continue`, chunk extensions,
trailers) would be waited for without end. And a small answer that is decoded can fill the memory: an encoding is
refused by leaving the bytes as they came, so that they are no answer.
"""

import socket
import time
from collections.abc import Iterable
from math import inf
from ssl import SSLContext
from threading import local
from typing import Any, TypeAlias

import httpcore2
import httpx2

ANSWER_BYTES_MAX = 2**23
"""Several times the thoughts of a million tokens, or the largest list of models. JSON of small parts takes 25 times as
much memory once it is parsed: 64 MiB of it took 1.7 GB."""
IDENTITY = "identity"
REFUSED_ENCODING = "refused_encoding"
_Options: TypeAlias = Iterable[Any]


def guard(client: Any, seconds: float) -> None:
    """Hold every call of `client` to `seconds` from connecting to the last byte, and to ANSWER_BYTES_MAX.

    The client is of httpx2, or of httpx as the `ollama` library still has it: they take the same backend and hooks.
    """
    call = _Call(seconds)
    transports = [client._transport, *client._mounts.values()]  # noqa: SLF001 - there is no public way to them
    for transport in filter(None, transports):
        transport._pool._network_backend = _Backend(call)  # noqa: SLF001 - as above; tests have hostile servers
    client.follow_redirects = False
    client.headers["accept-encoding"] = IDENTITY
    client.event_hooks = {"request": [call.begin], "response": [_leave_encoded]}


def refused_encoding(response: httpx2.Response) -> str:
    """The encoding that a server chose although it was asked for none; empty where it did as asked."""
    return str(response.extensions.get(REFUSED_ENCODING, ""))


def _leave_encoded(response: httpx2.Response) -> None:
    """Keep the client from decoding a body that is still to come."""
    encoding = response.headers.pop("content-encoding", IDENTITY).strip().lower()
    if encoding not in ("", IDENTITY):
        response.extensions[REFUSED_ENCODING] = encoding


class _Call(local):
    """The call that a thread is making: when it must have ended, and how many bytes may still come."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end_s = inf
        self._bytes_left = ANSWER_BYTES_MAX

    def begin(self, _: httpx2.Request) -> None:
        self._end_s = time.monotonic() + self._seconds
        self._bytes_left = ANSWER_BYTES_MAX

    def left_s(self, wished_s: float | None) -> float:
        """Seconds that one step may still take, at most `wished_s`. Raises httpcore2.ReadTimeout after the deadline."""
        left_s = self._end_s - time.monotonic()
        if left_s <= 0:
            raise httpcore2.ReadTimeout("the call did not end in time")
        return min(left_s, inf if wished_s is None else wished_s)

    def count(self, data: bytes) -> bytes:
        """Count received bytes. Raises httpcore2.ReadError when there are too many."""
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise httpcore2.ReadError(f"an answer of more than {ANSWER_BYTES_MAX} bytes")
        return data


class _Stream(httpcore2.NetworkStream):
    """A connection whose every step ends with its thread's call."""

    def __init__(self, stream: httpcore2.NetworkStream, call: _Call) -> None:
        self._stream, self._call = stream, call

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._call.count(self._stream.read(max_bytes, self._call.left_s(timeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._call.left_s(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, self._call.left_s(timeout))
        return _Stream(stream, self._call)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.NetworkBackend):
    """Connects within the call's time: a name may stand for many addresses, and each may be silent."""

    def __init__(self, call: _Call) -> None:
        self._plain, self._call = httpcore2.SyncBackend(), call

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _Options | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            address_rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError(str(error)) from error
        fault: httpcore2.ConnectError | None = None
        for address in dict.fromkeys(str(row[4][0]) for row in address_rows):
            left_s = self._call.left_s(timeout)
            try:
                stream = self._plain.connect_tcp(address, port, left_s, local_address, socket_options)
                return _Stream(stream, self._call)
            except httpcore2.ConnectError as error:
                fault = fault or error
        raise fault or httpcore2.ConnectError("no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: _Options | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._plain.connect_unix_socket(path, self._call.left_s(timeout), socket_options)
        return _Stream(stream, self._call)
