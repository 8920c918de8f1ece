"""The documents over several bundles, for a person. Every line is safe for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from ..columns import ascii_words, item, paragraph, quoted
from ..display.analysis_text import MDE_OF, interval, robustness_lines, short, verdict_lines
from ..games.registry import GAMES
from ..glossary import label
from ..scoring.agzamov.convergence import Convergence
from ..scoring.agzamov.score import AScore
from ..scoring.agzamov.score_range import ScoreRange
from ..scoring.cell_decisions import CellDecisions
from ..scoring.exact import Figure
from ..views import game_words
from .collecting import KEY_SHOWN, Source
from .documents import CalibrationDocument, ScoreDocument

SUBSCORE: Final = "  {:<17} {:>10} {:>10} {:>7} {:>9} {:>9}"
ONE_RUN: Final = "the submitter chose the seed and may have run it many times: this may be the best of many runs"
SEVERAL_RUNS: Final = (
    "the submitters chose the seeds and may have run each many times: where a control is of another run than its real"
    " arm, it may be the worst of many, and the real arm the best"
)
SENSITIVITY: Final = "  {:<21} {:>6} {:>9}  {}"


def score_lines(document: ScoreDocument) -> Iterator[str]:
    """Every score with its parts, or what is missing."""
    yield from source_lines(document.bundles, document.protocol, document.warnings)
    for a_score in document.scores:
        yield ""
        yield from score_words(a_score)
    if not document.scores:
        yield "no model was measured beyond Phase 0, so there is nothing to score"
    yield ""
    yield from robustness_lines(document.robustness)
    yield from verdict_lines(document.hypotheses, document.tests)


def calibration_lines(document: CalibrationDocument) -> Iterator[str]:
    """Constants and weights."""
    yield from source_lines(document.bundles, document.protocol)
    yield ""
    for constant in document.constants:
        yield f"{constant.name:<21} {constant.value or 'no value':>9}  {constant.source} ({constant.cells} cells)"
    yield ""
    if document.weights is None:
        yield f"no weights: {document.weights_missing}"
        return
    for part in document.weights.components:
        spread = f"{part.least.decimal} to {part.greatest.decimal}"
        yield f"{part.name:<17} {part.weight:>9}  over folds {spread}, reliability {part.reliability.decimal}"
    yield f"order of left-out scores against uniform ones: rho {document.weights.rank_agreement.decimal}"


def source_lines(bundles: Sequence[Source], protocol: str, warnings: Sequence[str] = ()) -> Iterator[str]:
    """The bundles: unchecked steps, warnings, attested parts, signers; and the given `warnings`."""
    for source in bundles:
        missing = f", {label('NOT CHECKED')}: {', '.join(source.not_checked)}" if source.not_checked else ""
        early = f", left out, of no fixed length: {', '.join(source.open_ended)}" if source.open_ended else ""
        prompt = f", chess prompt {source.chess_prompt}" if source.chess_prompt else ""
        use = "".join(f", {kind} used by {way}" for kind, way in source.ways_of_use.items())
        key = source.submitter[:KEY_SHOWN]
        yield from item(
            "run", ascii_words(f"{source.run}, signed by key {key}: {source.level}{prompt}{use}{missing}{early}")
        )
        if source.departures:
            places = f"{len(source.departures)} places" if len(source.departures) > 1 else "1 place"
            yield f"  departs from the protocol in {places}, so nothing here is a result under it:"
        for line in source.departures:
            yield from item("  -", ascii_words(line))
        for line in source.warnings:
            yield from item("  !", ascii_words(line))
        for line in source.attested:
            yield from item("  attested:", ascii_words(line))
    keys = {source.submitter for source in bundles}
    signed = "one key" if len(keys) == 1 else f"{len(keys)} DIFFERENT keys: different people may have said these things"
    yield f"protocol {ascii_words(protocol)}, signed by {signed}"
    yield from item(" ", ONE_RUN if len(bundles) == 1 else SEVERAL_RUNS)
    for line in warnings:
        yield from item("!", ascii_words(line))


def score_words(a_score: AScore) -> Iterator[str]:
    """One score with its accompanying figures, or why there is none."""
    system = f" with {quoted(a_score.system)}" if a_score.system else ""
    name = f"{ascii_words(a_score.label)} of {quoted(a_score.model)}{system}"
    if a_score.score is None or a_score.range is None:
        why = "it would not be of the seat's own play" if a_score.withheld else "missing"
        yield f"{name}: no score, {why}:"
        for line in (*a_score.missing, *a_score.withheld):
            yield from item("  -", ascii_words(line))
        yield from _cell_lines(a_score.cell_decisions)
        return
    spread = f"95 % interval {interval(a_score.ci)}" if a_score.ci else "no interval"
    yield from paragraph(f"{name}: ", f"{short(a_score.score)} of 100, {spread}, {a_score.constants}", 4)
    if a_score.no_interval:
        yield from item(" ", ascii_words(f"no interval: {a_score.no_interval}"))
    yield from _range(a_score.range)
    yield from item(
        " ", f"start pairs or sessions{' or careers' if a_score.careers else ''}: {_units(a_score.n, a_score.careers)}"
    )
    if a_score.mde:
        yield from item(
            " ", f"MDE of {MDE_OF} {short(a_score.mde)}: a smaller distance from a fixed score would hardly be found"
        )
    yield ""
    yield SUBSCORE.format("part of the score", "measured", "in 0 to 1", "weight", "points", "their SD").rstrip()
    for part in a_score.subscores:
        points_sd = short(part.points_sd) if part.points_sd else ""
        numbers = short(part.raw), short(part.normalised), part.weight, short(part.points), points_sd
        yield SUBSCORE.format(part.name, *numbers).rstrip()
    yield "  (measured: wins a game in chess, bb/100 in poker; points: 100 x weight x the value in 0 to 1)"
    yield ""
    for speed in a_score.convergence:
        yield from item(" ", ascii_words(f"convergence, {game_words(speed.game)}: {_speed(speed)}"))
    yield from _cell_lines(a_score.cell_decisions)
    yield from _sensitivity(a_score)


def _range(scale: ScoreRange) -> Iterator[str]:
    """The ends of the scale, and the score of a player without effect."""
    mean = f", {short(scale.no_effect_mean)} on average in so much noise" if scale.no_effect_mean else ""
    ends = f"{short(scale.least)} if all is lost, {short(scale.no_effect)} without any effect{mean}"
    drawn = 100 * float(scale.draws.decimal)
    yield from item(
        " ", f"the scale where {drawn:.0f} % of self-play is drawn: {ends}, {short(scale.greatest)} at most"
    )
    ends = f"{_tenth(scale.drawish_no_effect)} (all of self-play drawn) to {_tenth(scale.decisive_no_effect)} (none)"
    most = f"nobody gets more than {_tenth(scale.decisive_greatest)}"
    yield from item(" ", f"in the paper's formula no effect is worth {ends}, and {most}: baselines are self-play")


def _tenth(points: Figure) -> str:
    """Points to one decimal, as the documentation has them."""
    return f"{float(points.decimal):.1f}"


def _speed(speed: Convergence) -> str:
    """The gain, how soon it is there, and the real arm's own learning time."""
    each = GAMES[speed.game].result.many
    arms = "on the same starts" if speed.is_paired else "on different starts"
    p = f", p {speed.p}" if speed.p else ""
    reached = "no gain over the control is shown, so 0"
    if speed.is_shown:
        reached = f"95 % of it after {speed.to_95:,} {each}" if speed.to_95 is not None else "slower than tau_max, so 0"
    words = "none" if speed.tau_by_words is None else f"{speed.tau_by_words:,}"
    fitted = "none" if speed.tau_fitted is None else f"{speed.tau_fitted:,}"
    return (
        f"gain {short(speed.gain)} {speed.unit} {arms}{p}: {reached}; the real arm alone, not scored: tau"
        f" {words} by the paper's words, {fitted} from a curve"
    )


def _cell_lines(cells: Sequence[CellDecisions]) -> Iterator[str]:
    """Results that the harness decided, and errors, of every cell of a score."""
    for cell in cells:
        arm, _, game = cell.name.partition(", ")
        share = 100 * float(cell.by_harness.decimal)
        rest = round(Fraction(cell.by_harness.exact) * cell.results) - cell.forfeits - cell.adjudicated
        ways = f"{cell.forfeits} forfeits, {cell.adjudicated} adjudicated, {rest} by a limit or with a failed action"
        decided = f"{share:.1f} % not decided by play alone ({ways})"
        rate = f", {100 * float(cell.error_rate.decimal):.1f} % of first attempts failed" if cell.error_rate else ""
        flag = f": {label('FLAGGED')}" if cell.is_flagged else ""
        yield from item(" ", ascii_words(f"{arm}, {game_words(game)}: {cell.results:,} results, {decided}{rate}{flag}"))


def _sensitivity(a_score: AScore) -> Iterator[str]:
    """The score with other constants."""
    yield ""
    yield SENSITIVITY.format("with another constant", "value", "score", "parts that change").rstrip()
    for other in a_score.sensitivity:
        parts = ", ".join(f"{name} {short(value)}" for name, value in other.parts.items()) or "none"
        yield SENSITIVITY.format(other.constant, other.value, short(other.score), parts).rstrip()


def _units(counts: Mapping[str, int], careers: Sequence[str] = ()) -> str:
    """Numbers of units by game and cell: "Chess960 2 baseline, 2 control; hold'em 4 baseline, 4 control"."""
    by_game: dict[str, list[str]] = {}
    for name, count in counts.items():
        cell, _, game = name.partition(", ")
        by_game.setdefault(game, []).append(f"{count} {cell}{' careers' if name in careers else ''}")
    return "; ".join(f"{game_words(game)} {ascii_words(', '.join(cells))}" for game, cells in by_game.items())
