"""The documents over several bundles: computed, and for a person. Every line is safe for a terminal."""

from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

import msgspec

from ..core.columns import ascii_words, item, paragraph, quoted
from ..experiment.matches import Arm, Augmentation, Phase
from ..protocols import version_words
from ..protocols.norms import load_protocol
from ..scoring.agzamov.calibration import MODELS_MIN, Calibrated, Profile, WeightProposal, calibrated, proposed_weights
from ..scoring.agzamov.convergence import Convergence
from ..scoring.agzamov.score import (
    AScore,
    ScoreGain,
    ScoreSubject,
    a_score,
    components,
    inputs_of,
    spread_and_why,
    withheld,
)
from ..scoring.agzamov.score_scale import ScoreRange
from ..scoring.deltas import RobustnessRow, robustness
from ..scoring.hypotheses.evidence import Evidence
from ..scoring.hypotheses.verdicts import ContrastRow, HypothesisVerdict, verdicts
from ..scoring.inference.exact import Figure
from ..scoring.inference.intervals import Bootstrap, Resamples
from ..scoring.learning.outcome import LearningOutcome
from ..scoring.units.cells import CellDecisions
from ..scoring.units.score_constants import SCORED_GAMES, ScoreConstants, load_score_constants, score_constants_sha256
from ..show.glossary import label
from ..show.text.analysis_text import MDE_OF, careers_words, interval, robustness_lines, short, verdict_lines
from ..show.text.first_screen import grouped_departures, ways_counted
from ..show.views import game_words
from ..table.registry import GAMES
from .collected_bundles import KEY_SHOWN, BundleSource, Collected


class ScoreDocument(msgspec.Struct, frozen=True):
    """`agzamov score --json`: the scores, and the hypotheses that all plans declare, on all cells together.

    `warnings`: what limits the comparison of cells of several runs or systems.
    """

    format: Literal["agz-score-1"]
    protocol: str
    score_constants_sha256: str
    bundles: tuple[BundleSource, ...]
    scores: tuple[AScore, ...]
    robustness: tuple[RobustnessRow, ...]
    hypotheses: tuple[HypothesisVerdict, ...]
    tests: tuple[ContrastRow, ...]
    warnings: tuple[str, ...] = ()


class CalibrationDocument(msgspec.Struct, frozen=True):
    """`agzamov calibrate --json`: constants and weights; `weights_missing` says why there are no weights."""

    format: Literal["agz-calibration-1"]
    protocol: str
    bundles: tuple[BundleSource, ...]
    constants: tuple[Calibrated, ...]
    weights: WeightProposal | None
    weights_missing: str


def score_document(collected: Collected, augmentation: Augmentation) -> ScoreDocument:
    """The score of every model with every system of an augmentation, and the hypotheses."""
    constants = load_score_constants(collected.protocol)
    scores = tuple(
        scored(collected.evidence, subject, constants) for subject in subjects(collected.evidence, augmentation)
    )
    digest = score_constants_sha256(collected.protocol)
    decided, tests = verdicts(collected.plan, collected.evidence, load_protocol(collected.protocol).verdict)
    again = tuple(robustness(collected.evidence))
    body = (scores, again, decided, tests, collected.warnings)
    return ScoreDocument("agz-score-1", collected.protocol, digest, collected.sources, *body)


def calibration_document(collected: Collected, augmentation: Augmentation) -> CalibrationDocument:
    """Constants from all cells, weights from the models that have a score."""
    alpha = Fraction(load_protocol(collected.protocol).significance)
    profiles = _profiles(collected, augmentation)
    weights = proposed_weights(profiles)
    missing = "" if weights else f"needs {MODELS_MIN} models with a score, found {len(profiles)}"
    return CalibrationDocument(
        "agz-calibration-1",
        collected.protocol,
        collected.sources,
        tuple(calibrated(collected.evidence, alpha)),
        weights,
        missing,
    )


def subjects(evidence: Evidence, augmentation: Augmentation) -> Iterator[ScoreSubject]:
    """Every model with each system of the augmentation; a model without one is named all the same."""
    for model in sorted({key.model for key in evidence.cells if key.phase}):
        systems = {
            key.system
            for key in evidence.cells
            if (key.model, key.phase, key.augmentation, key.arm) == (model, Phase.ASYMMETRIC, augmentation, Arm.REAL)
        }
        for system in sorted(systems) or [""]:
            yield ScoreSubject(model, augmentation, system)


def scored(evidence: Evidence, subject: ScoreSubject, constants: ScoreConstants) -> AScore:
    """One score, with its interval."""
    cells = list(evidence.cells.values())
    return a_score(subject, cells, constants, _draw(evidence, subject), _learned(evidence, subject))


def _draw(evidence: Evidence, subject: ScoreSubject) -> Resamples:
    """The resampling of the score of a subject."""
    return Resamples(evidence.seed(f"score/{subject}"), evidence.resamples, Bootstrap.PERCENTILE)


def _learned(evidence: Evidence, subject: ScoreSubject) -> dict[str, LearningOutcome]:
    """Learning of the real arm by game, for the games that have one."""
    return {
        game: evidence.learned(delta.real)
        for game in SCORED_GAMES
        for delta in evidence.deltas(game, subject.augmentation, Phase.ASYMMETRIC)
        if delta.setting == (subject.model, subject.augmentation.value, subject.system)
    }


def _profiles(collected: Collected, augmentation: Augmentation) -> dict[str, Profile]:
    """One profile for each model: of its first system that has a score with an interval."""
    evidence, constants = collected.evidence, load_score_constants(collected.protocol)
    profiles: dict[str, Profile] = {}
    for subject in subjects(evidence, augmentation):
        inputs, _ = inputs_of(subject, evidence.cells.values())
        if inputs is None or subject.model in profiles or withheld(inputs, constants):
            continue
        spread, _ = spread_and_why(inputs, constants, _draw(evidence, subject))
        if spread:
            profiles[subject.model] = Profile(components(inputs, constants)[1], spread.variances)
    return profiles


SUBSCORE: Final = "  {:<17} {:>10} {:>10} {:>7} {:>9} {:>9}"
ONE_RUN: Final = "the submitter chose the seed and may have run it many times: this may be the best of many runs"
SEVERAL_RUNS: Final = (
    "the submitters chose the seeds and may have run each many times: where a control is of another run than its real"
    " arm, it may be the worst of many, and the real arm the best"
)
SENSITIVITY: Final = "  {:<21} {:>6} {:>9}  {}"


def score_lines(document: ScoreDocument) -> Iterator[str]:
    """Every score with its parts, or what is missing; then the bundles that it is of."""
    for one in document.scores:
        yield from score_words(one)
        yield ""
    if not document.scores:
        yield from ("no model was measured beyond Phase 0, so there is nothing to score", "")
    yield from source_lines(document.bundles, document.protocol, document.warnings)
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


def source_lines(bundles: Sequence[BundleSource], protocol: str, warnings: Sequence[str] = ()) -> Iterator[str]:
    """The bundles: unchecked steps, failed entry tests, warnings, attested parts, signers; and the given `warnings`."""
    for source in bundles:
        missing = f", {label('NOT CHECKED')}: {', '.join(source.not_checked)}" if source.not_checked else ""
        early = f", left out, of no fixed length: {', '.join(source.open_ended)}" if source.open_ended else ""
        prompts = "".join(f", {game_words(game)} prompt {name}" for game, name in source.variants.items())
        use = "".join(f", {kind} used by {way}" for kind, way in source.ways_of_use.items())
        key = source.submitter[:KEY_SHOWN]
        yield from item(
            "run", ascii_words(f"{source.run}, signed by key {key}: {source.level}{prompts}{use}{missing}{early}")
        )
        lines = grouped_departures(source.departures)
        if lines:
            yield f"  departs from the protocol in {ways_counted(lines)}, so nothing here is a result under it:"
        for line in lines:
            yield from item("  -", ascii_words(line))
        for line in source.failed_gates:
            yield from item("  -", ascii_words(line))
        for line in source.warnings:
            yield from item("  !", ascii_words(line))
        for line in source.attested:
            yield from item("  attested:", ascii_words(line))
    keys = {source.submitter for source in bundles}
    signed = "one key" if len(keys) == 1 else f"{len(keys)} DIFFERENT keys: different people may have said these things"
    yield from item("protocol", f"{version_words(ascii_words(protocol))}, signed by {signed}")
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
            yield from item("  -", ascii_words(line.replace("naked/naked", "without help").replace("/naked", "/none")))
        yield from _cell_lines(a_score.cell_decisions)
        return
    yield from paragraph(f"{name}: ", f"{'; '.join(_figures(a_score))}, {a_score.constants}", 4)
    yield from _notes(a_score)
    yield from _range(a_score.range)
    yield from item(
        " ",
        f"start pairs or sessions{' or careers' if a_score.by_career else ''}: {_units(a_score.n, a_score.by_career)}",
    )
    for name, values in a_score.by_career.items():
        arm, _, game = name.partition(", ")
        yield from item(" ", ascii_words(f"each career, {arm}, {game_words(game)}: {careers_words([values])}"))
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


OVER: Final = {Arm.PLACEBO: "placebo", Arm.NAKED: "arm without it"}
"""The arm that a score is compared with, in words."""


def _figures(a_score: AScore) -> Iterator[str]:
    """The gain over the placebo first, that over the naked arm, and the score itself."""
    for gain in a_score.gains:
        if gain.points:
            spread = f"95 % interval {interval(gain.ci)}" if gain.ci else "no interval"
            yield f"{float(gain.points.decimal):+.4f} points over its {OVER[gain.arm]}, {spread}"
    if len(a_score.gains) == 1:
        yield "no placebo was played in both games, so what a longer prompt does is in it"
    spread = f"95 % interval {interval(a_score.ci)}" if a_score.ci else "no interval"
    yield f"{short(a_score.score) if a_score.score else 'none'} of 100, {spread}"


def _notes(a_score: AScore) -> Iterator[str]:
    """What no effect is worth here, and whether the score may be compared."""
    for gain in a_score.gains:
        yield from item(" ", ascii_words(_without(gain)))
    if a_score.not_comparable:
        yield from item(" ", "not comparable with the A of another run: its arms are not of the protocol's design")
    for line in a_score.not_comparable:
        yield from item("  -", ascii_words(line))
    if a_score.no_interval:
        yield from item(" ", ascii_words(f"no interval: {a_score.no_interval}"))


def _without(gain: ScoreGain) -> str:
    """The score without any effect against this opponent, and what noise adds to it."""
    if gain.without is None:
        return f"nothing is said of its {OVER[gain.arm]}: {gain.why_none}"
    noise = f", and a gain of {short(gain.by_chance)} on average in so much noise" if gain.by_chance else ""
    why = f"; no interval: {gain.why_none}" if gain.why_none else ""
    like = f"without any effect, playing like its {OVER[gain.arm]} against this opponent"
    return f"{like}: {short(gain.without)} of 100{noise}{why}"


def _range(scale: ScoreRange) -> Iterator[str]:
    """The ends of the scale, and the score without an effect against an opponent like the model itself."""
    even = f"{short(scale.even_no_effect)} without any effect against an opponent like itself"
    ends = f"{short(scale.least)} if all is lost, {even}"
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
    halves = f" (first half {short(speed.early)}, second half {short(speed.late)})"
    reached = "no gain over the control is shown, so 0"
    if speed.is_shown:
        reached = f"95 % of it after {speed.to_95:,} {each}" if speed.to_95 is not None else "slower than tau_max, so 0"
    words = "none" if speed.tau_by_words is None else f"{speed.tau_by_words:,}"
    fitted = "none" if speed.tau_fitted is None else f"{speed.tau_fitted:,}"
    return (
        f"gain {short(speed.gain)} {speed.unit}{halves} {arms}{p}: {reached}; the real arm alone, not scored: tau"
        f" {words} by the paper's words, {fitted} from a curve"
    )


def _cell_lines(cells: Sequence[CellDecisions]) -> Iterator[str]:
    """Results that the harness decided, and errors, of every cell of a score."""
    for cell in cells:
        arm, _, game = cell.name.partition(", ")
        share = 100 * float(cell.by_harness.decimal)
        rest = round(Fraction(cell.by_harness.exact) * cell.results) - cell.forfeits - cell.adjudicated
        ways = f"{cell.forfeits} forfeits, {cell.adjudicated} adjudicated, {rest} by a limit or with a failed action"
        decided = f"{share:.1f} % not ended by play alone ({ways})"
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


def _units(counts: Mapping[str, int], careers: Container[str] = ()) -> str:
    """Numbers of units by game and cell: "Chess960 2 baseline, 2 control; hold'em 4 baseline, 4 control"."""
    by_game: dict[str, list[str]] = {}
    for name, count in counts.items():
        cell, _, game = name.partition(", ")
        by_game.setdefault(game, []).append(f"{count} {cell}{' careers' if name in careers else ''}")
    return "; ".join(f"{game_words(game)} {ascii_words(', '.join(cells))}" for game, cells in by_game.items())
