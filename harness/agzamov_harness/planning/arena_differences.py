"""The least difference of strength that an arena shows, in each game and in the headline, for a schedule of bouts.

V is the covariance of strengths that the schedule gives by each game's own model (`scoring.arena_ratings`), from the
information I of its results at assumed strengths, and G of the ghost games. Ghosts draw estimates to the mean:

    H = I + G,    V = H^-1 I H^-1,    estimate of theta = theta - H^-1 tanh(theta / 2) / 2     (to first order)

With se the standard error of a difference, the least difference that is found with power 80 % solves

    estimate of difference = (c + z_0.80) se(difference)

c = 1.96 for two players looked at alone (a two-sided test at 5 %), and for rank sets the 95 % point of the greatest
studentised difference of all pairs (Mogstad, Romano, Shaikh and Wilhelm 2024; the first step of the stepdown, so that a
later step finds a little more). se is of the pair that the schedule tells least about, at strengths half the difference
above and below the mean: the further two are apart, the less a game between them tells. Power of a test of normal
estimates: Cohen 1988, chapter 2.

Information of a bout, at strengths theta, with s the logistic function:

    two games, win : draw : loss = e^(x/2) : nu : e^(-x/2)     2 ((1 - d) / 4 - l^2) X X'      (Davidson 1970)
    n hands between k players                                   n k / (k - 1) / (SD slope)^2 C  (least squares)
    n games of teams                                            sum of p (1 - p) X X'
    n finishing orders of k players                             n sum over r = 2..k of (r - 1) / r / (k - 1) C

X: +1 and -1 for the two players, of teams the shares of their members; d, l: share of draws and lead at x, nu from the
assumed share of draws among equals, nu = 2 d / (1 - d); C: centring over the players of the table; SD: of one hand, in
bb/100; slope: logits for one bb/100. Ghost games add 1/4 for each player in games of wins. Games of one start are taken
as independent, which both colours make a little too careful, as are hands of one deck.
The last line is Plackett and Luce's information at equal strengths, where a stage with r players left has
(I - J / r) / r (Hunter 2004, Annals of Statistics 32:384); far from them an order tells less.
"""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sqrt
from typing import Final, NamedTuple, TypeAlias

import msgspec
import numpy as np

from agzamov_verify.scoring.arena_ratings.chips import SESSION_HANDS
from agzamov_verify.scoring.arena_ratings.rating_scale import ELO_PER_LOGIT, two_sided_z
from agzamov_verify.scoring.arena_ratings.results_table import Floats
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import critical_value, drawn_errors

Z_POWER: Final = 0.8416212335729143
"""The normal deviate with 20 % above it."""
ALPHA: Final = 0.05
DRAWS: Final = 10_000
SEED: Final = b"\0" * 32
LOGITS_SEEN_MIN: Final = 1e-9
"""Of an expected difference: less is 0 but for rounding, where no bout tells two players apart."""
STEPS: Final = 30
LOGITS_MAX: Final = 8.0
"""Beyond it, 1,390 Elo, nothing is a difference that a schedule of games can be planned for."""
WOLVES_OF: Final = 4
"""One of so many at a table of Werewolf is a wolf."""


class Estimates(NamedTuple):
    """Strengths in logits (m) as they are estimated on average, and their covariance (m by m), centred."""

    expected: Floats
    covariance: Floats


Estimator: TypeAlias = Callable[[Floats], Estimates]
"""The estimates at given true strengths."""


class GameModel(NamedTuple):
    """One game as assumed: `results` of a bout, and share of `draws`, SD of 100 hands in bb/100, teams or orders."""

    results: int
    draws: float = 0.0
    hundred_sd: float | None = None
    hand_sd: float = 900.0
    has_teams: bool = False
    has_orders: bool = False

    @property
    def logits_a_bb(self) -> float:
        """Logits of strength for one bb/100 about the mean: 4 phi(0) sqrt(100) / the SD of the rating's scale."""
        return 4 / sqrt(2 * pi) * sqrt(SESSION_HANDS) / self.hand_sd


class Difference(msgspec.Struct, frozen=True):
    """Least differences in Elo at power 80 %: of two looked at alone, and as rank sets show them; None: none can be.

    `rounds_for_100`: rounds in which rank sets show 100 Elo; `bb_per_100`: the second one in games of chips.
    """

    game: str
    alone: float | None
    ranks: float | None
    rounds_for_100: int | None
    bb_per_100: float | None = None


HEADLINE: Final = ""
"""The name under which the headline stands."""


def differences(
    players: int, bouts: Mapping[str, Sequence[Sequence[int]]], models: Mapping[str, GameModel], rounds: int
) -> tuple[Difference, ...]:
    """Of the headline (first, if there are several games) and of each game. `bouts`: by game who sat at each table.

    Players in the headline are those in every game; a game's difference is among those who play it.
    """
    found, estimators = list[Difference](), list[Estimator]()
    for game, tables in sorted(bouts.items()):
        model = models[game]
        of_game = estimator(players, tables, model)
        estimators.append(of_game)
        own = sorted({player for table in tables for player in table})
        alone, ranks = least(of_game, own)
        chips = ranks / ELO_PER_LOGIT / model.logits_a_bb if ranks and model.hundred_sd else None
        found.append(Difference(game, alone, ranks, _rounds(ranks, rounds), chips))
    if len(estimators) > 1:
        own = sorted(set.intersection(*({p for table in tables for p in table} for tables in bouts.values())))
        alone, ranks = least(lambda at: _mean([one(at) for one in estimators]), own)
        found.insert(0, Difference(HEADLINE, alone, ranks, _rounds(ranks, rounds)))
    return tuple(found)


def least(estimates: Estimator, own: Sequence[int]) -> tuple[float | None, float | None]:
    """The least differences, in Elo, of two of these players alone and as rank sets show them."""
    if len(own) < 2:
        return None, None
    level = estimates(np.zeros(own[-1] + 1)).covariance[np.ix_(own, own)]
    errors = errors_of(level)
    one, other = np.unravel_index(int(errors.argmax()), errors.shape)
    pair = own[int(one)], own[int(other)]
    criticals = two_sided_z(), all_pairs(level)
    alone, ranks = (_solved(estimates, pair, critical) for critical in criticals)
    return alone, ranks


def _solved(estimates: Estimator, pair: tuple[int, int], critical: float) -> float | None:
    """The difference at which it is found with power 80 %, by bisection."""
    low, high = 0.0, LOGITS_MAX
    for _ in range(STEPS):
        middle = (low + high) / 2
        at = np.zeros(max(pair) + 1)
        at[pair[0]], at[pair[1]] = middle / 2, -middle / 2
        expected, covariance = estimates(at)
        seen = expected[pair[0]] - expected[pair[1]]
        if seen < LOGITS_SEEN_MIN or seen < (critical + Z_POWER) * errors_of(covariance)[pair]:
            low = middle
        else:
            high = middle
    return None if high == LOGITS_MAX else ELO_PER_LOGIT * high


def all_pairs(covariance: Floats) -> float:
    """The 95 % point of the greatest studentised difference."""
    errors = errors_of(covariance)
    precision = np.where(errors > 0, 1 / np.where(errors > 0, errors, 1.0), 0.0)
    return critical_value(drawn_errors(covariance, SEED, DRAWS), precision, ALPHA)


def errors_of(covariance: Floats) -> Floats:
    """Standard errors of all differences (m by m)."""
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))


def _rounds(elo: float | None, rounds: int) -> int | None:
    """An error falls with the root of the rounds."""
    return None if elo is None else max(1, round(rounds * (elo / 100) ** 2 + 0.5))


def _mean(games: Sequence[Estimates]) -> Estimates:
    """Of the mean of independent strengths."""
    expected = np.mean([one.expected for one in games], axis=0)
    covariance = np.sum([one.covariance for one in games], axis=0) / len(games) ** 2
    return Estimates(np.asarray(expected, dtype=np.float64), np.asarray(covariance, dtype=np.float64))


def estimator(players: int, tables: Sequence[Sequence[int]], model: GameModel) -> Estimator:
    """How strengths are estimated from these bouts. `tables`: who sat at each."""
    if model.has_teams:
        return _of_teams(players, tables, model)
    if model.hundred_sd is not None:
        return _of_chips(players, tables, model)
    if model.has_orders:
        return _of_orders(players, tables, model)
    return _of_wins(players, tables, model)


def _padded(at: Floats, players: int) -> Floats:
    return np.concatenate((at, np.zeros(players - len(at))))


def _centring(players: int) -> Floats:
    return np.eye(players) - 1 / players


def _penalised(what: Floats, information: Floats, at: Floats, ghosts: Floats) -> Estimates:
    """Of sums of the parameters (m by p), with so many ghost games of each parameter."""
    tilt = np.tanh(at / 2)
    whole = information + np.diag(ghosts * (1 - tilt * tilt) / 4)
    inverse = np.linalg.inv(whole)
    expected = at - inverse @ (ghosts * tilt / 2)
    return Estimates(what @ expected, np.asarray(what @ inverse @ information @ inverse @ what.T, dtype=np.float64))


def _of_wins(players: int, tables: Sequence[Sequence[int]], model: GameModel) -> Estimator:
    """Games of two with draws, as many from either side."""
    games = np.zeros((players, players))
    for one, other in tables:
        games[one, other] += model.results
        games[other, one] += model.results
    nu, centre, ghosts = 2 * model.draws / (1 - model.draws), _centring(players), np.ones(players)

    def estimates(at: Floats) -> Estimates:
        theta = _padded(at, players)
        up = np.exp((theta[:, None] - theta[None, :]) / 2)
        total = up + 1 / up + nu
        weight = games * ((1 - nu / total) / 4 - ((up - 1 / up) / (2 * total)) ** 2)
        return _penalised(centre, np.diag(weight.sum(axis=1)) - weight, theta, ghosts)

    return estimates


def _of_chips(players: int, tables: Sequence[Sequence[int]], model: GameModel) -> Estimator:
    """Hands at tables; the error of a win rate does not depend on it, and there are no ghosts."""
    assert model.hundred_sd is not None
    information, error = np.zeros((players, players)), model.hundred_sd * sqrt(SESSION_HANDS) * model.logits_a_bb
    for table in tables:
        names = sorted(set(table))
        k = len(names)
        information[np.ix_(names, names)] += model.results * k / (k - 1) / error**2 * _centring(k)
    centre = _centring(players)
    fixed = np.asarray(centre @ np.linalg.pinv(information, hermitian=True) @ centre, dtype=np.float64)
    return lambda at: Estimates(centre @ _padded(at, players), fixed)


def _of_orders(players: int, tables: Sequence[Sequence[int]], model: GameModel) -> Estimator:
    """Finishing orders, with a ghost game of each player."""
    information = np.zeros((players, players))
    for table in tables:
        names = sorted(set(table))
        k = len(names)
        each = sum((left - 1) / left for left in range(2, k + 1)) / (k - 1)
        information[np.ix_(names, names)] += model.results * each * _centring(k)
    centre, ghosts = _centring(players), np.ones(players)
    return lambda at: _penalised(centre, information, _padded(at, players), ghosts)


def _of_teams(players: int, tables: Sequence[Sequence[int]], model: GameModel) -> Estimator:
    """Strengths on either side and what the first side is worth; the mean of both sides of a player."""
    rows = np.stack([row for table in tables for row in _team_rows(players, table, model.results)])
    what = _centring(players) @ np.hstack((np.eye(players), np.eye(players), np.zeros((players, 1)))) / 2
    ghosts = np.append(np.ones(2 * players), 0.0)

    def estimates(at: Floats) -> Estimates:
        theta = _padded(at, players)
        both = np.concatenate((theta, theta, [0.0]))
        tilt = np.tanh(rows @ both / 2)
        return _penalised(what, rows.T @ (rows * ((1 - tilt * tilt) / 4)[:, None]), both, ghosts)

    return estimates


def _team_rows(players: int, table: Sequence[int], games: int) -> list[Floats]:
    """The design of each game of a bout: wolves are next to each other, and move on by one seat each game."""
    seats, found = len(table), []
    wolves = max(1, seats // WOLVES_OF)
    for game in range(games):
        evil = {(game + step) % seats for step in range(wolves)}
        row = np.zeros(2 * players + 1)
        for seat, player in enumerate(table):
            row[player if seat not in evil else players + player] += (
                -1 / wolves if seat in evil else 1 / (seats - wolves)
            )
        row[2 * players] = 1.0
        found.append(row)
    return found
