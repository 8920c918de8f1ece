"""The money budget of a run: what the plan allows to spend, what was spent, and that no call follows once it is.

A call costs its tokens, as the server counted them, at the prices of the plan. Where a count is missing, or the server
filtered the reply, so that none is recorded, 1,024 tokens are taken for the prompt and the seat's tokens_max for the
reply: else such a run would know no end. A call in flight is not broken off, so the calls that were under way may go
beyond the budget.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from threading import Lock
from typing import Final

from msgspec.structs import replace

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.plan.manifest import Plan

from .stop import LIMIT_OF_THE_PLAN, Stop

CostOf = Callable[[str, Reply], Fraction]
"""The cost in US dollars of a reply of a seat, which is named."""
TokensMax = Callable[[str], int]
"""The most tokens of one reply of a seat, which is named."""
ASSUMED_TOKENS: Final = 1024
"""Of a prompt that was not counted, and of a reply of a seat without tokens_max."""


def tokens_max_of(plan: Plan) -> TokensMax:
    """The limits of a plan's seats, those among them that their servers are not sent."""
    return lambda seat: getattr(plan.seats[seat], "tokens_max", ASSUMED_TOKENS)


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
        counted = answer if isinstance(answer, Reply) else Reply(text="")
        prompt_tokens = counted.prompt_tokens or ASSUMED_TOKENS
        completion_tokens = counted.completion_tokens or self._tokens_max(seat)
        paid = replace(counted, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        cost_usd = self._cost_of(seat, paid)
        with self._spending:
            self._spent_usd += cost_usd
            self._assumed += paid != counted and cost_usd > 0

    @property
    def _assumed_words(self) -> str:
        if not self._assumed:
            return ""
        return (
            f"; of {self._assumed:,} calls not all tokens were counted, and {ASSUMED_TOKENS:,} were taken for a prompt,"
            " tokens_max for a reply"
        )

    def stop_if_spent(self, stop: Stop) -> None:
        """Ask the whole run to stop once the maximum is reached. Raises Stopped then."""
        if self._usd_max and self._spent_usd >= self._usd_max:
            spent = f"the budget of {self._declared_usd} USD is spent{self._assumed_words}"
            stop.request(f"{spent}; {LIMIT_OF_THE_PLAN}", as_asked=True)
            stop.check()
