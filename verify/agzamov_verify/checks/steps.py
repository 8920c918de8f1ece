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
                runs, in a random sample, and so other UCI engines whose program is at hand; of a weaker Stockfish
                and other engines the form alone, their moves are attested
14  executions  the log of executions fits the journals: no recorded answer was dropped between two executions
15  memory      where a seat has one: its store was empty before, each entry that it gave was stored before, and its
                dump is what was stored (memory_audit)
16  tools       where a seat has one: the calculator's answers computed again, the engine's asked again, in full or, of
                long runs, in a random sample

The engine is asked (9, 12, 13, 16) after all that needs none.

A step is PASS, FAIL, NOT_CHECKED (something is missing: it says what) or NOT_APPLICABLE. NOT_CHECKED
is never a pass. V1 is reached when every step is PASS or NOT_APPLICABLE, V2 when the reader's trust policy finds the
run registered too (`registration_check`), V3 when it also finds the run replayed by others (`replay_check`), V4 when it
finds it executed by others (`agreement_check`). A bad bundle never raises: an exception is a finding of its step. What
a bundle may cost is limited (`budget`): beyond a limit a step is NOT_CHECKED.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from ..bundle import REGISTRATION_FILE
from ..core.workers import memory_limit, rare_garbage_collection
from ..plan.manifest import Manifest
from ..scoring.analysis import Analysis
from ..scoring.call_records import CallTable
from ..scoring.quality.quality_questions import MoveEvaluation
from ..scoring.results import Results, without_forfeited
from ..table.game import Block
from .agreement_check import AgreementVerdict
from .asking_engines import Say
from .attestations_given import GivenAttestations
from .attested_warnings import attested_warnings
from .check_log import CheckLog, Finding, Number, Status, Step, StepFailed
from .engine_scores import EngineAtHand, check_engine
from .executions import check_executions, execution_warnings
from .late_answers import LateAnswers, late_answers
from .limits import Budget, VerificationLimits
from .memory_step import Tier, audited_matches, check_memory, memory_warnings
from .memory_use import MemoryUse, memory_uses
from .move_quality import check_judged, read_judged
from .opened_bundle import Opened, open_bundle
from .passages_told import match_passages, passages_remark, passages_warnings
from .registration_check import RegistrationVerdict, Trust, check_registration
from .replay_all import Replaying, journal_cost, replay_bundle
from .replay_check import ReplayVerdict
from .results_check import check_claims, check_results
from .seat_replies import Recomputed, check_seats
from .tool_check import check_tools
from .tool_sample import unnamed_warnings


class Options(msgspec.Struct, frozen=True):
    """Options of a verification: the engine to ask (None: none at hand), worker count, sample of other evaluations.

    `programs`: UCI engines to ask again where the digest of one's file is that of a seat's.

    `say` gets a line with the cost of a costly part before it is begun. `early` gets the verdict when all is checked
    that needs no engine, and the number of scores that the engine will be asked about. `games_max`: games of which the
    engine's scores are asked again; None for all. `trust`: the reader's policy, for level V2.
    """

    engine: Path | None = None
    engine_missing: str = "no engine was given"
    jobs: int = 1
    sample_permille: int = 10
    expected_key_id: str = ""
    limits: VerificationLimits = VerificationLimits()
    say: Say = lambda _: None
    programs: tuple[Path, ...] = ()
    early: "Callable[[Verdict, int], object]" = lambda _verdict, _scores: None
    games_max: int | None = None
    trust: Trust | None = None


class Verdict(msgspec.Struct):
    """The outcome: level reached, all steps, all findings, what was recomputed, and the replayed games by match.

    `answers` are the engine's about chess moves, by game, where the bundle has them. `warnings` are what the
    machine's own notes hold against the run: they change no step. `recomputed`: whether every reply was computed again.
    `is_key_given`: whether the submitter's key is the one that was asked for.
    `registration`: what a reader's trust policy says, where there is one. `is_registered`: whether the bundle holds a
    registration, whatever it is worth. `replays`, `agreements`: what it says of attestations, where there are any.
    `lineages`: the tier of each memory's lineage, by system. `memory_use`: what each memory did, match by match.
    `late_answers`: of a study with people, those that came later than their hold, arm by arm.
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
    late_answers: tuple[LateAnswers, ...] = ()
    registration: RegistrationVerdict | None = None
    is_registered: bool = False
    replays: ReplayVerdict | None = None
    agreements: AgreementVerdict | None = None

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
        verdict.level = _level(verdict)
    return verdict


def _level(verdict: Verdict) -> str:
    """The level of a bundle that holds. A whole execution by others says more than a sample: V4 needs no V3."""
    if verdict.registration is None or not verdict.registration.reached:
        return "V1"
    replays, agreements = verdict.replays, verdict.agreements
    if agreements is not None and agreements.reached and not (replays and replays.findings):
        return "V4"
    return "V3" if replays is not None and replays.reached else "V2"


def _say_whose(opened: Opened, options: Options, verdict: Verdict) -> None:
    """Whose run it is, and what the reader's trust policy says of its registration."""
    verdict.run, verdict.submitter, verdict.manifest = opened.manifest.run_id, opened.submitter, opened.manifest
    verdict.is_key_given = opened.submitter == options.expected_key_id
    verdict.is_registered = REGISTRATION_FILE in opened.source.sizes
    if options.trust:
        verdict.registration = check_registration(opened, options.trust, opened.beacon)


def _ask_attestations(opened: Opened, options: Options, analysis: Analysis, verdict: Verdict) -> None:
    """What others attest about a bundle, by the reader's trust policy."""
    if options.trust:
        attestations = GivenAttestations(opened, options.trust)
        verdict.replays, verdict.agreements = attestations.replays(), attestations.agreements(analysis)


def _take_steps(path: Path, options: Options, log: CheckLog, verdict: Verdict) -> None:
    budget = Budget(options.limits)
    programs = (*options.programs, options.engine)
    at_hand = EngineAtHand(
        options.engine, options.engine_missing, options.jobs, budget, options.say, programs, options.games_max
    )
    opened = open_bundle(path, log, options.expected_key_id, budget)
    _say_whose(opened, options, verdict)
    with log.taking(Number.PAYLOAD):
        verdict.warnings = attested_warnings(opened)
    options.say(journal_cost(opened))
    jobs = opened.workers(options.jobs)
    replayed = replay_bundle(opened, log, Replaying(jobs, options.sample_permille, budget))
    verdict.blocks = replayed.blocks
    verdict.warnings = (*execution_warnings(replayed.executions.history), *verdict.warnings)
    judged = read_judged(opened, replayed, log, budget)
    verdict.answers = judged.answers if judged else {}
    recomputed = check_results(opened, replayed, log, budget, verdict.answers)
    verdict.results, verdict.calls, verdict.analysis = recomputed
    verdict.results = without_forfeited(recomputed.results)
    check_claims(opened, recomputed.results, log)
    _ask_attestations(opened, options, recomputed.analysis, verdict)
    options.early(verdict, sum(len(one.decisive) + len(one.sample) for one in replayed.reports.values()))
    with log.taking(Number.ENGINE):
        check_engine(opened, replayed, log, at_hand)
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
    if not log.findings:
        verdict.late_answers = tuple(late_answers(opened))
    used = recomputed.analysis.planted.used
    uses = memory_uses(opened, replayed, used, jobs, budget.deadline_s, options.say)
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
