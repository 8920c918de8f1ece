"""The counts of a match of draughts: wins, draws, losses, ballots, and how games were decided. No inference."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...scoring.inference.exact import figure
from ...scoring.units.counts import Counts, distinct, identity_of
from .game_script import DraughtsRecord
from .rules import BY_RULE


class DraughtsCounts(Counts, frozen=True, tag="draughts"):
    """A match from one seat's side.

    `pairs`: ballots by the seat's half-points 0 to 4 (the pentanomial distribution). `distinct_games`: those that
    differ in ballot, moves or result. `own`: games that the rules of draughts ended and in which every move was a
    seat's own.
    """

    games: int
    distinct_games: int
    plies: int
    won: int
    drawn: int
    lost: int
    pairs: tuple[int, int, int, int, int]
    own: int
    endings: dict[str, int]

    @property
    def count(self) -> int:
        return self.games

    @property
    def distinct(self) -> int:
        return self.distinct_games

    @property
    def wins(self) -> tuple[int, int]:
        return self.won, self.games

    @property
    def units(self) -> int:
        """Number of ballots."""
        return self.games // 2

    @property
    def value(self) -> Fraction:
        """Points per game: (wins + draws / 2) / games."""
        return Fraction(2 * self.won + self.drawn, 2 * self.games)

    @property
    def ends(self) -> Mapping[str, int]:
        return self.endings

    @property
    def by_play(self) -> int:
        return self.own

    def headline(self) -> dict[str, str]:
        """The figures that a submitter claims."""
        return {
            "games": str(self.games),
            "score": figure(self.value).decimal,
            "drawn": figure(Fraction(self.drawn, self.games)).decimal,
            "decided_by_play": figure(Fraction(self.own, self.games)).decimal,
        }


def draughts_counts(records: Sequence[DraughtsRecord], outcomes: Sequence[int]) -> DraughtsCounts:
    """The counts of all games of a match, in order; `outcomes`: one seat's half-points of each."""
    points, pairs = Counter(outcomes), Counter(by_pairs(outcomes))
    ends = Counter(record.end.value for record in records)
    return DraughtsCounts(
        len(records),
        distinct(map(game_identity, records)),
        sum(len(record.moves) for record in records),
        points[2],
        points[1],
        points[0],
        (pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]),
        sum(decided_by_play(record) for record in records),
        dict(sorted(ends.items())),
    )


def decided_by_play(record: DraughtsRecord) -> bool:
    """True if the rules of draughts ended the game and every move was a seat's own."""
    return record.end in BY_RULE and not record.substituted


def game_identity(record: DraughtsRecord) -> str:
    """Digest of ballot, moves and result; the same with colours exchanged."""
    return identity_of(record.ballot, *record.moves, record.end.value, str(record.white_halfpoints))


def by_pairs(values: Sequence[int]) -> list[int]:
    """Sums of a value of each game over the two games of a ballot."""
    return [values[first] + values[first + 1] for first in range(0, len(values) - 1, 2)]
