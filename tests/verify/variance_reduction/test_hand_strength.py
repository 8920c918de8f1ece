"""How much a hand makes of a board, by examples that a player would agree with."""

import pytest

from agzamov_verify.games.holdem.control_variates import Strength, strengths
from agzamov_verify.games.holdem.equity import NUMBER

EXAMPLES = [
    ("Ah Kd", "Qs Jh 3c", Strength.NOTHING),
    ("3h Kd", "Qs Jh 3c", Strength.NOTHING),
    ("Qh Kd", "Qs Jh 3c", Strength.PAIR),
    ("Kh Kd", "Qs Jh 3c", Strength.PAIR),
    ("Th Td", "Qs Jh 3c", Strength.NOTHING),
    ("Qh Jd", "Qs Jh 3c", Strength.STRONG),
    ("3h 3d", "Qs Jh 3c", Strength.STRONG),
    ("Th 9d", "Qs Jh 8c", Strength.STRONG),
    ("Ah 2h", "Qh Jh 8h 3c", Strength.STRONG),
    ("Ah Kd", "Qs Qh 3c", Strength.NOTHING),
    ("Ah 3d", "Qs Qh 3c", Strength.NOTHING),
    ("Ah Ad", "Qs Qh 3c", Strength.PAIR),
    ("Qd 2c", "Qs Qh 3c", Strength.STRONG),
    ("Ah Kd", "Qs Qh 3c 3d", Strength.NOTHING),
    ("Qc Kd", "Qs Qh 3c 3d", Strength.STRONG),
    ("Ah Kd", "Qs Qh Qc", Strength.NOTHING),
    ("Ah Ad", "Qs Qh Qc", Strength.STRONG),
    ("Ah Kd", "Qs Qh Qc Qd", Strength.NOTHING),
    ("Ah Kd", "5s 6h 7c 8d 9s", Strength.NOTHING),
    ("Ah Td", "5s 6h 7c 8d 9s", Strength.NOTHING),
    ("Ah 2h", "5h 6h 7h 8d 9s", Strength.STRONG),
    ("7h 2d", "Ks Kh 7c 2s 9d", Strength.NOTHING),
    ("Ah 2d", "Ks Kh Ac 2s 9d", Strength.PAIR),
]


@pytest.mark.parametrize(("hole", "board", "expected"), EXAMPLES)
def test_a_hand_is_as_strong_as_a_player_would_say(hole: str, board: str, expected: Strength) -> None:
    numbers = [[NUMBER[card] for card in cards.split()] for cards in (hole, board)]
    assert strengths([numbers[0]], numbers[1]) == [expected]


def test_both_hands_are_told_in_order() -> None:
    holes = [[NUMBER[card] for card in hole.split()] for hole in ("Qh Kd", "3h 3d")]
    board = [NUMBER[card] for card in ("Qs", "Jh", "3c")]
    assert strengths(holes, board) == [Strength.PAIR, Strength.STRONG]
