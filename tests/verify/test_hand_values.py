"""The evaluator in Python against pkrbot, its model, and against hands whose kind is plain."""

from hashlib import sha256
from itertools import combinations

import pkrbot
import pytest

from agzamov_verify.core.dice import Stream
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.poker import hand_values

THEIRS = {card: pkrbot.Card(card) for card in DECK}
OURS = {card: hand_values.Card(card) for card in DECK}


def assert_equal(cards: tuple[str, ...]) -> None:
    expected = pkrbot.evaluate([THEIRS[card] for card in cards])
    found = hand_values.evaluate([OURS[card] for card in cards])
    assert (found, hand_values.handtype(found)) == (expected, pkrbot.handtype(expected)), cards


@pytest.mark.parametrize("size", [5, 6, 7])
def test_drawn_hands_have_pkrbots_value(size: int) -> None:
    draw = Stream(sha256(b"hands").digest(), str(size))
    for _ in range(8_000):
        assert_equal(tuple(draw.deal(DECK, size)))


def test_all_hands_of_a_short_deck_have_pkrbots_value() -> None:
    """The 24 cards from the nine up: every kind of hand comes often."""
    for cards in combinations(DECK[28:], 5):
        assert_equal(cards)


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("Ah Kd 9c 8s 7h 3d 2c", "High Card"),
        ("Ah Ad Kc Js 9h 3d 2c", "Pair"),
        ("Ah Ad Kc Ks Qh Qd 2c", "Two Pair"),
        ("Ah Ad Ac Ks 9h 3d 2c", "Trips"),
        ("Ah 2d 3c 4s 5h 9d 9c", "Straight"),
        ("Ah Kh 9h 8h 2h 2d 2c", "Flush"),
        ("Ah Ad Ac Ks Kh Kd 2c", "Full House"),
        ("2h 2d 2c 2s Ah Ad Ac", "Quads"),
        ("Ah 2h 3h 4h 5h 6d Kh", "Straight Flush"),
    ],
)
def test_each_kind_is_named(hand: str, kind: str) -> None:
    cards = tuple(hand.split())
    assert hand_values.handtype(hand_values.evaluate([OURS[card] for card in cards])) == kind
    assert_equal(cards)
