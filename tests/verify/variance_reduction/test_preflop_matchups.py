"""Preflop matchups against enumeration by pkrbot, published counts and published averages, and their generator."""

import shutil
import struct
import subprocess
from itertools import combinations, permutations
from pathlib import Path

import pkrbot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.cards import CARDS, DECK
from agzamov_verify.games.holdem.equity import BOARDS, TABLE_SHA256, matchup, numbers, table
from agzamov_verify.games.holdem.starting_hands import CLASSES, class_of, combos, meetings
from verify.variance_reduction.class_names import class_name

GENERATOR = Path(__file__).parents[3] / "scripts" / "equity_table" / "equity_table.c"
ROW_BYTES = 8


def two(cards: str) -> tuple[str, str]:
    first, second = cards.split()
    return first, second


def enumerated(first: tuple[str, str], second: tuple[str, str]) -> tuple[int, int]:
    """Wins and ties of the first hand over every board, by pkrbot."""
    a, b = ([CARDS[text] for text in hole] for hole in (first, second))
    rest = [CARDS[text] for text in DECK if text not in first + second]
    wins = ties = 0
    for board in combinations(rest, 5):
        mine, theirs = pkrbot.evaluate([*a, *board]), pkrbot.evaluate([*b, *board])
        wins += mine > theirs
        ties += mine == theirs
    return wins, ties


def drawn(number: int) -> tuple[tuple[str, str], tuple[str, str]]:
    a, b, c, d = Dice(bytes(32)).stream(f"matchup/{number}").deal(DECK, 4)
    return (a, b), (c, d)


def test_the_table_has_a_row_for_every_matchup() -> None:
    rows = table("matchups.bin", TABLE_SHA256)
    assert len(rows) == 47_008 * ROW_BYTES
    assert all(wins + ties <= BOARDS for wins, ties in struct.iter_unpack("<II", rows))


def test_a_table_with_another_digest_gives_no_figure() -> None:
    with pytest.raises(AssertionError, match="install the verifier again"):
        table("matchups.bin", TABLE_SHA256.replace("1", "2", 1))


@pytest.mark.parametrize("number", range(3))
def test_drawn_matchups_are_pkrbots_to_the_board(number: int) -> None:
    first, second = drawn(number)
    assert matchup(first, second) == enumerated(first, second)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(3, 11))
def test_more_drawn_matchups_are_pkrbots_to_the_board(number: int) -> None:
    first, second = drawn(number)
    assert matchup(first, second) == enumerated(first, second)


# Counts that the program hcmp2 of the library poker-eval gave, as published at
# brainwagon.org/2005/04/09/texas-holdem-trivia: wins, losses, ties.
POKER_EVAL = {
    ("Ad Ac", "Kh Ks"): (1_388_072, 317_694, 6_538),
    ("Ad Ac", "Td 9d"): (1_338_249, 367_143, 6_912),
    ("Ad Ac", "Qc Jh"): (1_450_987, 254_763, 6_554),
}


@pytest.mark.parametrize(("hands", "counts"), POKER_EVAL.items())
def test_published_counts_are_met(hands: tuple[str, str], counts: tuple[int, int, int]) -> None:
    wins, losses, ties = counts
    first, second = map(two, hands)
    assert matchup(first, second) == (wins, ties)
    assert matchup(second, first) == (losses, ties)


# The share of the pot that a hand wins against a random one, over all 47,008 matchups, as published at
# jazbo.com/poker/huholdem.html.
AGAINST_ANY = {
    "AA": "0.8520371",
    "KK": "0.8239568",
    "QQ": "0.7992516",
    "JJ": "0.7746947",
    "TT": "0.7501178",
    "99": "0.7205725",
    "88": "0.6916304",
    "77": "0.6623602",
    "AKs": "0.6704463",
    "A4s": "0.5903364",
    "A7o": "0.5884120",
    "K9o": "0.5781192",
    "Q9s": "0.5766432",
    "J7s": "0.5232478",
    "T8s": "0.5233437",
    "97o": "0.4629781",
    "86s": "0.4624327",
    "75o": "0.4051197",
    "93o": "0.4001951",
}


def test_shares_against_a_random_hand_are_the_published_ones() -> None:
    ways, edges = meetings()
    shares = {class_name(at): (1 + sum(edges[at]) / (BOARDS * sum(ways[at]))) / 2 for at in range(CLASSES)}
    assert {name: f"{shares[name]:.7f}" for name in AGAINST_ANY} == AGAINST_ANY
    assert min(shares, key=lambda name: shares[name]) == "32o"


def test_aces_beat_kings_as_often_as_everybody_says() -> None:
    ways, edges = meetings()
    aces, kings = class_of(("Ah", "As")), class_of(("Kd", "Kc"))
    assert f"{(1 + edges[aces][kings] / (BOARDS * ways[aces][kings])) / 2:.2%}" == "81.95%"


def test_there_are_1326_holdings_in_169_classes_and_what_one_class_wins_the_other_loses() -> None:
    assert sorted({len(held) for held in combos()}) == [4, 6, 12]
    assert sum(map(len, combos())) == 1326
    ways, edges = meetings()
    assert sum(map(sum, ways)) == 1326 * 1225
    assert all(edges[a][b] == -edges[b][a] for a in range(CLASSES) for b in range(CLASSES))


four_cards = st.lists(st.sampled_from(DECK), min_size=4, max_size=4, unique=True)


@given(four_cards, st.permutations("cdhs"))
def test_names_of_suits_and_the_order_of_cards_make_no_difference(cards: list[str], suits: list[str]) -> None:
    a, b, c, d = cards
    other = [card[0] + suits["cdhs".index(card[1])] for card in cards]
    assert matchup((a, b), (c, d)) == matchup((other[1], other[0]), (other[2], other[3]))


@given(four_cards)
def test_what_one_hand_wins_the_other_loses(cards: list[str]) -> None:
    a, b, c, d = cards
    wins, ties = matchup((a, b), (c, d))
    assert matchup((c, d), (a, b)) == (BOARDS - wins - ties, ties)


def test_a_card_in_both_hands_has_no_matchup() -> None:
    with pytest.raises(KeyError):
        matchup(("Ah", "Kd"), ("Ah", "Qs"))


def generated(folder: Path, *ranks: str) -> bytes:
    """What the generator writes for hands of so many ranks, the lowest ones."""
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler")
    subprocess.run(["gcc", "-O3", "-o", folder / "generator", GENERATOR], check=True)
    return subprocess.run([folder / "generator", *ranks], stdout=subprocess.PIPE, check=True).stdout


@pytest.mark.slow
def test_the_generator_makes_the_rows_of_the_four_lowest_ranks_to_the_byte(tmp_path: Path) -> None:
    low = list(combinations(DECK[: 4 * 4], 2))
    matchups = {form(a, b): matchup(a, b) for a in low for b in low if not {*a} & {*b} and form(a, b) <= form(b, a)}
    rows = b"".join(struct.pack("<II", *matchups[at]) for at in sorted(matchups))
    assert len(rows) == 325 * ROW_BYTES
    assert generated(tmp_path, "4") == rows


def form(first: tuple[str, str], second: tuple[str, str]) -> tuple[int, ...]:
    """The smallest renaming of suits of two hands in this order."""
    (a, b), (c, d) = (numbers(hole) for hole in (first, second))
    renamings = ([card & ~3 | suits[card & 3] for card in (a, b, c, d)] for suits in permutations(range(4)))
    return min((*sorted(four[:2]), *sorted(four[2:])) for four in renamings)


@pytest.mark.exhaustive
def test_the_generator_makes_the_table_to_the_byte(tmp_path: Path) -> None:
    assert generated(tmp_path) == table("matchups.bin", TABLE_SHA256)
