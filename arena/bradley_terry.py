"""Bradley-Terry strengths of all players from all games together, with intervals (SPEC S37).

Unlike Elo, the order of games does not matter. Strengths are in natural log units and their mean is 0; the
Elo scale (400 points for odds of ten to one) stands beside them, around 1500. A standard error is that of a
strength's distance from the mean, by the observed information. Where the games cannot order all players (see
`connection`), or leave a term open, the outcome says so, and a penalised fit stands in: half a win and half a
loss of every parameter against 0.
"""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.scoring.ratings.decimal_arithmetic import decimal_of, high_precision, places
from agzamov_verify.scoring.ratings.games import DRAW, LOSS, WIN, Game
from agzamov_verify.scoring.statistics import Z_95, Interval
from connection import Connection, connection, names_of
from fit import Fit, maximum
from likelihood import Draws, Model, Pairing, Shape, shape_of
from resampled import bootstrap

CENTRE_ELO: Final = 1500
POINTS_PER_TENFOLD: Final = 400


class Term(msgspec.Struct, frozen=True):
    """A parameter in natural log units. `bootstrap_ci` is None where too many resamples had no fit."""

    value: str
    standard_error: str
    information_ci: Interval
    bootstrap_ci: Interval | None


class Strength(msgspec.Struct, frozen=True):
    """One player: results, strength, and the same on the Elo scale with its 95 % interval by the information."""

    name: str
    games: int
    halfpoints: int
    strength: Term
    elo: str
    elo_ci: Interval


class BradleyTerry(msgspec.Struct, frozen=True):
    """A fit of all games, players by falling strength.

    `connection` and `groups` say whether the games order all players; `penalised` whether the penalised fit had
    to stand in. `first_move` is the advantage, `draw` is ln nu; None where the model has no such term, and `draw`
    also where no game was drawn (nu = 0). `unsettled` resamples had no fit.
    """

    model: Model
    games: int
    connection: Connection
    groups: tuple[tuple[str, ...], ...]
    penalised: bool
    players: tuple[Strength, ...]
    first_move: Term | None
    draw: Term | None
    log_likelihood: str
    resamples: int
    unsettled: int


class _Estimate(NamedTuple):
    """A parameter and its standard error, with all their digits."""

    value: Decimal
    error: Decimal
    method: str
    bootstrap: Interval | None

    def term(self) -> Term:
        """The estimate as it is published, with its interval from the standard error."""
        interval = normal_95(self.value, self.error, self.method)
        return Term(places(self.value), places(self.error), interval, self.bootstrap)


def bradley_terry(games: Sequence[Game], model: Model, seed: bytes, resamples: int) -> BradleyTerry | None:
    """The fit of all games, in any order; None without a game. `seed` is of the bootstrap."""
    if not games:
        return None
    names, counts = names_of(games), Counter(games)
    joined, groups = connection(counts)
    with high_precision():
        pairings = pairings_of(counts, names)
        shape, fit = _fitted(pairings, model, len(names), connected=joined is Connection.CONNECTED)
        intervals, unsettled = bootstrap(pairings, fit.worths, shape, seed, resamples)
        estimates = _estimates(fit, shape, intervals)
        return BradleyTerry(
            model,
            len(games),
            joined,
            groups,
            shape.penalty,
            _players(names, counts, estimates),
            None if shape.advantage is None else estimates[shape.advantage].term(),
            None if shape.tie is None else estimates[shape.tie].term(),
            places(fit.log_likelihood),
            resamples,
            unsettled,
        )


def pairings_of(counts: Counter[Game], names: Sequence[str]) -> list[Pairing[Decimal]]:
    """The games by who moved first against whom, in the order of the players' indices."""
    index = {name: number for number, name in enumerate(names)}
    met = sorted({(index[game.first], index[game.second]) for game in counts})
    return [
        Pairing(i, j, *(Decimal(counts[Game(names[i], names[j], points)]) for points in (WIN, DRAW, LOSS)))
        for i, j in met
    ]


def _fitted(pairings: Sequence[Pairing[Decimal]], model: Model, players: int, *, connected: bool) -> tuple[Shape, Fit]:
    """The maximum-likelihood fit if there is one, else the penalised one."""
    drawn = any(pairing.draws for pairing in pairings)
    terms = model if drawn else Model(Draws.HALF_WIN, model.first_move)
    for penalty in (False, True) if connected else (True,):
        shape = shape_of(terms, players, penalty=penalty)
        fit = maximum(pairings, shape)
        if fit:
            return shape, fit
    raise AssertionError("the penalised likelihood always has a maximum")


def _estimates(fit: Fit, shape: Shape, intervals: Sequence[Interval] | None) -> list[_Estimate]:
    values = [worth.ln() for worth in fit.worths]
    mean = sum(values[: shape.players], Decimal(0)) / shape.players
    method = "information, penalised" if shape.penalty else "information"
    return [
        _Estimate(
            value - mean if number < shape.players else value,
            max(fit.covariance[number][number], Decimal(0)).sqrt(),
            method,
            intervals[number] if intervals else None,
        )
        for number, value in enumerate(values)
    ]


def _players(names: Sequence[str], counts: Counter[Game], estimates: Sequence[_Estimate]) -> tuple[Strength, ...]:
    played, points = _totals(counts)
    order = sorted(range(len(names)), key=lambda number: (-estimates[number].value, names[number]))
    return tuple(
        _strength(names[number], played[names[number]], points[names[number]], estimates[number]) for number in order
    )


def _strength(name: str, games: int, halfpoints: int, estimate: _Estimate) -> Strength:
    per_unit = POINTS_PER_TENFOLD / Decimal(10).ln()
    elo = CENTRE_ELO + per_unit * estimate.value
    interval = normal_95(elo, per_unit * estimate.error, estimate.method)
    return Strength(name, games, halfpoints, estimate.term(), places(elo), interval)


def _totals(counts: Counter[Game]) -> tuple[Counter[str], Counter[str]]:
    played: Counter[str] = Counter()
    points: Counter[str] = Counter()
    for game, count in counts.items():
        played.update({game.first: count, game.second: count})
        points.update({game.first: count * game.halfpoints, game.second: count * (2 - game.halfpoints)})
    return played, points


def normal_95(centre: Decimal, standard_error: Decimal, method: str) -> Interval:
    """Centre ± 1.96 standard errors; call it within `high_precision`."""
    half = decimal_of(Z_95) * standard_error
    return Interval(places(centre - half), places(centre + half), method)
