"""Step 12: the engine's judgement of every chess move, where the plan promised it inside the bundle."""

import secrets
from pathlib import Path
from typing import NamedTuple

from .. import bundle
from ..scoring.quality.positions import Judgement
from .ledger import Ledger, Number, Status
from .opening import Opened
from .quality import Played, QualityOptions, QualityVerdict, ask_again, read_promised
from .replays import Replayed
from .sampling import SEED_BYTES

SAMPLE = 300


class Judged(NamedTuple):
    """The answers that a bundle holds, by game; the run that they are about, and what was found so far."""

    answers: dict[str, list[Judgement]]
    played: Played
    verdict: QualityVerdict


def read_judged(opened: Opened, replayed: Replayed, ledger: Ledger) -> Judged | None:
    """The answers, which the analysis is made of too; None where the plan asks for none. Raises StepFailed."""
    plan, run = opened.manifest.plan, opened.manifest.run_id
    if not plan.quality.nodes:
        return None
    verdict = QualityVerdict(run)
    played = Played(run, plan, opened.dice, replayed.blocks)
    answers = read_promised(opened.source, bundle.QUALITY_FOLDER, played, verdict, opened.digests)
    _fail_on_findings(verdict, ledger)
    return Judged(answers, played, verdict)


def check_judged(
    opened: Opened, judged: Judged | None, ledger: Ledger, engine: Path | None, missing: str, jobs: int
) -> None:
    """Take step 12, or say why not. A sample is drawn with a fresh seed. Raises StepFailed."""
    if judged is None:
        _refuse_files(opened, ledger)
        return
    answers, played, verdict = judged
    ask_again(answers, played, QualityOptions(engine, missing, jobs, SAMPLE, secrets.token_hex(SEED_BYTES)), verdict)
    _fail_on_findings(verdict, ledger)
    ledger.skip(Number.QUALITY, verdict.status, verdict.remark or _confidence(verdict))


def _fail_on_findings(verdict: QualityVerdict, ledger: Ledger) -> None:
    if verdict.findings or verdict.status is Status.FAIL:
        with ledger.step(Number.QUALITY):
            ledger.take(verdict.findings)


def _refuse_files(opened: Opened, ledger: Ledger) -> None:
    there = [name for name in opened.digests if name.startswith(bundle.QUALITY_FOLDER)]
    if not there:
        ledger.skip(Number.QUALITY, Status.NOT_APPLICABLE, "the plan asks for no judgement of moves")
        return
    with ledger.step(Number.QUALITY):
        for name in there:
            ledger.add(Number.QUALITY, name, "no judgement of moves, since the plan asks for none", "a file")


def _confidence(verdict: QualityVerdict) -> str:
    """What the sample shows of all answers."""
    asked = f"{verdict.asked} of {verdict.positions} answers asked again"
    if verdict.asked == verdict.positions or verdict.wrong_below is None:
        return asked
    return f"{asked}; with 95 % confidence fewer than {verdict.wrong_below} are wrong"
