"""The benchmark player's policy: published, the same for ever, possible everywhere, blind to what it cannot see."""

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem import benchmark_player
from agzamov_verify.games.holdem.benchmark_player import (
    HOLDINGS,
    NONE,
    PERCENTILES,
    SHARES,
    benchmark_action,
    choices,
    hand_percentile,
    hand_percentiles,
    shares,
    shares_by_percentile,
    spot_of,
)
from agzamov_verify.games.holdem.cards import DECK
from agzamov_verify.games.holdem.hand_script import random_action
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, PokerAction
from agzamov_verify.games.holdem.starting_hands import CLASSES, class_of, combos, meetings
from agzamov_verify.table.players import own_seed
from verify.scripted import bet_out, poker_hand

FOLD, CHECK, CALL, BET, RAISE = ActionKind
SPOTS = (
    "",
    "call",
    "raise 250",
    "raise 10000",
    "call, raise 400, raise 1600",
    "raise 250, call",
    "raise 250, call, check",
    "raise 250, call, bet 250",
    "raise 250, call, bet 9750",
    "raise 250, call, check, check, bet 500, raise 1500",
    "raise 250, call, check, check, check, check, bet 500",
)
POLICY_SHA256 = "f7ead293082f0b2b4a8e1ae51d31eb43667af36b2ea38f501fc9ef2b38b54b75"


def decisions(dice: Dice, hand: int, stack_chips: int) -> list[Hand]:
    """Every decision of a hand of the policy in both seats, as it stands when it is due: the hand, replayed."""
    a, b, c, d, *board = dice.stream(f"deck/{hand}").deal(DECK, 9)
    deal = Deal((a, b), (c, d), (board[0], board[1], board[2], board[3], board[4]))
    state, done, found = Hand(deal, (stack_chips, stack_chips)), [], []
    while state.to_act is not None:
        before = Hand(deal, (stack_chips, stack_chips))
        for action in done:
            before.act(action)
        found.append(before)
        if state.to_act == hand % 2:
            seed = own_seed(dice, str(hand), len(done))
            done.append(benchmark_action(spot_of(state), hand_percentile(state.hole(state.to_act), state.board), seed))
        else:
            done.append(random_action(state, f"{hand}/{len(done)}", dice))
        state.act(done[-1])
    return found


# --- the policy as published ---------------------------------------------------------------------


def test_the_policy_is_the_published_one() -> None:
    """A change of any probability or amount in these spots, or of any percentile before the flop, is a new protocol."""
    told = [
        [
            [action.kind, action.to_chips, [row[at] for row in shares_by_percentile(spot)]]
            for at, action in enumerate(all_)
        ]
        for spot, all_ in ((spot, choices(spot)) for spot in (spot_of(bet_out(poker_hand(), text)) for text in SPOTS))
    ]
    policy = json.dumps([told, hand_percentiles(())]).encode()
    assert hashlib.sha256(policy).hexdigest() == POLICY_SHA256


def test_the_page_says_what_the_policy_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmark-policy.md").read_text()
    cells = {line.partition(" | ")[0]: line.partition(" | ")[2] for line in page.splitlines() if line.startswith("| ")}

    def row(values: Sequence[object]) -> str:
        return " | ".join(str(value).strip("()") for value in values) + " |"

    assert all(line in page for line in benchmark_player.STARTING_HANDS.splitlines())
    assert cells["| bets from"] == row(benchmark_player.BETS_FROM)
    assert cells[f"| bluffs, of a percentile below {benchmark_player.BLUFFS_BELOW}"] == row(benchmark_player.BLUFFS)
    assert cells["| stays from: no bet, one, two, more"] == row(benchmark_player.CALLS_FROM)
    assert cells["| raises from: no bet, one, two, more"] == row(benchmark_player.RAISES_FROM)
    assert f"each point below {benchmark_player.FAIR_PRICE}," in page
    assert f"{benchmark_player.CALLS_FROM_MAX} at most" in " ".join(page.split())
    assert f"its share of raising is at least {benchmark_player.BLUFF_RAISES}." in page
    assert f"All shares are in {SHARES}ths" in page


def test_starting_hands_stand_by_their_equity_against_a_random_hand() -> None:
    """Against the exact table of all matchups: the share of holdings in worse classes, and half of its own."""
    ways, edges = meetings()
    equity = [Fraction(sum(edges[at]), sum(ways[at])) for at in range(CLASSES)]
    sizes = [len(holes) for holes in combos()]
    for number, hole in enumerate(HOLDINGS):
        own = class_of(hole)
        worse = sum(size for size, other in zip(sizes, equity, strict=True) if other < equity[own])
        assert hand_percentiles(())[number] == PERCENTILES * (2 * worse + sizes[own]) // (2 * len(HOLDINGS))


@pytest.mark.parametrize("board", [("Qs", "Jh", "3c"), ("Qs", "Jh", "3c", "7d"), ("Qs", "Jh", "3c", "7d", "2h")])
def test_a_holding_stands_by_the_share_it_beats(board: tuple[str, ...]) -> None:
    """Against pokerkit's evaluator, for a few holdings among all that the board leaves."""
    live = [hole for hole in HOLDINGS if not {*hole} & {*board}]

    def best(hole: tuple[str, str]) -> StandardHighHand:
        return max(StandardHighHand("".join(cards)) for cards in combinations((*hole, *board), 5))

    everybody = [best(hole) for hole in live]
    for hole in live[::97]:
        mine = best(hole)
        twice = sum(2 * (other < mine) + (other == mine) for other in everybody)
        assert hand_percentile(hole, board) == PERCENTILES * twice // (2 * len(live))


def test_a_holding_that_the_board_shows_stands_nowhere() -> None:
    assert hand_percentile(("Qs", "Ah"), ("Qs", "Jh", "3c")) == NONE
    assert hand_percentile(("Ah", "Qd"), ("Qs", "Jh", "3c")) == hand_percentile(("Qd", "Ah"), ("Qs", "Jh", "3c")) > 80


@pytest.mark.parametrize("text", SPOTS)
def test_shares_make_a_whole_and_every_choice_is_legal(text: str) -> None:
    hand = bet_out(poker_hand(), text)
    spot = spot_of(hand)
    assert all(hand.fault(action) is None for action in choices(spot))
    for percentile in range(PERCENTILES):
        row = shares(spot, percentile)
        assert len(row) == len(choices(spot))
        assert min(row) >= 0
        assert sum(row) == SHARES


@pytest.mark.parametrize("text", SPOTS)
def test_a_better_hand_folds_no_more_often(text: str) -> None:
    spot = spot_of(bet_out(poker_hand(), text))
    if choices(spot)[0].kind is FOLD:
        folds = [shares(spot, percentile)[0] for percentile in range(PERCENTILES)]
        assert folds == sorted(folds, reverse=True)
        assert folds[0] > folds[-1] == 0


def test_the_seed_draws_each_action_in_its_share() -> None:
    spot = spot_of(bet_out(poker_hand(), "raise 250"))
    for percentile in (0, 38, 60, 90, 99):
        drawn = [benchmark_action(spot, percentile, seed) for seed in range(SHARES)]
        assert [drawn.count(action) for action in choices(spot)] == list(shares(spot, percentile))
        assert benchmark_action(spot, percentile, 5) == benchmark_action(spot, percentile, 5 + SHARES)


def test_each_decision_has_a_seed_of_its_own() -> None:
    dice = Dice(bytes(32))
    seeds = [own_seed(dice, label, turn) for label, turn in product(("holdem/0", "holdem/1"), range(3))]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


@given(st.integers(0, 10**6), st.integers(200, 20_000))
def test_whatever_is_done_the_benchmark_player_has_a_legal_answer(hand: int, stack_chips: int) -> None:
    for state in decisions(Dice(b"benchmark"), hand, stack_chips):
        spot = spot_of(state)
        for action in choices(spot):
            assert state.fault(action) is None
        assert {sum(row) for row in shares_by_percentile(spot)} == {SHARES}


def test_the_benchmark_player_sees_nothing_of_the_other_hand_nor_of_cards_to_come() -> None:
    worlds = (("Ah Kd", "Qs Jh 3c 7d 2h"), ("4c 4d", "Qs Jh 3c 8h 8d"))
    for text in ("", "raise 250, call, bet 300"):
        spots = [spot_of(bet_out(poker_hand("9s 9c", other, board), text)) for other, board in worlds]
        assert spots[0] == spots[1]


def test_the_amount_is_three_quarters_of_the_pot_or_everything() -> None:
    assert choices(spot_of(poker_hand()))[-1] == PokerAction(RAISE, 250)
    assert choices(spot_of(bet_out(poker_hand(), "raise 250")))[-1] == PokerAction(RAISE, 625)
    assert choices(spot_of(bet_out(poker_hand(), "raise 250, call")))[-1] == PokerAction(BET, 375)
    assert choices(spot_of(poker_hand(stacks=(300, 300))))[-1] == PokerAction(RAISE, 300)
    assert choices(spot_of(bet_out(poker_hand(), "raise 10000"))) == (PokerAction(FOLD), PokerAction(CALL))
