"""Our servers as any MCP client meets them: what they declare, and what they answer to lines that are no message."""

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from agzamov_memory.systems import SYSTEMS
from agzamov_verify.engines.uci_engine import EngineFault, find_engine

ANSWER_S_MAX = 120
START: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}

try:
    ENGINE = str(find_engine())
except EngineFault:
    ENGINE = ""

TOOLS = [
    ("agzamov_tools", "holdem"),
    pytest.param(
        ("agzamov_tools", "chess960", "--engine", ENGINE), marks=pytest.mark.skipif(not ENGINE, reason="no engine here")
    ),
]
MEMORIES = [
    *(("agzamov_memory", name) for name in sorted(SYSTEMS.keys() - {"noisy", "semantic"})),
    ("agzamov_memory", "noisy", "--noise", "50"),
]
REQUIRED = {"describe": [], "end_game": ["game"], "export": [], "search": ["query"], "store": ["entry", "content"]}


def command(words: tuple[str, ...], folder: Path) -> list[str]:
    return ["-m", *words, *(["--data", str(folder)] if words[0] == "agzamov_memory" else [])]


async def greeted(words: tuple[str, ...], folder: Path) -> tuple[Any, list[Any]]:
    """Capabilities that a server declares, and its tools, as the SDK's own client sees them."""
    server = StdioServerParameters(command=sys.executable, args=command(words, folder))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        declared = await session.initialize()
        return declared.capabilities, (await session.list_tools()).tools


def answers(words: tuple[str, ...], folder: Path, *lines: str, expected: int) -> list[dict[str, Any]]:
    """The first answers of a server that is sent some lines, while its input stays open: at its end it drops calls."""
    with subprocess.Popen(
        [sys.executable, *command(words, folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        patience = threading.Timer(ANSWER_S_MAX, server.kill)
        patience.start()
        server.stdin.write("".join(f"{line}\n" for line in lines))
        server.stdin.flush()
        told = [json.loads(server.stdout.readline()) for _ in range(expected)]
        rest, _ = server.communicate(timeout=ANSWER_S_MAX)
        patience.cancel()
    assert rest == ""
    return told


@pytest.mark.slow
@pytest.mark.parametrize("words", MEMORIES, ids=lambda words: words[1])
def test_a_memory_says_what_its_tools_take_and_change_and_declares_nothing_else(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    """No parameter had a description, none a default, and prompts and resources were declared that were not there."""
    capabilities, listed = anyio.run(greeted, words, tmp_path)
    assert capabilities.tools is not None
    assert (capabilities.prompts, capabilities.resources) == (None, None), "there are none"
    tools = {tool.name: tool for tool in listed}
    assert {name: tool.input_schema.get("required", []) for name, tool in tools.items()} == REQUIRED
    for name, tool in tools.items():
        assert tool.description
        for parameter, schema in tool.input_schema.get("properties", {}).items():
            assert schema.get("description"), f"{name} {parameter}"
    hints = {name: tool.annotations for name, tool in tools.items()}
    reads = [name for name, hint in hints.items() if hint.read_only_hint]
    assert sorted(reads) == ["describe", "export", "search"]
    assert [name for name, hint in hints.items() if hint.open_world_hint is not False] == []
    destroys = [name for name, hint in hints.items() if hint.destructive_hint is not False]
    assert destroys == (["end_game"] if words[1] == "consolidator" else [])
    repeats = [name for name, hint in hints.items() if not hint.idempotent_hint]
    assert repeats == (["search"] if words[1] == "noisy" else [])


def call(number: int, tool: str, **arguments: object) -> str:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


STARTED = (json.dumps(START), '{"jsonrpc": "2.0", "method": "notifications/initialized"}')


@pytest.mark.slow
def test_what_a_client_leaves_out_of_a_call_to_a_memory_has_a_default(tmp_path: Path) -> None:
    lines = (call(2, "store", entry="one", content="Folded to a raise"), call(3, "search", query="folded"))
    memory = ("agzamov_memory", "full_text")
    _, *told = answers(memory, tmp_path, *STARTED, *lines, call(4, "export"), expected=4)
    stored, found, kept = sorted(told, key=lambda answer: int(answer["id"]))
    assert stored["result"]["structuredContent"] == {"stored": True, "reason": ""}
    assert found["result"]["structuredContent"] == {"hits": [{"entry": "one", "content": "Folded to a raise"}]}
    assert kept["result"]["structuredContent"]["entries"][0]["kind"] == "note"


@pytest.mark.slow
def test_a_wrong_argument_is_told_in_one_plain_line(tmp_path: Path) -> None:
    wrong = call(2, "export", after="1", limit=0)
    _, answer = answers(("agzamov_memory", "recent"), tmp_path, *STARTED, wrong, expected=2)
    (text,) = [part["text"] for part in answer["result"]["content"]]
    assert answer["result"]["isError"]
    assert text == (
        "after: input should be a valid integer, found '1'; limit: input should be greater than or equal to 1, found 0"
    )


@pytest.mark.slow
@pytest.mark.parametrize("words", [MEMORIES[0], *TOOLS], ids=lambda words: words[1])
def test_a_line_that_is_no_message_is_answered_and_the_next_one_too(words: tuple[str, ...], tmp_path: Path) -> None:
    """The SDK passes such a line over: its sender waited for an answer that never came."""
    ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
    lines = ("{not JSON", *STARTED, "", " \t", "[]", '{"id": 7}', "nor\x00this", ping)
    told = answers(words, tmp_path, *lines, expected=6)
    assert [one.get("error", {}).get("code") for one in told] == [-32700, None, -32600, -32600, -32700, None]
    assert [one["id"] for one in told] == [None, 1, None, None, None, 2]
    assert told[0]["error"]["message"].startswith("expected JSON, one message a line: ")
    assert told[2]["error"]["message"] == "expected a JSON-RPC 2.0 message, one a line, found other JSON"
