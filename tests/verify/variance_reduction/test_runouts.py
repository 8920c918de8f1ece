"""Edges on the flop, turn and river against plain enumeration by pkrbot, and against each other."""

from fractions import Fraction
from itertools import combinations

import pkrbot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.cards import CARDS, DECK
from agzamov_verify.games.holdem.equity import (
    FLOP,
    PREFLOP,
    RIVER,
    RIVER_CARDS,
    TURN,
    TURN_CARDS,
    UNITS,
    edge,
    river_cards,
    turn_cards,
)
from agzamov_verify.games.holdem.rules import BOARD_CARDS, Deal

# Boards on which suits, pairs and straights are in play for one or both.
TRICKY = (
    "Ah Kh 9s 9c Qh Jh 2c 7d 3s",
    "Ah Kh Qh 2h Jh Th 3h 4s 5d",
    "2c 2d 3c 3d Ah As Ad Kc Kd",
    "9c 8c 9d 8d Tc Jd Qs 2h 3h",
    "As 2s 3h 4h 5s 6s 7h Kd Kc",
    "7c 2d 7d 2c Ks Kh Kd Ac As",
)


def deal_of(cards: list[str]) -> Deal:
    a, b, c, d, *board = cards
    return Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))


def drawn(number: int) -> Deal:
    return deal_of(Dice(bytes(32)).stream(f"deal/{number}").deal(DECK, 9))


def enumerated(deal: Deal, street: int) -> Fraction:
    """The button's edge over every runout, by pkrbot."""
    shown = deal.board[: BOARD_CARDS[street]]
    a, b, known = ([CARDS[text] for text in cards] for cards in (deal.button, deal.big_blind, shown))
    rest = [CARDS[text] for text in DECK if text not in deal.button + deal.big_blind + shown]
    runouts = list(combinations(rest, 5 - len(shown)))
    balance = 0
    for more in runouts:
        mine, theirs = pkrbot.evaluate([*a, *known, *more]), pkrbot.evaluate([*b, *known, *more])
        balance += (mine > theirs) - (mine < theirs)
    return Fraction(balance, len(runouts))


DEALS = [drawn(number) for number in range(150)] + [deal_of(cards.split()) for cards in TRICKY]


@pytest.mark.parametrize("street", [FLOP, TURN, RIVER])
def test_edges_are_those_of_plain_enumeration(street: int) -> None:
    assert [Fraction(edge(deal, street), UNITS) for deal in DEALS] == [enumerated(deal, street) for deal in DEALS]


@pytest.mark.slow
def test_all_17296_flops_average_to_the_edge_before_them() -> None:
    deal = drawn(8)
    rest = [card for card in DECK if card not in deal.button + deal.big_blind]
    flops = list(combinations(rest, 3))
    total = sum(edge(Deal(deal.button, deal.big_blind, (*flop, "", "")), FLOP) for flop in flops)
    assert Fraction(total, len(flops)) == edge(deal, PREFLOP)


@pytest.mark.parametrize("number", range(5))
def test_the_edge_on_the_flop_is_the_average_over_turn_cards(number: int) -> None:
    deal = drawn(number)
    seen = (*deal.button, *deal.big_blind, *deal.board[:3])
    turns = [Deal(deal.button, deal.big_blind, (*deal.board[:3], card, "")) for card in DECK if card not in seen]
    assert Fraction(sum(edge(one, TURN) for one in turns), len(turns)) == edge(deal, FLOP)


nine_cards = st.lists(st.sampled_from(DECK), min_size=9, max_size=9, unique=True)


@settings(max_examples=25)
@given(nine_cards)
def test_with_seats_exchanged_every_edge_changes_its_sign(cards: list[str]) -> None:
    deal = deal_of(cards)
    other = Deal(deal.big_blind, deal.button, deal.board)
    assert [edge(deal, street) for street in range(4)] == [-edge(other, street) for street in range(4)]


@settings(max_examples=25)
@given(nine_cards)
def test_kinds_hold_every_unseen_card_once(cards: list[str]) -> None:
    deal = deal_of(cards)
    turns = turn_cards(deal.button, deal.big_blind, deal.board[:3])
    rivers = river_cards(deal.button, deal.big_blind, deal.board[:4])
    for kinds, shown, count in ((turns, cards[:7], TURN_CARDS), (rivers, cards[:8], RIVER_CARDS)):
        numbers = sorted(number for kind in kinds for number in kind.cards)
        assert numbers == [at for at, card in enumerate(DECK) if card not in shown]
        assert len(numbers) == count
