"""Steps 9 to 11: the engine asked again, the results recomputed, the claims compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from .. import bundle, canon
from ..manifest import FORMAT
from ..scoring.analysis import Analysis, analysis_of
from ..scoring.quality.figures import Answers
from ..scoring.results import Results, results_of
from ..scoring.timing import Timing, timing_of
from ..stockfish import EngineFault
from .engine import ask_again
from .ledger import Ledger, Number, Status
from .opening import Opened
from .replaying import AskedAgain
from .replays import Replayed

PLACES_MAX = 10
FOUND_TIMES_MAX = 10


def check_engine(
    opened: Opened, replayed: Replayed, ledger: Ledger, engine: Path | None, missing: str, jobs: int
) -> None:
    """Take step 9, or say why not. Raises StepFailed."""
    total = sum(report.evaluations for report in replayed.reports.values())
    if not total:
        ledger.skip(Number.ENGINE, Status.NOT_APPLICABLE, "no game was adjudicated by an engine")
        return
    if engine is None:
        ledger.skip(Number.ENGINE, Status.NOT_CHECKED, missing)
        return
    asked = _to_ask(replayed)
    try:
        findings = ask_again(asked, opened.manifest.plan, engine, jobs)
    except EngineFault as error:
        ledger.skip(Number.ENGINE, Status.NOT_CHECKED, str(error))
        return
    ledger.remark(Number.ENGINE, f"{len(asked)} of {total} evaluations asked again")
    with ledger.step(Number.ENGINE):
        ledger.take(findings)


class Recomputed(NamedTuple):
    """What the replayed games come to. Format 1 of a manifest has no analysis."""

    results: Results
    timing: Timing
    analysis: Analysis | None


def check_results(opened: Opened, replayed: Replayed, ledger: Ledger, answers: Answers | None = None) -> Recomputed:
    """Take step 10, with the engine's answers about moves where the bundle has them. Raises StepFailed."""
    manifest = opened.manifest
    timing = timing_of(replayed.laps)
    results = results_of(manifest.run_id, manifest.plan, opened.dice, replayed.blocks, manifest.format)
    analysis = analysis_of(manifest, opened.dice, replayed.blocks, answers) if manifest.format == FORMAT else None
    with ledger.step(Number.RESULTS):
        _compare(opened, bundle.RESULTS_FILE, results, ledger)
        _compare(opened, bundle.TIMING_FILE, timing, ledger)
        if analysis:
            _compare(opened, bundle.ANALYSIS_FILE, analysis, ledger)
        elif bundle.ANALYSIS_FILE in opened.digests:
            ledger.add(Number.RESULTS, bundle.ANALYSIS_FILE, f"no analysis with {manifest.format}", "a file")
    return Recomputed(results, timing, analysis)


def _compare(opened: Opened, name: str, value: Results | Timing | Analysis, ledger: Ledger) -> None:
    expected, found = canon.dumps(value), opened.payload(name)
    if expected != found:
        for place, wanted, there in differences(expected, found):
            ledger.add(Number.RESULTS, f"{name} {place}", wanted, there)


def check_claims(opened: Opened, results: Results, ledger: Ledger) -> None:
    """Take step 11. Raises StepFailed."""
    predicate = opened.statement.predicate
    claims = bundle.claims_of(results)
    with ledger.step(Number.CLAIMS):
        for name in sorted(claims.keys() | predicate.claims.keys()):
            expected, found = claims.get(name, "no claim"), predicate.claims.get(name, "no claim")
            ledger.same(Number.CLAIMS, f"claim {name}", expected, found)
        if predicate.recomputability != bundle.RECOMPUTABILITY:
            ledger.add(Number.CLAIMS, "statement recomputability", str(bundle.RECOMPUTABILITY), "other words")


def differences(expected: bytes, found: bytes) -> list[tuple[str, str, str]]:
    """Up to ten places where two JSON documents differ: path, expected, found."""
    if len(found) > FOUND_TIMES_MAX * len(expected):  # not worth the memory that its values would take
        return [("$", f"{len(expected)} bytes", f"{len(found)} bytes")]
    try:
        right = msgspec.json.decode(found)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [("$", "JSON", "something else")]
    places = list(_differing(msgspec.json.decode(expected), right, "$"))
    return places[:PLACES_MAX] or [("$", "canonical JSON", "another spelling")]


def _differing(left: object, right: object, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for key in left:
            yield from _differing(left[key], right[key], f"{place}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for at, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differing(one, other, f"{place}[{at}]")
    elif left != right:
        yield place, str(left)[:200], str(right)[:200]


def _to_ask(replayed: Replayed) -> list[AskedAgain]:
    """What decided, and the sample: each evaluation once."""
    reports = replayed.reports.values()
    return list(dict.fromkeys(one for report in reports for one in (*report.decisive, *report.sample)))
