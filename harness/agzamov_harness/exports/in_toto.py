"""A summary of a bundle as an in-toto Statement v1, in the style of the proposed predicate `eval-result`.

https://github.com/in-toto/attestation/pull/575, which is not accepted, so the predicate has a type of ours. The
statement is about the digest that the submitter signed, it is made by whoever exports it, and it is not signed.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final

from agzamov_verify.bundle import compliance
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.core.envelope import STATEMENT_TYPE, SUBJECT
from agzamov_verify.experiment.matches import Match
from agzamov_verify.scoring.results import MatchResult
from agzamov_verify.show.glossary import find
from agzamov_verify.show.text.headline import Headline
from agzamov_verify.show.views import VIEWS

from ..foundation.program_and_machine import SourceVersion
from .table_rows import CONFIDENCE, signed_digest, signed_headlines, signed_results

PREDICATE_TYPE: Final = "urn:agzamov:attestation:eval-summary:1"
UNSIGNED: Final = "This summary is not signed. What the submitter signed is the bundle whose digest is its subject."
ASSURANCE: Final = "self_attested"
"""In the words of the proposal; a bundle alone never shows more than that."""


def statement(opened: Opened, verdict: Verdict, matches: Sequence[Match], version: SourceVersion) -> dict[str, Any]:
    """The statement about a bundle that was verified. Raises HostileBundle."""
    results, analysis = signed_results(opened)
    figures, manifest, claim = signed_headlines(results, analysis), opened.manifest, opened.statement.predicate
    wanted = {match.id for match in matches}
    rows = [row for row in results.matches if row.match in wanted and not row.is_baseline]  # self-play claims nothing
    level = find(verdict.level)
    assert level
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": SUBJECT, "digest": {"sha256": signed_digest(opened)}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "unsigned": UNSIGNED,
            "assuranceLevel": ASSURANCE,
            "level": verdict.level,
            "levelMeaning": level.text,
            "steps": {step.name: step.status.value for step in verdict.steps},
            "run": manifest.run_id,
            "protocol": manifest.plan.protocol,
            "compliant": compliance(results),
            "departures": list(results.departures),
            "submitterKeyId": opened.submitter,
            "sealed": {
                "manifestSha256": claim.manifest_sha256,
                "secretSha256": manifest.secret_commit,
                "seedOrigin": manifest.plan.seed.origin,
            },
            "samples": {"merkleRoot": claim.journal.root, "tree": claim.journal.tree, "entries": claim.journal.entries},
            "verifier": {"name": "agzamov-verify", "version": version.verify, "commit": version.commit},
            "claims": [*_claims(rows, figures)],
        },
    }


def _claims(rows: Sequence[MatchResult], figures: dict[str, Headline]) -> Iterator[dict[str, Any]]:
    """The figure of each match, in an arena of each of its players, and whether its whole interval is above equals'."""
    for row in rows:
        figure, view = figures[row.id], VIEWS[row.game]
        claim: dict[str, Any] = {
            "match": row.match,
            "model": row.measured,
            "opponents": [at.seat for index, at in enumerate(row.table) if index != row.seat_index],
            "condition": f"{row.condition.augmentation.value} {row.condition.arm.value}",
            "metric": view.figure_unit,
            "value": None if figure.no_finding else figure.value,
            "comparator": ">",
            "threshold": view.null,
            "passed": figure.better,
            "sampleSize": figure.careers or figure.units,
        }
        if figure.low is not None:
            bounds = {"low": _finite(figure.low), "high": _finite(figure.high)}
            claim["interval"] = {**bounds, "level": CONFIDENCE, "sequential": figure.sequential}
        else:
            claim["noInterval"] = figure.why_none
        if figure.by_career:
            claim["careers"] = list(figure.by_career)
        yield claim


def _finite(value: float | None) -> float | None:
    """A bound; None where there is none on that side."""
    return value if value is not None and isfinite(value) else None
