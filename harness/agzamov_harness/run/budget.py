"""The money budget of a run: what the plan allows to spend, what was spent, and that no call follows once it is.

A call costs its tokens, as the server counted them, at the prices of the plan. A call in flight is not broken off, so
the calls that were under way may go beyond the budget.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from threading import Lock

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import Reply

from .stop import Stop

CostOf = Callable[[str, Reply], Fraction]
"""The cost in US dollars of a reply of a seat, which is named."""


class Budget:
    """Counts what replies cost, from the threads of all streams. A declared maximum of 0 allows everything.

    `shares`: processes that play the run together, each of which may spend one share of the maximum.
    """

    def __init__(self, cost_usd_max: str, cost_of: CostOf, shares: int = 1) -> None:
        self._declared_usd, self._cost_of = cost_usd_max, cost_of
        self._usd_max = Fraction(cost_usd_max) / shares
        self._spent_usd = Fraction(0)
        self._spending = Lock()

    def pay_recorded(self, entries: Iterable[Entry]) -> None:
        """Count what a resumed run has recorded, before its first stream is driven again."""
        if self._usd_max:
            for entry in entries:
                if isinstance(entry.answer, Reply):
                    self.pay(entry.question.to, entry.answer)

    def pay(self, seat: str, reply: Reply) -> None:
        """Count what a reply cost."""
        with self._spending:
            self._spent_usd += self._cost_of(seat, reply)

    def stop_if_spent(self, stop: Stop) -> None:
        """Ask the whole run to stop once the maximum is reached. Raises Stopped then."""
        if self._usd_max and self._spent_usd >= self._usd_max:
            stop.request(f"the budget of {self._declared_usd} USD is spent", as_asked=True)
            stop.check()
