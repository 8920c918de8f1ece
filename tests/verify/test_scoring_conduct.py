"""How a seat behaved: faults by class, the flag, tokens and cost, from hand-made tallies."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.games.decision import Tally
from agzamov_verify.manifest import Price
from agzamov_verify.scoring.conduct import Conduct, conduct, cost_usd

FLAG_PERCENT = 5
FREE = Price()
tokens = st.integers(0, 10**7)


def of(tally: Tally, games: int = 10, price: Price = FREE) -> Conduct:
    return conduct("agent", tally, games, price, FLAG_PERCENT)


# --- faults --------------------------------------------------------------------------------------


def test_every_count_of_a_tally_stands_in_the_conduct_under_its_own_name() -> None:
    names = [name for name in Tally.__struct_fields__ if name in Conduct.__struct_fields__]
    tally = Tally(**{name: at for at, name in enumerate(Tally.__struct_fields__, 1)})
    found = of(tally)
    assert {name: getattr(found, name) for name in names} == {name: getattr(tally, name) for name in names}
    kinds = ("no_action", "illegal", "no_reply")
    for when in ("first", "final"):
        assert [getattr(found.faults, f"{when}_{kind}") for kind in kinds] == [
            getattr(tally, f"{when}_{kind}") for kind in kinds
        ]


def test_rates_are_over_decisions_and_sum_the_classes() -> None:
    tally = Tally(decisions=40, first_no_action=1, first_illegal=2, first_no_reply=3, final_illegal=1)
    found = of(tally).faults
    assert (found.first_rate.exact, found.final_rate.exact) == ("3/20", "1/40")


@pytest.mark.parametrize(
    ("faults", "decisions", "flagged"),
    [(5, 100, False), (6, 100, True), (51, 1000, True), (0, 0, False), (1, 19, True)],
)
def test_a_seat_is_flagged_above_five_percent_and_not_at_it(faults: int, decisions: int, flagged: bool) -> None:
    assert of(Tally(decisions=decisions, first_illegal=faults)).faults.flagged is flagged


def test_a_seat_that_decided_nothing_has_rates_of_nought() -> None:
    found = of(Tally(), games=0, price=Price("1", "1", "1"))
    assert {found.faults.first_rate.exact, found.tokens_per_decision.exact, found.cost_usd_per_game.exact} == {"0/1"}


# --- tokens and cost -----------------------------------------------------------------------------


def test_tokens_per_decision_are_prompt_and_completion() -> None:
    found = of(Tally(decisions=3, prompt_tokens=100, cached_tokens=60, completion_tokens=11, reasoning_tokens=9))
    assert found.tokens_per_decision.exact == "37/1", "cached and reasoning tokens are counted once"


def test_the_cost_is_what_a_price_list_says() -> None:
    tally = Tally(decisions=5, prompt_tokens=1_000_000, cached_tokens=400_000, completion_tokens=200_000)
    found = of(tally, 4, Price(input_usd="3", cached_usd="0.30", output_usd="15"))
    assert found.cost_usd.decimal == "4.920000", "0.6 M x 3 + 0.4 M x 0.30 + 0.2 M x 15"
    assert (found.cost_usd_per_decision.exact, found.cost_usd_per_game.exact) == ("123/125", "123/100")


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
