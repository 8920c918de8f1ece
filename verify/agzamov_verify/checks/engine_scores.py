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
from .random_sample import wrong_below
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
    remark = f"{asked.done} of {total} evaluations asked again"
    conclude(log, Number.ENGINE, asked, remark if asked.stopped else f"{remark}{_confidence(replayed, total)}")


def _confidence(replayed: Replayed, total: int) -> str:
    """What the evaluations that decided nothing are known by, where all that were chosen were asked: a random sample.

    Exact, by the hypergeometric distribution (`random_sample`): each was drawn with the same chance, so given their
    number all subsets of that size were as likely.
    """
    decisive = {asked for report in replayed.reports.values() for asked in report.decisive}
    sampled = {asked for report in replayed.reports.values() for asked in report.sample} - decisive
    others = total - len(decisive)
    if len(sampled) >= others:
        return ""
    shown = f", {len(decisive):,} of them because they show where games end" if decisive else ""
    if not sampled:
        return f"{shown}; of the other {others:,}, which decided nothing, none was drawn"
    return (
        f"{shown}, and {len(sampled):,} of the other {others:,}, drawn at random: fewer than"
        f" {wrong_below(others, len(sampled)):,} of those wrong at 95 %"
    )


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
