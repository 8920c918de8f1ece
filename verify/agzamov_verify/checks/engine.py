"""Asks the pinned engine again, on all cores, and reports every score that differs."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from ..manifest import Plan
from ..protocol import load_protocol
from ..questions import Evaluation
from ..stockfish import UciEngine
from .ledger import Finding, Number
from .replaying import AskedAgain


def ask_again(asked: Sequence[AskedAgain], plan: Plan, engine_path: Path, jobs: int) -> list[Finding]:
    """Findings for every evaluation that the engine gives otherwise. Raises EngineFault."""
    norm = load_protocol(plan.protocol).engine
    engines: SimpleQueue[UciEngine] = SimpleQueue()
    started = [UciEngine(engine_path, plan.engine.hash_mib) for _ in range(max(1, jobs))]
    try:
        started[0].require(norm.name, norm.net_sha256)
        for engine in started:
            engines.put(engine)
        with ThreadPoolExecutor(len(started)) as pool:
            findings = pool.map(lambda one: _again(one, engines, plan.engine.nodes), asked)
            return [finding for finding in findings if finding]
    finally:
        for engine in started:
            engine.close()


def _again(asked: AskedAgain, engines: "SimpleQueue[UciEngine]", nodes: int) -> Finding | None:
    engine = engines.get()
    try:
        answer = engine.evaluate(asked.question, nodes)
    finally:
        engines.put(engine)
    if answer == asked.answer:
        return None
    place = f"game {asked.question.game} turn {asked.question.turn}"
    return Finding(Number.ENGINE, place, _spelled(answer), _spelled(asked.answer))


def _spelled(evaluation: Evaluation) -> str:
    if evaluation.mate is not None:
        return f"mate {evaluation.mate}"
    return f"{evaluation.centipawns} centipawns"
