"""Step 9: the pinned engine asked again for the evaluations that decided games, and for a sample of the others."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from ..core.questions import Evaluation
from ..engines.uci_engine import EngineFault, UciEngine
from ..protocols.norms import EngineNorm, load_protocol
from .asking_engines import AskingOutcome, Say, ask_all
from .check_log import CheckLog, Finding, Number, Status
from .limits import Budget
from .opened_bundle import Opened
from .replay_all import Replayed
from .replay_stream import AskedAgain


class EngineAtHand(msgspec.Struct, frozen=True):
    """The engine (or why there is none), how many run side by side, the budget and the progress listener."""

    path: Path | None
    missing: str
    jobs: int
    budget: Budget
    say: Say


def check_engine(opened: Opened, replayed: Replayed, log: CheckLog, at_hand: EngineAtHand) -> None:
    """Take step 9, or say why not. Raises StepFailed."""
    total = sum(report.evaluations for report in replayed.reports.values())
    if not total:
        log.skip(Number.ENGINE, Status.NOT_APPLICABLE, "no game was adjudicated by an engine")
        return
    if at_hand.path is None:
        log.skip(Number.ENGINE, Status.NOT_CHECKED, at_hand.missing)
        return
    plan = opened.manifest.plan
    questions = to_ask(replayed)
    norm, hash_mib, nodes = load_protocol(plan.protocol).engine, plan.engine.hash_mib, plan.engine.nodes
    try:
        with engines_for(at_hand, norm, hash_mib, lambda path: UciEngine(path, hash_mib)) as engines:
            asked = ask_all(questions, engines, nodes, _asking(nodes), at_hand.budget, at_hand.say)
    except EngineFault as error:
        log.skip(Number.ENGINE, Status.NOT_CHECKED, str(error))
        return
    conclude(log, Number.ENGINE, asked, f"{asked.done} of {total} evaluations asked again")


def conclude(log: CheckLog, number: Number, asked: AskingOutcome, remark: str) -> None:
    """Record the outcome of asking as that of a step. Raises StepFailed."""
    if asked.wrong:
        with log.step(number):
            log.take(sorted(asked.wrong, key=lambda finding: finding.place))
    if asked.stopped:
        log.skip(number, Status.NOT_CHECKED, f"{remark}, {asked.of} were to be: {asked.stopped}")
        return
    log.remark(number, remark)
    with log.step(number):
        pass


@contextmanager
def engines_for(
    at_hand: EngineAtHand, norm: EngineNorm, hash_mib: int, start: Callable[[Path], UciEngine]
) -> Iterator[Sequence[UciEngine]]:
    """Engines side by side, as many as the budget allows, the first of which is asked who it is.

    Raises EngineFault and CouldNotCheck.
    """
    assert at_hand.path is not None
    with ExitStack() as stack:
        count = at_hand.budget.engines(at_hand.jobs, hash_mib)
        engines = [stack.enter_context(start(at_hand.path)) for _ in range(count)]
        engines[0].require(norm.name, norm.net_sha256)
        yield engines


def to_ask(replayed: Replayed) -> list[AskedAgain]:
    """The decisive evaluations and the sample, each once. Where there are none, one of all, drawn at random."""
    reports = replayed.reports.values()
    chosen = list(dict.fromkeys(asked for report in reports for asked in (*report.decisive, *report.sample)))
    return chosen or [secrets.choice([report.spare for report in reports if report.spare])]


def _asking(nodes: int) -> Callable[[UciEngine, AskedAgain], Finding | None]:
    def again(engine: UciEngine, asked: AskedAgain) -> Finding | None:
        answer = engine.evaluate(asked.question, nodes)
        if answer == asked.answer:
            return None
        place = f"game {asked.question.game} turn {asked.question.turn}"
        return Finding(Number.ENGINE, place, _spelled(answer), _spelled(asked.answer))

    return again


def _spelled(evaluation: Evaluation) -> str:
    if evaluation.mate is not None:
        return f"mate {evaluation.mate}"
    return f"{evaluation.centipawns} centipawns"
