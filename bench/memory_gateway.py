"""Time of a memory call through the port, beyond the bare MCP call to the same server over stdio.

    python bench/memory_gateway.py

Two servers of the built-in full_text hold the same 500 notes. One is asked through the port of a run, the other by the
library's own client; the same searches and stores in turns, medians.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from agzamov_harness.memory.adapter_file import system_of
from agzamov_harness.memory.launch import Setup
from agzamov_harness.memory.memory_port import MemoryPort
from agzamov_verify.core.questions import MEMORY, EndGame, Search, Store

NOTES, CALLS, HITS = 500, 400, 10
BAR_MS = 2.0
QUERY = "folded to a raise on the button"


def note(number: int) -> str:
    return (
        f"Folded to a raise of {number % 7} blinds on the button: {number % 5} of 5; castled early: {number % 3} of 4"
    )


def store(number: int) -> Store:
    return Store(
        attempt=0,
        content=note(number),
        entry=f"e{number:05}",
        game=f"g{number:05}",
        kind="observation",
        number=number,
        turn=0,
        to=MEMORY,
    )


def search(number: int) -> Search:
    return Search(attempt=0, game="g", hits_max=HITS, number=number, query=f"{QUERY} {number}", turn=0, to=MEMORY)


def timed_ms(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


async def timed_bare_ms(call: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await call()
    return (time.perf_counter() - start) * 1000


def stored(question: Store) -> dict[str, Any]:
    return {"entry": question.entry, "content": question.content, "game": question.number, "kind": question.kind}


async def measure(port: MemoryPort, bare: Client) -> dict[str, tuple[list[float], list[float]]]:
    """Times of the port and of the bare client, for each kind of call."""
    for number in range(1, NOTES + 1):
        port.answer(store(number))
        await bare.call_tool("store", stored(store(number)))
    times: dict[str, tuple[list[float], list[float]]] = {"search": ([], []), "store": ([], [])}
    for number in range(NOTES + 1, NOTES + CALLS + 1):
        question, query = store(number), search(number)
        arguments = {"query": query.query, "limit": query.hits_max, "now": number}
        times["search"][0].append(timed_ms(lambda: port.answer(query)))  # noqa: B023 - called at once
        times["search"][1].append(await timed_bare_ms(lambda: bare.call_tool("search", arguments)))  # noqa: B023
        times["store"][0].append(timed_ms(lambda: port.answer(question)))  # noqa: B023
        times["store"][1].append(await timed_bare_ms(lambda: bare.call_tool("store", stored(question))))  # noqa: B023
    for read in ("all", "no new"):
        ended = timed_ms(lambda: port.answer(EndGame(attempt=0, game="g", number=NOTES + CALLS, turn=0, to=MEMORY)))
        print(f"end of a game with {NOTES + CALLS} entries, of which {read} are read: {ended:.1f} ms")
    return times


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "bare"
        data.mkdir()
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "agzamov_memory", "full_text", "--data", str(data)]
        )
        port = MemoryPort(Setup(system_of("full_text")), Path(folder) / "memory.log")
        async with AsyncExitStack() as stack:
            stack.callback(port.close)
            bare = await stack.enter_async_context(Client(parameters, mode="2026-07-28", cache=None))
            times = await measure(port, bare)
    for kind, (ours, theirs) in times.items():
        port_ms, bare_ms = statistics.median(ours), statistics.median(theirs)
        print(
            f"{kind}: {port_ms:.2f} ms through the port, {bare_ms:.2f} ms bare, p50 of {CALLS};"
            f" {port_ms - bare_ms:+.2f} ms (bar {BAR_MS} ms)"
        )


if __name__ == "__main__":
    anyio.run(main)
