"""An MCP server that has tools and nothing else, and says in one line what is wrong with a call or a message."""

from typing import Any, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, ToolAnnotations
from pydantic import ValidationError

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Of a tool that changes nothing, answers the same to the same question, and asks nobody else."""
ABSENT = (
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
)
"""What the SDK declares of every server, whether it has any or not."""
NOT_JSON: Final = "json_invalid"
"""Pydantic's name for text that is no JSON."""


class PlainServer(MCPServer):
    """A server without prompts and resources, whose errors are plain words."""

    def __init__(self, name: str, version: str, instructions: str) -> None:
        super().__init__(name=name, version=version, instructions=instructions, log_level="WARNING")
        for method in ABSENT:  # the SDK has no other way: a capability is declared where its handler stands
            self._lowlevel_server._request_handlers.pop(method, None)  # noqa: SLF001

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool. Raises ToolError."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(_plain(error.__cause__)) from error
            raise

    async def run_stdio_async(self) -> None:
        """Serve over stdio, and answer lines that are no message: the SDK passes them over without an answer."""
        server = self._lowlevel_server
        async with stdio_server() as (lines, answers), anyio.create_task_group() as tasks:
            sender, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.start_soon(_forward, lines, sender, answers)
            await server.run(messages, answers, server.create_initialization_options())
            tasks.cancel_scope.cancel()


async def _forward(
    lines: ObjectReceiveStream[SessionMessage | Exception],
    messages: ObjectSendStream[SessionMessage | Exception],
    answers: ObjectSendStream[SessionMessage],
) -> None:
    """Hand messages on; answer what is none, but not an empty line."""
    async with messages:
        async for one in lines:
            if isinstance(one, SessionMessage):
                await messages.send(one)
            elif problem := _problem(one):
                await answers.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=problem)))


def _problem(error: Exception) -> ErrorData | None:
    """What is wrong with a line, by the error that reading it raised; None for an empty line."""
    first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
    if first is None or first["type"] != NOT_JSON:
        return ErrorData(code=INVALID_REQUEST, message="expected a JSON-RPC 2.0 message, one a line, found other JSON")
    if not str(first["input"]).strip():
        return None
    return ErrorData(code=PARSE_ERROR, message=f"expected JSON, one message a line: {first['ctx']['error']}")


def _plain(error: ValidationError) -> str:
    """Each wrong argument: "nodes: input should be greater than or equal to 1, found 0"."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc']))}: {one['msg'][:1].lower()}{one['msg'][1:]}"
        + ("" if one["type"] == "missing" else f", found {one['input']!a:.40}")
        for one in error.errors(include_url=False)
    )
