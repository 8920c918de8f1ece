"""The protocol of a memory server in a test, as of 2025-06-18: with the standard library alone it starts at once."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Json = dict[str, Any]
TEXT, NUMBER, LIST, OBJECT = ({"type": kind} for kind in ("string", "integer", "array", "object"))

STRICT, ENDLESS = "(strict)", "(endless)"


def serve(tools: Callable[[], Mapping[str, Json]], call: Callable[[str, Json], Json]) -> None:
    """Answer until the client goes away. `tools`: the properties of each tool's arguments, as they are listed now."""

    def answer(method: str, params: Json) -> Json:
        match method:
            case "initialize":
                version = {"name": "fake", "version": "1"}
                return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": version}
            case "tools/list":
                listed = tools()
                more = {"nextCursor": "more"} if ENDLESS in listed else {}
                return {"tools": [_listed(name, schema) for name, schema in listed.items() if name != ENDLESS], **more}
            case "tools/call":
                return call(params["name"], params.get("arguments", {}))
            case _:
                return {}

    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer(message["method"], message.get("params") or {})
            write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))


def structured(value: Json) -> Json:
    """A result with structured content, which stands in its text too."""
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def prose(text: str, *, failed: bool = False) -> Json:
    """A result that is text alone."""
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _listed(name: str, properties: Json) -> Json:
    """A tool of a list; one that forbids other arguments has STRICT among its properties."""
    own = {argument: schema for argument, schema in properties.items() if argument != STRICT}
    more = {"additionalProperties": False} if STRICT in properties else {}
    return {"name": name, "inputSchema": {"type": "object", "properties": own, "required": list(own), **more}}
