"""What the commands over several bundles compute, as documents."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import msgspec

from ..protocol import load_protocol
from ..scoring.agzamov.calibration import Calibrated, calibrated
from ..scoring.agzamov.cells import Arm, Augmentation
from ..scoring.agzamov.matrix import Matrix, matrix_of
from ..scoring.agzamov.norm import ScoreNorm, load_score_norm, score_norm_sha256
from ..scoring.agzamov.score import AUGMENTED_PHASE, GAMES, AScore, Subject, a_score, inputs_of, places_of, resampled
from ..scoring.agzamov.weights import MODELS_MIN, Profile, WeightProposal, proposed_weights
from ..scoring.hypotheses.evidence import Evidence
from ..scoring.hypotheses.verdicts import ContrastRow, Verdict, verdicts
from .collecting import Collected, Source


class ScoreDocument(msgspec.Struct, frozen=True):
    """`agzamov score --json`: the scores, and the hypotheses that all plans declare, on all cells together."""

    format: Literal["agz-score-1"]
    protocol: str
    score_norm_sha256: str
    bundles: tuple[Source, ...]
    scores: tuple[AScore, ...]
    hypotheses: tuple[Verdict, ...]
    tests: tuple[ContrastRow, ...]


class MatrixDocument(msgspec.Struct, frozen=True):
    """`agzamov matrix --json`."""

    format: Literal["agz-matrix-1"]
    protocol: str
    bundles: tuple[Source, ...]
    matrix: Matrix


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
    norm = load_score_norm(collected.protocol)
    scores = tuple(scored(collected.evidence, subject, norm) for subject in subjects(collected.evidence, augmentation))
    digest = score_norm_sha256(collected.protocol)
    found = verdicts(collected.plan, collected.evidence)
    return ScoreDocument("agz-score-1", collected.protocol, digest, collected.sources, scores, *found)


def matrix_document(collected: Collected) -> MatrixDocument:
    """The matrix of all cells."""
    return MatrixDocument("agz-matrix-1", collected.protocol, collected.sources, matrix_of(collected.evidence))


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
            if (key.model, key.phase, key.augmentation, key.arm) == (model, AUGMENTED_PHASE, augmentation, Arm.REAL)
        }
        for system in sorted(systems) or [""]:
            yield Subject(model, augmentation, system)


def scored(evidence: Evidence, subject: Subject, norm: ScoreNorm) -> AScore:
    """One score, with its interval."""
    cells = list(evidence.cells.values())
    return a_score(subject, cells, _tau(evidence, subject), norm, evidence.how(f"score/{subject}"))


def _tau(evidence: Evidence, subject: Subject) -> dict[str, int | None]:
    """τ of the real arm by game, for the games that have one."""
    found = {}
    for game in GAMES:
        for delta in evidence.deltas(game, subject.augmentation, AUGMENTED_PHASE):
            if delta.setting == (subject.model, subject.augmentation.value, subject.system):
                found[game] = evidence.learned(delta.real).tau
    return found


def _profiles(collected: Collected, augmentation: Augmentation) -> dict[str, Profile]:
    """One profile for each model: of its first system that has all inputs."""
    evidence, norm = collected.evidence, load_score_norm(collected.protocol)
    found: dict[str, Profile] = {}
    for subject in subjects(evidence, augmentation):
        inputs, _ = inputs_of(subject, evidence.cells.values(), _tau(evidence, subject))
        if inputs is not None and subject.model not in found:
            spread = resampled(inputs, norm, evidence.how(f"score/{subject}"))
            found[subject.model] = Profile(places_of(inputs, norm), spread.variances)
    return found
