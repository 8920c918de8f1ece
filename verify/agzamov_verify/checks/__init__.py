"""Verification: what makes a bundle's figures believable, as numbered steps.

 1  names       every file has a plain name, a regular type and an allowed size; no file is missing or extra
 2  payload     each file under data/ has the digest that the payload manifest lists, and the tag files fit
 3  signature   one Ed25519 signature, by the key the bundle states, over a statement about that payload manifest
 4  manifest    the sealed manifest is canonical, possible, of a known protocol, and pins this protocol's words
 5  seed        the revealed secret is the one that the manifest committed to
 6  journal     every line names the one before it; entries, roots and segments are what the index and statement say
 7  replay      every stream's script asks exactly what its journal answers: prompts, legality, parsing,
                substitution, adjudication, ends; the house did what its policy and its draw say
 8  gate        the streams played are those promised, less those that a failed Phase 0 or a declared rule stops
 9  engine      the evaluations that show where games were adjudicated and where they were not, and a
                random sample of the others, asked again
10  results     the results, the analysis and the timing table recomputed are the ones in the bundle
11  claims      the signed claims are those of the recomputed results
12  quality     where the plan promises them: the engine's answers about every chess move, complete, and a random
                sample of them asked again; they are read before step 10, since the analysis uses them
13  chance      every reply of a random seat is the one that its prompt and its seed give

A step is PASS, FAIL, NOT_CHECKED (something is missing: it says what) or NOT_APPLICABLE. NOT_CHECKED
is never a pass. V1 is reached when every step is PASS or NOT_APPLICABLE. A bad bundle never raises.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from ..manifest import Manifest
from ..phases.streams import Block
from ..scoring.analysis import Analysis
from ..scoring.quality.positions import Judgement
from ..scoring.results import Results
from ..scoring.timing import Timing
from .chance import check_chance
from .figures import check_claims, check_engine, check_results
from .judged import check_judged, read_judged
from .ledger import Finding, Ledger, Status, Step, StepFailed
from .opening import open_bundle
from .replays import replay_bundle


class Options(msgspec.Struct, frozen=True):
    """How to verify: the engine to ask (None: none at hand), worker count, sample of other evaluations."""

    engine: Path | None = None
    engine_missing: str = "no engine was given"
    jobs: int = 1
    sample_permille: int = 10
    expected_key_id: str = ""


class Verdict(msgspec.Struct):
    """The outcome: level reached, all steps, all findings, what was recomputed, and the replayed games by match.

    `answers` are the engine's about chess moves, by game, where the bundle has them.
    """

    steps: list[Step]
    findings: list[Finding]
    level: str = "V0"
    run: str = ""
    submitter: str = ""
    manifest: Manifest | None = None
    results: Results | None = None
    timing: Timing | None = None
    analysis: Analysis | None = None
    blocks: dict[str, list[Block]] = msgspec.field(default_factory=dict)
    answers: dict[str, list[Judgement]] = msgspec.field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return any(step.status is Status.FAIL for step in self.steps)


def verify(path: Path, options: Options, tick: Callable[[str], None] = lambda _: None) -> Verdict:
    """Check the bundle at `path`. `tick` is told the name of each stream as it is done."""
    ledger = Ledger()
    verdict = Verdict(ledger.steps, ledger.findings)
    try:
        opened = open_bundle(path, ledger, options.expected_key_id)
        verdict.run, verdict.submitter, verdict.manifest = opened.manifest.run_id, opened.submitter, opened.manifest
        replayed = replay_bundle(opened, ledger, options.jobs, options.sample_permille, tick)
        verdict.blocks = replayed.blocks
        check_engine(opened, replayed, ledger, options.engine, options.engine_missing, options.jobs)
        judged = read_judged(opened, replayed, ledger)
        verdict.answers = judged.answers if judged else {}
        verdict.results, verdict.timing, verdict.analysis = check_results(opened, replayed, ledger, verdict.answers)
        check_claims(opened, verdict.results, ledger)
        check_judged(opened, judged, ledger, options.engine, options.engine_missing, options.jobs)
        check_chance(opened.manifest.plan, ledger)
    except StepFailed:
        pass
    if ledger.passed:
        verdict.level = "V1"
    return verdict
