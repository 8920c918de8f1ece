"""What verification spends on the answers of tools and of retrieval, of what they took in the run.

    python bench/tool_verification.py

Chess960 and hold'em with the tool and with documents by each retriever, between novices, who are asked at every
decision; every answer is made again, none left to a sample. CPU time of the engine's process, of the calculator and of
retrieval alone, in the run and in the whole check. Time of one process; the bar is a ratio of 1.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness import dispatch, rundir
from agzamov_harness.build_ports import open_world
from agzamov_harness.pack import pack
from agzamov_harness.progress import State
from agzamov_harness.run import Runner, Stop
from agzamov_harness.seal import plan_from, seal
from agzamov_verify.checks import Options, replay_stream, verify
from agzamov_verify.documents import library
from agzamov_verify.documents.library import Library
from agzamov_verify.envelope import key_id
from agzamov_verify.games.holdem import calculator
from agzamov_verify.stockfish import find_engine

BAR, GAMES, HANDS, ALL = 1, 2, 300, 1_000_000
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


class Children(Meter):
    """CPU seconds of processes that have ended: the engine's."""

    def take(self) -> tuple[float, int]:
        ticks = os.times()
        before, self.cpu_s = self.cpu_s, ticks.children_user + ticks.children_system
        return self.cpu_s - before, 0


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
    directory = rundir.create(folder / "runs", manifest, secret)
    with open_world(manifest, find_engine(), has_processes=False) as ports:
        blocks = Runner(directory, ports, time.monotonic_ns, State(plan, None), Stop(), 1).play()
    return pack(directory, blocks, key, folder / "bundles")


def compare(name: str, meter: Meter, system: str, game: dict[str, Any]) -> float:
    """Print what answers took in the run and in the check; their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        meter.take()
        bundle = play(Path(folder), system, game)
        run_s, asked = meter.take()
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
    for remembered in (calculator._before_flop, calculator._places):  # noqa: SLF001 - no other way
        remembered.cache_clear()


def main() -> None:
    """Print all ratios."""
    calculated, told, engine = Meter(), Meter(), Children()
    dispatch.calculate = replay_stream.calculate = calculated.of(calculator.calculate)
    Library.told = told.of(Library.told)  # type: ignore[method-assign]
    chess = {"game": "chess960", "games": GAMES}
    hands = {"game": "holdem", "hands": HANDS}
    compare("engine", engine, "tools", chess)
    compare("calculator", calculated, "tools", hands)
    for retriever in ("bm25", "embeddings"):
        for game in (chess, hands):
            compare(f"{retriever}, {game['game']}", told, retriever, game)


if __name__ == "__main__":
    main()
