"""Statistics of a seat: faults by class, the flag, tokens and cost, from hand-made tallies."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core import canon
from agzamov_verify.core.questions import TOKENS_MAX
from agzamov_verify.plan.manifest import Price
from agzamov_verify.scoring.seat_stats import PhaseCosts, SeatStats, cost_usd, seat_stats
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.declared import FaultKind

FLAG_PERCENT = 5
FREE = Price()
tokens = st.integers(0, 10**7)


def of(tally: Tally, price: Price = FREE) -> SeatStats:
    return seat_stats("agent", tally, price, FLAG_PERCENT)


# --- faults --------------------------------------------------------------------------------------


def test_every_count_of_a_tally_stands_in_the_conduct_under_its_own_name() -> None:
    names = [name for name in Tally.__struct_fields__ if name in SeatStats.__struct_fields__]
    tally = Tally(**{name: at for at, name in enumerate(Tally.__struct_fields__, 1)})
    found = of(tally)
    assert {name: getattr(found, name) for name in names} == {name: getattr(tally, name) for name in names}
    kinds = tuple(kind.value for kind in FaultKind)
    for when in ("first", "final"):
        assert [getattr(found.faults, f"{when}_{kind}") for kind in kinds] == [
            getattr(tally, f"{when}_{kind}") for kind in kinds
        ]


def test_errors_are_over_decisions_and_sum_the_classes() -> None:
    tally = Tally(decisions=40, first_exact=30, first_normalised=4, first_illegal=6, final_illegal=1, final_cut=2)
    found = of(tally)
    assert (found.error_rate, found.faults.final) == (6 / 40, 3)


@pytest.mark.parametrize(
    ("faults", "decisions", "flagged"),
    [(5, 100, False), (6, 100, True), (51, 1000, True), (0, 0, False), (1, 19, True)],
)
def test_a_seat_is_flagged_above_five_percent_and_not_at_it(faults: int, decisions: int, flagged: bool) -> None:
    assert of(Tally(decisions=decisions, first_illegal=faults)).faults.flagged is flagged


def test_a_seat_that_decided_nothing_made_no_errors_and_cost_nothing() -> None:
    found = of(Tally(), Price("1", "1", "1"))
    assert (found.error_rate, found.cost_usd.exact) == (0.0, "0/1")


# --- tokens and cost -----------------------------------------------------------------------------


def test_the_cost_is_what_a_price_list_says() -> None:
    tally = Tally(decisions=5, prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=200_000)
    found = of(tally, Price(input_usd="3", cached_usd="0.30", output_usd="15"))
    assert found.cost_usd.decimal == "4.920000", "0.6 M x 3 + 0.4 M x 0.30 + 0.2 M x 15"


def test_more_cached_than_prompt_tokens_cost_no_less_than_nothing() -> None:
    assert cost_usd(Tally(prompt_tokens=10, cached_tokens=20), Price(input_usd="1000000", cached_usd="0")) == 0


@given(tokens, tokens, tokens, tokens)
def test_the_cost_of_two_stretches_is_the_cost_of_both(prompt: int, completion: int, more: int, cached: int) -> None:
    price = Price("1.23", "0.45", "6.789")
    one = Tally(prompt_tokens=prompt + cached, cached_tokens=cached, completion_tokens=completion)
    other = Tally(prompt_tokens=more, completion_tokens=more, reasoning_tokens=more)
    total = Tally()
    total.add(one)
    total.add(other)
    assert cost_usd(total, price) == cost_usd(one, price) + cost_usd(other, price)
    assert isinstance(cost_usd(total, price), Fraction)


def test_without_a_price_everything_is_free() -> None:
    assert cost_usd(Tally(prompt_tokens=10**9, completion_tokens=10**9), FREE) == 0


CALLS = 2**28 - 1
"""More calls than two hours of verification (--time-max) read, by far."""


def test_sums_of_the_largest_token_counts_can_be_written_for_a_quarter_of_a_billion_calls() -> None:
    """One count of more than 2**53 would be no canonical JSON, and the bundle could be neither made nor checked."""
    most = CALLS * TOKENS_MAX
    tally = Tally(
        decisions=CALLS,
        calls=CALLS,
        prompt_tokens=most,
        cached_tokens=most,
        completion_tokens=most,
        reasoning_tokens=most,
    )
    dearest = Price(*["999999999.999999999"] * 3)
    made = seat_stats("model", tally, dearest, 5)
    spent = PhaseCosts(1, 1, CALLS, CALLS, tally.prompt_tokens + tally.completion_tokens, made.cost_usd)
    for one in (made, spent):
        assert canon.loads(canon.dumps(one))
    assert spent.tokens > canon.INTEGER_MAX // 2, "no bound that is far from the limit"
