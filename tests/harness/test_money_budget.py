"""The money budget of a run."""

from fractions import Fraction

import pytest

from agzamov_harness.run.budget import Budget
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_verify.core.journal import Asked, Entry
from agzamov_verify.core.questions import NoReply, Reply

REPLY = Reply(text="", prompt_tokens=99, completion_tokens=1)


def cents(seat: str, reply: Reply) -> Fraction:
    return Fraction(reply.prompt_tokens + reply.completion_tokens, 100) if seat == "agent" else Fraction(0)


def longest(_seat: str) -> int:
    return 50


def spent(replies: int, usd_max: str = "3", shares: int = 1) -> Budget:
    budget = Budget(usd_max, cents, longest, shares)
    for _ in range(replies):
        budget.pay("agent", REPLY)
    return budget


def entry(answer: Reply | NoReply) -> Entry:
    return Entry(answer, "", Asked("chat", 0, "", "g", "agent", 0), "run", 0, "stream", 1)


@pytest.mark.parametrize(("replies", "usd_max", "shares"), [(2, "3", 1), (2, "9", 3), (1000, "0", 1)])
def test_calls_go_on_while_some_of_the_budget_is_left(replies: int, usd_max: str, shares: int) -> None:
    spent(replies, usd_max, shares).stop_if_spent(Stop())


@pytest.mark.parametrize(("replies", "usd_max", "shares"), [(3, "3", 1), (3, "9", 3), (1, "0.01", 1)])
def test_a_spent_budget_stops_the_whole_run(replies: int, usd_max: str, shares: int) -> None:
    stop = Stop()
    with pytest.raises(Stopped, match=f"the budget of {usd_max} USD is spent"):
        spent(replies, usd_max, shares).stop_if_spent(stop)
    with pytest.raises(Stopped):
        stop.check()


def test_what_a_resumed_run_has_recorded_is_spent() -> None:
    budget = Budget("2", cents, longest)
    budget.pay_recorded([entry(REPLY)])
    budget.stop_if_spent(Stop())
    budget.pay_recorded([entry(REPLY)])
    with pytest.raises(Stopped):
        budget.stop_if_spent(Stop())


@pytest.mark.parametrize(
    ("answer", "each_usd"),
    [
        (Reply(text="e2e4"), "10.74"),
        (Reply(text="e2e4", prompt_tokens=1), "0.51"),
        (Reply(text="e2e4", completion_tokens=1), "10.25"),
        (NoReply(reason="content_filter"), "10.74"),
    ],
)
def test_tokens_that_were_not_counted_are_paid_as_1024_and_tokens_max(answer: Reply | NoReply, each_usd: str) -> None:
    """A server that tells no tokens, or filters all replies, was asked without end."""
    budget = Budget(str(4 * Fraction(each_usd)), cents, longest)
    for _ in range(3):
        budget.pay("agent", answer)
    budget.stop_if_spent(Stop())
    budget.pay_recorded([entry(answer)])
    with pytest.raises(Stopped, match="USD is spent; of 4 calls not all tokens were counted"):
        budget.stop_if_spent(Stop())


def test_a_seat_that_costs_nothing_is_free_without_counted_tokens_too() -> None:
    budget = Budget("0.01", cents, longest)
    budget.pay("dice", Reply(text="e2e4"))
    budget.stop_if_spent(Stop())
