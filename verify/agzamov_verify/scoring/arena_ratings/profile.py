"""Intervals by the profile of the penalised likelihood, for players who won, lost or drew nearly all their games.

The interval of a player's centred strength holds every value at which the greatest likelihood of all other parameters
lies at most z^2 / 2 below the greatest of all (z = 1.96). A normal interval is wrong here: with one player 6 logits
ahead its clustered form covers 89 %, the profile 96 %, so players whose games ended otherwise less than OTHERS_MIN
times have the profile. Games are taken as independent. Who won all has no upper end
("at least"): the ghost game alone would set it. Who lost all has no lower one.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np

from ..inference.estimate import ALPHA
from .connection import NO_PART
from .davidson import DavidsonFit, likelihood_of, own_outcomes
from .newton import Constraint, maximise_along
from .rating_scale import ELO_PER_LOGIT, RatingInterval, centring, elo, two_sided_z, wald_intervals
from .results_table import Floats

OTHERS_MIN: Final = 10
HALVINGS: Final = 40
DOUBLINGS_MAX: Final = 40
LOGITS_MIN: Final = 0.1
PRECISION: Final = 1e-7


def intervals(fit: DavidsonFit, alpha: Fraction = ALPHA) -> list[RatingInterval | None]:
    """Of each player, in Elo: by profile where results are nearly all alike or an end is open, else clustered."""
    found = wald_intervals(fit.rating, alpha)
    connected = fit.rating.connection
    outcomes = own_outcomes(fit.counts)
    few_others = (outcomes.sum(axis=0) - outcomes.max(axis=0) < OTHERS_MIN) & (connected.part != NO_PART)
    for player in np.flatnonzero(few_others | connected.open_above | connected.open_below).tolist():
        low = None if connected.open_below[player] else profile_end(fit, player, -1, alpha)
        high = None if connected.open_above[player] else profile_end(fit, player, 1, alpha)
        rating = float(elo(fit.rating.strengths)[player])
        found[player] = RatingInterval(rating, *(None if one is None else _elo(one) for one in (low, high)))
    return found


def profile_end(fit: DavidsonFit, player: int, direction: int, alpha: Fraction = ALPHA) -> float:
    """The lower (-1) or upper (+1) end of a player's centred strength, in logits."""
    likelihood = likelihood_of(fit.counts, fit.model)
    best = fit.parameters[fit.model.is_free]
    players = len(fit.counts.won)
    normal = np.zeros(len(best))
    normal[:players] = centring(fit.rating.connection.part)[player]
    least = likelihood.value(best) - two_sided_z(alpha) ** 2 / 2
    at = [best]

    def excess(level: float) -> float:
        at[0] = maximise_along(likelihood, at[0], Constraint(normal, level))
        return likelihood.value(at[0]) - least

    return _crossing(excess, float(normal @ best), direction * _width(fit, player))


def _width(fit: DavidsonFit, player: int) -> float:
    """A first guess at the reach, in logits."""
    return max(LOGITS_MIN, float(np.sqrt(fit.information_covariance[player, player])))


def _crossing(excess: Callable[[float], float], inside: float, step: float) -> float:
    """Where `excess` becomes negative, from `inside` on in the direction of `step`."""
    for _ in range(DOUBLINGS_MAX):
        if excess(inside + step) < 0:
            break
        inside, step = inside + step, 2 * step
    else:
        raise ArithmeticError("no end of a profile found")
    outside = inside + step
    for _ in range(HALVINGS):
        if abs(outside - inside) < PRECISION:
            break
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if excess(middle) >= 0 else (inside, middle)
    return (inside + outside) / 2


def _elo(strength: float) -> float:
    return float(elo(np.array([strength]))[0])


def standard_errors(fit: DavidsonFit) -> Floats:
    """Clustered standard errors of the centred strengths, in Elo; NaN without a game."""
    return ELO_PER_LOGIT * np.sqrt(np.diag(fit.rating.covariance))
