"""MCP over a byte stream, one message a line: over a unix socket, or over standard input and output of a process.

The library's transport over standard streams keeps an unfinished line whatever its length. Here a line that is too long
ends the connection. A process is stopped as the protocol says: its input is closed, then it is terminated, then killed.
Source: MCP 2025-11-25, Lifecycle, Shutdown.
"""

import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TextIO

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from .server_process import Process as Server

TRY_S = 0.05
STOP_S = 2.0
"""From the end of a process's input to SIGTERM, and from that to SIGKILL."""
POLL_S = 0.01
LINE_BYTES_MAX = 64 * 2**20
"""Of one message: the largest is an export that comes in one piece, 10,000 entries at most 1 KB long, told twice."""
SHOWN_BYTES_MAX = 1_000
"""Of a line that is no message."""
ENDED = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
    OSError,
)


@asynccontextmanager
async def socket_client(path: Path, open_s: float) -> AsyncGenerator[TransportStreams, None]:
    """The streams of a connection to the server behind a socket. Raises TimeoutError where none listens in time.

    The server in a container listens when its container has started, so that a connection is tried until it may take no
    longer. The connection is all that there is of the server here: it ends when the connection does.
    """
    async with await _connected(path, open_s) as stream, _messages(stream, stream) as streams:
        yield streams


@asynccontextmanager
async def process_client(server: Server, stderr: TextIO) -> AsyncGenerator[TransportStreams, None]:
    """The streams of a process that is started here, in a process group of its own. Raises OSError."""
    process = await anyio.open_process(
        [server.command, *server.args], stderr=stderr, env=server.env, cwd=server.folder, start_new_session=True
    )
    try:
        assert process.stdin  # both are pipes
        assert process.stdout
        async with _messages(process.stdout, process.stdin) as streams:
            yield streams
    finally:
        with anyio.CancelScope(shield=True):
            await stopped(process)


@asynccontextmanager
async def _messages(source: ByteReceiveStream, sink: ByteSendStream) -> AsyncGenerator[TransportStreams, None]:
    """The messages of a byte stream; anything else is given as an exception."""
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    lines = BufferedByteReceiveStream(source)

    async def read() -> None:
        async with to_session:
            with suppress(*ENDED):
                while True:
                    try:
                        line = await lines.receive_until(b"\n", LINE_BYTES_MAX)
                    except anyio.DelimiterNotFound:
                        await to_session.send(ValueError(f"a line of more than {LINE_BYTES_MAX} bytes"))
                        return
                    await to_session.send(_parsed(line))

    async def write() -> None:
        async with from_session:
            try:
                async for message in from_session:
                    line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await sink.send(f"{line}\n".encode())
            except ENDED:
                await to_session.aclose()  # so that no request waits for an answer that cannot come

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(write)
        try:
            yield from_server, to_server
        finally:
            tasks.cancel_scope.cancel()


async def _connected(path: Path, open_s: float) -> SocketStream:
    with anyio.fail_after(open_s):
        while True:
            try:
                return await anyio.connect_unix(path)
            except OSError:
                await anyio.sleep(TRY_S)


async def stopped(process: Process) -> None:
    """End a process and everything that it has started."""
    if process.stdin:
        with suppress(*ENDED):
            await process.stdin.aclose()
        await _ended(process)
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)  # of a process that has ended, what it has left behind
        await _ended(process)
    with suppress(ProcessLookupError):
        await process.aclose()


async def _ended(process: Process) -> None:
    """Wait until a process has ended, or may take no longer; a child of it may hold its output open."""
    with anyio.move_on_after(STOP_S):
        while process.returncode is None:
            await anyio.sleep(POLL_S)


def _parsed(line: bytes) -> SessionMessage | Exception:
    """The message of a line, or an error whose text is how the line begins, for the session to report."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        begins = line[:SHOWN_BYTES_MAX].decode(errors="replace")
        reason = "half of a surrogate pair in " if "hex escape" in str(error) else ""
        return ValueError(reason + begins)
