"""The report of a verification: the first screen, the details, and canonical JSON. A pure function of a verdict."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from ...checks.check_log import Finding, Number, Status, Step
from ...checks.late_answers import LateAnswers
from ...checks.memory_use import MemoryUse
from ...checks.seat_replies import Recomputed
from ...checks.steps import Verdict
from ...checks.tool_sample import OF_TOOLS
from ...core import canon
from ...core.columns import ascii_words, item, listed, paragraph
from ...core.untrusted_input import printable, show_name
from ...plan.manifest import Manifest
from ...protocols import documents, is_draft
from ...scoring.analysis import Analysis
from ...scoring.call_records import CallTable
from ...scoring.failed_answers import failed_answers
from ...scoring.quality.quality_figures import JUDGED
from ...scoring.results import Results
from ...scoring.seat_stats import EngineMatch, engine_match
from ...table.game import records_of
from ..memory_use_words import unused_memories
from ..planted_words import planted_lines
from .analysis_text import hypothesis_lines
from .badge import not_proved
from .effects import found_deltas
from .failed_answer_words import failed_answer_lines
from .figure_warnings import arm_warnings, warnings_of
from .first_screen import ROWS_SHOWN_MAX, NextStep, Screen, match_table, screen_lines, seat_paragraphs
from .headline import headlines
from .match_details import answer_times, match_details
from .registration_lines import registration_lines
from .study_text import study_lines

MARKS: Final = {
    Status.PASS: "PASS",
    Status.FAIL: "FAIL",
    Status.NOT_CHECKED: "NOT CHECKED",
    Status.NOT_APPLICABLE: "does not apply",
}
SHOWN_MAX: Final = 20
FIRST_MAX: Final = 3
NOT_JUDGED: Final[Mapping[str, tuple[EngineMatch, ...]]] = MappingProxyType({})

CONSISTENT: Final = (
    "The record is consistent: level V1, computed again from the recorded replies; nobody has re-run it. (V0 is only"
    " claimed, V4 is re-run by others.)"
)
REGISTERED: Final = (
    "The record is consistent, and the run was registered before its seed existed (level V2 of V0 to V4; nobody has"
    " re-run it)."
)
REPLAYED: Final = (
    "The record is consistent, the run was registered before its seed existed, and somebody else asked its seats again"
    " for a random sample of whole games (level V3 of V0 to V4)."
)
EXECUTED: Final = (
    "The record is consistent, the run was registered before its seed existed, and another party executed the whole"
    " plan again, with figures that agree within the margins declared before (level V4 of V0 to V4)."
)
CONSISTENT_AT: Final = MappingProxyType({"V1": CONSISTENT, "V2": REGISTERED, "V3": REPLAYED, "V4": EXECUTED})
FOLLOWS: Final = "Every prompt, card, move, result and figure follows from the plan, the seed and the replies."
MACHINE: Final = "The machine and its times are the submitter's word."
HOSTED: Final = "Nothing can show that a hosted model asks no engine of its own."
RECOMPUTED: Final = "Every seat is scripted, and all replies were computed again."
SAMPLED: Final = "Every seat is scripted, and a random sample of the replies was computed again, all as recorded:"
ATTESTED: Final = (
    "Attested by the submitter only: what the seats replied, token counts, wall time, the machine. Answers of scripted"
    " seats are computed again (step seats), but for the moves of engines that draw, or are not at hand here."
)


def text(verdict: Verdict, commands: Sequence[NextStep] = ()) -> str:
    """The first screen; `commands` are the next to type. A failed bundle's first findings are on it too."""
    sound = not verdict.failed
    screen = Screen(
        verdict.run,
        verdict.submitter,
        verdict.manifest,
        verdict.results if sound else None,
        verdict.calls if sound else None,
        verdict.analysis if sound else None,
        verdict.blocks,
        believe_words(verdict),
        claimed_words(verdict),
        commands,
        (*differences_told(verdict), *verdict.warnings),
        verdict.is_key_given,
        list(unused_sentences(verdict)) if sound else (),
    )
    lines = [*screen_lines(screen), *registration_lines(verdict)]
    if verdict.findings:
        lines += ["", "Findings", *finding_lines(verdict.findings[:FIRST_MAX])]
        if len(verdict.findings) > FIRST_MAX:
            lines.append(f"  and {len(verdict.findings) - FIRST_MAX} more (--details, --json)")
    return "\n".join(lines) + "\n"


def unused_sentences(verdict: Verdict) -> Iterator[str]:
    """What no result may be read without: a memory of which no prompt had anything, a tool that had nothing to do."""
    if verdict.manifest:
        yield from unused_memories(verdict.memory_use, verdict.manifest.plan)
    for warning in verdict.warnings:
        if warning.startswith(OF_TOOLS):
            yield f"But {warning.removeprefix(OF_TOOLS)}."


def details(verdict: Verdict) -> str:
    """The steps, all findings, and every figure."""
    seats = seat_paragraphs(verdict.manifest, verdict.results, verdict.calls) if verdict.manifest else ()
    lines = ["", *seats, "", "Steps of the check", *(line for step in verdict.steps for line in _step(step))]
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
            verdict.manifest,
            verdict.results,
            verdict.calls,
            verdict.analysis,
            engine,
            verdict.memory_use,
            verdict.late_answers,
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
    late: Sequence[LateAnswers] = (),
) -> Iterator[str]:
    """Every figure, by match; then the whole run's, and all departures. Raises ValueError if one is no number.

    `engine`: how often moves were the engine's, by match, where they were judged. `memory_use`: of all matches.
    `late`: of a study with people, answers that came later than their hold.
    """
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    heads = headlines(results.matches, analysis)
    if len(results.matches) > ROWS_SHOWN_MAX:
        yield ""
        yield from match_table(manifest, results, analysis)
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
        yield from study_lines(analysis, late)
        shown = msgspec.structs.replace(analysis, deltas=found_deltas(analysis, results))
        yield from hypothesis_lines(shown, manifest)
        yield from planted_lines(analysis.planted, manifest.plan)
    if failed := list(failed_answer_lines(results, manifest.plan)):
        yield ""
        yield "Unusable answers"
        for line in failed:
            yield from item("  -", line)
    if results.departures:
        yield ""
        yield f"Departures from {ascii_words(results.protocol)}"
        for line in results.departures:
            yield from item("  -", ascii_words(line))


def believe_words(verdict: Verdict) -> tuple[str, str]:
    """What the check found, in one sentence; then, at level V1, what was computed again."""
    if verdict.failed or not verdict.manifest:
        wrong = len(verdict.findings)
        count = "1 thing is wrong" if wrong == 1 else f"{wrong} things are wrong"
        return f"Not to be believed (level V0): {count} with this bundle, so its figures are unverified claims.", ""
    missing = [step for step in verdict.steps if step.status is Status.NOT_CHECKED]
    if missing:
        steps = "; ".join(f"{step.name} ({_cause(step)})" for step in missing)
        return f"Everything that could be checked here holds. Not checked: {steps}. Until then level V0, not V1.", ""
    consistent = CONSISTENT_AT[verdict.level]
    match verdict.recomputed:
        case Recomputed.NOT_ALL:
            words = FOLLOWS
        case Recomputed.A_SAMPLE:
            words = f"{FOLLOWS} {SAMPLED} {_remarks(verdict, Number.SEATS, Number.TOOLS)}."
        case Recomputed.ALL:
            words = f"{FOLLOWS} {RECOMPUTED}"
    return consistent, words


def claimed_words(verdict: Verdict) -> str:
    """What rests on the submitter's word, of a bundle that holds."""
    if verdict.failed or not verdict.manifest:
        return ""
    hosted = any(seat.is_hosted for seat in verdict.manifest.plan.playing.values())
    told = [not_proved(verdict), MACHINE, HOSTED if hosted else "", *attested_of_systems(verdict.manifest)]
    return " ".join(filter(None, told))


def attested_of_systems(manifest: Manifest | None) -> Iterator[str]:
    """A sentence for each thing that rests on the submitter's word in the systems that were played."""
    named: dict[str, list[str]] = {}
    for name in manifest.plan.systems_played if manifest else ():
        if manifest and (attested := manifest.plan.systems[name].attested):
            named.setdefault(attested, []).append(ascii_words(name))
    for attested, names in named.items():
        what = "system" if len(names) == 1 else "systems"
        yield f"Of {what} {listed(names)} it is the submitter's word {attested}."


def json(verdict: Verdict) -> bytes:
    """The report for a program, in JSON of ASCII alone."""
    document: dict[str, object] = {
        "format": "agz-verdict-1",
        "level": verdict.level,
        "run": verdict.run,
        "is_draft": is_draft(verdict.manifest.plan.protocol) if verdict.manifest else None,
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
    if verdict.late_answers:
        document["late_answers"] = [msgspec.to_builtins(one) for one in verdict.late_answers]
    if verdict.registration:
        document["registration"] = msgspec.to_builtins(verdict.registration)
    if verdict.replays:
        document["replays"] = msgspec.to_builtins(verdict.replays)
    if verdict.agreements:
        document["agreements"] = msgspec.to_builtins(verdict.agreements)
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
    return canon.loads(canon.dumps(documents.plain(verdict.manifest.plan.protocol, name, document, corrected=True)))


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
