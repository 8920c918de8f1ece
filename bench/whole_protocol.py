"""What a stranger waits for: the 13 conditions of a protocol at full size, with the engine, and all that follows.

    python bench/whole_protocol.py FOLDER

Makes two bundles in FOLDER, once: one condition of 500 games of Chess960 and 10,000 hands, and one of 20 games whose
moves the engine judges; a check asks for 300 of those, however many there are. The players draw from what is legal and
answer at a model's length; the engine's scores and judgements are real, 50,000 nodes each. Making them takes half an
hour. Then:

    13 checks of both, two at a time, one process each, without a store of answers   bar: 40 minutes by the clock
    check, report and score with one store of answers, then a second check      bars: 1.15 x the check, 10 CPU seconds
    all exports, each beside the check without the engine
    a leaderboard of 50 bundles beside 50 checks of them

Beside all of it stands the engine alone: CPU time of one question.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import chess
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.adapters.stockfish_ports import StockfishAdjudicator
from agzamov_harness.pipeline.pack import pack
from agzamov_harness.run import run_folder
from agzamov_harness.run.dispatch import Answering
from agzamov_harness.run.move_evaluations import judge_promised
from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.progress import State
from agzamov_harness.run.runner import Runner
from agzamov_harness.run.seal import seal
from agzamov_harness.run.stop import Stop
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import ENGINE, Answer, Evaluate, Evaluation, Question
from agzamov_verify.engines.uci_engine import UciEngine, find_engine
from agzamov_verify.protocols.norms import load_protocol
from big_bundle import invent

PLIES_MAX, NODES, CONDITIONS = 110, 50_000, 13
WHOLE_BAR_S, TOGETHER_BAR, AGAIN_BAR_S = 40 * 60, 1.15, 10
FORMATS = ("pgn", "phh", "csv", "sqlite", "parquet", "every-eval-ever")
BOARD_BUNDLES = 50
ALONE_POSITIONS = 100
OPENING = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6")
PROGRAM = Path(sys.executable).with_name("agzamov")
STORE, OFF = "AGZAMOV_ENGINE_ANSWERS", "off"
ADJUDICATED = {"chess960": {"plies_max": PLIES_MAX}}
WITH_QUALITY = ADJUDICATED | {"quality": {"nodes": NODES}}
WITHOUT_ENGINE = {"chess960": {"plies_max": PLIES_MAX, "adjudication": {"policy": "none"}}}


class Size(NamedTuple):
    """Games of Chess960 and hands of hold'em."""

    games: int
    hands: int

    def __str__(self) -> str:
        return f"{self.games} games + {self.hands:,} hands"


WHOLE, JUDGED, SMALL = Size(500, 10_000), Size(20, 200), Size(20, 200)


def make(key: Ed25519PrivateKey, folder: Path, name: str, size: Size, asked: Mapping[str, Any]) -> Path:
    """A bundle whose player is invented and whose engine is real. `asked`: what the plan asks of the engine."""
    match = {"phase": 1, "a": "model", "b": "model"}
    plan = plan_from(
        {
            "title": "Invented",
            "seats": {"model": {"kind": "openai", "base_url": "http://127.0.0.1/v1", "model": name}},
            **asked,
            "matches": [
                {**match, "game": "chess960", "games": size.games, "block_games": 2},
                {**match, "game": "holdem", "hands": size.hands},
            ],
        }
    )
    path, norm = find_engine(), load_protocol(plan.protocol).engine
    assert path
    engine = StockfishAdjudicator(path, norm.hash_mib, norm.nodes, 2)

    def answer(question: Question) -> Answer:
        return engine.evaluate(question) if isinstance(question, Evaluate) else invent(question)

    stop = Stop()
    manifest, secret = seal(plan, key_id(key.public_key()), path)
    directory = run_folder.create(folder / name / "runs", manifest, secret, key)
    blocks = Runner(directory, Answering(answer), time.monotonic_ns, State(plan, None), stop, 2).play()
    engine.close()
    judge_promised(directory, blocks, path, stop)
    return pack(directory, blocks, key, folder / "bundles" / name)


class Took(NamedTuple):
    """Seconds by the clock and of CPU."""

    clock_s: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.clock_s:.1f} s by the clock, {self.cpu_s:.1f} s of CPU"


def took(commands: Sequence[Sequence[object]], store: str, at_once: int = 1, allowed: tuple[int, ...] = (0,)) -> Took:
    """The time that commands of agzamov take, so many of them at once. Raises SystemExit if one ends otherwise."""

    def run(words: Sequence[object]) -> None:
        settings = os.environ | {STORE: store}
        ended = subprocess.run([PROGRAM, *map(str, words)], check=False, capture_output=True, text=True, env=settings)
        if ended.returncode not in allowed:
            raise SystemExit(f"{words} ended with {ended.returncode}: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")

    clock, before = time.monotonic(), os.times()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(run, commands))
    after = os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(time.monotonic() - clock, cpu_s)


def engine_alone() -> float:
    """CPU seconds of one question to the engine, with nothing else around it: less what its start takes."""
    return (engine_cpu_s(ALONE_POSITIONS) - engine_cpu_s(0)) / ALONE_POSITIONS


def engine_cpu_s(positions: int) -> float:
    """CPU seconds of an engine process that is asked so often."""
    path = find_engine()
    assert path
    before = os.times()
    engine = UciEngine(path, 16)
    for turn in range(positions):
        moves = " ".join(OPENING[: 1 + turn % len(OPENING)])
        question = Evaluate(game=str(turn), moves=moves, start_fen=chess.STARTING_FEN, to=ENGINE, turn=turn)
        assert isinstance(engine.evaluate(question, NODES), Evaluation)
    engine.close()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def all_conditions(bundle: Path, judged: Path) -> None:
    """A check of each condition and of each one's judged moves, two at a time, of one process each."""
    commands = [("verify", one, "--jobs", 1) for one in (bundle, judged) for _ in range(CONDITIONS)]
    spent = took(commands, OFF, 2)
    print(f"{CONDITIONS} conditions, two checks at a time: {spent} (bar {WHOLE_BAR_S} s by the clock)")
    each = spent.cpu_s / CONDITIONS
    print(f"  each {each:.0f} s of CPU, that of {each / engine_alone():,.0f} questions to the engine alone", flush=True)


def with_a_store(bundle: Path, folder: Path) -> None:
    """What a user does with a bundle, one after another, with the same store of answers."""
    with tempfile.TemporaryDirectory(dir=folder) as store:
        check = took([("verify", bundle)], store)
        report = took([("report", bundle, "--out", folder / "report")], store)
        score = took([("score", bundle)], store)
        again = took([("verify", bundle)], store)
    whole = (check.cpu_s + report.cpu_s + score.cpu_s) / check.cpu_s
    print(f"check: {check}\nreport: {report}\nscore: {score}")
    print(f"  all three {whole:.2f} x the check's CPU (bar {TOGETHER_BAR})")
    print(f"second check: {again} (bar {AGAIN_BAR_S} s of CPU)")


def exports(bundle: Path, folder: Path) -> None:
    """Each export, beside the check without the engine."""
    replay = took([("verify", bundle, "--engine", "/none", "--jobs", 1)], OFF, allowed=(0, 3))
    print(f"check without the engine: {replay}")
    for notation in FORMATS:
        spent = took([("export", bundle, "--to", notation, "--out", folder / f"games.{notation}")], OFF)
        print(f"  {notation}: {spent}, {spent.cpu_s / replay.cpu_s:.2f} x")


def leaderboard(folder: Path) -> None:
    """A leaderboard of small bundles, beside a check of each."""
    key, submitted = Ed25519PrivateKey.generate(), folder / "submitted"
    submitted.mkdir()
    for number in range(BOARD_BUNDLES):
        bundle = make(key, folder, f"model-{number}", SMALL, WITHOUT_ENGINE)
        bundle.rename(submitted / bundle.name)
    accepted = {"departures": True, "contenders_max": 2 * BOARD_BUNDLES}
    rules = {"title": "Bench", "keys": {"bench": key_id(key.public_key())}, "level": "V1", **accepted}
    policy = folder / "policy.yaml"
    policy.write_text(json.dumps(rules))
    checks = took([("verify", bundle) for bundle in sorted(submitted.iterdir())], OFF)
    built = took([("leaderboard", "build", submitted, "--policy", policy, "--out", folder / "board")], OFF)
    print(f"{BOARD_BUNDLES} checks of {SMALL}: {checks}")
    print(f"leaderboard of them: {built}, {built.cpu_s / checks.cpu_s:.2f} x")


def kept(folder: Path, name: str, size: Size, asked: Mapping[str, Any]) -> Path:
    """The bundle of this name, made if it is not there."""
    made = sorted((folder / "bundles" / name).glob("*"))
    return made[0] if made else make(Ed25519PrivateKey.generate(), folder, name, size, asked)


def main() -> None:
    folder = Path(sys.argv[1])
    bundle, judged = kept(folder, "whole", WHOLE, ADJUDICATED), kept(folder, "judged", JUDGED, WITH_QUALITY)
    packed = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    print(f"{WHOLE}, {packed / 2**20:.0f} MiB packed; load before: {os.getloadavg()[0]:.1f}")
    print(f"the engine alone: {1000 * engine_alone():.1f} ms of CPU a position", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        all_conditions(bundle, judged)
        with_a_store(bundle, Path(name))
        exports(bundle, Path(name))
        leaderboard(Path(name))


if __name__ == "__main__":
    main()
