"""Newton's method for a concave log-likelihood, free or along one linear constraint.

Every likelihood of this package is an exponential family in its own parameters, so it is concave, and its observed
information is the expected one: steps are halved until the likelihood does not fall, and no other safeguard is needed.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from .results_table import Floats

STEPS_MAX: Final = 200
HALVINGS_MAX: Final = 40
TOLERANCE: Final = 1e-10
"""Greatest last step, in logits: 0.00000002 Elo."""


class Derivatives(NamedTuple):
    """Gradient (p) and information (p by p, minus the second derivatives) of a log-likelihood."""

    gradient: Floats
    information: Floats


class Likelihood(NamedTuple):
    """A concave log-likelihood of p parameters."""

    value: Callable[[Floats], float]
    derivatives: Callable[[Floats], Derivatives]


class Constraint(NamedTuple):
    """normal . parameters = level."""

    normal: Floats
    level: float


def maximise(likelihood: Likelihood, start: Floats) -> Floats:
    """The parameters of the greatest likelihood. Raises ArithmeticError where there are none."""

    def step(at: Floats) -> Floats:
        gradient, information = likelihood.derivatives(at)
        return np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)

    return _climb(likelihood, start, step)


def maximise_along(likelihood: Likelihood, start: Floats, constraint: Constraint) -> Floats:
    """The parameters of the greatest likelihood among those that meet the constraint."""
    normal, size = constraint.normal, len(start)
    at = start + normal * (constraint.level - normal @ start) / (normal @ normal)
    system = np.zeros((size + 1, size + 1))
    system[size, :size] = system[:size, size] = normal

    def step(at: Floats) -> Floats:
        gradient, system[:size, :size] = likelihood.derivatives(at)
        return np.asarray(np.linalg.solve(system, np.append(gradient, 0.0))[:size], dtype=np.float64)

    return _climb(likelihood, at, step)


def _climb(likelihood: Likelihood, start: Floats, step_at: Callable[[Floats], Floats]) -> Floats:
    at, value = start, likelihood.value(start)
    for _ in range(STEPS_MAX):
        step = step_at(at)
        for _ in range(HALVINGS_MAX):
            higher = likelihood.value(at + step)
            # Rounding alone may lower the value by a few units of its last place.
            if higher >= value - 1e-12 * (1 + abs(value)):
                break
            step = step / 2
        at, value = at + step, higher
        if np.abs(step).max(initial=0.0) <= TOLERANCE:
            return at
    raise ArithmeticError(f"no greatest likelihood found in {STEPS_MAX} steps of Newton's method")
