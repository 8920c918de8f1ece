"""Calls of a run that are made and that are to come, of its models; of all seats where no model plays.

What is to come is the forecast of the plan, match by match. Once results of a match are over, their mean takes the
place of the forecast, so that games which turn out longer are expected to be longer.
"""

from fractions import Fraction
from typing import Final

from agzamov_verify.core.journal import Asked
from agzamov_verify.core.questions import Chat, Planted, Question
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.table.game import StreamPlan

from .assumptions import Assumptions
from .call_forecast import calls_of_seats

CALLS: Final = {str(kind.__struct_config__.tag) for kind in (Chat, Planted)}


class CallsToCome:
    """Counts the calls of one run. `done`: those that are answered, replayed ones among them."""

    def __init__(self, plan: Plan) -> None:
        models = {name for name, seat in plan.playing.items() if seat.is_model}
        self._seats = models or set(plan.playing)
        self._matches = {match.id: _MatchCalls(match, plan, self._seats) for match in plan.matches}
        self._open: dict[str, int] = {}
        self.done = 0

    @property
    def expected(self) -> int:
        """The estimated number of calls of the whole run; never fewer than were made."""
        return max(self.done, round(sum((match.expected for match in self._matches.values()), Fraction(0))))

    def counts(self, question: Question) -> bool:
        """Whether a question is one of the calls that are counted."""
        return isinstance(question, Chat) and question.to in self._seats

    def counts_recorded(self, asked: Asked) -> bool:
        """As `counts`, of a question as a journal has it."""
        return asked.ask in CALLS and asked.to in self._seats

    def answered(self, stream: StreamPlan, question: Question) -> None:
        """Count the call, where it is one."""
        if self.counts(question):
            self.done += 1
            self._open[stream.id] = self._open.get(stream.id, 0) + 1

    def result_over(self, stream: StreamPlan) -> None:
        """Note that a game or a hand of a stream is over."""
        match = self._matches[stream.match.id]
        match.calls_over += self._open.pop(stream.id, 0)
        match.over += 1

    def left_out(self, stream: StreamPlan) -> None:
        """Note that a stream will not be played."""
        self._matches[stream.match.id].planned -= stream.count


class _MatchCalls:
    """Calls of one match: `over` results have ended, which took `calls_over` calls."""

    def __init__(self, match: Match, plan: Plan, seats: set[str]) -> None:
        calls = calls_of_seats(match, plan, Assumptions())
        self._forecast = Fraction(sum(n for name, n in calls.items() if name in seats), match.planned)
        self.planned = match.planned
        self.over = self.calls_over = 0

    @property
    def expected(self) -> Fraction:
        """Calls over + results to come * calls of a result."""
        each = Fraction(self.calls_over, self.over) if self.over else self._forecast
        return self.calls_over + max(0, self.planned - self.over) * each
