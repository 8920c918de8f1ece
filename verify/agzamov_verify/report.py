"""What verification found, in words and as canonical JSON. A pure function of a verdict."""

from collections.abc import Iterator, Mapping

from . import canon
from .analysis_text import hypothesis_lines, match_lines
from .checks import Verdict
from .checks.ledger import Finding, Status, Step
from .manifest import Manifest
from .reading import printable, show_name
from .scoring.analysis import Analysis
from .scoring.chess960 import ChessResult
from .scoring.conduct import Conduct
from .scoring.exact import Figure
from .scoring.results import MatchResult, Results
from .scoring.timing import SeatTiming, Timing

MARKS = {
    Status.PASS: "PASS",
    Status.FAIL: "FAIL",
    Status.NOT_CHECKED: "NOT CHECKED",
    Status.NOT_APPLICABLE: "does not apply",
}
SHOWN_MAX = 20
DIGEST_SHOWN = 12

MEANING = {
    "V0": (
        "V0, claimed: the bundle does not hold together, or not all of it could be checked.\n"
        "Its figures are only words."
    ),
    "V1": (
        "V1, self-consistent: every prompt, card, move, result and figure follows from the sealed manifest, the seed\n"
        "and the recorded answers. It does not show that those answers were really given: the owner of the machine\n"
        "could have written a coherent fiction. Only a repetition by somebody else can show that."
    ),
}
ATTESTED = (
    "Attested by the submitter only: what the seats replied, token counts, wall time, the machine.\n"
    "Replies of random seats and actions of the house are drawn again."
)


def text(verdict: Verdict) -> str:
    """The report for a person."""
    return "\n".join(_lines(verdict)) + "\n"


def json(verdict: Verdict) -> bytes:
    """The report for a program, in canonical JSON."""
    return canon.dumps(
        {
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
            "analysis": _plain(verdict.analysis),
            "results": _plain(verdict.results),
        }
    )


def _plain(document: Results | Analysis | None) -> canon.Json:
    return canon.loads(canon.dumps(document)) if document else None


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"run        {verdict.run or 'unknown'}"
    yield f"submitter  key {verdict.submitter or 'unknown'}"
    if verdict.manifest:
        yield f"isolation  {_isolation(verdict.manifest)}"
    yield ""
    yield from map(_step, verdict.steps)
    if verdict.findings:
        yield ""
        yield from (finding_line(finding) for finding in verdict.findings[:SHOWN_MAX])
        if len(verdict.findings) > SHOWN_MAX:
            yield f"… and {len(verdict.findings) - SHOWN_MAX} more findings (--json lists them)"
    yield ""
    if verdict.results and not verdict.failed:
        yield from results_lines(verdict.results, verdict.timing, verdict.analysis)
        yield ""
    yield MEANING[verdict.level]
    yield ATTESTED


def _isolation(manifest: Manifest) -> str:
    """Where the run's parts ran, as the manifest promised and the submitter attests."""
    if manifest.plan.isolation == "process":
        return "process: nothing kept its parts from each other or from the network (attested)"
    images = ", ".join(f"{part} {pin.config_digest[:DIGEST_SHOWN]}" for part, pin in sorted(manifest.images.items()))
    return f"container: {images} (attested)"


def _step(step: Step) -> str:
    remark = f"  ({show_name(step.remark)})" if step.remark else ""
    return f"{step.number:2}  {step.name:<10} {MARKS[step.status]}{remark}"


def finding_line(finding: Finding) -> str:
    """One finding on one line, safe for a terminal."""
    place, expected, found = (show_name(part) for part in (finding.place, finding.expected, finding.found))
    return f"step {finding.step} {place}: expected {expected}, found {found}"


OPEN_ENDED = "its length was left to its results: intervals and tests of a fixed size do not hold; see what was watched"


def results_lines(results: Results, timing: Timing | None, analysis: Analysis | None) -> Iterator[str]:
    """The results as a short table."""
    analysed = {match.id: match for match in analysis.matches} if analysis else {}
    for match in results.matches:
        yield from _match(match)
        if analysis and any(one.match == match.id and one.open_ended for one in analysis.sequential):
            yield f"  {OPEN_ENDED}"
        if match.id in analysed:
            yield from match_lines(analysed[match.id])
        yield from _timing(timing.matches.get(match.id, {}) if timing else {})
    for name in results.not_played:
        yield f"{name}: not played, Phase 0 failed"
    if analysis:
        yield from hypothesis_lines(analysis)
    if results.departures:
        yield f"not compliant with {results.protocol}:"
        yield from (f"  - {line}" for line in results.departures)
    else:
        yield f"compliant with {results.protocol}"


def printable_results(results: Results, timing: Timing | None, analysis: Analysis | None) -> Iterator[str]:
    """The table with anything that a terminal could act on spelled out."""
    return map(printable, results_lines(results, timing, analysis))


def _match(match: MatchResult) -> Iterator[str]:
    yield f"{match.id}  ({match.a} against {match.b})"
    yield f"  {_headline(match)}"
    yield f"  {_decided(match)}"
    if match.gate:
        yield f"  Phase 0 {'passed' if match.gate.passed else 'failed: ' + match.gate.reason}"
    for side, conduct in zip("AB", match.conduct, strict=True):
        yield f"  {conduct.seat}{f' as {side}' if match.a == match.b else ''}: {_conduct(conduct)}"


def _conduct(conduct: Conduct) -> str:
    faults = conduct.faults
    return (
        f"{conduct.decisions} decisions, first-attempt errors {_percent(faults.first_rate.decimal)}"
        f" (no action {faults.first_no_action}, illegal {faults.first_illegal}, no reply {faults.first_no_reply}),"
        f" after all attempts {_percent(faults.final_rate.decimal)}; {_short(conduct.tokens_per_decision)} tokens"
        f" and {conduct.cost_usd_per_decision.decimal} USD per decision,"
        f" {conduct.cost_usd_per_game.decimal} USD per game, {conduct.cost_usd.decimal} USD in all"
        f"{', FLAGGED as unreliable' if faults.flagged else ''}"
    )


def _timing(seats: Mapping[str, SeatTiming]) -> Iterator[str]:
    for to, timing in seats.items():
        yield (
            f"  {to}: answered in {_short(timing.mean_ms)} ms on average,"
            f" median {_short(timing.median_ms)}, p95 {_short(timing.p95_ms)} (attested)"
        )


def _headline(match: MatchResult) -> str:
    result = match.result
    if isinstance(result, ChessResult):
        score = result.adjudicated
        return (
            f"score {score.score.decimal} [{score.score_ci.low}, {score.score_ci.high}]"
            f" +{score.wins} ={score.draws} -{score.losses} of {result.games}, raw score {result.raw.score.decimal},"
            f" win rate [{score.win_rate_ci.low}, {score.win_rate_ci.high}], p (wins > 1/2) {score.p_wins_binomial},"
            f" pairs {'/'.join(map(str, score.pairs))}"
        )
    unit = "sessions with their mirrors" if result.mirrored_pairs else "sessions"
    return (
        f"{result.bb_per_100.decimal} bb/100 [{result.bb_per_100_ci.low}, {result.bb_per_100_ci.high}]"
        f" over {result.hands} hands, {result.sessions_won} of {result.units} {unit} won,"
        f" p (sessions) {result.p_sessions_binomial}, session SD {result.session_sd_bb_per_100.decimal} bb/100"
    )


def _decided(match: MatchResult) -> str:
    decided = match.result.decided
    ends = ", ".join(f"{name} {count}" for name, count in decided.ends.items())
    return f"decided by play {_percent(decided.by_play.decimal)} ({ends})"


def _short(value: Figure) -> str:
    """One decimal place is enough for a person."""
    return f"{float(value.decimal):.1f}"


def _percent(share: str) -> str:
    return f"{float(share) * 100:.1f} %"
