"""The documents over several bundles, for a person. Every line is safe for a terminal."""

from collections.abc import Iterator, Sequence

from ..analysis_text import estimate, interval, short, verdict_lines
from ..reading import printable
from ..scoring.agzamov.matrix import Matrix
from ..scoring.agzamov.score import AScore
from .collecting import Source
from .documents import CalibrationDocument, MatrixDocument, ScoreDocument


def score_lines(document: ScoreDocument) -> Iterator[str]:
    """Every score with its parts, or what is missing."""
    yield from _sources(document.bundles, document.protocol)
    for one in document.scores:
        yield ""
        yield from _score(one)
    if not document.scores:
        yield "no model was measured beyond Phase 0, so there is nothing to score"
    yield ""
    yield from verdict_lines(document.hypotheses)


def matrix_lines(document: MatrixDocument) -> Iterator[str]:
    """The cells, what they took, and the crossings."""
    yield from _sources(document.bundles, document.protocol)
    yield ""
    yield from _entries(document.matrix)
    yield ""
    yield from _crossings(document.matrix)


def calibration_lines(document: CalibrationDocument) -> Iterator[str]:
    """Constants and weights."""
    yield from _sources(document.bundles, document.protocol)
    yield ""
    for one in document.constants:
        yield f"{one.name:<21} {one.value or 'no value':>9}  {one.source} ({one.cells} cells)"
    yield ""
    if document.weights is None:
        yield f"no weights: {document.weights_missing}"
        return
    for part in document.weights.components:
        spread = f"{part.least.decimal} to {part.greatest.decimal}"
        yield f"{part.name:<17} {part.weight:>9}  over folds {spread}, reliability {part.reliability.decimal}"
    yield f"order of left-out scores against uniform ones: rho {document.weights.rank_agreement.decimal}"


def _sources(bundles: Sequence[Source], protocol: str) -> Iterator[str]:
    for one in bundles:
        missing = f", NOT CHECKED: {', '.join(one.not_checked)}" if one.not_checked else ""
        early = f", left out, of no fixed length: {', '.join(one.open_ended)}" if one.open_ended else ""
        yield f"run {one.run}: {one.level}{missing}{early}"
        yield from (printable(f"  departs from the protocol: {line}") for line in one.departures)
    yield f"protocol {protocol}"


def _score(one: AScore) -> Iterator[str]:
    system = f" with {one.system}" if one.system else ""
    name = printable(f"{one.label} of {one.model}{system}")
    if one.score is None:
        yield f"{name}: no score, missing:"
        yield from (printable(f"  - {line}") for line in one.missing)
        return
    units = ", ".join(f"{count} in {cell}" for cell, count in one.n.items())
    mde = f", MDE {short(one.mde)}" if one.mde else ""
    yield f"{name}: {short(one.score)} {interval(one.ci)} (units: {units}{mde})"
    for part in one.subscores:
        spread = f" ± {short(part.points_sd)}" if part.points_sd else ""
        yield (
            f"  {part.name:<17} {short(part.raw):>10}  place {short(part.normalised)}"
            f"  weight {part.weight}  points {short(part.points)}{spread}"
        )


def _entries(matrix: Matrix) -> Iterator[str]:
    for one in matrix.entries:
        delta = f"  delta {estimate(one.delta)}" if one.delta else ""
        front = "  on the frontier" if one.on_frontier else ""
        yield printable(f"{one.game:<8} {one.model} {one.column}: {estimate(one.performance)}{delta}")
        yield f"         {short(one.tokens)} tokens and {one.cost_usd.decimal} USD a game or hand{front}"
    for game, pairs in matrix.tukey.items():
        for pair in pairs:
            found = f"{short(pair.difference)} {interval(pair.ci)}, p {pair.p}"
            yield printable(f"{game:<8} {pair.a} less {pair.b}: {found}")


def _crossings(matrix: Matrix) -> Iterator[str]:
    for one in matrix.crossings:
        verdict = "beats" if one.beats else "is not shown to beat"
        yield printable(
            f"{one.game:<8} {one.weaker} with {one.better} {verdict} {one.stronger} with {one.worse}:"
            f" {estimate(one.difference)}"
        )
    if not matrix.crossings:
        yield "no weaker model with a better augmentation to compare: needs Phase 0 and Phase 2 of two models"
    for name in matrix.in_both:
        yield printable(f"in both games: {name}")
