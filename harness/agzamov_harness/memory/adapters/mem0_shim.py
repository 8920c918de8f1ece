"""mem0, a library, as an MCP server over stdio: `python mem0_shim.py DATA`, with mem0ai and mcp installed.

No language model is used: every text is kept as it is (infer=False). Embeddings come from the server at EMBEDDER_URL.
"""

import os
import sys
from typing import Any

from mcp.server import MCPServer
from mem0 import Memory

USER = "memory"
ENTRIES_MAX = 1_000_000
DIMENSIONS = 384

server = MCPServer(name="mem0", log_level="WARNING")
memory = Memory.from_config(
    {
        "embedder": {
            "provider": "openai",
            "config": {
                "api_key": "none",
                "openai_base_url": os.environ["EMBEDDER_URL"],
                "embedding_dims": DIMENSIONS,
            },
        },
        "llm": {"provider": "openai", "config": {"api_key": "none"}},  # never asked, but made with the memory
        "history_db_path": f"{sys.argv[1]}/history.db",
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": f"{sys.argv[1]}/qdrant", "embedding_model_dims": DIMENSIONS, "on_disk": True},
        },
    }
)


@server.tool()
def add(content: str, metadata: dict[str, str]) -> dict[str, Any]:
    """Store a text as it is."""
    return dict(memory.add(content, user_id=USER, metadata=metadata, infer=False))


@server.tool()
def search(query: str, limit: int) -> dict[str, Any]:
    """Search for texts."""
    return dict(memory.search(query, filters={"user_id": USER}, top_k=limit))


@server.tool()
def export() -> dict[str, Any]:
    """Give every text."""
    return dict(memory.get_all(filters={"user_id": USER}, top_k=ENTRIES_MAX))


if __name__ == "__main__":
    server.run(transport="stdio")
