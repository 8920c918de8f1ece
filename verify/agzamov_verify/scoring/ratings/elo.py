"""Elo ratings and their trajectory (Elo 1978; draft section 4.4; arena, "How It Works").

    E(A) = 1 / (1 + 10^((R_B - R_A) / 400))        R'_A = R_A + K (S_A - E(A))

What one gains the other loses, and the newest results weigh most: with K = 32 a rating swings by about
±50 on constant strength. It shows a course, and is no measure of strength.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import msgspec

from .decimal_arithmetic import high_precision, places
from .games import A, B, Game, match_games

POINTS_PER_TENFOLD: Final = 400
EVERY_RESULT: Final = 1


class EloRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The largest change by one result, and the rating of a newcomer."""

    k: int
    start: int


class EloPoint(msgspec.Struct, frozen=True):
    """Both ratings after `results` results."""

    results: int
    a: str
    b: str


class EloMatch(msgspec.Struct, frozen=True):
    """A match of two: the ratings at the end, and on the way there."""

    rule: EloRule
    a: str
    b: str
    trajectory: tuple[EloPoint, ...]


def elo_match(halfpoints: Sequence[int], rule: EloRule, every: int = EVERY_RESULT) -> EloMatch:
    """The course of a match from seat a's half-points: a point after each `every` results and after the last."""
    ratings = {A: Decimal(rule.start), B: Decimal(rule.start)}
    trajectory = []
    with high_precision():
        for played, game in enumerate(match_games(halfpoints), 1):
            _play(ratings, game, rule)
            if played % every == 0 or played == len(halfpoints):
                trajectory.append(EloPoint(played, places(ratings[A]), places(ratings[B])))
    return EloMatch(rule, places(ratings[A]), places(ratings[B]), tuple(trajectory))


def _play(ratings: dict[str, Decimal], game: Game, rule: EloRule) -> None:
    first, second = (ratings.setdefault(name, Decimal(rule.start)) for name in (game.first, game.second))
    gain = rule.k * (Decimal(game.halfpoints) / 2 - _expected(first - second))
    ratings[game.first], ratings[game.second] = first + gain, second - gain


def _expected(lead: Decimal) -> Decimal:
    return 1 / (1 + (-lead * Decimal(10).ln() / POINTS_PER_TENFOLD).exp())
