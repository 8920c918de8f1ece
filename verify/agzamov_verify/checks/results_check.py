"""Steps 10 and 11: the results recomputed, the claims compared."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from .. import bundle
from ..core.waiting import busy
from ..protocols import documents
from ..scoring.analysis import Analysis, analysis_of
from ..scoring.call_records import CallTable, call_table
from ..scoring.quality.quality_questions import Answers
from ..scoring.results import Results, results_of
from .check_log import CheckLog, Number
from .limits import Budget
from .opened_bundle import Opened
from .replay_all import Replayed, bounded

PLACES_MAX = 10
FOUND_TIMES_MAX = 10
TEXT_MAX: Final = 200
NOTHING: Final = "nothing"


class RecomputedResults(NamedTuple):
    """Results, calls and analysis computed from the replayed games."""

    results: Results
    calls: CallTable
    analysis: Analysis


def check_results(
    opened: Opened, replayed: Replayed, log: CheckLog, budget: Budget, answers: Answers | None = None
) -> RecomputedResults:
    """Take step 10, with the engine's answers about moves where the bundle has them. Raises StepFailed.

    In a process of its own: how long the exact equities of many all-ins take is the bundle's choice.
    """
    with log.step(Number.RESULTS):
        with busy("computing the figures again"):
            recomputed = bounded(lambda: _recomputed(opened, replayed, answers), budget)
        _compare(opened, bundle.RESULTS_FILE, documents.RESULTS, recomputed.results, log)
        _compare(opened, bundle.CALLS_FILE, documents.CALLS, recomputed.calls, log)
        _compare(opened, bundle.ANALYSIS_FILE, documents.ANALYSIS, recomputed.analysis, log)
    return recomputed


def _recomputed(opened: Opened, replayed: Replayed, answers: Answers | None) -> RecomputedResults:
    manifest = opened.manifest
    results = results_of(manifest.run_id, manifest.plan, replayed.blocks)
    analysis = analysis_of(manifest, opened.dice, replayed.blocks, answers)
    return RecomputedResults(results, call_table(replayed.calls, manifest.plan), analysis)


def _compare(opened: Opened, name: str, document: str, value: Results | CallTable | Analysis, log: CheckLog) -> None:
    expected = documents.written(opened.manifest.plan.protocol, document, value)
    found = opened.payload(name)
    if expected != found:
        for place, expected_text, found_text in differences(expected, found):
            log.add(Number.RESULTS, f"{name} {place}", expected_text, found_text)


def check_claims(opened: Opened, results: Results, log: CheckLog) -> None:
    """Take step 11. Raises StepFailed."""
    predicate = opened.statement.predicate
    claims = bundle.claims_of(results)
    with log.step(Number.CLAIMS):
        for name in sorted(claims.keys() | predicate.claims.keys()):
            expected, found = claims.get(name, "no claim"), predicate.claims.get(name, "no claim")
            log.same(Number.CLAIMS, f"claim {name}", expected, found)
        if predicate.recomputability != bundle.RECOMPUTABILITY:
            log.add(Number.CLAIMS, "statement recomputability", str(bundle.RECOMPUTABILITY), "other words")


def differences(expected: bytes, found: bytes) -> list[tuple[str, str, str]]:
    """Up to ten places where two JSON documents differ: path, expected, found."""
    if len(found) > FOUND_TIMES_MAX * len(expected):  # not worth the memory that its values would take
        return [("$", f"{len(expected)} bytes", f"{len(found)} bytes")]
    try:
        right = msgspec.json.decode(found)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [("$", "JSON", "something else")]
    places = list(islice(_differing(msgspec.json.decode(expected), right, "$"), PLACES_MAX))
    return places or [("$", "canonical JSON", "another spelling")]


def _differing(left: object, right: object, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in {**left, **right}:
            inner = f"{place}.{key[:TEXT_MAX]}"
            if key not in right:
                yield inner, _short(left[key]), NOTHING
            elif key not in left:
                yield inner, NOTHING, _short(right[key])
            else:
                yield from _differing(left[key], right[key], inner)
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield place, f"{len(left)} items", f"{len(right)} items"
        for index, (left_item, right_item) in enumerate(zip(left, right, strict=False)):
            yield from _differing(left_item, right_item, f"{place}[{index}]")
    elif left != right:
        yield place, _short(left), _short(right)


def _short(value: object) -> str:
    return str(value)[:TEXT_MAX]
