"""The constants of scoring as a versioned file, so that two scores are made by the same formula.

They are not in the protocol's own file, whose digest older manifests pin. The file has a version, and says whether its
constants are provisional or frozen; `agzamov/calibration.py` proposes some from Phase 1 and 2 (paper section 3.1).
"""

import hashlib
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

import msgspec

from ...protocols import PROTOCOLS
from ..inference.ratings import EloRule, GlickoRule
from ..learning.outcome import LearningRule

SCORED_GAMES = CHESS, POKER = "chess960", "holdem"
"""The games of Eq. 1, in its order."""

SUBSCORES = (
    "chess baseline",
    "chess augmented",
    "poker baseline",
    "poker augmented",
    "chess delta",
    "poker delta",
    "convergence",
)
"""The seven components of paper Table 4, in its order."""

SCALE: Final = 100
"""Points of the A-Score."""


class ConstantsStatus(StrEnum):
    """Status of constants: frozen before any verdict, or provisional, which may still change."""

    PROVISIONAL = "provisional"
    FROZEN = "frozen"


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value and where it comes from."""

    source: str
    value: Decimal

    @property
    def exact(self) -> Fraction:
        """The value as a rational, in the unit that its name ends with."""
        return Fraction(self.value)


class LearningConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules for detecting learning and recovery, by game."""

    rules: dict[str, LearningRule]
    source: str


class RatingConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rules of the rating systems, by game."""

    elo: dict[str, EloRule]
    glicko2: dict[str, GlickoRule]
    source: str


class ContrastConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bounds that hypotheses name, as shares; deltas in shares of delta_max.

    A delta of at most `no_effect_delta_max` is taken for none (E1), two that differ by no more than
    `similar_delta_max` are similar (H5). `harmless_share`: of adjudicated games may come to something else (E11).
    `late_games`, `late_hands`: what comes after them is late (draft-H5). `permutations`: random orders of two courses.
    """

    calculation_below: Decimal
    efficiency_margin: Decimal
    error_margin: Decimal
    evaluation_above: Decimal
    harmless_share: Decimal
    late_games: int
    late_hands: int
    no_effect_delta_max: Decimal
    permutations: int
    similar_delta_max: Decimal
    source: str
    systems_min: int


class ClusterConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Least numbers of repetitions, below which there is no interval.

    `units_min`: units of a mean, by the unit that it is published in ("": any other). `ratio_units_min`: units of equal
    size that a ratio is worth (`Linearised.effective`); of careers it is worth `even_percent` of their number.
    `score_decided_min`: start pairs of a score, or of a difference of two, that are not level.
    `share_units_min`: games or sessions of a share of decisions, `share_units_with_min` of them with such a decision
    and as many with another. `test_units_with_min`: of each arm with an error, for Student's t of error rates; below it
    they are tested exactly, for an intraclass correlation of up to `correlation_max`. `variance_units_min`: of a ratio
    of variances.
    """

    correlation_max: Decimal
    even_percent: int
    ratio_units_min: int
    score_decided_min: int
    share_units_min: int
    share_units_with_min: int
    source: str
    test_units_with_min: int
    units_min: dict[str, int]
    variance_units_min: int

    def least(self, unit: str) -> int:
        """The least number of units of a mean that is published in `unit`."""
        return self.units_min.get(unit, self.units_min[""])


class ScoreConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights and constants of Eq. 1 and Table 4, and of the figures beside the score.

    `status` is of c, the delta_max, the tau_max and the weights. Frozen values never change: others get a new version.
    """

    c_bb_per_100: Constant
    clusters: ClusterConstants
    contrasts: ContrastConstants
    delta_max_bb_per_100: Constant
    delta_max_win_rate: Constant
    id: str
    learning: LearningConstants
    ratings: RatingConstants
    status: ConstantsStatus
    tau_max_games: Constant
    tau_max_hands: Constant
    version: int
    weights: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(SUBSCORES) or sum(self.exact_weights) != 1:
            raise ValueError(f"expected {len(SUBSCORES)} weights whose sum is 1, found {', '.join(self.weights)}")

    @property
    def exact_weights(self) -> tuple[Fraction, ...]:
        """The weights as rationals, in the order of Table 4."""
        return tuple(map(Fraction, self.weights))

    def delta_max(self, game: str) -> Fraction:
        """The delta that counts in full: win rate in chess, bb/100 in hold'em."""
        return (self.delta_max_win_rate if game == CHESS else self.delta_max_bb_per_100).exact

    def tau_max(self, game: str) -> Fraction:
        """The slowest learning that counts, in games or hands."""
        return (self.tau_max_games if game == CHESS else self.tau_max_hands).exact

    @property
    def status_words(self) -> str:
        """The status and version in words: "provisional constants, version 1"."""
        return f"{self.status.value} constants, version {self.version}"


RESTS_ON_DELTA_MAX: Final = frozenset({"H3", "H5", "E1", "E2", "draft-H3"})
"""Hypotheses whose contrast is measured in shares of delta_max."""


def caveat(constants: ScoreConstants, hypothesis: str) -> str:
    """Words beside the verdict on a hypothesis that rests on constants which are not frozen; else empty."""
    if constants.status is ConstantsStatus.FROZEN or hypothesis not in RESTS_ON_DELTA_MAX:
        return ""
    return f"rests on a provisional delta_max, version {constants.version}"


@lru_cache
def score_constants_bytes(protocol_id: str) -> bytes:
    """The score file of a known protocol. Raises KeyError for an unknown one."""
    return PROTOCOLS[protocol_id].data("score.json")


def load_score_constants(protocol_id: str) -> ScoreConstants:
    """The weights and constants of a known protocol. Raises KeyError for an unknown one."""
    return msgspec.json.decode(score_constants_bytes(protocol_id), type=ScoreConstants)


def score_constants_sha256(protocol_id: str) -> str:
    """SHA-256 of the score file of a known protocol."""
    return hashlib.sha256(score_constants_bytes(protocol_id)).hexdigest()
