"""The server of basic-memory with one tool more, which gives every note: `python basic_memory_shim.py mcp`.

Its notes are Markdown files below BASIC_MEMORY_HOME, and none of its own tools gives all of them whole. Files of a
container cannot be read from outside of it, so this tool reads them. And one note is indexed at a time: two jobs of
version 0.23.2 that index one note beside each other both delete its row and then both insert it, so that every search
finds it twice. All else is basic-memory's own.
"""

import asyncio
import os
from pathlib import Path
from typing import Any

from basic_memory.cli.main import app
from basic_memory.file_utils import parse_frontmatter, remove_frontmatter
from basic_memory.mcp.server import mcp
from basic_memory.services.search_service import SearchService

index_entity_data = SearchService.index_entity_data
indexing = asyncio.Lock()


async def index_alone(service: SearchService, *args: Any, **kwargs: Any) -> None:
    """Index a note when no other is being indexed."""
    async with indexing:
        await index_entity_data(service, *args, **kwargs)


SearchService.index_entity_data = index_alone


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
