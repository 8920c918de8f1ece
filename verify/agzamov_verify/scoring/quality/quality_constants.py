"""The numbers of the Game Quality Index as a versioned file, so that two indices mean the same.

They are not in the protocol's own file, whose digest older manifests pin. The engine, its nodes and
its hash are the protocol's: quality is asked exactly as adjudication is. Sources: cap and win chances,
Lichess ("Accuracy metric", its published equations; evaluations capped at +-1000); the bound of the
endgame, Lichess's divider (at most six pieces besides kings and pawns); pressure, paper section 4.6
(slight disadvantage begins at -1.5 pawns); the opening, ours: the first ten moves of each side.
"""

import hashlib
from functools import lru_cache

import msgspec

from ...protocols import PROTOCOLS


class AccuracyConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Accuracy of a move = scale * exp(-rate * win percent lost) - offset, within 0 and 100."""

    offset: str
    rate: str
    scale: str


class QualityConstants(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values are centipawns from the side to move. A mate is worth the cap.

    `win_slope` is per centipawn. A position is decided at or beyond `decided_centipawns` for either side,
    and under pressure at or below `pressure_centipawns`. Means over fewer than `games_min` games have no interval.
    """

    accuracy: AccuracyConstants
    cap_centipawns: int
    decided_centipawns: int
    endgame_pieces_max: int
    games_min: int
    id: str
    opening_plies: int
    pressure_centipawns: int
    win_slope: str


@lru_cache
def quality_constants_bytes(protocol_id: str) -> bytes:
    """The quality file of a known protocol. Raises KeyError for an unknown one."""
    return PROTOCOLS[protocol_id].data("quality.json")


def load_quality_constants(protocol_id: str) -> QualityConstants:
    """The numbers of a known protocol. Raises KeyError for an unknown one."""
    return msgspec.json.decode(quality_constants_bytes(protocol_id), type=QualityConstants)


def quality_constants_sha256(protocol_id: str) -> str:
    """SHA-256 of the quality file of a known protocol."""
    return hashlib.sha256(quality_constants_bytes(protocol_id)).hexdigest()
