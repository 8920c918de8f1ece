"""The counts of a chess match: wins, draws, losses, start pairs, and how games were decided. No inference."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from ...scoring.inference.exact import figure
from ...scoring.units.counts import Counts, distinct, identity_of
from ...table.seating import place_of
from .game_script import ChessRecord, Ending
from .rules import BY_RULE, End


class Score(msgspec.Struct, frozen=True):
    """Wins, draws and losses of the seat that is looked at.

    `pairs` counts start pairs by its half-points 0 to 4 (the pentanomial distribution).
    """

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]

    @property
    def points(self) -> Fraction:
        """Points per game: (wins + draws / 2) / games."""
        return Fraction(2 * self.wins + self.draws, 2 * (self.wins + self.draws + self.losses))


class Decided(msgspec.Struct, frozen=True):
    """Numbers of games by how they ended: by the rules of chess, or in another way.

    `by_play`: by the rules and without a substituted move.
    """

    rules: int
    adjudication: int
    forfeit: int
    ply_limit: int
    with_substitution: int
    by_play: int
    ends: dict[str, int]


class ChessResult(Counts, frozen=True, tag="chess960"):
    """A chess match. `raw` counts an adjudicated game that was not played on as a draw (draft H19).

    `distinct_games`: games that differ in start, moves or result. A player without randomness plays
    both games of a start against itself alike.
    """

    games: int
    distinct_games: int
    plies: int
    adjudicated: Score
    raw: Score
    decided: Decided

    @property
    def count(self) -> int:
        return self.games

    @property
    def distinct(self) -> int:
        return self.distinct_games

    @property
    def wins(self) -> tuple[int, int]:
        return self.adjudicated.wins, self.games

    @property
    def units(self) -> int:
        """Number of start pairs."""
        return self.games // 2

    @property
    def value(self) -> Fraction:
        """Points per game."""
        return self.adjudicated.points

    @property
    def ends(self) -> Mapping[str, int]:
        return self.decided.ends

    @property
    def by_play(self) -> int:
        return self.decided.by_play

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "games": str(self.games),
            "score": figure(self.adjudicated.points).decimal,
            "score_raw": figure(self.raw.points).decimal,
            "decided_by_play": figure(Fraction(self.decided.by_play, self.games)).decimal,
        }


class StandardResult(ChessResult, frozen=True, tag="chess"):
    """A match of standard chess."""


def chess_result(records: Sequence[ChessRecord], seat_index: int, kind: type[ChessResult] = ChessResult) -> ChessResult:
    """The result of all games of a match, in order, for one seat; `kind`: that of its variant."""
    adjudicated = [halfpoints(index, record.ending, seat_index) for index, record in enumerate(records)]
    raw = [halfpoints(index, record.raw, seat_index) for index, record in enumerate(records)]
    plies = sum(len(record.moves) for record in records)
    return kind(
        len(records),
        distinct(map(game_identity, records)),
        plies,
        _score(adjudicated),
        _score(raw),
        _decided(records),
    )


def game_identity(record: ChessRecord) -> str:
    """Digest of start, moves and result; the same with colours exchanged."""
    ending = record.ending
    return identity_of(record.start_fen, *record.moves, ending.end.value, str(ending.white_halfpoints))


def halfpoints(index: int, ending: Ending, seat_index: int) -> int:
    """A seat's half-points of game `index`."""
    return ending.outcomes[place_of(seat_index, index)]


def pair_halfpoints(records: Sequence[ChessRecord], seat_index: int) -> list[int]:
    """A seat's half-points of each start, 0 to 4: the games of a match come in pairs, with colours exchanged."""
    return by_pairs([halfpoints(index, record.ending, seat_index) for index, record in enumerate(records)])


def by_pairs(values: Sequence[int]) -> list[int]:
    """Sums of a value of each game over the two games of a start."""
    return [values[first] + values[first + 1] for first in range(0, len(values) - 1, 2)]


def _score(points: list[int]) -> Score:
    count, pairs = Counter(points), Counter(by_pairs(points))
    return Score(count[2], count[1], count[0], (pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]))


def _decided(records: Sequence[ChessRecord]) -> Decided:
    ends = Counter(record.ending.end for record in records)
    substituted = [any(tally.substituted for tally in record.tallies) for record in records]
    by_rule = [record.ending.end in BY_RULE for record in records]
    by_play = sum(rule and not swapped for rule, swapped in zip(by_rule, substituted, strict=True))
    return Decided(
        sum(by_rule),
        ends[End.ADJUDICATION],
        ends[End.FORFEIT],
        ends[End.PLY_LIMIT],
        sum(substituted),
        by_play,
        {end.value: count for end, count in sorted(ends.items())},
    )
