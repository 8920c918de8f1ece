"""What verification spends on the answers of tools and of retrieval, of what they took in the run.

    python bench/tool_verification.py

Chess960 and hold'em with the tool and with documents by each retriever, between novices, who are asked at every
decision; every answer is made again, none left to a sample. CPU time of the tool's server, less that of one which is
asked once, against that of the engines or of the calculator in the check; and of retrieval alone in both. The bar is a
ratio of 1. Then what a call of a server takes beside the same question to the engine or the calculator themselves.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.build_ports import open_world
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_harness.servers.tool_port import ToolPort, ToolServer, local_server
from agzamov_verify.checks.steps import Options, verify
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import TOOL, Calculate, Examine
from agzamov_verify.documents import library
from agzamov_verify.documents.library import Library
from agzamov_verify.engines.uci_engine import NAME, UciEngine, find_engine
from agzamov_verify.games.holdem import calculator
from agzamov_verify.games.holdem import calculator as calculator_server

BAR, GAMES, HANDS, ALL = 1, 2, 300, 1_000_000
CALLS, TOLD_GAMES = 50, 40
SYSTEMS = {
    "tools": {"kind": "tools"},
    "bm25": {"kind": "rag"},
    "embeddings": {"kind": "rag", "retriever": "embeddings"},
}


class Meter:
    """CPU seconds and calls of one function, wherever it is called from."""

    def __init__(self) -> None:
        self.cpu_s, self.calls = 0.0, 0

    def of(self, do: Callable[..., Any]) -> Callable[..., Any]:
        """The function, counted."""

        def counted(*given: Any) -> Any:
            start = time.process_time()
            try:
                return do(*given)
            finally:
                self.cpu_s += time.process_time() - start
                self.calls += 1

        return counted

    def take(self) -> tuple[float, int]:
        """What was counted, and begin anew."""
        taken = self.cpu_s, self.calls
        self.cpu_s, self.calls = 0.0, 0
        return taken


class Tools(Meter):
    """CPU seconds of processes that have ended, servers and engines, and of the calculator in this one."""

    def take(self) -> tuple[float, int]:
        ticks = os.times()
        children_s = ticks.children_user + ticks.children_system
        before, self.children_s = getattr(self, "children_s", 0.0), children_s
        own_s, calls = super().take()
        return own_s + children_s - before, calls


def play(folder: Path, system: str, game: dict[str, Any]) -> Path:
    """A bundle of one match with a system."""
    augmentation = "tools" if system == "tools" else "rag"
    condition = {"augmentation": augmentation, "arm": "real", "system": system}
    plan = plan_from(
        {
            "title": "Tools",
            "seats": {"novice": {"kind": "novice"}},
            "systems": {system: SYSTEMS[system]},
            "chess960": {"plies_max": 60, "adjudication": {"policy": "none"}},
            "matches": [{"phase": 2, "a": "novice", "b": "novice", "condition": condition, **game}],
        }
    )
    key = Ed25519PrivateKey.generate()
    manifest, secret = seal(plan, key_id(key.public_key()), find_engine())
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    with open_world(manifest, find_engine(), has_processes=False) as ports:
        blocks = Runner(directory, ports, time.monotonic_ns, State(plan, None), Stop(), 1).play()
    return pack(directory, blocks, key, folder / "bundles").bundle


def compare(name: str, meter: Meter, system: str, game: dict[str, Any], start_s: float = 0) -> float:
    """Print what answers took in the run and in the check; their ratio. `start_s`: what a server takes to be there."""
    with tempfile.TemporaryDirectory() as folder:
        meter.take()
        bundle = play(Path(folder), system, game)
        run_s, asked = meter.take()
        run_s -= start_s
        forget()
        limits = msgspec.structs.replace(Options().limits, seat_replies_max=ALL)
        verdict = verify(bundle, Options(engine=find_engine(), limits=limits))
        check_s, made = meter.take()
    assert verdict.level == "V1", verdict.findings
    answers = f"{asked:,} answers, {made:,} made again, " if asked else ""
    print(f"{name:<22} {answers}run {run_s:.2f} s, check {check_s:.2f} s of CPU: {check_s / run_s:.2f} (bar {BAR})")
    return check_s / run_s


def forget() -> None:
    """Empty what was remembered, as in a check that is a process of its own."""
    for remembered in (library._found, library._ranking, library._fitting, library._runs):  # noqa: SLF001 - no other way
        remembered.cache_clear()
    for computed in (calculator._before_flop, calculator._places):  # noqa: SLF001 - no other way
        computed.cache_clear()


CHESS, HOLDEM = "chess960", "holdem"
CHESS_QUESTION = Examine(
    attempt=0,
    candidates=("e2e4", "d2d4", "g1f3", "c2c4"),
    game="",
    moves="",
    nodes=50_000,
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    turn=0,
    to=TOOL,
)
HANDS_QUESTION = Calculate(
    attempt=0,
    board=("2c", "3d", "4h"),
    comparisons_max=5_000,
    game="",
    hole=("As", "Kd"),
    pot_chips=400,
    seed=1,
    to_call_chips=200,
    turn=0,
    to=TOOL,
    hands_percent=100,
)


@contextmanager
def served(game: str) -> Iterator[ToolPort]:
    """The port of a game's tool, with one server."""
    engine = find_engine()
    with tempfile.TemporaryDirectory() as folder:
        server = local_server(game, engine, 16, Path(folder))
        port = ToolPort([ToolServer(game, server, NAME if game == CHESS else "")], 1, Path(folder))
        try:
            yield port
        finally:
            port.close()


def started_s(tools: Tools, game: str, question: Examine | Calculate) -> float:
    """CPU seconds of a server that is asked once, with as little work as can be, less those of an engine alone."""
    tools.take()
    least = {"nodes": 1, "candidates": ("e2e4",)} if game == CHESS else {"board": ()}
    asked = msgspec.structs.replace(question, **least)
    with served(game) as port:
        port.answer(asked)
    server_s, _ = tools.take()
    if isinstance(asked, Examine):  # a check starts engines, too
        with UciEngine(find_engine(), 16) as engine:
            engine.examine(asked)
    return server_s - tools.take()[0]


def call_ms(answer: Callable[[Any], Any], question: Examine | Calculate) -> float:
    """Milliseconds of a call by the clock: the median of some."""
    answer(question)
    times = []
    for _ in range(CALLS):
        start = time.monotonic()
        answer(question)
        times.append(1000 * (time.monotonic() - start))
    return median(times)


def compare_calls(game: str, question: Examine | Calculate, direct: Callable[[Any], Any]) -> None:
    """Print what a call takes by the server, and directly."""
    with served(game) as port:
        by_server = call_ms(port.answer, question)
    own = call_ms(direct, question)
    print(f"{game:<22} {by_server:.1f} ms a call by its server, {own:.1f} ms directly: {by_server / own:.2f}")


def main() -> None:
    """Print all ratios."""
    tools, told = Tools(), Meter()
    calculator_server.calculate = tools.of(calculator.calculate)
    Library.told = told.of(Library.told)  # type: ignore[method-assign]
    chess = {"game": CHESS, "games": GAMES}
    hands = {"game": HOLDEM, "hands": HANDS}
    compare("engine", tools, "tools", chess, started_s(tools, CHESS, CHESS_QUESTION))
    compare("calculator", tools, "tools", hands, started_s(tools, HOLDEM, HANDS_QUESTION))
    for retriever in ("bm25", "embeddings"):
        for game in ({**chess, "games": TOLD_GAMES}, hands):
            compare(f"{retriever}, {game['game']}", told, retriever, game)
    with UciEngine(find_engine(), 16) as engine:
        compare_calls(CHESS, CHESS_QUESTION, engine.examine)
    compare_calls(HOLDEM, HANDS_QUESTION, calculator.calculate)


if __name__ == "__main__":
    main()
