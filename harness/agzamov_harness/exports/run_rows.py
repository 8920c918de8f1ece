"""Rows about the whole run: the run itself, its seats, its matches with their signed figures."""

from collections.abc import Iterator
from typing import Final

import msgspec

from agzamov_verify import canon
from agzamov_verify.bundle import ANALYSIS_FILE, RESULTS_FILE, compliance
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.display.headline import Headline, headlines
from agzamov_verify.experiment import Match
from agzamov_verify.manifest import Price
from agzamov_verify.protocols import documents
from agzamov_verify.scoring.analysis import Analysis
from agzamov_verify.scoring.results import Results
from agzamov_verify.seat_letters import seat_letter
from agzamov_verify.untrusted_input import HostileBundle
from agzamov_verify.views import VIEWS

from .tables import Row

CONFIDENCE: Final = 0.95
"""Of every interval of a bundle."""


def signed_results(opened: Opened) -> tuple[Results, Analysis]:
    """The figures that the submitter signed, which `agzamov verify` computes again. Raises HostileBundle."""
    protocol = opened.manifest.plan.protocol
    try:
        return (
            documents.read(protocol, documents.RESULTS, opened.payload(RESULTS_FILE), Results),
            documents.read(protocol, documents.ANALYSIS, opened.payload(ANALYSIS_FILE), Analysis),
        )
    except canon.NotCanonical as error:
        raise HostileBundle(RESULTS_FILE, "results and their analysis in canonical JSON", str(error)) from error


def signed_headlines(results: Results, analysis: Analysis) -> dict[str, Headline]:
    """The figure of each match that was played. Raises HostileBundle."""
    try:
        return headlines(results.matches, analysis)
    except ValueError as error:
        raise HostileBundle(ANALYSIS_FILE, "figures that are numbers", str(error)) from error


def signed_digest(opened: Opened) -> str:
    """The SHA-256 of the bundle's payload manifest, which the submitter signed."""
    return opened.statement.subject[0].digest.sha256


def run_rows(opened: Opened) -> Iterator[Row]:
    """The rows of the tables runs, seats and matches. Raises HostileBundle."""
    results, analysis = signed_results(opened)
    figures = signed_headlines(results, analysis)
    manifest, plan = opened.manifest, opened.manifest.plan
    yield Row(
        "runs",
        (
            manifest.run_id,
            plan.title,
            signed_digest(opened),
            opened.submitter,
            plan.protocol,
            plan.seed.origin,
            plan.isolation,
            compliance(results),
            "\n".join(results.not_played),
            "\n".join(results.departures),
        ),
    )
    for name, seat in plan.seats.items():
        price = plan.prices.get(name, Price())
        usd = map(float, (price.input_usd, price.cached_usd, price.output_usd))
        settings = msgspec.json.encode(seat).decode()
        yield Row("seats", (name, manifest.run_id, seat.kind, int(seat.is_model), settings, *usd))
    for match in plan.matches:
        yield Row("matches", (match.id, manifest.run_id, *_match(match), *_figure(match, figures.get(match.id))))
        yield from _seats_of(match)


def _match(match: Match) -> tuple[str | int, ...]:
    condition = match.condition
    words = condition.augmentation.value, condition.arm.value, condition.system
    opponents = ", ".join(at.seat for at in match.opponents)
    return (int(match.phase), match.game, match.measured, opponents, *words, match.part, match.planned)


def _seats_of(match: Match) -> Iterator[Row]:
    """The seats of a match in their order."""
    for seat_index, at in enumerate(match.table):
        words = at.condition.augmentation.value, at.condition.arm.value, at.condition.system
        letter = seat_letter(seat_index)
        yield Row("match_seats", (f"{match.id}@{letter}", match.id, letter, at.seat, *words))


def _figure(match: Match, figure: Headline | None) -> tuple[str | int | float | None, ...]:
    if figure is None:
        return (0, None, None, None, None, None, None, None)
    view = VIEWS[match.game]
    bounds = (figure.value, figure.low, figure.high, figure.null)
    return (1, *bounds, view.figure_unit, figure.units, figure.why_none or None)
