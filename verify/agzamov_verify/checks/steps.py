"""Verification of a bundle in numbered steps, each of which gives a reason to believe its figures.

 1  names       every file has a plain name, a regular type and an allowed size; no file is missing or extra
 2  payload     each file under data/ has the digest that the payload manifest lists, and the tag files fit
 3  signature   one Ed25519 signature, by the key the bundle states, over a statement about that payload manifest
 4  manifest    the sealed manifest is canonical, possible, of a known protocol, and pins this protocol's words
 5  seed        the revealed secret is the one that the manifest committed to
 6  journal     every line names the one before it; entries, roots and segments are what the index and statement say
 7  replay      every stream's script asks exactly what its journal answers: prompts, legality, parsing,
                substitution, adjudication, ends; the benchmark player's actions follow its policy and draw; where a
                seat has documents, the passages in its prompts are counted
 8  gate        the streams played are those promised, less those that a failed Phase 0 or a declared rule stops
 9  engine      the evaluations that show where games were adjudicated and where they were not, and a
                random sample of the others, asked again
10  results     the results, the analysis and the table of calls recomputed are the ones in the bundle
11  claims      the signed claims are those of the recomputed results
12  quality     where the plan promises them: the engine's answers about every chess move, complete, and a random
                sample of them asked again; they are read before step 10, since the analysis uses them
13  seats       every answer of a scripted seat is the only one that its prompt and its seed allow: random seats
                and the benchmark player in full, reference players and full-strength Stockfish in full or, of long
                runs, in a random sample; of a weaker Stockfish the form alone, its moves are attested
14  executions  the log of executions fits the journals: no recorded answer was dropped between two executions
15  memory      where a seat has one: its store was empty before, each entry that it gave was stored before, and its
                dump is what was stored (memory_audit)
16  tools       where a seat has one: the calculator's answers computed again, the engine's asked again, in full or, of
                long runs, in a random sample

A step is PASS, FAIL, NOT_CHECKED (something is missing: it says what) or NOT_APPLICABLE. NOT_CHECKED
is never a pass. V1 is reached when every step is PASS or NOT_APPLICABLE. A bad bundle never raises:
an exception is a finding of its step. What a bundle may cost is limited (`budget`): beyond a limit a
step is NOT_CHECKED.
"""

from contextlib import suppress
from pathlib import Path

import msgspec

from ..core.workers import memory_limit, rare_garbage_collection
from ..plan.manifest import Manifest
from ..scoring.analysis import Analysis
from ..scoring.call_records import CallTable
from ..scoring.quality.quality_questions import MoveEvaluation
from ..scoring.results import Results
from ..table.game import Block
from .asking_engines import Say
from .attested_warnings import attested_warnings
from .check_log import CheckLog, Finding, Number, Status, Step, StepFailed
from .engine_scores import EngineAtHand, check_engine
from .executions import check_executions, execution_warnings
from .limits import Budget, VerificationLimits
from .memory_step import Tier, audited_matches, check_memory, memory_warnings
from .memory_use import MemoryUse, memory_uses
from .move_quality import check_judged, read_judged
from .opened_bundle import open_bundle
from .passages_told import match_passages, passages_remark, passages_warnings
from .replay_all import Replaying, journal_cost, replay_bundle
from .results_check import check_claims, check_results
from .seat_replies import Recomputed, check_seats
from .tool_check import check_tools
from .tool_sample import unnamed_warnings


class Options(msgspec.Struct, frozen=True):
    """Options of a verification: the engine to ask (None: none at hand), worker count, sample of other evaluations.

    `say` gets a line with the cost of a costly part before it is begun.
    """

    engine: Path | None = None
    engine_missing: str = "no engine was given"
    jobs: int = 1
    sample_permille: int = 10
    expected_key_id: str = ""
    limits: VerificationLimits = VerificationLimits()
    say: Say = lambda _: None


class Verdict(msgspec.Struct):
    """The outcome: level reached, all steps, all findings, what was recomputed, and the replayed games by match.

    `answers` are the engine's about chess moves, by game, where the bundle has them. `warnings` are what the
    machine's own notes hold against the run: they change no step. `recomputed`: whether every reply was computed again.
    `is_key_given`: whether the submitter's key is the one that was asked for.
    `lineages`: the tier of each memory's lineage, by system. `memory_use`: what each memory did, match by match.
    """

    steps: list[Step]
    findings: list[Finding]
    level: str = "V0"
    run: str = ""
    submitter: str = ""
    is_key_given: bool = False
    manifest: Manifest | None = None
    results: Results | None = None
    calls: CallTable | None = None
    analysis: Analysis | None = None
    blocks: dict[str, list[Block]] = msgspec.field(default_factory=dict)
    answers: dict[str, list[MoveEvaluation]] = msgspec.field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    recomputed: Recomputed = Recomputed.NOT_ALL
    lineages: dict[str, Tier] = msgspec.field(default_factory=dict)
    memory_use: tuple[MemoryUse, ...] = ()

    @property
    def failed(self) -> bool:
        return any(step.status is Status.FAIL for step in self.steps)


def verify(path: Path, options: Options) -> Verdict:
    """Check the bundle at `path`."""
    log = CheckLog()
    verdict = Verdict(log.steps, log.findings)
    limited = memory_limit(options.limits.memory_mib_max)
    with limited as is_bounded, rare_garbage_collection(), suppress(StepFailed):
        if not is_bounded:
            options.say("memory is not bounded on this system")
        _take_steps(path, options, log, verdict)
    if log.passed:
        verdict.level = "V1"
    return verdict


def _take_steps(path: Path, options: Options, log: CheckLog, verdict: Verdict) -> None:
    budget = Budget(options.limits)
    at_hand = EngineAtHand(options.engine, options.engine_missing, options.jobs, budget, options.say)
    opened = open_bundle(path, log, options.expected_key_id)
    verdict.run, verdict.submitter, verdict.manifest = opened.manifest.run_id, opened.submitter, opened.manifest
    verdict.is_key_given = opened.submitter == options.expected_key_id
    with log.taking(Number.PAYLOAD):
        verdict.warnings = attested_warnings(opened)
    options.say(journal_cost(opened))
    replayed = replay_bundle(opened, log, Replaying(options.jobs, options.sample_permille, budget))
    verdict.blocks = replayed.blocks
    verdict.warnings = (*execution_warnings(replayed.executions.history), *verdict.warnings)
    with log.taking(Number.ENGINE):
        check_engine(opened, replayed, log, at_hand)
    judged = read_judged(opened, replayed, log, budget)
    verdict.answers = judged.answers if judged else {}
    recomputed = check_results(opened, replayed, log, budget, verdict.answers)
    verdict.results, verdict.calls, verdict.analysis = recomputed
    check_claims(opened, recomputed.results, log)
    check_judged(opened, judged, log, at_hand)
    verdict.recomputed = check_seats(opened, replayed, log, at_hand)
    with log.taking(Number.EXECUTIONS):
        check_executions(replayed.executions, replayed.rows, log)
    with log.taking(Number.MEMORY):
        streams = ((stream, report.memories) for stream, report in replayed.reports.items())
        matches = audited_matches(opened.manifest.plan, streams)
        warnings = tuple(memory_warnings(opened.manifest.plan, matches))
        verdict.warnings = (*verdict.warnings, *warnings)
        verdict.lineages = check_memory(opened.manifest, matches, log, warnings)
    uses = memory_uses(opened, replayed, recomputed.analysis.planted.used, options.jobs, budget.deadline_s, options.say)
    verdict.memory_use = tuple(uses)
    with log.taking(Number.REPLAY):
        told = {stream: report.passages for stream, report in replayed.reports.items()}
        passages = list(match_passages(opened.manifest.plan, recomputed.results.matches, told))
        log.remark(Number.REPLAY, passages_remark(passages))
        verdict.warnings = (*verdict.warnings, *passages_warnings(passages))
    verdict.warnings = (*verdict.warnings, *unnamed_warnings(replayed.tools))
    is_whole = check_tools(opened, replayed.tools, log, at_hand)
    if verdict.recomputed is Recomputed.ALL and not is_whole:
        verdict.recomputed = Recomputed.A_SAMPLE
