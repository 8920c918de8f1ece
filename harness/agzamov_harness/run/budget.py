"""The money budget of a run: what the plan allows to spend, what was spent, and that no call follows once it is.

A call costs its tokens, as the server counted them, at the prices of the plan. Where a server counts none, or filtered
the reply, so that none are recorded, the call costs a reply of the greatest length: else such a run would know no end.
A call in flight is not broken off, so the calls that were under way may go beyond the budget.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from threading import Lock
from typing import Final

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.plan.manifest import Plan

from .stop import Stop

CostOf = Callable[[str, Reply], Fraction]
"""The cost in US dollars of a reply of a seat, which is named."""
TokensMax = Callable[[str], int]
"""The most tokens of one reply of a seat, which is named."""
ASSUMED_TOKENS: Final = 1024
"""Of a reply to which the plan sets no limit."""


def tokens_max_of(plan: Plan) -> TokensMax:
    """The limits of a plan's seats."""
    return lambda seat: plan.seats[seat].tokens_limit or ASSUMED_TOKENS


class Budget:
    """Counts what replies cost, from the threads of all streams. A declared maximum of 0 allows everything.

    `shares`: processes that play the run together, each of which may spend one share of the maximum.
    """

    def __init__(self, cost_usd_max: str, cost_of: CostOf, tokens_max: TokensMax, shares: int = 1) -> None:
        self._declared_usd, self._cost_of, self._tokens_max = cost_usd_max, cost_of, tokens_max
        self._usd_max = Fraction(cost_usd_max) / shares
        self._spent_usd, self._assumed = Fraction(0), 0
        self._spending = Lock()

    def pay_recorded(self, entries: Iterable[Entry]) -> None:
        """Count what a resumed run has recorded, before its first stream is driven again."""
        if self._usd_max:
            for entry in entries:
                if isinstance(entry.answer, Reply | NoReply):
                    self.pay(entry.question.to, entry.answer)

    def pay(self, seat: str, answer: Reply | NoReply) -> None:
        """Count what a call cost."""
        counted = answer if isinstance(answer, Reply) and (answer.prompt_tokens or answer.completion_tokens) else None
        longest = Reply(text="", completion_tokens=self._tokens_max(seat))
        cost_usd = self._cost_of(seat, counted or longest)
        with self._spending:
            self._spent_usd += cost_usd
            self._assumed += cost_usd > 0 and counted is None

    def stop_if_spent(self, stop: Stop) -> None:
        """Ask the whole run to stop once the maximum is reached. Raises Stopped then."""
        if self._usd_max and self._spent_usd >= self._usd_max:
            counted = f"; {self._assumed:,} calls without counted tokens count as the longest" if self._assumed else ""
            stop.request(f"the budget of {self._declared_usd} USD is spent{counted}", as_asked=True)
            stop.check()
