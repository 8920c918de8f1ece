"""Cells: what one model did under one condition of one phase in one game, in the units that scoring counts in.

A cell is labelled by what was varied (paper sections 3.4 and 4.3): the augmentation, and the arm of the
experiment. Scoring never looks at a manifest again; a later phase only has to label its records.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from ...games.chess960.rules import End
from ...games.chess960.script import ChessRecord
from ...games.holdem.rules import HandEnd
from ...games.holdem.script import HandRecord
from ...manifest import ChessMatch, Manifest, Match
from ...phases.streams import Block, a_is_first
from ...seats import EndpointSeat, GgufSeat, OllamaSeat
from ..chess960 import BY_RULE, halfpoints_a
from ..results import chess_records, hand_records

DIGEST_SHOWN = 12


class Augmentation(StrEnum):
    """What the agent has beside the prompt (paper Table 2)."""

    NAKED = "naked"
    MEMORY = "memory"
    TOOLS = "tools"
    RAG = "rag"
    FULL = "full"


class Arm(StrEnum):
    """The three experimental conditions of a sub-phase (paper section 4.3)."""

    NAKED = "naked"
    PLACEBO = "placebo"
    REAL = "real"


class CellKey(msgspec.Struct, frozen=True, order=True):
    """Where a cell stands. `model` is what plays; `system` is the augmentation system, empty where there is none."""

    model: str
    game: str
    phase: int
    augmentation: Augmentation = Augmentation.NAKED
    arm: Arm = Arm.NAKED
    system: str = ""

    def __str__(self) -> str:
        system = f" ({self.system})" if self.system else ""
        return f"{self.model} {self.game} phase {self.phase} {self.augmentation.value}/{self.arm.value}{system}"


class ChessGame(msgspec.Struct, frozen=True, gc=False):
    """One game from the measured seat's side. `raw_halfpoints` is without adjudication."""

    halfpoints: int
    raw_halfpoints: int
    end: End
    substituted: bool
    errors: tuple[int, int]
    plies: int

    @property
    def decided_by_play(self) -> bool:
        """Whether the rules of chess ended it, with every move a seat's own."""
        return self.end in BY_RULE and not self.substituted


class PokerHand(msgspec.Struct, frozen=True, gc=False):
    """One hand from the measured seat's side, in chips (100 are one big blind). `errors`: its own, the opponent's."""

    chips: int
    end: HandEnd
    errors: tuple[int, int]

    @property
    def decided_by_play(self) -> bool:
        return self.end is not HandEnd.FORFEIT and not any(self.errors)


class ChessCell(msgspec.Struct, frozen=True):
    """The games of a cell, in order; two by two they share a start, with colours exchanged."""

    key: CellKey
    games: tuple[ChessGame, ...]

    @property
    def halfpoints(self) -> list[int]:
        return [game.halfpoints for game in self.games]

    @property
    def wins(self) -> int:
        return sum(game.halfpoints == 2 for game in self.games)

    def pairs(self, value: Sequence[int]) -> list[int]:
        """Sums of a value of each game over the two games of a start."""
        return [value[at] + value[at + 1] for at in range(0, len(value) - 1, 2)]


class PokerCell(msgspec.Struct, frozen=True):
    """The hands of a cell, in order."""

    key: CellKey
    hands: tuple[PokerHand, ...]
    session_hands: int

    @property
    def sessions(self) -> list[int]:
        """Chips won in each whole session."""
        chips, size = [hand.chips for hand in self.hands], self.session_hands
        return [sum(chips[at : at + size]) for at in range(0, len(chips) - size + 1, size)]


Cell: TypeAlias = ChessCell | PokerCell


def cells_of(manifest: Manifest, blocks: Mapping[str, Sequence[Block]]) -> list[Cell]:
    """The cells of a run, in the order of its plan; a match without blocks was not played."""
    return [
        cell_of(match, blocks[match.id], model_of(manifest, match.a), manifest.plan.holdem.session_hands)
        for match in manifest.plan.matches
        if match.id in blocks
    ]


def cell_of(match: Match, blocks: Sequence[Block], model: str, session_hands: int) -> Cell:
    """One match as a cell of `model`."""
    key = CellKey(model, match.game, match.phase)
    if isinstance(match, ChessMatch):
        return ChessCell(key, tuple(chess_games(chess_records(blocks))))
    return PokerCell(key, tuple(poker_hands(hand_records(blocks))), session_hands)


def chess_games(records: Iterable[ChessRecord]) -> Iterable[ChessGame]:
    """Replayed games, in order from the first of a match, from seat A's side."""
    for index, record in enumerate(records):
        a, b = record.tallies if a_is_first(index) else reversed(record.tallies)
        yield ChessGame(
            halfpoints_a(index, record.ending),
            halfpoints_a(index, record.raw),
            record.ending.end,
            bool(a.substituted or b.substituted),
            (a.faults, b.faults),
            len(record.moves),
        )


def poker_hands(records: Iterable[HandRecord]) -> Iterable[PokerHand]:
    """Replayed hands, in order from the first of a match, from seat A's side."""
    for index, record in enumerate(records):
        if a_is_first(index):
            yield PokerHand(record.net_chips, record.end, record.faults)
        else:
            yield PokerHand(-record.net_chips, record.end, (record.faults[1], record.faults[0]))


def model_of(manifest: Manifest, name: str) -> str:
    """What identifies a seat's player across bundles: its weights, its endpoint's model, or its kind."""
    seat = manifest.plan.seats[name]
    match seat:
        case EndpointSeat():
            return seat.model
        case GgufSeat() | OllamaSeat():
            return f"{name}@{manifest.models[name].sha256[:DIGEST_SHOWN]}"
        case _:
            return str(seat.__struct_config__.tag)
