"""Records of "Every Eval Ever", schema 0.3.0: a line of JSON for each language model that was measured.

https://github.com/evaleval/every_eval_ever. That schema has no place for a digest of the evidence, so it
stands among the additional details of the source, and in `evaluation_id`: two exports of one bundle are one record.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Final

import msgspec

from agzamov_verify.bundle import ENVIRONMENT_FILE, compliance
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.core import canon
from agzamov_verify.experiment.matches import Match
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.results import MatchResult, Results
from agzamov_verify.seats import LocalModelSeat, ModelSeat
from agzamov_verify.show.text.headline import Headline
from agzamov_verify.show.views import VIEWS

from .table_rows import CONFIDENCE, signed_digest, signed_headlines, signed_results

SCHEMA_VERSION: Final = "0.3.0"
BENCHMARK: Final = "agzamov"
UNKNOWN: Final = "unknown"


def records(opened: Opened, matches: Sequence[Match], now_s: int) -> Iterator[dict[str, Any]]:
    """The record of each model that was measured in one of the matches. `now_s`: the time of this export.

    Raises HostileBundle.
    """
    results, analysis = signed_results(opened)
    figures, wanted = signed_headlines(results, analysis), {match.id: match for match in matches}
    rows = [row for row in results.matches if row.match in wanted and not row.no_finding]
    for name, seat in opened.manifest.plan.seats.items():
        own = [row for row in rows if row.measured == name]
        if isinstance(seat, ModelSeat) and own:
            model = _model(opened, name, seat)
            digest = signed_digest(opened)
            yield {
                "schema_version": SCHEMA_VERSION,
                "evaluation_id": f"{BENCHMARK}/{model['id']}/{digest}",
                "retrieved_timestamp": str(now_s),
                "source_metadata": _source(opened, results, digest),
                "eval_library": {"name": BENCHMARK, "version": _version(opened)},
                "model_info": model,
                "evaluation_results": [
                    _result(opened, row, wanted[row.match], figures[row.id], _estimate(analysis, row)) for row in own
                ],
            }


def _source(opened: Opened, results: Results, digest: str) -> dict[str, Any]:
    manifest = opened.manifest
    return {
        "source_name": f"Agzamov test, protocol {manifest.plan.protocol}",
        "source_type": "evaluation_run",
        "source_organization_name": f"submitter with the Ed25519 key {opened.submitter}",
        "evaluator_relationship": "other",
        "additional_details": {
            "content_hash": f"sha256:{digest}",
            "content_hash_of": "the payload manifest of the signed bundle, manifest-sha256.txt",
            "run": manifest.run_id,
            "title": manifest.plan.title,
            "compliant_with_protocol": compliance(results),
            "departures": str(len(results.departures)),
            "seed_origin": manifest.plan.seed.origin,
            "checked": "digests and signature; whether the figures follow from the replies is what agzamov verify says",
        },
    }


def _version(opened: Opened) -> str:
    """The version of the program that packed the bundle, as it says itself."""
    document = canon.loads(opened.payload(ENVIRONMENT_FILE))
    version = document.get("harness") if isinstance(document, dict) else None
    return version if isinstance(version, str) else UNKNOWN


def _model(opened: Opened, name: str, seat: ModelSeat) -> dict[str, Any]:
    """The model; a bundle does not tell the server's software, where it is an endpoint."""
    served, local = seat.model_served or name, isinstance(seat, LocalModelSeat)
    details = {
        "deployment_type": "self_deployed" if local else UNKNOWN,
        "model_availability": "open_weights" if local else UNKNOWN,
        "kind_of_seat": seat.kind,
        "seat": name,
    }
    if pin := opened.manifest.models.get(name):
        details["weights_sha256"] = pin.sha256
    return {"name": served, "id": served if "/" in served else f"{UNKNOWN}/{served}", "additional_details": details}


def _result(
    opened: Opened, row: MatchResult, match: Match, figure: Headline, estimate: Estimate | None
) -> dict[str, Any]:
    """The figure of the seat that a row of the results looks at. What the harness drew the actions of has none."""
    view, condition = VIEWS[match.game], row.condition
    seat = opened.manifest.plan.seats[row.measured]
    assert isinstance(seat, ModelSeat)
    low, high = view.figure_bounds
    words = f"{condition.augmentation.value}/{condition.arm.value}"
    words += "/self-play" if row.is_baseline else ""
    about = f"{view.figure_unit} of the measured seat; equal players have {view.null:g}"
    about += "; self-play is a baseline and says nothing of strength" if row.is_baseline else ""
    return {
        "evaluation_result_id": f"{opened.manifest.run_id}/{row.id}",
        "evaluation_name": f"{BENCHMARK}/phase{int(match.phase)}/{match.game}/{words}",
        "source_data": {
            "dataset_name": f"{view.game.title}, drawn from the sealed seed of the run",
            "source_type": "other",
            "additional_details": {
                "match": match.id,
                "opponents": ", ".join(at.seat for index, at in enumerate(row.table) if index != row.seat_index),
                "augmentation": condition.augmentation.value,
                "arm": condition.arm.value,
                "system": condition.system,
                "results_planned": str(match.planned),
            },
        },
        "metric_config": {
            "evaluation_description": about,
            "metric_id": f"{BENCHMARK}.{match.game}.{view.figure_unit.replace(' ', '_')}",
            "metric_name": view.figure_unit,
            "metric_unit": view.figure_unit,
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": _bound(low),
            "max_score": _bound(high),
        },
        "score_details": {
            "score": figure.value,
            "details": _details(figure),
            "uncertainty": _uncertainty(figure, estimate),
        },
        "generation_config": {
            "generation_args": {"temperature": float(seat.temperature), "max_tokens": seat.tokens_max},
            "additional_details": {"settings": msgspec.json.encode(seat).decode()},
        },
    }


def _details(figure: Headline) -> dict[str, str]:
    """Why there is no interval; the figure of each career, which an interval over few of them hides."""
    details = {"no_interval_because": figure.why_none, "careers": ", ".join(figure.by_career)}
    return {name: value for name, value in details.items() if value}


def _estimate(analysis: Analysis, row: MatchResult) -> Estimate | None:
    return next((one.main.everything for one in analysis.matches if one.id == row.id), None)


def _uncertainty(figure: Headline, estimate: Estimate | None) -> dict[str, Any]:
    """The number of independent units, and the interval and the standard deviation where there are any."""
    found: dict[str, Any] = {"num_samples": figure.careers or figure.units}
    if figure.low is not None and figure.high is not None and isfinite(figure.low) and isfinite(figure.high):
        method = "sequential" if figure.sequential else estimate.ci.method if estimate and estimate.ci else UNKNOWN
        bounds = {"lower": figure.low, "upper": figure.high}
        found["confidence_interval"] = {**bounds, "confidence_level": CONFIDENCE, "method": method}
    if estimate and estimate.sd:
        found["standard_deviation"] = float(estimate.sd[0].decimal)
    return found


def _bound(value: float) -> float | str:
    """A bound as the schema spells it."""
    if isfinite(value):
        return value
    return "Infinity" if value > 0 else "-Infinity"
