"""MCP over HTTP (streamable): to a server that is started here and listens on a port of this machine, or at an address.

A server that is started is asked once its port is open, and the connection ends when its process does, so that no call
waits for an answer that cannot come; it ends with this process, even by kill -9. What it prints, on either stream, is
its log. No proxy of the environment is used, and nothing is decoded: a small answer could fill the memory.
Source: MCP 2025-11-25, Transports, Streamable HTTP.
"""

import errno
import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from subprocess import PIPE
from typing import TextIO
from urllib.parse import urlsplit

import anyio
import httpx2
from anyio.abc import Process
from mcp import MCPError
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp.types import CONNECTION_CLOSED, JSONRPCError

from .mcp_line_transport import ENDED, LINE_BYTES_MAX, POLL_S, TRY_S, stopped
from .owned_process import words_of
from .server_process import Process as Server

HTTPS_PORT, HTTP_PORT = 443, 80
IDENTITY = "identity"
READ_S_MAX = 3_600.0
"""Of silence on a connection: how long one call may take, the session knows."""
ENDED_EARLY = "the process ended before it listened"
END_S_MAX = 0.5
"""From a broken connection to the end of its process."""


@asynccontextmanager
async def http_client(server: Server, log: TextIO, open_s: float) -> AsyncGenerator[TransportStreams, None]:
    """The streams to a process that is started here and listens at `server.url`.

    Raises OSError, TimeoutError, MCPError (CONNECTION_CLOSED) where it ends first.
    """
    _require_program(server)
    words = words_of([server.command, *server.args])
    process = await anyio.open_process(
        words, stdin=PIPE, stdout=log, stderr=log, env=server.env, cwd=server.folder, start_new_session=True
    )
    try:
        await _listens(process, server.url, open_s)
        async with address_client(server.url) as streams, _while_running(process, streams) as watched:
            yield watched
    finally:
        with anyio.CancelScope(shield=True):
            await stopped(process)


def _require_program(server: Server) -> None:
    """Raises FileNotFoundError where there is no such program: its owner would tell that only by its end."""
    place = server.folder / server.command if "/" in server.command else server.command
    if not shutil.which(place, path=server.env.get("PATH", os.defpath)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), server.command)


@asynccontextmanager
async def address_client(url: str) -> AsyncGenerator[TransportStreams, None]:
    """The streams to whatever listens at an address."""
    timeout = httpx2.Timeout(READ_S_MAX)
    async with (
        httpx2.AsyncClient(timeout=timeout, transport=_Bounded(trust_env=False), trust_env=False) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncHTTPTransport):
    """Answers of at most LINE_BYTES_MAX bytes, as of a line over standard streams, and as they were sent."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = IDENTITY
        answer = await super().handle_async_request(request)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        if answer.headers.get("content-encoding", IDENTITY).strip().lower() not in ("", IDENTITY):
            await answer.aclose()
            raise httpx2.ReadError("an answer with a content-encoding, which was not accepted")
        answer.stream = _Counted(answer.stream)
        return answer


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left_bytes = LINE_BYTES_MAX
        async for part in self._stream:
            left_bytes -= len(part)
            if left_bytes < 0:
                raise httpx2.ReadError(f"an answer of more than {LINE_BYTES_MAX} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _listens(process: Process, url: str, open_s: float) -> None:
    """Wait until the port of an address is open."""
    place = urlsplit(url)
    port = place.port or (HTTPS_PORT if place.scheme == "https" else HTTP_PORT)
    with anyio.fail_after(open_s):
        while True:
            if process.returncode is not None:
                raise MCPError(CONNECTION_CLOSED, ENDED_EARLY)
            try:
                stream = await anyio.connect_tcp(place.hostname or "", port)
            except OSError:
                await anyio.sleep(TRY_S)
            else:
                await stream.aclose()
                return


@asynccontextmanager
async def _while_running(process: Process, streams: TransportStreams) -> AsyncGenerator[TransportStreams, None]:
    """The same streams, of which that of the answers ends when the process does."""
    from_server, to_server = streams
    to_session, watched = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    forwarding = anyio.CancelScope()

    async def forward() -> None:
        async with to_session:
            with forwarding, suppress(*ENDED):
                async for message in from_server:
                    if _may_be_its_end(message):
                        await anyio.sleep(END_S_MAX)  # the process's end, if it is that, is told instead
                    await to_session.send(message)

    async def watch() -> None:
        while process.returncode is None:
            await anyio.sleep(POLL_S)
        forwarding.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forward)
        tasks.start_soon(watch)
        try:
            yield watched, to_server
        finally:
            tasks.cancel_scope.cancel()


def _may_be_its_end(message: SessionMessage | Exception) -> bool:
    """True for what stands for a request without an answer: a connection breaks a moment before its process is gone."""
    return isinstance(message, Exception) or isinstance(message.message, JSONRPCError)
