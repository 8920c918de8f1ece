"""A hold'em match scored from hand-made hands: chips by session, and how hands were decided."""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_counts import PokerResult, poker_result, session_chips
from agzamov_verify.games.holdem.rules import HandEnd

SEED = bytes(32)
RESAMPLES = 200


def hand(net_chips: int, end: HandEnd = HandEnd.SHOWDOWN, faults: tuple[int, int] = (0, 0)) -> HandRecord:
    """A hand in which the button won so many chips."""
    return HandRecord("h", end, net_chips, faults)


def hands(*nets_of_a: int) -> list[HandRecord]:
    """Hands in which seat A, which has the button in even ones, won so many chips."""
    return [hand(net if at % 2 == 0 else -net) for at, net in enumerate(nets_of_a)]


def result_of(records: Sequence[HandRecord], session_hands: int = 2) -> PokerResult:
    return poker_result(records, PokerRules(session_hands=session_hands), 0)


def test_the_chips_of_a_session_are_seat_as_whoever_has_the_button() -> None:
    assert session_chips([hand(100), hand(100), hand(-50), hand(-70)], 2, 0) == [0, 20]
    assert session_chips(hands(5, 7, -11, 13), 4, 0) == [14]


@given(st.lists(st.integers(-10_000, 10_000), min_size=4, max_size=40).filter(lambda nets: len(nets) % 4 == 0))
def test_no_chip_is_lost_between_hands_and_sessions(nets: list[int]) -> None:
    result = result_of(hands(*nets), 4)
    assert result.net_chips == sum(nets)
    assert result.bb_per_100 == Fraction(sum(nets), len(nets)), "100 chips are a big blind"
    assert (result.hands, result.sessions) == (len(nets), len(nets) // 4)


def test_what_a_wins_b_loses() -> None:
    nets = (500, -100, 300, -200, 900, 0)
    a, b = result_of(hands(*nets)), result_of(hands(*(-net for net in nets)))
    assert (a.net_chips, a.bb_per_100) == (-b.net_chips, -b.bb_per_100) == (1400, Fraction(700, 3))


def test_a_session_is_won_with_more_than_no_chips() -> None:
    result = result_of(hands(1, 0, 0, 0, -1, 0, 2, -1))
    assert (result.sessions_won, result.sessions) == (2, 4)


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
    assert (decided.with_faults, decided.by_play) == (3, 2)


def test_the_claims_of_a_match_are_its_hands_winrate_and_share_by_play() -> None:
    assert result_of(hands(300, -100, 50, 0)).headline() == {
        "hands": "4",
        "bb_per_100": "62.500000",
        "decided_by_play": "1.000000",
    }
