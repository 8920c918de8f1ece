"""Notes for a memory: a seat's observation of its opponent in one game, from the moves alone."""

from collections.abc import Iterator, Sequence

from ...table.seating import alternating
from .game_script import ChessRecord
from .habit_words import NOTE_CHARACTERS_MAX, counts_line
from .noted_occasions import occasions
from .variants import CHESS960, Variant, moves_told

FIRST_MOVES = 4


def observation(records: Sequence[ChessRecord], first: int, seat_index: int, variant: Variant = CHESS960) -> str:
    """Observation of game number `first` by the seat at `seat_index`: a line for each habit that could show.

    Its moves are told as the seats of the variant read them.
    """
    (record,) = records
    (opponent,) = (place for place, seat in enumerate(alternating(first)) if seat != seat_index)
    lines: list[str] = []
    for line in _lines(record, opponent, variant):
        if len("\n".join([*lines, line])) <= NOTE_CHARACTERS_MAX:
            lines.append(line)
    return "\n".join(lines)


def _lines(record: ChessRecord, opponent: int, variant: Variant) -> Iterator[str]:
    """Lines about the opponent, the most useful first."""
    counted, castled = occasions(record, opponent)
    yield from (counts_line(pattern, adherence) for pattern, adherence in counted.counted())
    side = ("White", "Black")[opponent]
    yield f"Castled as {side}: {castled}"
    first_moves = moves_told(record.start_fen, record.moves[: 2 * FIRST_MOVES], variant)[opponent::2]
    yield f"First moves as {side}: {' '.join(first_moves) or 'none'}"
    yield f"Ended as {side}: {_result_words(record, opponent)}"


def _result_words(record: ChessRecord, opponent: int) -> str:
    """Its result and how the game ended: "lost by checkmate after 43 plies"."""
    halfpoints = record.outcomes[opponent]
    end = record.ending.end.value.replace("_", " ")
    return f"{('lost', 'drew', 'won')[halfpoints]} by {end} after {len(record.moves)} plies"
