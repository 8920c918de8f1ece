"""The plan's `stop_when`: no call follows once a model's answers are unusable too often.

It counts the decisions of a seat in the whole run, recorded ones among them: so a run that stopped for it stops again
when it is resumed, unless it was stopped at its last call.
"""

from fractions import Fraction

import msgspec

from agzamov_verify.plan.manifest import Plan

from .progress import State
from .stop import LIMIT_OF_THE_PLAN, Stop


class ErrorLimit:
    """Compares what a state has counted with the plan's limit; without one it allows everything."""

    def __init__(self, plan: Plan, state: State) -> None:
        self._when, self._state = plan.stop_when, state
        self._seats = [name for name, seat in plan.playing.items() if seat.is_model]

    def stop_if_reached(self, stop: Stop) -> None:
        """Ask the whole run to stop once a seat has reached the limit. Raises Stopped then."""
        if isinstance(self._when, msgspec.UnsetType):
            return
        for seat in self._seats:
            answers = self._state.answers_of(seat)
            unusable = answers.unusable_total
            share = Fraction(100 * unusable, answers.decisions or 1)  # in percent
            if answers.decisions >= self._when.after and share >= self._when.errors_percent:
                stop.request(
                    f"{unusable} of {answers.decisions} answers of seat {seat} are unusable; the plan stops at"
                    f" {self._when.errors_percent} % after {self._when.after}; {LIMIT_OF_THE_PLAN}",
                    as_asked=True,
                )
                stop.check()
