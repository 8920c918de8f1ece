"""Sums over the records that the tables need, and the figures of the authors' summary that contradict them."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import comb, fsum

import msgspec

from .findings import Finding, Step
from .published_files import SUMMARY, Record, Summary

ROUNDING = 1e-9
# The gate of the paper's section 4.1.
SIGNIFICANCE, WIN_RATE_ABOVE, ERROR_RATE_BELOW = 0.05, 0.70, 0.20
_REASONS = ("checkmate", "forfeit", "adjudication", "max_moves", "insufficient_material")


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


def summary_findings(summary: Summary | None, tallies: Tallies) -> Iterator[Finding]:
    """Each figure of the summary that the games contradict."""
    if summary is None:
        return
    counts, rates = _counts(tallies), _rates(tallies)
    for name, expected in counts.items():
        found = getattr(summary, name)
        if found != expected:
            yield Finding(Step.SUMMARY, SUMMARY, f"{name} {expected}", str(found))
    for name, (rate, half_unit) in rates.items():
        found = getattr(summary, name)
        if abs(found - rate) > half_unit + ROUNDING:
            yield Finding(Step.SUMMARY, SUMMARY, f"{name} {rate:.4f}", str(found))
    if summary.total_api_calls < tallies.model_moves:
        calls = f"total_api_calls of at least the {tallies.model_moves} model moves"
        yield Finding(Step.SUMMARY, SUMMARY, calls, str(summary.total_api_calls))
    yield from _errors(summary, tallies)
    yield from _reasons(summary, tallies)


def _counts(tallies: Tallies) -> dict[str, int | bool]:
    significant = tallies.p_value < SIGNIFICANCE
    reliable = tallies.error_rate < ERROR_RATE_BELOW
    return {
        "phase": 0,
        "n_games": tallies.games,
        "model_wins": tallies.wins,
        "model_losses": tallies.losses,
        "draws": tallies.draws,
        "significant": significant,
        "forfeits": tallies.reasons.get("forfeit", 0),
        "passed": significant and reliable and tallies.wins / tallies.games > WIN_RATE_ABOVE,
    }


def _rates(tallies: Tallies) -> dict[str, tuple[float, float]]:
    """The value of each rounded figure, and half a unit of its last printed digit."""
    return {
        "model_score": (float(tallies.score), 0.0005),
        "win_rate": (tallies.wins / tallies.games, 0.0005),
        "p_value": (float(tallies.p_value), 0.00005),
        "error_rate": (tallies.error_rate, 0.0005),
        "avg_moves": (float(tallies.plies_mean), 0.05),
        "avg_duration_seconds": (tallies.seconds_mean, 0.05),
    }


def _errors(summary: Summary, tallies: Tallies) -> Iterator[Finding]:
    found = summary.format_errors + summary.illegal_errors + summary.nonsense_errors
    if found != tallies.flagged_errors:
        expected = f"format, illegal and nonsense errors of {tallies.flagged_errors} in all"
        yield Finding(Step.SUMMARY, SUMMARY, expected, str(found))


def _reasons(summary: Summary, tallies: Tallies) -> Iterator[Finding]:
    named = {reason: tallies.reasons.get(reason, 0) for reason in _REASONS}
    named["other"] = tallies.games - sum(named.values())
    for reason in sorted(named.keys() | summary.result_reasons.keys()):
        expected, found = named.get(reason, 0), summary.result_reasons.get(reason, 0)
        if expected != found:
            yield Finding(Step.SUMMARY, SUMMARY, f"{reason} {expected}", str(found))
