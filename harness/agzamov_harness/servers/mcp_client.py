"""The only door to the `mcp` library: a blocking client of one MCP server, over standard streams, a socket or HTTP.

The library is asynchronous. Its event loop runs in a thread of its own behind this class, and every exception of it
becomes a CallFailed whose text says in a few words what came instead of an answer.
"""

import json
import logging
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, TextIO

import msgspec
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, ListToolsResult, TextContent

from .mcp_http_transport import address_client, http_client
from .mcp_line_transport import process_client, socket_client
from .server_process import (
    ENDED,
    NO_ANSWER,
    NO_PROGRAM,
    NOT_MCP,
    SHOWN_CHARACTERS_MAX,
    Address,
    Process,
    Socket,
    one_line,
)

TOOLS_MAX, PAGES_MAX = 200, 20

# What a server prints on its standard output is reported as a fault, once; the library would also log it.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("client").addHandler(logging.NullHandler())


class CallFailed(Exception):
    """A server gave no answer; the text says in a few words what came instead."""


class ListedTool(msgspec.Struct, frozen=True):
    """A tool as its server lists it: name, description, and the JSON Schemas of its arguments and its result."""

    arguments: dict[str, Any]
    description: str
    name: str
    result: dict[str, Any] | None


class ToolResult(msgspec.Struct, frozen=True):
    """Result of a call. `text`: its text parts, one after another. `failed`: the tool says that it failed."""

    structured: object
    text: str
    failed: bool


class McpClient:
    """One server and the connection to it. A process is started here and prints its standard error to `stderr`."""

    def __init__(self, server: Process | Socket | Address, stderr: TextIO | None, open_s: float) -> None:
        self._noise = ""
        self._open_s = open_s
        client = Client(
            _transport(server, stderr, open_s),
            mode=server.mcp_mode,
            read_timeout_seconds=open_s,
            message_handler=self._hear,
            cache=None,
        )
        with ExitStack() as stack:
            try:
                self._portal: BlockingPortal = stack.enter_context(start_blocking_portal())
                self._client = stack.enter_context(self._portal.wrap_async_context_manager(client))
            except Exception as error:
                raise CallFailed(_reason(error, open_s)) from error
            self._stack = stack.pop_all()

    @property
    def server(self) -> tuple[str, str]:
        """The name and the version that the server gave itself when it was connected to; empty where it gave none."""
        info = self._client.server_info
        return (info.name, info.version) if info else ("", "")

    def tools(self) -> Sequence[ListedTool]:
        """The tools that the server lists now, in order of their names. Raises CallFailed."""
        tools: list[ListedTool] = []
        cursor: str | None = None
        for _ in range(PAGES_MAX):
            listed = self._list(cursor)
            tools += [
                ListedTool(tool.input_schema, tool.description or "", tool.name, tool.output_schema)
                for tool in listed.tools
            ]
            if len(tools) > TOOLS_MAX:
                raise CallFailed(f"more than {TOOLS_MAX} tools")
            cursor = listed.next_cursor
            if not cursor:
                return sorted(tools, key=lambda tool: tool.name)
        raise CallFailed(f"a list of tools without an end, after {PAGES_MAX} pages")

    def call(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> ToolResult:
        """The result of one call. Raises CallFailed."""
        try:
            result: CallToolResult = self._portal.call(self._client.call_tool, tool, dict(arguments), seconds)
        except Exception as error:
            raise CallFailed(self._noise or _reason(error, seconds)) from error
        self._require_silence()
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        return ToolResult(result.structured_content, text, result.is_error)

    def close(self) -> None:
        """End the server: its input is closed, then it is stopped, then killed."""
        with suppress(Exception):  # it may have ended long ago, in any way
            self._stack.close()

    def _list(self, cursor: str | None) -> ListToolsResult:
        async def listed() -> ListToolsResult:
            return await self._client.list_tools(cursor=cursor)

        try:
            result = self._portal.call(listed)
        except Exception as error:
            raise CallFailed(self._noise or _reason(error, self._open_s)) from error
        self._require_silence()
        return result

    async def _hear(self, message: object) -> None:
        """Take a message that the server sends unasked; an exception stands for output that is no message."""
        if isinstance(message, Exception) and not self._noise:
            self._noise = f"{NOT_MCP}: {str(message)[:SHOWN_CHARACTERS_MAX]!a}"

    def _require_silence(self) -> None:
        if self._noise:
            raise CallFailed(self._noise)


def raw_words(tool: str, arguments: Mapping[str, Any], result: ToolResult) -> str:
    """A call and all of its answer, as an adapter's expressions are given it."""
    failed = " (the tool says that it failed)" if result.failed else ""
    structured = "none" if result.structured is None else _json(result.structured)
    return f"call: {tool} {_json(arguments)}{failed}\nstructured: {structured}\ntext: {result.text or 'none'}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _transport(server: Process | Socket | Address, stderr: TextIO | None, open_s: float) -> Transport:
    match server:
        case Socket():
            return socket_client(server.path, open_s)
        case Address():
            return address_client(server.url)
        case Process() if server.url:
            return http_client(server, stderr or sys.stderr, open_s)
        case _:
            return process_client(server, stderr or sys.stderr)


def _reason(error: BaseException, seconds: float) -> str:
    """A few words for any exception of the library."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    match error:
        case MCPError() if error.code == REQUEST_TIMEOUT:
            return f"{NO_ANSWER} {seconds:g} s"
        case MCPError() if error.code == CONNECTION_CLOSED:
            return ENDED
        case MCPError():
            return f"the error {error.code} of MCP: {one_line(error.message)}"
        case TimeoutError():
            return f"{NO_ANSWER} {seconds:g} s"
        case FileNotFoundError():
            return f"{NO_PROGRAM} {error.filename}"
        case _:
            return f"{type(error).__name__}: {one_line(str(error))}"
