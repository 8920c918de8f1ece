"""The sums over the records that the tables need: results, lengths, times, reasons."""

from collections import Counter
from fractions import Fraction
from math import comb, fsum

import msgspec

from .reading import Record


class Tallies(msgspec.Struct, frozen=True):
    """Counted from the model's side; `flagged_errors` are those that the records themselves state."""

    games: int
    wins: int
    draws: int
    losses: int
    plies: int
    full_moves: int
    model_moves: int
    seconds_mean: float
    flagged_errors: int
    reasons: dict[str, int]

    @property
    def score(self) -> Fraction:
        """Points per game: a win 1, a draw 1/2."""
        return Fraction(2 * self.wins + self.draws, 2 * self.games)

    @property
    def p_value(self) -> Fraction:
        """P(at least this many wins in so many fair coins), a draw being no win; exact."""
        ways = sum(comb(self.games, wins) for wins in range(self.wins, self.games + 1))
        return Fraction(ways, 2**self.games)

    @property
    def error_rate(self) -> float:
        """The errors that the records state, per model move."""
        return self.flagged_errors / max(1, self.model_moves)

    @property
    def plies_mean(self) -> Fraction:
        """Plies per game."""
        return Fraction(self.plies, self.games)

    @property
    def moves_mean(self) -> Fraction:
        """Full moves per game, a move begun being one."""
        return Fraction(self.full_moves, self.games)


def tally(records: tuple[Record, ...]) -> Tallies:
    """The sums over `records`, of which there is at least one."""
    sides = Counter(record.result.side * record.model_side for record in records)
    lengths = [len(record.moves) for record in records]
    return Tallies(
        games=len(records),
        wins=sides[1],
        draws=sides[0],
        losses=sides[-1],
        plies=sum(lengths),
        full_moves=sum((length + 1) // 2 for length in lengths),
        model_moves=sum(len(record.model_plies()) for record in records),
        seconds_mean=fsum(record.duration_seconds for record in records) / len(records),
        flagged_errors=sum(_flagged(record) for record in records),
        reasons=dict(Counter(record.result_reason for record in records)),
    )


def _flagged(record: Record) -> int:
    stated = record.white_errors + record.black_errors
    return max(stated, sum(move.error for move in record.moves))
