"""The likelihood of games under Bradley-Terry, with draws and an advantage for who moves first.

With x = strength(first) - strength(second) + advantage, in natural log units:

    half-win   P(first) = 1 / (1 + e^-x); a draw is half a win and half a loss (Bradley and Terry 1952)
    Davidson   first : draw : second = e^(x/2) : nu : e^(-x/2)  (Davidson 1970, JASA 65:317; order effect as in
               Davidson and Beaver 1977, Biometrics 33:693)

Both are exponential families, so the log-likelihood is concave. A fit's worths are the exponentials of its
parameters, in one list: the players' strengths, then the advantage if the model has one, then ln nu if it has
one. Everything here is +, -, *, / and square roots in a fixed order, for Decimals, or for arrays that hold one
number for each of many resamples.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

Array: TypeAlias = np.ndarray
N = TypeVar("N", Decimal, Array)


class Draws(StrEnum):
    """Model of a draw."""

    HALF_WIN = "half_win"
    DAVIDSON = "davidson"


class Model(msgspec.Struct, frozen=True):
    """Terms of a fit beside the strengths."""

    draws: Draws = Draws.DAVIDSON
    first_move: bool = False


class Shape(NamedTuple):
    """Positions of a model's parameters in the list; without `penalty` only differences of strengths are fixed."""

    players: int
    size: int
    advantage: int | None
    tie: int | None
    penalty: bool


class Pairing(NamedTuple, Generic[N]):
    """All games in which player `first` (an index) had the first move against `second`, by outcome."""

    first: int
    second: int
    wins: N
    draws: N
    losses: N


class Slopes(NamedTuple, Generic[N]):
    """A pairing's slope and curvature of the log-likelihood along x and along ln nu."""

    x: N
    tie: N
    xx: N
    x_tie: N
    tie_tie: N


def shape_of(model: Model, players: int, *, penalty: bool) -> Shape:
    """The list of parameters of a model for a number of players."""
    davidson = model.draws is Draws.DAVIDSON
    size = players + model.first_move + davidson
    return Shape(players, size, players if model.first_move else None, size - 1 if davidson else None, penalty)


def chances(pairing: Pairing[N], worths: Sequence[N], shape: Shape, root: Callable[[N], N]) -> tuple[N, N]:
    """The probabilities that the first one wins and that the game is drawn (0 where a draw is half a win)."""
    first, second = worths[pairing.first], worths[pairing.second]
    if shape.advantage is not None:
        first = first * worths[shape.advantage]
    if shape.tie is None:
        return first / (first + second), first * 0
    tie = worths[shape.tie] * root(first * second)
    total = first + second + tie
    return first / total, tie / total


def slopes_of(pairing: Pairing[N], first: N, tie: N, shape: Shape) -> Slopes[N]:
    """Derivatives of a pairing's log-likelihood; curvatures with their sign turned, so that they are positive."""
    games = pairing.wins + pairing.draws + pairing.losses
    if shape.tie is None:
        return Slopes(pairing.wins + pairing.draws / 2 - games * first, tie, games * first * (1 - first), tie, tie)
    lead, decided = 2 * first + tie - 1, 1 - tie
    return Slopes(
        (pairing.wins - pairing.losses - games * lead) / 2,
        pairing.draws - games * tie,
        games * (decided - lead * lead) / 4,
        games * tie * lead / -2,
        games * tie * decided,
    )


def newton_terms(
    pairings: Sequence[Pairing[N]], worths: Sequence[N], shape: Shape, root: Callable[[N], N]
) -> tuple[list[N], list[list[N]]]:
    """The gradient of the log-likelihood by the parameters, and the observed information."""
    zero = worths[0] * 0
    gradient, information = [zero] * shape.size, [[zero] * shape.size for _ in range(shape.size)]
    for pairing in pairings:
        slopes = slopes_of(pairing, *chances(pairing, worths, shape, root), shape)
        path = [(pairing.first, 1), (pairing.second, -1)]
        if shape.advantage is not None:
            path.append((shape.advantage, 1))
        for term, sign in path:
            gradient[term] = gradient[term] + sign * slopes.x
            for other_term, other_sign in path:
                information[term][other_term] = information[term][other_term] + sign * other_sign * slopes.xx
            if shape.tie is not None:
                information[term][shape.tie] = information[term][shape.tie] + sign * slopes.x_tie
                information[shape.tie][term] = information[term][shape.tie]
        if shape.tie is not None:
            gradient[shape.tie] = gradient[shape.tie] + slopes.tie
            information[shape.tie][shape.tie] = information[shape.tie][shape.tie] + slopes.tie_tie
    _hold(gradient, information, worths, shape)
    return gradient, information


def _hold(gradient: list[N], information: list[list[N]], worths: Sequence[N], shape: Shape) -> None:
    """Fix what the games leave free: by the penalty, or by keeping the sum of the strengths where it is.

    The penalty is half a win and half a loss of every parameter's worth against 1, so that a maximum exists.
    """
    if not shape.penalty:
        for term in range(shape.players):
            for other_term in range(shape.players):
                information[term][other_term] = information[term][other_term] + 1
        return
    for term, worth in enumerate(worths):
        chance = worth / (1 + worth)
        gradient[term] = gradient[term] + (1 - 2 * chance) / 2
        information[term][term] = information[term][term] + chance * (1 - chance)


def solve(matrix: Sequence[Sequence[N]], right: Sequence[N]) -> list[N]:
    """The solution of a symmetric positive definite system, by elimination in the order of the list."""
    rows, values, size = [list(row) for row in matrix], list(right), len(right)
    for pivot in range(size):
        for below in range(pivot + 1, size):
            factor = rows[below][pivot] / rows[pivot][pivot]
            for column in range(pivot + 1, size):
                rows[below][column] = rows[below][column] - factor * rows[pivot][column]
            values[below] = values[below] - factor * values[pivot]
    for pivot in reversed(range(size)):
        for column in range(pivot + 1, size):
            values[pivot] = values[pivot] - rows[pivot][column] * values[column]
        values[pivot] = values[pivot] / rows[pivot][pivot]
    return values
