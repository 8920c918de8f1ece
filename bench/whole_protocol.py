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
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import chess
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_harness.adapters.stockfish_ports import StockfishAdjudicator
from agzamov_harness.commands.export_command import CSV, EVERY_EVAL_EVER, OF_TABLES
from agzamov_verify.core.envelope import key_id
from agzamov_verify.core.questions import ENGINE, Answer, Evaluate, Evaluation, Question
from agzamov_verify.engines.answer_store import OFF, VARIABLE
from agzamov_verify.engines.uci_engine import UciEngine, find_engine
from agzamov_verify.protocols import CURRENT
from agzamov_verify.protocols.norms import load_protocol
from invented import ADJUDICATED, PLIES_MAX, Size, bundle_of, invent
from took import Took, timed

NODES, CONDITIONS = 50_000, 13
WHOLE_BAR_S, TOGETHER_BAR, AGAIN_BAR_S = 40 * 60, 1.15, 10
EXPORTED = ("pgn", "phh")
"""Notations of the games of this bundle."""
BOARD_BUNDLES = 50
ALONE_POSITIONS = 100
OPENING = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6")
PROGRAM = Path(sys.executable).with_name("agzamov")
WITH_QUALITY = ADJUDICATED | {"quality": {"nodes": NODES}}
WITHOUT_ENGINE = {"chess960": {"plies_max": PLIES_MAX, "adjudication": {"policy": "none"}}}


WHOLE, JUDGED, SMALL = Size(500, 10_000), Size(20, 200), Size(20, 200)


def with_real_engine(size: Size, folder: Path, asked: Mapping[str, Any]) -> Path:
    """A bundle of invented answers whose scores are the engine's."""
    path, norm = find_engine(), load_protocol(CURRENT).engine
    assert path
    engine = StockfishAdjudicator(path, norm.hash_mib, norm.nodes, 2)

    def answer(question: Question) -> Answer:
        return engine.evaluate(question) if isinstance(question, Evaluate) else invent(question)

    try:
        return bundle_of(size, folder, asked, answer, at_once=2)
    finally:
        engine.close()


def took(commands: Sequence[Sequence[object]], store: str, at_once: int = 1, allowed: tuple[int, ...] = (0,)) -> Took:
    """The time that commands of agzamov take, so many of them at once. Raises SystemExit if one ends otherwise."""

    def run(words: Sequence[object]) -> None:
        settings = os.environ | {VARIABLE: store}
        ended = subprocess.run([PROGRAM, *map(str, words)], check=False, capture_output=True, text=True, env=settings)
        if ended.returncode not in allowed:
            raise SystemExit(f"{words} ended with {ended.returncode}: {ended.stdout[-2000:]}{ended.stderr[-2000:]}")

    with ThreadPoolExecutor(at_once) as pool:
        return timed(lambda: list(pool.map(run, commands)))


def engine_alone() -> float:
    """CPU seconds of one question to the engine, with nothing else around it: less what its start takes."""
    return (engine_cpu_s(ALONE_POSITIONS) - engine_cpu_s(0)) / ALONE_POSITIONS


def engine_cpu_s(positions: int) -> float:
    """CPU seconds of an engine process that is asked so often."""
    path = find_engine()
    assert path

    def ask() -> None:
        engine = UciEngine(path, 16)
        for turn in range(positions):
            moves = " ".join(OPENING[: 1 + turn % len(OPENING)])
            question = Evaluate(game=str(turn), moves=moves, start_fen=chess.STARTING_FEN, to=ENGINE, turn=turn)
            assert isinstance(engine.evaluate(question, NODES), Evaluation)
        engine.close()

    return timed(ask).cpu_s


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
    for notation in (*EXPORTED, CSV, *OF_TABLES, EVERY_EVAL_EVER):
        spent = took([("export", bundle, "--to", notation, "--out", folder / f"games.{notation}")], OFF)
        print(f"  {notation}: {spent}, {spent.cpu_s / replay.cpu_s:.2f} x")


def leaderboard(folder: Path) -> None:
    """A leaderboard of small bundles, beside a check of each."""
    key, submitted = Ed25519PrivateKey.generate(), folder / "submitted"
    submitted.mkdir()
    for number in range(BOARD_BUNDLES):
        name = f"model-{number}"
        bundle = bundle_of(SMALL, folder / name, WITHOUT_ENGINE, key=key, name=name)
        bundle.rename(submitted / bundle.name)
    accepted = {"departures": True, "contenders_max": 2 * BOARD_BUNDLES}
    rules = {"title": "Bench", "keys": {"bench": key_id(key.public_key())}, "level": "V1", **accepted}
    policy = folder / "policy.yaml"
    policy.write_text(json.dumps(rules))
    checks = took([("verify", bundle) for bundle in sorted(submitted.iterdir())], OFF)
    built = took([("leaderboard", "build", submitted, "--policy", policy, "--out", folder / "board")], OFF)
    print(f"{BOARD_BUNDLES} checks of {SMALL}: {checks}")
    print(f"leaderboard of them: {built}, {built.cpu_s / checks.cpu_s:.2f} x")


def kept(folder: Path, size: Size, asked: Mapping[str, Any]) -> Path:
    """The bundle in a folder, made if it is not there."""
    made = sorted((folder / "bundles").glob("*"))
    return made[0] if made else with_real_engine(size, folder, asked)


def main() -> None:
    folder = Path(sys.argv[1])
    bundle, judged = kept(folder / "whole", WHOLE, ADJUDICATED), kept(folder / "judged", JUDGED, WITH_QUALITY)
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
