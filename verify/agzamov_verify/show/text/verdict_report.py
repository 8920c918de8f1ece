"""The report of a verification: the first screen, the details, and canonical JSON. A pure function of a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from ...checks.check_log import Finding, Number, Status, Step
from ...checks.memory_use import MemoryUse
from ...checks.seat_replies import Recomputed
from ...checks.steps import Verdict
from ...core import canon
from ...core.columns import ascii_words, item, paragraph
from ...core.untrusted_input import printable, show_name
from ...plan.manifest import Manifest
from ...protocols import documents
from ...scoring.analysis import Analysis
from ...scoring.call_records import CallTable
from ...scoring.failed_answers import failed_answers
from ...scoring.quality.quality_figures import JUDGED
from ...scoring.results import Results
from ...scoring.seat_stats import EngineMatch, engine_match
from ...table.game import records_of
from ..planted_words import planted_lines
from .analysis_text import hypothesis_lines
from .figure_warnings import arm_warnings, warnings_of
from .first_screen import Screen, screen_lines
from .headline import headlines
from .match_details import answer_times, match_details

MARKS: Final = {
    Status.PASS: "PASS",
    Status.FAIL: "FAIL",
    Status.NOT_CHECKED: "NOT CHECKED",
    Status.NOT_APPLICABLE: "does not apply",
}
SHOWN_MAX: Final = 20
FIRST_MAX: Final = 3
NOT_JUDGED: Final[Mapping[str, tuple[EngineMatch, ...]]] = MappingProxyType({})

CONSISTENT: Final = "The record is consistent (level V1 of V0 to V4: computed again from itself, repeated by nobody)."
FOLLOWS: Final = "Every prompt, card, move, result and figure follows from plan, seed and recorded replies."
MACHINE: Final = "The machine and its times are the submitter's word."
BELIEVE_V1: Final = (
    f"{FOLLOWS} The submitter could have invented the replies; only a repetition by somebody else can show otherwise."
)
HOSTED: Final = "Nothing can show that a hosted model asks no engine of its own."
BELIEVE_RECOMPUTED: Final = (
    f"{FOLLOWS} Every seat is scripted, and all replies were computed again: none of them could be invented. {MACHINE}"
)
SAMPLED: Final = "Every seat is scripted, and a random sample of the replies was computed again, all as recorded:"
ATTESTED: Final = (
    "Attested by the submitter only: what the seats replied, token counts, wall time, the machine. Answers of scripted"
    " seats are computed again (step seats), but for the moves of a Stockfish below full skill."
)


def text(verdict: Verdict, commands: Sequence[str] = ()) -> str:
    """The first screen; `commands` are the next to type. A failed bundle's first findings are on it too."""
    sound = not verdict.failed
    screen = Screen(
        verdict.run,
        verdict.submitter,
        verdict.manifest,
        verdict.results if sound else None,
        verdict.calls if sound else None,
        verdict.analysis if sound else None,
        believe_words(verdict),
        commands,
        (*differences_told(verdict), *verdict.warnings),
        verdict.is_key_given,
    )
    lines = list(screen_lines(screen))
    if verdict.findings:
        lines += ["", "Findings", *finding_lines(verdict.findings[:FIRST_MAX])]
        if len(verdict.findings) > FIRST_MAX:
            lines.append(f"  and {len(verdict.findings) - FIRST_MAX} more (--details, --json)")
    return "\n".join(lines) + "\n"


def details(verdict: Verdict) -> str:
    """The steps, all findings, and every figure."""
    lines = ["", "Steps of the check", *(line for step in verdict.steps for line in _step(step))]
    if verdict.findings:
        lines += ["", "Findings", *finding_lines(verdict.findings[:SHOWN_MAX])]
        if len(verdict.findings) > SHOWN_MAX:
            lines.append(f"  and {len(verdict.findings) - SHOWN_MAX} more (--json lists them)")
    if verdict.results and verdict.manifest and not verdict.failed:
        engine = {
            match.id: engine_match(JUDGED[match.game], records_of(verdict.blocks[match.id]), verdict.answers)
            for match in verdict.manifest.plan.matches
            if verdict.answers and match.game in JUDGED and match.id in verdict.blocks
        }
        lines += results_details(
            verdict.manifest, verdict.results, verdict.calls, verdict.analysis, engine, verdict.memory_use
        )
    attested = " ".join((ATTESTED, *attested_of_systems(verdict.manifest)))
    return "\n".join((*lines, "", *paragraph("Attested", attested))) + "\n"


def results_details(
    manifest: Manifest,
    results: Results,
    calls: CallTable | None,
    analysis: Analysis | None,
    engine: Mapping[str, tuple[EngineMatch, ...]] = NOT_JUDGED,
    memory_use: Sequence[MemoryUse] = (),
) -> Iterator[str]:
    """Every figure, by match; then the whole run's, and all departures. Raises ValueError if one is no number.

    `engine`: how often moves were the engine's, by match, where they were judged. `memory_use`: of all matches.
    """
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    heads = headlines(results.matches, analysis)
    for match in results.matches:
        rows = [pattern for pattern in analysis.adherence if pattern.match == match.match] if analysis else []
        judged = engine.get(match.match, (None,) * len(match.table))
        yield ""
        uses = [use for use in memory_use if use.match == match.match]
        yield from match_details(match, heads[match.id], analysed.get(match.id), manifest, judged, rows, uses)
        yield from answer_times(calls.matches.get(match.match, {}) if calls else {})
    if analysis:
        yield ""
        yield "The whole run"
        yield from hypothesis_lines(analysis, manifest)
        yield from planted_lines(analysis.planted, manifest.plan)
    if results.departures:
        yield ""
        yield f"Departures from {ascii_words(results.protocol)}"
        for line in results.departures:
            yield from item("  -", ascii_words(line))


def believe_words(verdict: Verdict) -> tuple[str, str]:
    """The credibility of a bundle, in one sentence; then, at level V1, what that level does and does not show."""
    if verdict.failed or not verdict.manifest:
        wrong = len(verdict.findings)
        count = "1 thing is wrong" if wrong == 1 else f"{wrong} things are wrong"
        return f"Not to be believed (level V0): {count} with this bundle, so its figures are unverified claims.", ""
    missing = [step for step in verdict.steps if step.status is Status.NOT_CHECKED]
    if missing:
        steps = "; ".join(f"{step.name} ({_cause(step)})" for step in missing)
        return f"Everything that could be checked here holds. Not checked: {steps}. Until then level V0, not V1.", ""
    match verdict.recomputed:
        case Recomputed.NOT_ALL:
            is_hosted = any(seat.is_hosted for seat in verdict.manifest.plan.playing.values())
            words = f"{BELIEVE_V1} {HOSTED}" if is_hosted else BELIEVE_V1
        case Recomputed.A_SAMPLE:
            words = f"{FOLLOWS} {SAMPLED} {_remarks(verdict, Number.SEATS, Number.TOOLS)}. {MACHINE}"
        case Recomputed.ALL:
            words = BELIEVE_RECOMPUTED
    return CONSISTENT, " ".join((words, *attested_of_systems(verdict.manifest)))


def attested_of_systems(manifest: Manifest | None) -> Iterator[str]:
    """A sentence for each part of the systems played that rests on the submitter's word."""
    for name in manifest.plan.systems_played if manifest else ():
        if manifest and (attested := manifest.plan.systems[name].attested):
            yield f"Of system {ascii_words(name)} it is the submitter's word {attested}."


def json(verdict: Verdict) -> bytes:
    """The report for a program, in JSON of ASCII alone."""
    document = {
        "format": "agz-verdict-1",
        "level": verdict.level,
        "run": verdict.run,
        "submitter": verdict.submitter,
        "steps": [
            {"number": step.number, "name": step.name, "status": step.status.value, "remark": step.remark}
            for step in verdict.steps
        ],
        "findings": [
            {
                "step": finding.step,
                "place": printable(finding.place),
                "expected": printable(finding.expected),
                "found": printable(finding.found),
            }
            for finding in verdict.findings
        ],
        "warnings": list(warnings_told(verdict)),
        "failed_gates": list(verdict.results.failed_gates) if verdict.results else [],
        "no_findings": [{"match": row.id, "why": row.no_finding} for row in verdict.results.matches if row.no_finding]
        if verdict.results
        else [],
        "failed_answers": [msgspec.to_builtins(one) for one in failed_answers(verdict.results)]
        if verdict.results
        else [],
        "memory_use": [msgspec.to_builtins(use) for use in verdict.memory_use],
        "analysis": _plain(verdict, documents.ANALYSIS, verdict.analysis),
        "results": _plain(verdict, documents.RESULTS, verdict.results),
    }
    return canon.ascii_text(document).encode()


def warnings_told(verdict: Verdict) -> Iterator[str]:
    """Warnings that the first screen shows; of a bundle that fails, without those about figures."""
    if verdict.manifest:
        sound = not verdict.failed
        yield from warnings_of(
            verdict.manifest,
            verdict.results if sound else None,
            verdict.calls if sound else None,
            verdict.analysis if sound else None,
        )
        yield from differences_told(verdict)
    yield from map(printable, verdict.warnings)


def differences_told(verdict: Verdict) -> tuple[str, ...]:
    """What differs between arms beside their results, of a bundle that holds."""
    if verdict.failed or not verdict.manifest:
        return ()
    return tuple(arm_warnings(verdict.manifest.plan, verdict.blocks, verdict.answers))


def _plain(verdict: Verdict, name: str, document: Results | Analysis | None) -> canon.Json:
    if not document or not verdict.manifest:
        return None
    return canon.loads(documents.written(verdict.manifest.plan.protocol, name, document))


def _step(step: Step) -> Iterator[str]:
    remark = f"  ({printable(step.remark)})" if step.remark else ""
    yield from item(f"{step.number:2}  {step.name:<10}", f"{MARKS[step.status]}{remark}")


def _remarks(verdict: Verdict, *numbers: Number) -> str:
    """Remarks of those of the steps that were taken."""
    taken = (step for step in verdict.steps if step.number in numbers and step.status is Status.PASS)
    return "; ".join(printable(step.remark) for step in taken)


def _cause(step: Step) -> str:
    return f"step {step.number}: {printable(step.remark)}" if step.remark else f"step {step.number}"


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Findings, each as a list entry of at most 100 columns."""
    for finding in findings:
        yield from item("  -", finding_line(finding))


def finding_line(finding: Finding) -> str:
    """One finding on one line, safe for a terminal."""
    place, expected, found = (show_name(part) for part in (finding.place, finding.expected, finding.found))
    return f"step {finding.step} {place}: expected {expected}, found {found}"
