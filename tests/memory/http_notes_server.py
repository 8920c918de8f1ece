"""Notes in a list over HTTP (streamable), by the SDK of the protocol: `http_notes_server.py PORT [dies]`."""

import os
import sys
from typing import Any

from mcp.server import MCPServer

server = MCPServer("http-notes", version="7")
shelves: dict[str, list[str]] = {}


@server.tool()
def remember(text: str, shelf: str = "") -> dict[str, Any]:
    """Keep a note on a shelf."""
    if "dies" in sys.argv:
        os._exit(3)
    shelves.setdefault(shelf, []).append(text)
    return {"ok": True, "id": f"n{len(shelves[shelf])}"}


@server.tool()
def recall(question: str, count: int, shelf: str = "") -> dict[str, Any]:
    """Give the notes of a shelf that share a word with a question, most words first."""
    if question == "more than fits":
        return {"notes": [{"text": "x" * 65 * 2**20}]}
    words = set(question.lower().split())
    shared = [(len(words & set(text.lower().split())), text) for text in shelves.get(shelf, [])]
    found = sorted(((many, text) for many, text in shared if many), key=lambda each: -each[0])
    return {"notes": [{"text": text} for _, text in found[:count]]}


@server.tool()
def everything(shelf: str = "") -> dict[str, Any]:
    """Give all notes of a shelf."""
    return {"notes": [{"text": text} for text in shelves.get(shelf, [])]}


if __name__ == "__main__":
    sys.stdout.write("not MCP, and no harm over HTTP\n")
    sys.stdout.flush()
    server.run("streamable-http", port=int(sys.argv[1]))
