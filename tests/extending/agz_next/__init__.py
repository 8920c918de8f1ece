"""agz-next: a protocol that is no part of the product. It has all that its tree has, and unlike seats meet in Phase 4.

Copied to `agzamov_verify/protocols/`, with one line in that package's registry, a plan can name it:

    from .agz_next import PROTOCOL as AGZ_NEXT

Its manifests spell a plan's title as `name`: `upgrade` tells the program of today what that means.
"""

from typing import Final

from ...experiment.matches import Phase
from ...table.registry import GAMES
from ..agz_0_1 import PROTOCOL as AGZ_0_1
from ..opponents import ANY_SEAT, PhaseRule
from ..protocol_version import Document, ProtocolVersion


def _upgrade(document: Document) -> Document:
    plan = dict(document["plan"])
    return {**document, "plan": {"title": plan.pop("name"), **plan}}


def _downgrade(document: Document) -> Document:
    plan = dict(document["plan"])
    return {**document, "plan": {"name": plan.pop("title"), **plan}}


PROTOCOL: Final = ProtocolVersion(
    id="agz-next",
    folder="agz_next",
    games=tuple(GAMES),
    phases={
        **AGZ_0_1.phases,
        Phase.HUMAN: PhaseRule(ANY_SEAT, augmented=True),
    },
    claims={
        **AGZ_0_1.claims,
        "chess": AGZ_0_1.claims["chess960"],
        "holdem_ring": ("hands", "bb_per_100", "decided_by_play"),
        "holdem_sit_and_go": ("sit_and_gos", "points", "decided_by_play"),
        "draughts": ("games", "score", "decided_by_play"),
        "werewolf": ("games", "points_a_game"),
        "noughts": ("games", "score"),
        "high_card": ("rounds", "chips_a_round"),
        "blind_bids": ("rounds", "chips_a_round"),
        "village": ("games", "won"),
    },
    upgrade=_upgrade,
    downgrade=_downgrade,
)
