"""play-0.1: a person plays for pleasure, or to show somebody what an opponent is like (docs/people.md).

One phase, in which any two seats meet; results are told of `a`, so name the person there. A person is shown what is
legal, which arena-0.1 shows to nobody, and plays as few games as they like, so nothing here is a result of an arena or
of Phase 4. An answer without a legal action is explained, and after three more tries the game is lost. Chess ends by
its rules, or a person resigns.
"""

from typing import Final

from ...experiment.matches import Phase
from ...table.decision import IllegalPolicy
from ..opponents import ANY_SEAT, PhaseRule
from ..protocol_version import ProtocolVersion

PROTOCOL: Final = ProtocolVersion(
    id="play-0.1",
    folder="play_0_1",
    games=("chess960", "chess", "holdem"),
    phases={Phase.ARENA: PhaseRule(ANY_SEAT)},
    claims={
        "chess960": ("games", "score", "decided_by_play"),
        "chess": ("games", "score", "decided_by_play"),
        "holdem": ("hands", "bb_per_100", "decided_by_play"),
    },
    illegal=IllegalPolicy.RETRY_THEN_FORFEIT,
    people=True,
)
