"""The maximum of the likelihood by Newton's method in fifty digits, and its covariance."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from likelihood import Pairing, Shape, chances, newton_terms, solve

STEPS_MAX: Final = 80
_STEP_MAX: Final = Decimal(1)
_NEGLIGIBLE: Final = Decimal("1e-25")
_VARIANCE_MAX: Final = Decimal("1e12")


class Fit(NamedTuple):
    """Worths (exponentials of the parameters) at the maximum, the covariance of the parameters, the log-likelihood."""

    worths: list[Decimal]
    covariance: list[list[Decimal]]
    log_likelihood: Decimal


def maximum(pairings: Sequence[Pairing[Decimal]], shape: Shape) -> Fit | None:
    """The fit, or None where the likelihood has no maximum or not only one. Call it within `wide`.

    Where there is none, Newton's steps stay as long as 1 for ever; where there is one, they soon vanish.
    """
    worths = [Decimal(1)] * shape.size
    try:
        for _ in range(STEPS_MAX):
            gradient, information = newton_terms(pairings, worths, shape, Decimal.sqrt)
            step = solve(information, gradient)
            longest = max(abs(change) for change in step)
            shorter = min(Decimal(1), _STEP_MAX / longest) if longest else Decimal(1)
            worths = [worth * (change * shorter).exp() for worth, change in zip(worths, step, strict=True)]
            if longest < _NEGLIGIBLE:
                return _fit(pairings, worths, information, shape)
    except ArithmeticError:
        return None
    return None


def _fit(
    pairings: Sequence[Pairing[Decimal]], worths: list[Decimal], information: list[list[Decimal]], shape: Shape
) -> Fit | None:
    unit = [[Decimal(row == column) for row in range(shape.size)] for column in range(shape.size)]
    inverse = [solve(information, column) for column in unit]
    if max(inverse[number][number] for number in range(shape.size)) > _VARIANCE_MAX:
        return None
    return Fit(worths, _centred(inverse, shape.players), _log_likelihood(pairings, worths, shape))


def _centred(covariance: list[list[Decimal]], players: int) -> list[list[Decimal]]:
    """The covariance when each strength is taken from the players' mean strength."""
    size = len(covariance)
    means = [sum((row[column] for row in covariance[:players]), Decimal(0)) / players for column in range(size)]
    grand = sum(means[:players], Decimal(0)) / players
    return [
        [
            covariance[row][column]
            - (means[column] if row < players else 0)
            - (means[row] if column < players else 0)
            + (grand if row < players and column < players else 0)
            for column in range(size)
        ]
        for row in range(size)
    ]


def _log_likelihood(pairings: Sequence[Pairing[Decimal]], worths: Sequence[Decimal], shape: Shape) -> Decimal:
    """Log-likelihood of the games, without the penalty. A draw as half a win adds half of both logarithms."""
    total = Decimal(0)
    for pairing in pairings:
        first, tie = chances(pairing, worths, shape, Decimal.sqrt)
        second = 1 - first - tie
        if shape.tie is None:
            total += (pairing.wins + pairing.draws / 2) * first.ln() + (
                pairing.losses + pairing.draws / 2
            ) * second.ln()
        else:
            total += pairing.wins * first.ln() + pairing.draws * tie.ln() + pairing.losses * second.ln()
    return total
