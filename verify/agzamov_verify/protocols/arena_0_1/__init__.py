"""arena-0.1: many models, each against each (the arena's methodology, "The Game Harness"; SPEC S36).

One phase, in which any two players meet, or any table of more. Nobody has a list of legal moves, a tool or a memory; an
answer without a legal action is explained, and after three more tries the game is lost. Chess ends by its rules alone.
"""

from typing import Final

from ...experiment.matches import Phase
from ...table.decision import IllegalPolicy
from ..opponents import ANY_SEAT, PhaseRule
from ..protocol_version import ProtocolVersion

PROTOCOL: Final = ProtocolVersion(
    id="arena-0.1",
    folder="arena_0_1",
    games=("chess", "draughts", "holdem", "holdem_ring", "holdem_sit_and_go", "werewolf"),
    phases={Phase.ARENA: PhaseRule(ANY_SEAT, every_seat=True)},
    claims={
        "chess": ("games", "score", "decided_by_play"),
        "draughts": ("games", "score", "decided_by_play"),
        "holdem": ("hands", "bb_per_100", "decided_by_play"),
        "holdem_ring": ("hands", "bb_per_100", "decided_by_play"),
        "holdem_sit_and_go": ("sit_and_gos", "points", "decided_by_play"),
        "werewolf": ("games", "points_a_game", "decided_by_play"),
    },
    illegal=IllegalPolicy.RETRY_THEN_FORFEIT,
)
