"""The normative numbers of a protocol version (paper Table 8 and our readings of it), as a file.

A file is shipped with the verifier, never taken from a bundle. Any change to it is a new version.
"""

import hashlib
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from ..table.planted import PlantedNorm
from . import PROTOCOLS

T = TypeVar("T")


class EngineNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The engine whose scores count."""

    name: str
    net_sha256: str
    threads: int
    hash_mib: int
    nodes: int


class GateNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phase 0 pass criteria (paper section 4.1)."""

    win_percent_above: int
    error_percent_below: int
    p_below: Decimal


class VerdictNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Least size of every sample that a verdict on a hypothesis rests on: careers, or else independent units.

    `career_units_min`: units of one career (start pairs, sessions), below which an arm has neither an interval nor a
    test: docs/decisions/0040. `drawn_percent_below`: a seat so much of whose actions in a match the harness drew, or
    more, has no finding there (`scoring.own_actions`).
    """

    career_units_min: int
    careers_min: int
    drawn_percent_below: int
    units_min: int


class RobustnessNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The robustness check (paper section 9.3): each Phase 2 condition again, in so many games or sessions of hands."""

    temperature: Decimal
    contests_min: int


class InterleavingNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arms that are compared are played at the same times.

    None begins a unit (start pair, session) more than `lead_units` ahead of another one. An arm of a hosted model whose
    calls overlap in time with its control's by less than `overlap_percent_min` is warned of.
    """

    lead_units: int
    overlap_percent_min: int


class MemoryNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The stale arm of a memory: it stores nothing after so much of a career, where the plan names no contest."""

    stale_percent: int


class ToolsNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Least work of a tool whose answers a seat is told: nodes of each of an engine's searches: docs/decisions/0078."""

    nodes_min: int


class ComparableNorm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The design of Phase 2 by which scores are compared: games or hands of an arm, careers, habits of the opponent.

    Each of them moves a score without better play: docs/decisions/0083.
    """

    careers: int
    patterns: tuple[str, ...]
    results: dict[str, int]


class Protocol(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One protocol version.

    `games`: the norms of each game, in the game's own fields. `shift_after`: by game, after how many results of a
    career a strategy is forced to change first in Phase 3. `failed_tries_percent`: of a seat's calls; a server that
    fails at more of them may choose which answers count.
    """

    id: str
    games: dict[str, dict[str, Any]]
    engine: EngineNorm
    phase0: GateNorm
    planted: PlantedNorm
    robustness: RobustnessNorm
    interleaving: InterleavingNorm
    memory: MemoryNorm
    comparable: ComparableNorm
    error_flag_percent: int
    failed_tries_percent: int
    bootstrap_resamples: int
    significance: Decimal
    shift_after: dict[str, int]
    tools: ToolsNorm
    verdict: VerdictNorm

    def norms(self, game: str, kind: type[T]) -> T:
        """The norms of a game. Raises KeyError for one that this version has none of."""
        return msgspec.convert(self.games[game], kind)


@lru_cache
def protocol_bytes(protocol_id: str) -> bytes:
    """The file of a known protocol. Raises KeyError for an unknown one."""
    return PROTOCOLS[protocol_id].data("norms.json")


@lru_cache
def load_protocol(protocol_id: str) -> Protocol:
    """A known protocol. Raises KeyError for an unknown one."""
    return msgspec.json.decode(protocol_bytes(protocol_id), type=Protocol)


def protocol_sha256(protocol_id: str) -> str:
    """SHA-256 of the file of a known protocol."""
    return hashlib.sha256(protocol_bytes(protocol_id)).hexdigest()
