"""Chance-adjusted hands: by hand-computed examples, and without bias over every card that could have come."""

from fractions import Fraction

import pytest

from agzamov_verify.games.holdem.control_variates import (
    PER_CHIP,
    Method,
    deal_correction,
    last_street,
    net_chips,
    net_units,
    street_correction,
    weights,
)
from agzamov_verify.games.holdem.equity import BOARDS, FLOP, PREFLOP, RIVER, TURN, UNITS, edge, matchup
from agzamov_verify.games.holdem.hand_script import HandRecord
from agzamov_verify.games.holdem.rules import HandEnd
from verify.variance_reduction.scripted_hands import all_turns_and_rivers, forfeited, told

RAW, ALL_IN, STREET_EQUITY, BASELINE = Method
ADJUSTED = (ALL_IN, STREET_EQUITY, BASELINE)


def by(method: Method, record: HandRecord) -> Fraction:
    return net_chips(record, method)


# --- all in --------------------------------------------------------------------------------------


def test_all_in_before_the_flop_is_worth_its_share_of_all_boards() -> None:
    record = told("raise 10000, call")
    wins, ties = matchup(("Ah", "As"), ("Kd", "Kc"))
    assert by(ALL_IN, record) == Fraction(10_000 * (wins - (BOARDS - wins - ties)), BOARDS)
    assert (by(RAW, record), by(STREET_EQUITY, record)) == (10_000, by(ALL_IN, record))


def test_all_in_on_the_turn_is_worth_its_share_of_44_rivers() -> None:
    """Kings have two outs of 44: 42 rivers win and 2 lose."""
    record = told("raise 250, call, check, check, check, bet 9750, call")
    assert by(ALL_IN, record) == Fraction(10_000 * (42 - 2), 44)


def test_all_in_on_the_flop_is_worth_its_share_of_990_runouts() -> None:
    """Quads against a pair lose to one runout of 990: the other two queens."""
    record = told("raise 250, call, bet 9750, call", "7h 7c", "Qd Qc", "7s 7d 2h 4c 3c")
    assert by(ALL_IN, record) == Fraction(10_000 * (989 - 1), 990)
    record = told("raise 250, call, bet 9750, call", board="2h 7s 9d Jc 4c")
    assert by(ALL_IN, record) == Fraction(10_000 * edge(record.story.deal, FLOP), UNITS)  # type: ignore[union-attr]


def test_only_the_matched_part_of_an_all_in_counts() -> None:
    hand = told("raise 300, call, check, bet 500, raise 9700, call")
    assert by(ALL_IN, hand) == Fraction(10_000 * edge(hand.story.deal, FLOP), UNITS)  # type: ignore[union-attr]


@pytest.mark.parametrize("actions", ["fold", "raise 300, fold", "raise 300, call, bet 300, fold"])
def test_a_fold_stays_as_it_was_played(actions: str) -> None:
    record = told(actions)
    assert by(ALL_IN, record) == by(RAW, record) == record.net_chips


def test_a_showdown_after_bets_on_the_river_stays_as_it_was_played() -> None:
    record = told("call, check, check, check, check, check, check, bet 100, call")
    assert by(ALL_IN, record) == by(RAW, record) == 200


def test_a_split_pot_wins_nothing() -> None:
    record = told("raise 300, call, check, check, check, check, check, check", "2h 3h", "2s 3d", "As Ks Qc Jd Th")
    assert (by(RAW, record), by(ALL_IN, record)) == (0, 0)
    assert by(STREET_EQUITY, record) == Fraction(300 * edge(record.story.deal, PREFLOP), UNITS)  # type: ignore[union-attr]


# --- street equity -----------------------------------------------------------------------------------


def test_a_hand_checked_down_is_worth_what_it_was_before_the_flop() -> None:
    """All that happened after the calls was cards, and nobody put in another chip."""
    record = told("raise 300, call, check, check, check, check, check, check")
    assert record.story is not None
    assert by(STREET_EQUITY, record) == Fraction(300 * edge(record.story.deal, PREFLOP), UNITS)


def test_a_card_counts_by_the_chips_that_were_in_when_the_card_came() -> None:
    record = told("raise 300, call, check, check, bet 700, call, check, check", board="2h 7s 9d Kh 4c")
    assert record.story is not None
    steps = [edge(record.story.deal, street) for street in (PREFLOP, FLOP, TURN, RIVER)]
    correction = 300 * (steps[1] - steps[0]) + 300 * (steps[2] - steps[1]) + 1000 * (steps[3] - steps[2])
    assert (by(RAW, record), by(STREET_EQUITY, record)) == (-1000, -1000 - Fraction(correction, UNITS))


def test_cards_behind_a_fold_are_not_adjusted_for() -> None:
    one, other = (told("raise 300, call, bet 300, fold", board=f"2h 7s 9d {rest}") for rest in ("Jc 4c", "Kh Ks"))
    assert [by(method, one) for method in ADJUSTED] == [by(method, other) for method in ADJUSTED]


def test_cards_that_a_forfeiting_player_saw_are_adjusted_for() -> None:
    """Who gives up at the sight of a flop has seen it, though nothing was done on it: else bad flops went uncounted."""
    record = forfeited(1, "raise 300, call")
    assert (record.end, record.net_chips) == (HandEnd.FORFEIT, 300)
    assert record.story is not None
    assert last_street(record.end, record.story) == FLOP
    change = edge(record.story.deal, FLOP) - edge(record.story.deal, PREFLOP)
    assert by(STREET_EQUITY, record) == 300 - Fraction(300 * change, UNITS)
    assert by(ALL_IN, record) == 300


def test_a_result_without_its_story_cannot_be_adjusted() -> None:
    made_up = HandRecord("h7", HandEnd.FOLD, 100, (0, 0))
    assert net_chips(made_up, RAW) == 100
    for method in ADJUSTED:
        with pytest.raises(ValueError, match="h7: expected a hand with its cards"):
            net_chips(made_up, method)


# --- without bias --------------------------------------------------------------------------------

SITUATIONS = {
    "set against overpair": (("7h", "7c"), ("Ah", "Ad"), ("7s", "9d", "2h")),
    "flush draw against top pair": (("Ah", "5h"), ("Kd", "Qc"), ("Kh", "8h", "2c")),
    "nothing against nothing": (("Jh", "Tc"), ("Ad", "5c"), ("Kh", "8s", "2c")),
}


@pytest.fixture(scope="module", params=SITUATIONS.values(), ids=SITUATIONS.keys())
def hands(request: pytest.FixtureRequest) -> list[HandRecord]:
    """One situation on the flop played on every turn and river by players who act on what they see."""
    return list(all_turns_and_rivers(*request.param))


def known_before(record: HandRecord, method: Method) -> int:
    """What deal and flop were worth, which is the same in all these hands, in units of 1 / PER_CHIP."""
    assert record.story is not None
    deal, chips = record.story.deal, record.story.matched_chips[0]
    if method is STREET_EQUITY:
        return chips * (edge(deal, FLOP) - edge(deal, PREFLOP)) * (PER_CHIP // UNITS)
    fixed = weights()
    return deal_correction(deal, fixed) + street_correction(deal, FLOP, chips, fixed) if method is BASELINE else 0


@pytest.mark.parametrize("method", ADJUSTED)
def test_over_all_turns_and_rivers_the_adjusted_results_add_up_to_the_raw_ones(
    hands: list[HandRecord], method: Method
) -> None:
    """Exactly, in integers, though the players act on the cards that come: no draw is left to chance here."""
    assert len(hands) == 1980
    raw, adjusted = (sum(net_units(hand, one) for hand in hands) for one in (RAW, method))
    assert raw - adjusted == len(hands) * known_before(hands[0], method)


def test_the_situations_hold_what_they_are_there_for() -> None:
    everything = [hand for cards in SITUATIONS.values() for hand in all_turns_and_rivers(*cards)]
    ends = {(hand.end, last_street(hand.end, hand.story)) for hand in everything if hand.story}
    assert {(HandEnd.SHOWDOWN, TURN), (HandEnd.SHOWDOWN, RIVER), (HandEnd.FOLD, TURN)} <= ends


def test_chips_put_in_after_a_card_would_bias_its_correction() -> None:
    """The defect that the sums above would find: the same correction with the pot that the card led to."""
    hands = list(all_turns_and_rivers(*SITUATIONS["flush draw against top pair"]))
    total = 0
    for hand in hands:
        assert hand.story is not None
        if last_street(hand.end, hand.story) >= TURN:
            change = edge(hand.story.deal, TURN) - edge(hand.story.deal, FLOP)
            total += hand.story.matched_chips[-1] * change
    assert total != 0
    assert (
        sum(
            hand.story.matched_chips[1] * (edge(hand.story.deal, TURN) - edge(hand.story.deal, FLOP))
            for hand in hands
            if hand.story and last_street(hand.end, hand.story) >= TURN
        )
        == 0
    )
