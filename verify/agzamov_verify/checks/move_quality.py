"""Step 12: the engine's judgement of every chess move, where the plan promised it inside the bundle."""

import hashlib
from typing import NamedTuple

from .. import bundle
from ..engines.answer_store import drawing_seed
from ..scoring.quality.quality_questions import MoveEvaluation
from .check_log import CheckLog, Number, Status
from .engine_scores import EngineAtHand
from .limits import Budget
from .opened_bundle import Opened
from .quality_answers import PlayedRun, QualityOptions, QualityVerdict, ask_again, read_promised
from .random_sample import SEED_BYTES
from .replay_all import Replayed, bounded

SAMPLE = 300
QUICK_SAMPLE = 30


class Judged(NamedTuple):
    """The quality answers of a bundle by game, the run that they judge, and the findings so far."""

    answers: dict[str, list[MoveEvaluation]]
    played: PlayedRun
    verdict: QualityVerdict


def read_judged(opened: Opened, replayed: Replayed, log: CheckLog, budget: Budget) -> Judged | None:
    """The answers, which the analysis is made of too; None where the plan asks for none. Raises StepFailed."""
    plan, run = opened.manifest.plan, opened.manifest.run_id
    if not plan.quality.nodes:
        return None
    played = PlayedRun(run, plan, opened.dice, replayed.blocks)

    def read() -> tuple[dict[str, list[MoveEvaluation]], QualityVerdict]:
        verdict = QualityVerdict(run)
        return read_promised(opened.source, bundle.QUALITY_FOLDER, played, verdict, opened.digests), verdict

    with log.taking(Number.QUALITY):
        answers, verdict = bounded(read, budget)
    _fail_on_findings(verdict, log)
    return Judged(answers, played, verdict)


def check_judged(opened: Opened, judged: Judged | None, log: CheckLog, at_hand: EngineAtHand) -> None:
    """Take step 12, or say why not. A sample is drawn. Raises StepFailed."""
    if judged is None:
        _refuse_files(opened, log)
        return
    answers, played, verdict = judged
    options = QualityOptions(
        at_hand.path,
        at_hand.missing,
        at_hand.jobs,
        QUICK_SAMPLE if at_hand.games_max is not None else SAMPLE,
        drawing_seed(judged_sha256(opened))[:SEED_BYTES].hex(),
        budget=at_hand.budget,
        say=at_hand.say,
    )
    with log.taking(Number.QUALITY):
        ask_again(answers, played, options, verdict)
    _fail_on_findings(verdict, log)
    log.skip(Number.QUALITY, verdict.status, verdict.remark or _confidence(verdict), verdict.for_engine)


def judged_sha256(opened: Opened) -> str:
    """A digest of the journals and of all that is said of their moves.

    Other answers about the same journals draw another sample. Drawn by the journals alone it was the same again, and
    each refusal named places in it.
    """
    said = {name: digest for name, digest in opened.digests.items() if name.startswith(bundle.QUALITY_FOLDER)}
    return hashlib.sha256(f"{opened.journal_root}\n".encode() + bundle.checksum_lines(said)).hexdigest()


def _fail_on_findings(verdict: QualityVerdict, log: CheckLog) -> None:
    if verdict.findings or verdict.status is Status.FAIL:
        with log.step(Number.QUALITY):
            log.take(verdict.findings)


def _refuse_files(opened: Opened, log: CheckLog) -> None:
    names = [name for name in opened.digests if name.startswith(bundle.QUALITY_FOLDER)]
    if not names:
        log.skip(Number.QUALITY, Status.NOT_APPLICABLE, "the plan asks for no judgement of moves")
        return
    with log.step(Number.QUALITY):
        for name in names:
            log.add(Number.QUALITY, name, "no judgement of moves, since the plan asks for none", "a file")


def _confidence(verdict: QualityVerdict) -> str:
    """The confidence that the sample gives in all answers, in words."""
    asked = f"{verdict.asked} of {verdict.positions} answers asked again"
    if verdict.asked == verdict.positions or verdict.wrong_below is None:
        return asked
    return f"{asked}; with 95 % confidence fewer than {verdict.wrong_below} are wrong"
