"""The fixed baseline: its numbers are pinned, and whatever they are, what a card was worth averages to nothing."""

from fractions import Fraction

import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.control_variates import (
    BASELINE_SHA256,
    SIXTEENTHS,
    Strength,
    Weights,
    deal_correction,
    growths,
    street_correction,
    strengths,
    weights,
)
from agzamov_verify.games.holdem.equity import FLOP, NUMBER, RIVER, TURN, UNITS, edge, table
from agzamov_verify.games.holdem.rules import BOARD_CARDS, Deal
from agzamov_verify.games.holdem.starting_hands import meetings

ODD = Weights(
    stack=10_000,
    deal=37,
    pots=(400,),
    flop=(3, 5),
    turn=(-7, 11),
    river=(13, 1),
    turn_strengths=(1, 2, 3, -4, 5, 6, 7, 800, 9),
    river_strengths=(9, 8, 7, 6, -5, 4, 3, 2, 100),
)
STREET_EQUITY_ONLY = Weights(10_000, 0, (), (16,), (16,), (16,), (0,) * 9, (0,) * 9)


def drawn(number: int) -> Deal:
    a, b, c, d, *board = Dice(bytes(32)).stream(f"baseline/{number}").deal(DECK, 9)
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def with_card(deal: Deal, street: int) -> list[Deal]:
    """The deal with every card that could have come on `street`."""
    shown = deal.board[: BOARD_CARDS[street] - 1]
    rest = [card for card in DECK if card not in (*deal.button, *deal.big_blind, *shown)]
    return [Deal(deal.button, deal.big_blind, (*shown, card, *[""] * (4 - len(shown)))) for card in rest]


@pytest.mark.parametrize("chips", [250, 4_000])
@pytest.mark.parametrize("fixed", [ODD, STREET_EQUITY_ONLY, weights()], ids=["odd", "street equity", "shipped"])
@pytest.mark.parametrize("street", [TURN, RIVER])
@pytest.mark.parametrize("number", range(3))
def test_what_a_card_is_worth_averages_to_exactly_nothing(number: int, street: int, fixed: Weights, chips: int) -> None:
    assert sum(street_correction(deal, street, chips, fixed) for deal in with_card(drawn(number), street)) == 0


def test_values_that_are_not_taken_less_their_average_would_be_found() -> None:
    """The defect that the test above is there for: the same edges weighed by the pot that the card led to."""
    deals = with_card(drawn(0), RIVER)
    assert sum(street_correction(deal, RIVER, 300, ODD) for deal in deals) == 0
    assert sum(street_correction(deal, RIVER, 300 + 50 * (edge(deal, RIVER) > 0), ODD) for deal in deals) != 0


def test_what_a_deal_is_worth_averages_to_exactly_nothing() -> None:
    _, edges = meetings()
    assert sum(map(sum, edges)) == 0
    deal = drawn(1)
    other = Deal(deal.big_blind, deal.button, deal.board)
    assert deal_correction(deal, ODD) == -deal_correction(other, ODD) != 0


@pytest.mark.parametrize("number", range(5))
def test_with_weights_of_one_it_is_street_equity(number: int) -> None:
    deal = drawn(number)
    for street in (FLOP, TURN, RIVER):
        change = edge(deal, street) - edge(deal, street - 1)
        assert street_correction(deal, street, 300, STREET_EQUITY_ONLY) == 300 * change * SIXTEENTHS


def test_growth_is_the_edge_by_strengths_less_its_average_by_hand() -> None:
    """Aces against kings on 2 7 9 J in four suits: two kings of 44 rivers beat the aces, two aces leave kings nothing.

    On a king a set is ahead of a pair; on an ace a set is ahead of nothing; else a pair is ahead of a pair.
    """
    deal = Deal(("Ah", "As"), ("Kd", "Kc"), ("2h", "7s", "9d", "Jc", "Kh"))
    found = [Fraction(value, UNITS) for value in growths(deal, RIVER)]
    pair_pair, nothing_strong, pair_strong = found[4], found[2], found[5]
    assert (pair_pair, nothing_strong, pair_strong) == (-Fraction(40, 44), -Fraction(2, 44), -1 + Fraction(2, 44))
    assert sum(map(abs, found)) == sum(map(abs, (pair_pair, nothing_strong, pair_strong)))


@pytest.mark.parametrize(
    ("hole", "board", "strength"),
    [
        ("As Kd", "2h 7s 9d", Strength.NOTHING),
        ("As 9c", "2h 7s 9d", Strength.PAIR),
        ("As 7c", "2h 7s 9d", Strength.NOTHING),
        ("Ts Tc", "2h 7s 9d", Strength.PAIR),
        ("8s 8c", "2h 7s 9d", Strength.NOTHING),
        ("9s 7c", "2h 7s 9d", Strength.STRONG),
        ("2s 2c", "2h 7s 9d", Strength.STRONG),
        ("As Kd", "9h 7s 9d 2c", Strength.NOTHING),
        ("As 7d", "9h 7s 9d 2c", Strength.NOTHING),
        ("As Ad", "9h 7s 9d 2c", Strength.PAIR),
        ("As 9c", "9h 7s 9d 2c", Strength.STRONG),
        ("As Kd", "9h 7s 9d 7c", Strength.NOTHING),
        ("As Kd", "9h 9s 9d 9c", Strength.NOTHING),
        ("As Kd", "5h 6s 7d 8c 9h", Strength.NOTHING),
        ("Ts 2d", "5h 6s 7d 8c 9h", Strength.NOTHING),
        ("Kh 2h", "5h 6h 7d 8c 9h", Strength.STRONG),
    ],
)
def test_a_strength_is_what_two_cards_add_to_the_board(hole: str, board: str, strength: Strength) -> None:
    found = strengths([[NUMBER[card] for card in hole.split()]], [NUMBER[card] for card in board.split()])
    assert found == [strength]


def test_pots_are_told_apart_by_their_bounds() -> None:
    assert [ODD.of_pot(TURN, chips) for chips in (400, 401)] == [-7, 11]


def test_a_pot_has_room_to_grow_by_as_much_again_or_half_of_what_is_behind() -> None:
    assert [ODD.room(chips) for chips in (250, 4_000, 9_999, 12_000)] == [250, 3_000, 0, 0]


def test_the_shipped_numbers_are_pinned_and_have_a_weight_for_every_pot() -> None:
    fixed = weights()
    assert {len(fixed.flop), len(fixed.turn), len(fixed.river)} == {len(fixed.pots) + 1}
    assert (len(fixed.turn_strengths), len(fixed.river_strengths)) == (9, 9)
    with pytest.raises(AssertionError, match=r"baseline.json: expected sha256"):
        table("baseline.json", BASELINE_SHA256[::-1])
