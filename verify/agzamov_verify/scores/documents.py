"""Documents that the commands over several bundles compute."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import msgspec

from ..experiment import Arm, Augmentation, Phase
from ..protocol import load_protocol
from ..scoring.agzamov.calibration import Calibrated, calibrated
from ..scoring.agzamov.score import AScore, Subject, a_score, components, inputs_of, spread_and_why, withheld
from ..scoring.agzamov.weights import MODELS_MIN, Profile, WeightProposal, proposed_weights
from ..scoring.hypotheses.evidence import Evidence
from ..scoring.hypotheses.verdicts import ContrastRow, Verdict, verdicts
from ..scoring.inference.intervals import Bootstrap, Resamples
from ..scoring.learning.outcome import LearningOutcome
from ..scoring.robustness import RobustnessRow, robustness
from ..scoring.score_constants import GAMES, ScoreConstants, load_score_constants, score_constants_sha256
from .collecting import Collected, Source


class ScoreDocument(msgspec.Struct, frozen=True):
    """`agzamov score --json`: the scores, and the hypotheses that all plans declare, on all cells together.

    `warnings`: what limits the comparison of cells of several runs or systems.
    """

    format: Literal["agz-score-1"]
    protocol: str
    score_constants_sha256: str
    bundles: tuple[Source, ...]
    scores: tuple[AScore, ...]
    robustness: tuple[RobustnessRow, ...]
    hypotheses: tuple[Verdict, ...]
    tests: tuple[ContrastRow, ...]
    warnings: tuple[str, ...] = ()


class CalibrationDocument(msgspec.Struct, frozen=True):
    """`agzamov calibrate --json`: constants and weights; `weights_missing` says why there are no weights."""

    format: Literal["agz-calibration-1"]
    protocol: str
    bundles: tuple[Source, ...]
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


def subjects(evidence: Evidence, augmentation: Augmentation) -> Iterator[Subject]:
    """Every model with each system of the augmentation; a model without one is named all the same."""
    for model in sorted({key.model for key in evidence.cells if key.phase}):
        systems = {
            key.system
            for key in evidence.cells
            if (key.model, key.phase, key.augmentation, key.arm) == (model, Phase.ASYMMETRIC, augmentation, Arm.REAL)
        }
        for system in sorted(systems) or [""]:
            yield Subject(model, augmentation, system)


def scored(evidence: Evidence, subject: Subject, constants: ScoreConstants) -> AScore:
    """One score, with its interval."""
    cells = list(evidence.cells.values())
    return a_score(subject, cells, constants, _draw(evidence, subject), _learned(evidence, subject))


def _draw(evidence: Evidence, subject: Subject) -> Resamples:
    """The resampling of the score of a subject."""
    return Resamples(evidence.seed(f"score/{subject}"), evidence.resamples, Bootstrap.PERCENTILE)


def _learned(evidence: Evidence, subject: Subject) -> dict[str, LearningOutcome]:
    """Learning of the real arm by game, for the games that have one."""
    return {
        game: evidence.learned(delta.real)
        for game in GAMES
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
