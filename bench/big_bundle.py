"""How long, and in how much memory, a large bundle is verified without asking the engine again.

    python bench/big_bundle.py [FACTOR]

Makes a bundle of FACTOR x (500 games + 10,000 hands) whose answers are invented on the spot, drawn at
random from what is legal, with engine scores of 0: coherent, so V1's steps pass but for the engine's.
Verifies it in a process of its own on all cores, then thirteen times, two at a time with one worker each, as the
conditions of a protocol would be. As the thing beside it, `sha256sum` reads the same files: the least that any check
must do. PYTHONDONTWRITEBYTECODE should not be set: each check would compile its modules anew, 0.8 s.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chess
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.core.dice import Stream
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import Answer, Chat, Evaluation, Question, Reply
from agzamov_verify.engines.uci_engine import find_engine
from agzamov_verify.plan.manifest import EnginePin
from agzamov_verify.protocols.norms import load_protocol

GAMES, HANDS, PLIES_MAX = 500, 10_000, 110
CONDITIONS, BAR_S = 13, 120
"""Conditions of a normative protocol, each of so many games and hands, and the bar for all of them on two cores."""
THOUGHT = "Let me look at the position and the opponent's last move first. " * 4
LEGAL = re.compile(r"Legal actions: (.*)$", re.MULTILINE)
FEN = re.compile(r"^FEN: (.*)$", re.MULTILINE)


def invent(question: Question) -> Answer:
    """A legal answer made up from the prompt, about as long as a model's."""
    if not isinstance(question, Chat):
        return Evaluation(0, None)
    text = question.messages[-1].content
    draw = Stream(question.seed.to_bytes(8, "big"), text)
    fen = FEN.search(text)
    action = f"MOVE: {_move(fen[1], draw)}" if fen else f"ACTION: {_action(text, draw)}"
    return Reply(text=f"{THOUGHT}\n{action}", completion_tokens=60, prompt_tokens=400, model="invented")


def _move(fen: str, draw: Stream) -> str:
    moves = list(chess.Board(fen, chess960=True).generate_legal_moves())
    return draw.choice(moves).uci()


def _action(text: str, draw: Stream) -> str:
    legal = LEGAL.search(text)
    assert legal
    choice = draw.choice([word for word in legal[1].split(", ") if word[:3] not in ("bet", "rai")] or ["all-in"])
    return "all-in" if draw.below(40) == 0 else choice


def make(folder: Path, factor: int) -> Path:
    """The bundle."""
    match = {"phase": 1, "a": "model", "b": "model"}
    plan = plan_from(
        {
            "title": "Invented",
            "seats": {"model": {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": "invented"}},
            "chess960": {"plies_max": PLIES_MAX},
            "matches": [
                {**match, "game": "chess960", "games": GAMES * factor},
                {**match, "game": "holdem", "hands": HANDS * factor},
            ],
        }
    )
    key = Ed25519PrivateKey.generate()
    manifest, secret = seal(plan, key_id(key.public_key()), find_engine())
    norm = load_protocol(plan.protocol).engine
    assert isinstance(manifest.engine, EnginePin)
    assert manifest.engine.net_sha256 == norm.net_sha256
    directory = run_folder.create(folder / "runs", manifest, secret, key)
    blocks = Runner(directory, Answering(invent), time.monotonic_ns, State(plan, None), Stop(), 1).play()
    return pack(directory, blocks, key, folder / "bundles")


# Its own peak and its workers', read inside it: from outside, the memory of this process would count too.
CHECK = """
import resource, sys
from agzamov_verify.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read().split()
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(max(int(status[status.index("VmHWM:") + 1]), workers) // 1024, file=sys.stderr)
"""


def timed(command: list[str], folder: Path) -> tuple[float, float, str]:
    """Seconds on the clock and of CPU, and what the command said last on standard error."""
    start, before = time.monotonic(), os.times()
    ran = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    after, said = os.times(), ran.stderr.strip().rpartition("\n")[2]
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - start, cpu_s, said


def all_conditions(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the clock of a check of each condition, two at a time, and CPU seconds of one on average."""
    start, before = time.monotonic(), os.times()
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(lambda _: subprocess.run(command, cwd=folder, check=False, capture_output=True), range(CONDITIONS))
        )
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - start, cpu_s / CONDITIONS


def main() -> None:
    factor = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as name:
        bundle = make(Path(name), factor)
        size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
        _, sums_s, _ = timed(["sha256sum", "--check", "--quiet", "manifest-sha256.txt"], bundle)
        command = [sys.executable, "-c", CHECK, "check", "--engine", "/none", str(bundle)]
        wall_s, cpu_s, peak = timed(command, bundle)
        all_s, each_s = all_conditions([*command, "--jobs", "1"], bundle)
    print(f"{GAMES * factor} games + {HANDS * factor} hands, {size / 2**20:.0f} MiB packed")
    print(f"verify {wall_s:.1f} s on the clock (bar {20 * factor} s), {cpu_s:.1f} s of CPU")
    print(f"{cpu_s / sums_s:.0f} times the CPU of sha256sum")
    print(f"{CONDITIONS} checks, two at a time: {all_s:.0f} s by the clock (bar {BAR_S * factor} s)")
    print(f"each {each_s:.1f} s of CPU")
    print(f"largest process {peak} MiB (bar 500)")


if __name__ == "__main__":
    main()
