"""The games of a chess match from the measured seat's side, as a cell."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final, Self

import msgspec

from ...scoring.inference.estimate import PAIR_SCORE, Scale
from ...scoring.inference.unit_values import Measure, Ratio, Units
from ...scoring.quality.quality_index import StageLosses
from ...scoring.units.cells import Cell, CellKey, measured_first
from ...table.seating import alternating, by_seat, place_of
from .game import chess_tallies
from .game_script import WHITE, ChessRecord, Ending
from .match_counts import by_pairs, game_identity, halfpoints
from .rules import BY_RULE, End
from .starts import PAIR
from .stress_positions import HORIZON_MOVES, moves_made, position_of

PAIR_WINS: Final = Scale("win rate", Fraction(1, 2), Fraction(0), Fraction(1))
"""Games won of a start pair, as wins per game."""


class ChessGame(msgspec.Struct, frozen=True, gc=False):
    """One game from the measured seat's side. `raw_halfpoints` is without adjudication.

    `errors` and `decisions`: its own and the opponent's, first attempts. `played_on`: it was adjudicated, and then
    played to its end all the same. `losses`: its centipawns lost and moves judged in opening, middlegame, endgame,
    where the engine was asked. `identity`: of its start, moves and result (`game_identity`). `collapse_moves`: where it
    has the worse side of a position of Phase 5, that position's expected collapse point; `survived_moves`: its moves
    until it had lost, at most the horizon.
    """

    halfpoints: int
    raw_halfpoints: int
    end: End
    substituted: bool
    errors: tuple[int, int]
    plies: int
    decisions: tuple[int, int] = (0, 0)
    played_on: bool = False
    losses: tuple[tuple[int, int], ...] = ()
    identity: str = ""
    survived_moves: int | None = None
    collapse_moves: int | None = None

    @property
    def decided_by_play(self) -> bool:
        """True if the rules of chess ended the game and every move was a seat's own."""
        return self.end in BY_RULE and not self.substituted

    @property
    def forfeited(self) -> bool:
        """True if a side lost for want of a legal move."""
        return self.end is End.FORFEIT

    @property
    def adjudicated(self) -> bool:
        """True if the engine ended a game in which every move was a seat's own."""
        return self.end is End.ADJUDICATION and not self.substituted


class ChessCell(Cell, frozen=True):
    """The games of a cell, in order; two by two they share a start, with colours exchanged."""

    key: CellKey
    games: tuple[ChessGame, ...]

    @property
    def results(self) -> tuple[ChessGame, ...]:
        """The games, by the name that all cells share."""
        return self.games

    @property
    def halfpoints(self) -> list[int]:
        """The measured seat's half-points of each game."""
        return [game.halfpoints for game in self.games]

    @property
    def wins(self) -> int:
        """Number of games that the measured seat won."""
        return sum(game.halfpoints == 2 for game in self.games)

    @property
    def distinct_wins(self) -> list[bool]:
        """Wins of the measured seat, by game; a game that repeats an earlier one move for move is left out."""
        last_first = reversed([*enumerate(self.games)])
        return list({game.identity or index: game.halfpoints == 2 for index, game in last_first}.values())

    @property
    def course(self) -> list[int]:
        return self.halfpoints

    def units(self, value: Callable[[ChessGame], int]) -> list[int]:
        """Sums of a value of each game over the two games of a start."""
        return by_pairs(list(map(value, self.games)))

    def measured(self, measure: Measure = Measure.PERFORMANCE) -> Units:
        """Wins or half-points of each start pair."""
        if measure is Measure.PERFORMANCE:
            return self.as_units(self.units(lambda game: int(game.halfpoints == 2)), PAIR_WINS)
        return self.as_units(self.units(lambda game: game.halfpoints), PAIR_SCORE)

    def clusters(self, value: Callable[[ChessGame], int]) -> list[int]:
        """Sums over games; those that were played alike, move for move, are one."""
        sums: dict[str | int, int] = {}
        for index, game in enumerate(self.games):
            sums[game.identity or index] = sums.get(game.identity or index, 0) + value(game)
        return list(sums.values())

    def kept(self, keep: Callable[[ChessGame], bool], measure: Measure) -> Units | Ratio:
        """The start pairs of which both games are kept: a pair of which one is left out would favour a colour."""
        whole = self.measured(measure)
        both = [int(count == PAIR) for count in self.units(lambda game: int(keep(game)))]
        values = [value * stays for value, stays in zip(whole.values, both, strict=True)]
        if self.careers < 2:
            return self.some_units((value for value, stays in zip(values, both, strict=True) if stays), whole.scale)
        return self.as_ratio(values, both, whole.scale)

    def with_results_of(self, other: Self) -> Self:
        return msgspec.structs.replace(self, games=self.games + other.games)


def chess_cell(
    key: CellKey,
    records: Sequence[ChessRecord],
    seat_index: int,
    starts: str,
    losses: Sequence[StageLosses] = (),
) -> ChessCell:
    """The cell of some replayed games, in order from the first of a match.

    `losses`: of each game, where the engine was asked.
    """
    tallies = measured_first(chess_tallies(records), seat_index)
    games = tuple(chess_games(records, seat_index))
    if losses:
        pairs = zip(games, losses, strict=True)
        games = tuple(msgspec.structs.replace(game, losses=lost) for game, lost in pairs)
    return ChessCell(key, games, starts=starts, tallies=tallies)


def chess_games(records: Iterable[ChessRecord], seat_index: int) -> Iterable[ChessGame]:
    """Replayed games, in order from the first of a match, from the side of one seat."""
    for index, record in enumerate(records):
        own, other = measured_first(by_seat(record.tallies, alternating(index)), seat_index)
        played_on = record.ending.end is End.ADJUDICATION and record.raw.end is not End.UNFINISHED
        survived, collapse = _under_pressure(index, seat_index, record, record.raw if played_on else record.ending)
        yield ChessGame(
            halfpoints(index, record.ending, seat_index),
            halfpoints(index, record.raw, seat_index),
            record.ending.end,
            bool(own.substituted or other.substituted),
            (own.faults, other.faults),
            len(record.moves),
            (own.decisions, other.decisions),
            played_on,
            identity=game_identity(record),
            survived_moves=survived,
            collapse_moves=collapse,
        )


def _under_pressure(index: int, seat_index: int, record: ChessRecord, end: Ending) -> tuple[int | None, int | None]:
    """A seat's moves until it had lost, and the moves expected of it; None where it has no worse side to defend."""
    position, side = position_of(record.start_fen), place_of(seat_index, index) == WHITE
    if position is None or position.collapse_moves is None or (position.worse == "white") != side:
        return None, None
    lost = halfpoints(index, end, seat_index) == 0
    survived = min(moves_made(len(record.moves), side), HORIZON_MOVES) if lost else HORIZON_MOVES
    return survived, position.collapse_moves
