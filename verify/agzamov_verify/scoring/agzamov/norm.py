"""The constants of scoring as a versioned file, so that two scores are made by the same formula.

They are not in the protocol's own file, whose digest older manifests pin. Provisional values say so;
`constants.py` computes them from Phase 1 and 2 (paper section 3.1).
"""

import hashlib
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

import msgspec

from ...protocol import KNOWN
from ..learning.outcome import LearningRule
from ..ratings.elo import EloRule
from ..ratings.glicko2 import GlickoRule

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


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A value and where it comes from."""

    source: str
    value: Decimal

    @property
    def exact(self) -> Fraction:
        """The value as a rational, in the unit that its name ends with."""
        return Fraction(self.value)


class LearningNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How learning and recovery are looked for, by game."""

    rules: dict[str, LearningRule]
    source: str


class RatingNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How results are rated, by game."""

    elo: dict[str, EloRule]
    glicko2: dict[str, GlickoRule]
    source: str


class ContrastNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


class ScoreNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights and constants of Eq. 1 and Table 4; and of what stands beside the score."""

    c_bb_per_100: Constant
    contrasts: ContrastNorm
    delta_max_bb_per_100: Constant
    delta_max_win_rate: Constant
    id: str
    learning: LearningNorm
    ratings: RatingNorm
    tau_max_games: Constant
    tau_max_hands: Constant
    weights: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.weights) != len(SUBSCORES) or sum(self.exact_weights) != 1:
            raise ValueError(f"expected {len(SUBSCORES)} weights whose sum is 1, found {', '.join(self.weights)}")

    @property
    def exact_weights(self) -> tuple[Fraction, ...]:
        """The weights as rationals, in the order of Table 4."""
        return tuple(map(Fraction, self.weights))


@lru_cache
def score_norm_bytes(protocol_id: str) -> bytes:
    """The score file of a known protocol. Raises KeyError for an unknown one."""
    if protocol_id not in KNOWN:
        raise KeyError(protocol_id)
    package = (__package__ or "").partition(".")[0]
    return (files(package) / "protocols" / f"{protocol_id}.score.json").read_bytes()


def load_score_norm(protocol_id: str) -> ScoreNorm:
    """The weights and constants of a known protocol. Raises KeyError for an unknown one."""
    return msgspec.json.decode(score_norm_bytes(protocol_id), type=ScoreNorm)


def score_norm_sha256(protocol_id: str) -> str:
    """SHA-256 of the score file of a known protocol."""
    return hashlib.sha256(score_norm_bytes(protocol_id)).hexdigest()
