"""A hold'em match scored from hand-made hands: chips by session, and how hands were decided."""

import statistics
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.games.holdem.script import HandRecord, PokerRules
from agzamov_verify.scoring.holdem import PokerResult, poker_result, session_chips

SEED = bytes(32)
RESAMPLES = 200


def hand(net_chips: int, end: HandEnd = HandEnd.SHOWDOWN, faults: tuple[int, int] = (0, 0)) -> HandRecord:
    """A hand in which the button won so many chips."""
    return HandRecord("h", end, net_chips, faults)


def hands(*nets_of_a: int) -> list[HandRecord]:
    """Hands in which seat A, which has the button in even ones, won so many chips."""
    return [hand(net if at % 2 == 0 else -net) for at, net in enumerate(nets_of_a)]


def result_of(records: Sequence[HandRecord], session_hands: int = 2) -> PokerResult:
    return poker_result(records, PokerRules(session_hands=session_hands), SEED, RESAMPLES)


def test_the_chips_of_a_session_are_seat_as_whoever_has_the_button() -> None:
    assert session_chips([hand(100), hand(100), hand(-50), hand(-70)], 2) == [0, 20]
    assert session_chips(hands(5, 7, -11, 13), 4) == [14]


@given(st.lists(st.integers(-10_000, 10_000), min_size=4, max_size=40).filter(lambda nets: len(nets) % 4 == 0))
def test_no_chip_is_lost_between_hands_and_sessions(nets: list[int]) -> None:
    result = result_of(hands(*nets), 4)
    assert result.net_chips == sum(nets)
    assert Fraction(result.bb_per_100.exact) == Fraction(sum(nets), len(nets)), "100 chips are a big blind"
    assert (result.hands, result.sessions) == (len(nets), len(nets) // 4)


def test_what_a_wins_b_loses() -> None:
    nets = (500, -100, 300, -200, 900, 0)
    a, b = result_of(hands(*nets)), result_of(hands(*(-net for net in nets)))
    assert (a.net_chips, a.bb_per_100.exact) == (-b.net_chips, b.bb_per_100.exact.replace("-", "")) == (1400, "700/3")
    assert a.session_sd_bb_per_100 == b.session_sd_bb_per_100


def test_the_spread_of_sessions_is_their_sample_standard_deviation_in_bb_per_100() -> None:
    nets = (500, -100, 300, -200, 900, 0, -700, 40)
    sessions = [(nets[at] + nets[at + 1]) / 2 for at in range(0, 8, 2)]
    assert float(result_of(hands(*nets)).session_sd_bb_per_100.decimal) == pytest.approx(
        statistics.stdev(sessions), abs=1e-6
    )
    assert result_of(hands(500, -100)).session_sd_bb_per_100.exact == "0/1", "one session has no spread"


def test_a_session_is_won_with_more_than_no_chips() -> None:
    result = result_of(hands(1, 0, 0, 0, -1, 0, 2, -1))
    assert (result.sessions_won, result.sessions) == (2, 4)


def test_sessions_won_have_scipys_p_and_interval() -> None:
    result = result_of(hands(*([10, 10] * 24 + [-10, -10] * 6)))
    test = stats.binomtest(24, 30, 0.5, "greater")
    assert float(result.p_sessions_binomial) == pytest.approx(test.pvalue, rel=1e-5)
    interval = stats.binomtest(24, 30).proportion_ci(method="wilson")
    assert float(result.sessions_won_ci.low) == pytest.approx(interval.low, abs=1e-6)
    assert float(result.sessions_won_ci.high) == pytest.approx(interval.high, abs=1e-6)


def test_the_interval_of_the_winrate_is_about_scipys() -> None:
    rng = np.random.default_rng(3)
    nets = [int(net) for net in rng.normal(20, 400, 400)]
    sessions = [sum(nets[at : at + 10]) / 10 for at in range(0, 400, 10)]
    expected = stats.bootstrap((sessions,), np.mean, n_resamples=9_999, method="percentile", rng=rng)
    found = poker_result(hands(*nets), PokerRules(session_hands=10), SEED, 9_999).bb_per_100_ci
    width = expected.confidence_interval.high - expected.confidence_interval.low
    assert float(found.low) == pytest.approx(expected.confidence_interval.low, abs=0.08 * width)
    assert float(found.high) == pytest.approx(expected.confidence_interval.high, abs=0.08 * width)


def test_a_hand_is_decided_by_play_without_a_forfeit_and_without_a_fault() -> None:
    records = [
        hand(100),
        hand(50, HandEnd.FOLD),
        hand(50, HandEnd.FOLD, faults=(1, 0)),
        hand(-100, HandEnd.FORFEIT),
        hand(-100, HandEnd.FORFEIT, faults=(0, 4)),
        hand(100, faults=(0, 1)),
    ]
    decided = result_of(records).decided
    assert decided.ends == {"fold": 2, "forfeit": 2, "showdown": 2}
    assert (decided.with_faults, decided.by_play.exact) == (3, "1/3")


def test_the_claims_of_a_match_are_its_hands_winrate_and_share_by_play() -> None:
    assert result_of(hands(300, -100, 50, 0)).headline() == {
        "hands": "4",
        "bb_per_100": "62.500000",
        "decided_by_play": "1.000000",
    }
