"""people-0.1: Phase 4, a person against an engine, a model with it, and both with a memory (paper section 4.5).

Chess960 alone, as in the paper. Nothing is adjudicated: a person who is lost resigns or plays on. An answer without a
legal action is explained, and after three more tries the game is lost: no move of a person's game is ever drawn.
"""

from typing import Final

from ...experiment.matches import Phase
from ...table.decision import IllegalPolicy
from ..opponents import ANY_SEAT, PhaseRule
from ..protocol_version import ProtocolVersion

PROTOCOL: Final = ProtocolVersion(
    id="people-0.1",
    folder="people_0_1",
    games=("chess960",),
    phases={Phase.HUMAN: PhaseRule(ANY_SEAT, sub_phases=True)},
    claims={"chess960": ("games", "score", "decided_by_play")},
    illegal=IllegalPolicy.RETRY_THEN_FORFEIT,
    people=True,
)
