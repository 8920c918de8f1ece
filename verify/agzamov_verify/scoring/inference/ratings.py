"""Ratings of players from their games: Elo and Glicko-2. A game's result is in half-points.

Elo ratings and their trajectory (Elo 1978; draft section 4.4; arena, "How It Works").

    E(A) = 1 / (1 + 10^((R_B - R_A) / 400))        R'_A = R_A + K (S_A - E(A))

What one gains the other loses, and the newest results weigh most: with K = 32 a rating swings by about
±50 on constant strength. It shows a course, and is no measure of strength.

Glicko-2 ratings in rating periods (Glickman, "Example of the Glicko-2 system", 2013; paper section 3.5).

The games of a period are taken to be simultaneous, so their order inside it does not matter; the order of
periods does. With one game to a period the rating depends on the order of all games, and Glickman advises at
least 10-15 games to a period: hence the default of 20. A last, shorter period is rated as it is.
What is published beside a rating is the rating deviation, by the system's own model.

Two players who only meet each other are rated against each other: if both improve alike, neither rating
moves. `anchor` holds the opponent at a fixed rating instead, so that conditions against the same naked
opponent can be compared.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from .exact import high_precision, places, root

T = TypeVar("T")

WIN, DRAW, LOSS = 2, 1, 0
A, B = "a", "b"


class Game(NamedTuple):
    """One game between two players; `halfpoints` (0, 1, 2) are the first one's."""

    first: str
    second: str
    halfpoints: int


class Both(msgspec.Struct, Generic[T], frozen=True):
    """The same rating of all results and of those decided by play alone; `left_out` results are not in the second."""

    everything: T
    by_play: T
    left_out: int


class NotOfTwo(ValueError):
    """A rating of a table that is not of two: Elo and Glicko-2 know a first and a second player, and no third."""

    def __init__(self, seats: int) -> None:
        super().__init__(
            f"ratings: expected a table of {len((A, B))} seats, found {seats}; Elo and Glicko-2 are of two"
        )


def match_games(halfpoints: Iterable[int], seats: int) -> list[Game]:
    """A match of seats a and b as games, from a's half-points in order. Who moved first is not kept.

    `seats`: the number at the table. Raises NotOfTwo.
    """
    if seats != len((A, B)):
        raise NotOfTwo(seats)
    return [Game(A, B, points) for points in halfpoints]


def hand_halfpoints(chips: Iterable[int]) -> list[int]:
    """Hands or sessions as games: more than zero chips is a win, zero a draw.

    A rating of these says who wins more often, which is not who wins more chips.
    """
    return [DRAW if not won else WIN if won > 0 else LOSS for won in chips]


def with_and_without(rate: Callable[[Sequence[int]], T], halfpoints: Sequence[int], by_play: Sequence[bool]) -> Both[T]:
    """A rating of all results, and of those that `by_play` marks; a result left out is as if it never was."""
    played = [points for points, kept in zip(halfpoints, by_play, strict=True) if kept]
    return Both(rate(halfpoints), rate(played), len(halfpoints) - len(played))


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


def elo_match(halfpoints: Sequence[int], rule: EloRule, every: int = EVERY_RESULT, *, seats: int = 2) -> EloMatch:
    """The course of a match from seat a's half-points: a point after each `every` results and after the last.

    `seats`: the number at the table. Raises NotOfTwo.
    """
    ratings = {A: Decimal(rule.start), B: Decimal(rule.start)}
    trajectory = []
    with high_precision():
        for played, game in enumerate(match_games(halfpoints, seats), 1):
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


PERIOD_RESULTS: Final = 20
_CENTRE: Final = Decimal(1500)
_SCALE: Final = Decimal("173.7178")
_PI: Final = Decimal("3.14159265358979323846264338327950288419716939937511")
_TOLERANCE: Final = Decimal("1e-20")


class Glicko(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player: rating, rating deviation (one standard error) and volatility."""

    rating: Decimal
    deviation: Decimal
    volatility: Decimal


NEWCOMER: Final = Glicko(_CENTRE, Decimal(350), Decimal("0.06"))


class GlickoRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Results to a rating period; the constant that limits how volatility changes (0.3 to 1.2); the start."""

    period_results: int = PERIOD_RESULTS
    system_constant: Decimal = Decimal("0.5")
    start: Glicko = NEWCOMER


class GlickoPoint(msgspec.Struct, frozen=True):
    """A player after `results` results of the pool; `low` and `high` are one standard error away."""

    results: int
    rating: str
    deviation: str
    volatility: str
    low: str
    high: str


class GlickoMatch(msgspec.Struct, frozen=True):
    """A match of two by the end of each period, beginning with the start."""

    period_results: int
    a: tuple[GlickoPoint, ...]
    b: tuple[GlickoPoint, ...]


class Result(NamedTuple):
    """One result of a period from the player's side, against the opponent as rated before the period."""

    opponent: Glicko
    halfpoints: int


def rate_period(player: Glicko, results: Iterable[Result], system_constant: Decimal) -> Glicko:
    """The player after one period; without results only the deviation grows (steps 1 to 8)."""
    met = Counter(results)
    with high_precision():
        phi = player.deviation / _SCALE
        if not met:
            return _grown(player, phi)
        # Step 3: 1 / v = sum of g^2 E (1 - E). Step 4: delta = v sum of g (s - E), s in points (half-points over 2).
        mu = (player.rating - _CENTRE) / _SCALE
        precision = surplus = Decimal(0)
        for result, count in met.items():
            weight, expected = _meeting(mu, result.opponent)
            precision += count * weight * weight * expected * (1 - expected)
            surplus += count * weight * (Decimal(result.halfpoints) / 2 - expected)
        volatility = _volatility(player.volatility, phi, 1 / precision, surplus / precision, system_constant)
        # Steps 6 and 7: 1 / phi'^2 = 1 / (phi^2 + sigma'^2) + 1 / v, and mu' = mu + phi'^2 sum of g (s - E).
        deviation = 1 / (1 / (phi * phi + volatility * volatility) + precision).sqrt()
        rating = mu + deviation * deviation * surplus
        return Glicko(rating * _SCALE + _CENTRE, deviation * _SCALE, volatility)


def glicko2_pool(
    periods: Iterable[Sequence[Game]], rule: GlickoRule, anchors: Mapping[str, Glicko] | None = None
) -> dict[str, tuple[GlickoPoint, ...]]:
    """Every player's course, by name: the start, then the end of each period, whether they played in it or not.

    Players in `anchors` keep that rating.
    """
    periods, fixed = list(periods), dict(anchors or {})
    names = sorted({name for games in periods for game in games for name in (game.first, game.second)} | set(fixed))
    players = {name: fixed.get(name, rule.start) for name in names}
    courses = {name: [_point(0, player)] for name, player in players.items()}
    played = 0
    for games in periods:
        played += len(games)
        results = _by_player(games, players)
        players = {
            name: fixed.get(name) or rate_period(player, results.get(name, ()), rule.system_constant)
            for name, player in players.items()
        }
        for name, player in players.items():
            courses[name].append(_point(played, player))
    return {name: tuple(course) for name, course in courses.items()}


def glicko2_match(
    halfpoints: Sequence[int], rule: GlickoRule, anchor: Glicko | None = None, *, seats: int = 2
) -> GlickoMatch:
    """The course of a match from seat a's half-points; with `anchor`, seat b keeps that rating.

    `seats`: the number at the table. Raises NotOfTwo.
    """
    games, size = match_games(halfpoints, seats), rule.period_results
    periods = [games[start_index : start_index + size] for start_index in range(0, len(games), size)]
    start = _point(0, rule.start)
    courses = {A: (start,), B: (start,)} | glicko2_pool(periods, rule, {B: anchor} if anchor else None)
    return GlickoMatch(size, courses[A], courses[B])


def _by_player(games: Iterable[Game], players: Mapping[str, Glicko]) -> dict[str, list[Result]]:
    results: dict[str, list[Result]] = {}
    for game in games:
        results.setdefault(game.first, []).append(Result(players[game.second], game.halfpoints))
        results.setdefault(game.second, []).append(Result(players[game.first], 2 - game.halfpoints))
    return results


def _meeting(mu: Decimal, opponent: Glicko) -> tuple[Decimal, Decimal]:
    """g and E of step 3: how much a result against the opponent weighs, and the expected points."""
    # g = 1 / root(1 + 3 phi^2 / pi^2), E = 1 / (1 + e^(-g (mu - mu_opponent))).
    phi = opponent.deviation / _SCALE
    weight = 1 / (1 + 3 * phi * phi / (_PI * _PI)).sqrt()
    return weight, 1 / (1 + (-weight * (mu - (opponent.rating - _CENTRE) / _SCALE)).exp())


def _grown(player: Glicko, phi: Decimal) -> Glicko:
    # Step 6 alone: phi' = root(phi^2 + sigma^2).
    deviation = (phi * phi + player.volatility * player.volatility).sqrt() * _SCALE
    return Glicko(player.rating, deviation, player.volatility)


def _volatility(sigma: Decimal, phi: Decimal, variance: Decimal, gain: Decimal, constant: Decimal) -> Decimal:
    """Step 5: the new volatility. `gain` is Δ, the improvement that the results alone suggest."""
    # The root in x = ln sigma'^2 of e^x (D^2 - phi^2 - v - e^x) / (2 (phi^2 + v + e^x)^2) - (x - a) / tau^2, D = gain,
    # a = ln sigma^2, tau = constant. It lies between a and ln(D^2 - phi^2 - v), or the first a - k tau where f >= 0.
    start, spread, squared = (sigma * sigma).ln(), phi * phi + variance, gain * gain

    def f(x: Decimal) -> Decimal:
        volatility = x.exp()  # squared
        grown = spread + volatility
        return volatility * (squared - grown) / (2 * grown * grown) - (x - start) / (constant * constant)

    if squared > spread:
        other = (squared - spread).ln()
    else:
        other = start - constant
        while f(other) < 0:
            other -= constant
    log_variance: Decimal = root(f, start, other, _TOLERANCE)
    return (log_variance / 2).exp()


def _point(results: int, player: Glicko) -> GlickoPoint:
    with high_precision():
        low, high = player.rating - player.deviation, player.rating + player.deviation
        return GlickoPoint(results, *map(places, (player.rating, player.deviation, player.volatility, low, high)))
