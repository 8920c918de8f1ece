"""The server of our pages: how many connections one address may hold open."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http import HTTPStatus
from types import MappingProxyType

import pytest

from agzamov_harness.foundation.browser_server import CONNECTIONS_OF_ONE_MAX, BrowserHandler, BrowserServer, serving

WAIT_S = 60
LOCAL, OTHER = "127.0.0.1", "127.0.0.2"


class Hello(BrowserHandler):
    headers_sent = MappingProxyType({})

    def answer(self) -> None:
        self.send(HTTPStatus.OK, b"text/plain", b"hello")


@pytest.fixture
def server() -> Iterator[BrowserServer]:
    with BrowserServer(LOCAL, 0, Hello) as made, serving(made):
        yield made


def connected(server: BrowserServer, source: str) -> socket.socket:
    return socket.create_connection((LOCAL, server.server_port), timeout=WAIT_S, source_address=(source, 0))


def is_answered(server: BrowserServer, source: str) -> bool:
    with connected(server, source) as connection:
        try:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {server.hosts[0]}\r\n\r\n".encode())
            return connection.recv(64).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            return False


def test_idle_connections_of_one_address_keep_nobody_else_out(server: BrowserServer) -> None:
    """Each holds a thread and a file of the run: thousands would stop it."""
    with ExitStack() as idle:
        for _ in range(CONNECTIONS_OF_ONE_MAX):
            idle.enter_context(connected(server, OTHER))
        assert not is_answered(server, OTHER), "one too many"
        assert is_answered(server, LOCAL)
    until = time.monotonic() + WAIT_S
    while not is_answered(server, OTHER):
        assert time.monotonic() < until, "connections that were closed still count"
        time.sleep(0.05)
