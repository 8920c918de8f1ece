"""agz-0.1: the paper's phases (section 4.2) in Chess960 and heads-up hold'em."""

from typing import Final

from ...experiment.matches import Phase
from ..opponents import RANDOM, SAME_MODEL, SAME_SEAT, PhaseRule
from ..protocol_version import ProtocolVersion

PROTOCOL: Final = ProtocolVersion(
    id="agz-0.1",
    folder="agz_0_1",
    games=("chess960", "holdem"),
    phases={
        Phase.SANITY: PhaseRule(RANDOM, gate=True),
        Phase.BASELINE: PhaseRule(SAME_SEAT),
        Phase.ASYMMETRIC: PhaseRule(SAME_MODEL, augmented=True),
        Phase.ARMS_RACE: PhaseRule(SAME_MODEL, augmented=True, both=True),
        Phase.STRESS: PhaseRule(SAME_MODEL, augmented=True, positions=True),
    },
    claims={
        "chess960": ("games", "score", "score_raw", "decided_by_play"),
        "holdem": ("hands", "bb_per_100", "decided_by_play"),
    },
)
