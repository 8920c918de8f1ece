"""An MCP server that has tools and nothing else, and says in one line what is wrong with a call."""

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import ValidationError

READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""Of every tool here: it changes nothing, answers the same to the same question, and asks nobody else."""
ABSENT = (
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "resources/templates/list",
)
"""What the SDK declares of every server, whether it has any or not."""


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


def _plain(error: ValidationError) -> str:
    """Each wrong argument: "nodes: input should be greater than or equal to 1, found 0"."""
    return "; ".join(
        f"{'.'.join(map(str, one['loc']))}: {one['msg'][:1].lower()}{one['msg'][1:]}"
        + ("" if one["type"] == "missing" else f", found {one['input']!a:.40}")
        for one in error.errors(include_url=False)
    )
