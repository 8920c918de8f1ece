"""Evaluation accuracy, calculation accuracy and calculation efficiency, from games of Phase 5 (S22; ADR 56).

Counted is one seat where it has White, once for each position: the first time that it is played. A match whose careers
play a position again adds nothing, so that answers of one model to one question are not taken for several.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ...position_classes import PositionClass
from ...scoring.cells import CellKey
from ...scoring.hypotheses.evidence import Probe, ProbeCell
from ..players import place_of
from .judgement import Better
from .probe_positions import ProbePosition, probe_of
from .rules import End
from .script import WHITE, ChessRecord
from .stress_positions import asks_judgement, position_of

PERMILLE: Final = 1000
WHITE_WINS: Final = 2


def probe_cells(key: CellKey, records: Sequence[ChessRecord], seat_index: int) -> Iterator[ProbeCell]:
    """What the games of a match say of each probe; nothing of a match that is played from starts."""
    last_first = reversed([*enumerate(records)])
    first = {record.start_fen: record for index, record in last_first if place_of(seat_index, index) == WHITE}
    measures: dict[Probe, Callable[[ChessRecord], int | None]] = {
        Probe.EVALUATION: evaluated,
        Probe.CALCULATION: calculated,
        Probe.EFFICIENCY: efficiency,
    }
    for probe, measure in measures.items():
        values = [value for record in first.values() if (value := measure(record)) is not None]
        if values:
            yield ProbeCell(key, probe, tuple(reversed(values)))


def evaluated(record: ChessRecord) -> int | None:
    """1 where White said before its first move which side stands better; None where it was not asked."""
    position = position_of(record.start_fen)
    if position is None or not asks_judgement(record.start_fen):
        return None
    better = Better.BLACK if position.worse == "white" else Better.WHITE
    return int(record.judgement == better)


def calculated(record: ChessRecord) -> int | None:
    """1 where White mated within the moves of a forced mate, all of them its own; None from another position."""
    position = _probe(record, PositionClass.MATE)
    if position is None:
        return None
    in_time = is_won_by_white(record) and moves_of_white(record) <= position.moves
    return int(in_time and not any(ply % 2 == 0 for ply in record.substituted))


def efficiency(record: ChessRecord) -> int | None:
    """The shortest win over the moves that White took to mate, per mille; 0 where it did not; None elsewhere.

    At most 1000: where the defender helps, that is no merit of White's.
    """
    position = _probe(record, PositionClass.WON)
    if position is None:
        return None
    if not is_won_by_white(record):
        return 0
    return min(PERMILLE, PERMILLE * position.moves // moves_of_white(record))


def is_won_by_white(record: ChessRecord) -> bool:
    """True if White mated."""
    return record.ending.end is End.CHECKMATE and record.ending.white_halfpoints == WHITE_WINS


def moves_of_white(record: ChessRecord) -> int:
    """Number of White's moves."""
    return (len(record.moves) + 1) // 2


def _probe(record: ChessRecord, part: PositionClass) -> ProbePosition | None:
    position = probe_of(record.start_fen)
    return position if position and position.part is part else None
