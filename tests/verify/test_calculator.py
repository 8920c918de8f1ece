"""The calculator of hold'em: published equities, an independent evaluator, and samples that a seed decides."""

from fractions import Fraction
from itertools import combinations

import pytest
from pokerkit import StandardHighHand

from agzamov_verify.core.questions import TOOL, Calculate, Calculated
from agzamov_verify.games.holdem.calculator import Equity, calculate, equity
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.equity import BOARDS, matchup

BUDGET = 5_000
HOLE = ("8s", "9s")
FLOP, TURN, RIVER = ("Ts", "3h", "Js"), ("Ts", "3h", "Js", "2d"), ("Ts", "3h", "Js", "2d", "Qc")


def share(found: Equity) -> Fraction:
    return Fraction(found.halfpoints, 2 * found.compared)


@pytest.mark.parametrize(
    ("hole", "percent"),
    [
        (("Ah", "Ac"), "85.20"),
        (("Ks", "Kd"), "82.40"),
        (("As", "Ks"), "67.04"),
        (("2c", "2d"), "50.33"),
        (("7c", "2d"), "34.58"),
        (("3c", "2d"), "32.30"),
    ],
)
def test_before_the_flop_equities_against_a_random_hand_are_the_published_ones(
    hole: tuple[str, str], percent: str
) -> None:
    found = equity(hole, (), BUDGET, 1)
    assert found.exact
    assert found.compared == 1_225 * BOARDS
    assert f"{float(100 * share(found)):.2f}" == percent


@pytest.mark.parametrize(
    ("hole", "pair", "percent"), [(("Ah", "Ac"), "K", "81.9"), (("As", "Ks"), "Q", "46.0"), (("Ah", "Kd"), "Q", "43.2")]
)
def test_the_table_beneath_has_the_published_equities_against_a_pair(
    hole: tuple[str, str], pair: str, percent: str
) -> None:
    results = [matchup(hole, (pair + first, pair + second)) for first, second in combinations("cdhs", 2)]
    halfpoints = sum(2 * wins + ties for wins, ties in results)
    assert f"{float(100 * Fraction(halfpoints, 2 * len(results) * BOARDS)):.1f}" == percent


@pytest.mark.parametrize("hole", [HOLE, ("2c", "2h"), ("Kd", "Ah")])
def test_on_the_river_every_hand_is_compared_as_pokerkit_compares_it(hole: tuple[str, str]) -> None:
    unseen = [card for card in DECK if card not in hole and card not in RIVER]
    shown = "".join(RIVER)
    mine = StandardHighHand.from_game("".join(hole), shown)
    hands = [StandardHighHand.from_game(first + second, shown) for first, second in combinations(unseen, 2)]
    halfpoints = sum(2 * (mine > theirs) + (mine == theirs) for theirs in hands)
    assert equity(hole, RIVER, BUDGET, 1) == Equity(halfpoints, 990, exact=True)


def test_on_the_turn_all_showdowns_are_those_of_each_river_card() -> None:
    rivers = [equity(HOLE, (*TURN, card), BUDGET, 1) for card in DECK if card not in (*HOLE, *TURN)]
    exact = equity(HOLE, TURN, 45_540, 1)
    assert exact == Equity(sum(river.halfpoints for river in rivers), 45_540, exact=True)
    assert not equity(HOLE, TURN, 45_539, 1).exact


@pytest.mark.parametrize(
    ("hole", "board", "exact"),
    [(HOLE, FLOP, "0.673164"), (("As", "Kd"), ("Kh", "7d", "2c"), "0.896537"), (HOLE, TURN, "0.490766")],
)
def test_a_sample_is_near_the_exact_equity_whatever_its_seed(
    hole: tuple[str, str], board: tuple[str, ...], exact: str
) -> None:
    found = [equity(hole, board, BUDGET, seed) for seed in range(8)]
    assert all(not one.exact and one.compared <= BUDGET for one in found)
    assert all(abs(share(one) - Fraction(exact)) < Fraction(2, 100) for one in found)
    assert abs(sum(map(share, found)) / len(found) - Fraction(exact)) < Fraction(1, 100)


def test_a_seed_decides_its_sample() -> None:
    one, again, other = (equity(HOLE, FLOP, BUDGET, seed) for seed in (7, 7, 8))
    assert one == again
    assert one != other


def question(**changes: object) -> Calculate:
    fields = {"board": RIVER, "hole": HOLE, "pot_chips": 300, "to_call_chips": 150, "hands_percent": 100, **changes}
    return Calculate(attempt=0, comparisons_max=BUDGET, game="h", seed=1, to=TOOL, turn=2, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(("pot", "to_call", "price"), [(300, 150, 333), (300, 0, 0), (100, 100, 500), (150, 50, 250)])
def test_the_price_of_a_call_is_its_share_of_the_pot_after_it(pot: int, to_call: int, price: int) -> None:
    assert calculate(question(pot_chips=pot, to_call_chips=to_call)).price_permille == price


def test_thousandths_are_rounded_half_up() -> None:
    best = question(hole=("8s", "9s"), board=("Ts", "Js", "Qs", "2h", "3d"))
    assert calculate(best) == Calculated(990, 999, exact=True, price_permille=333)
    assert calculate(question(hole=("Ks", "As"), board=("Ts", "Js", "Qs", "2h", "3d"))).equity_permille == 1000
