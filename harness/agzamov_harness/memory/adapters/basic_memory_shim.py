"""The server of basic-memory with one tool more, which gives every note: `python basic_memory_shim.py mcp`.

Its notes are Markdown files below BASIC_MEMORY_HOME, and none of its own tools gives all of them whole. Files of a
container cannot be read from outside of it, so this tool reads them. All else is basic-memory's own.
"""

import os
from pathlib import Path
from typing import Any

from basic_memory.cli.main import app
from basic_memory.file_utils import parse_frontmatter, remove_frontmatter
from basic_memory.mcp.server import mcp


@mcp.tool()
def export_notes() -> dict[str, Any]:
    """Give every note as its file holds it."""
    files = sorted(Path(os.environ["BASIC_MEMORY_HOME"]).rglob("*.md"))
    return {"notes": [note(path.read_text(encoding="utf-8")) for path in files]}


def note(text: str) -> dict[str, Any]:
    """The head of a Markdown file and its text, without the empty lines around it."""
    return {"head": parse_frontmatter(text), "content": remove_frontmatter(text, strip=False).strip("\n")}


if __name__ == "__main__":
    app()
