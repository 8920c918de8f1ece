"""Notes in a list over HTTP (streamable), by the SDK of the protocol: `http_notes_server.py PORT [dies]`.

`encoding=NAME` names an encoding in each answer, `pids=FILE` starts a child and writes its and the server's own number.
"""

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from uvicorn.protocols.http.h11_impl import RequestResponseCycle

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


def encode_answers(encoding: str) -> None:
    """Have all answers name an encoding; of gzip they are 64 MiB of blanks as well."""
    bomb = gzip.compress(b" " * 2**26)
    send = RequestResponseCycle.send

    async def encoded(self: Any, message: Any) -> None:
        if message["type"] == "http.response.start":
            kept = [row for row in message["headers"] if row[0].lower() != b"content-length"]
            message = {**message, "headers": [*kept, (b"content-encoding", encoding.encode())]}
        elif encoding == "gzip" and not message.get("more_body"):
            message = {**message, "body": bomb}
        await send(self, message)

    RequestResponseCycle.send = encoded  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.stdout.write("not MCP, and no harm over HTTP\n")
    sys.stdout.flush()
    named = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word)
    if "pids" in named:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(named["pids"]).write_text(f"{os.getpid()} {child.pid}")
    if "encoding" in named:
        encode_answers(named["encoding"])
    server.run("streamable-http", port=int(sys.argv[1]))
