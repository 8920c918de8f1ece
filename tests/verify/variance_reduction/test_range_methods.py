"""The benchmark player's range: exact in small worlds, unbiased in simulation, plain where it left its policy."""

import statistics
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod
from typing import NamedTuple

import msgspec
import pytest

from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.benchmark_player import (
    HOLDINGS,
    SHARES,
    Hole,
    Spot,
    benchmark_action,
    choices,
    hand_percentile,
    shares,
    spot_of,
)
from agzamov_verify.games.holdem.control_variates import PER_CHIP, Method, net_units, weights
from agzamov_verify.games.holdem.deal import deal_cards
from agzamov_verify.games.holdem.equity import UNITS, edge
from agzamov_verify.games.holdem.hand_script import HandRecord
from agzamov_verify.games.holdem.range_methods import Posterior, decision_correction, range_units, runout_edge
from agzamov_verify.games.holdem.rules import ActionKind, Deal, Hand, HandEnd, PokerAction
from agzamov_verify.games.holdem.starting_hands import combos
from agzamov_verify.table.players import own_seed
from agzamov_verify.table.seating import alternating
from verify.variance_reduction.scripted_hands import forfeited, record_of, script, told

players = script("value_baseline/players.py")
STACKS = (10_000, 10_000)
BOARD = ("2h", "7s", "9d", "Jc", "4c")
ROUNDED = Fraction(1)  # a mean of units that are each rounded once
Other = Callable[[Hand], PokerAction]


def calls(hand: Hand) -> PokerAction:
    return PokerAction(ActionKind.CALL if hand.to_call_chips else ActionKind.CHECK)


def shoves(hand: Hand) -> PokerAction:
    legal = hand.legal()
    return PokerAction(legal.kinds[-1], legal.max_to_chips) if legal.max_to_chips else calls(hand)


def bets_the_flop(hand: Hand) -> PokerAction:
    legal = hand.legal()
    wants = hand.street == 1 and not hand.to_call_chips and legal.max_to_chips
    return PokerAction(legal.kinds[-1], legal.min_to_chips) if wants else calls(hand)


def world(benchmark: int, own: Hole, other: Hole, stacks: tuple[int, int]) -> Hand:
    board: tuple[str, str, str, str, str] = BOARD
    return Hand(Deal(other, own, board) if benchmark else Deal(own, other, board), stacks)


class Course(NamedTuple):
    """One way that the actions can go, whatever the benchmark player holds: what it chose, where, and the end."""

    actions: tuple[PokerAction, ...]
    chosen: tuple[tuple[Spot, tuple[str, ...], int], ...]

    def weight(self, own: Hole) -> Fraction:
        """The probability of the benchmark player's part in it with these cards."""
        parts = (Fraction(shares(spot, hand_percentile(own, board))[at], SHARES) for spot, board, at in self.chosen)
        return prod(parts, start=Fraction(1))

    def record(self, benchmark: int, own: Hole, theirs: Hole, stacks: tuple[int, int]) -> HandRecord:
        hand = world(benchmark, own, theirs, stacks)
        for action in self.actions:
            hand.act(action)
        return record_of(hand)


def courses(
    benchmark: int, theirs: Hole, other: Other, stacks: tuple[int, int], done: tuple[PokerAction, ...] = ()
) -> Iterator[Course]:
    """All courses against a player who does not mix. No card of the benchmark player shows in them, so any will do."""
    own = next(hole for hole in HOLDINGS if not {*hole} & {*theirs, *BOARD})
    hand, chosen = world(benchmark, own, theirs, stacks), []
    for action in done:
        if hand.to_act == benchmark:
            chosen.append((spot_of(hand), hand.board, choices(spot_of(hand)).index(action)))
        hand.act(action)
    if hand.to_act is None:
        yield Course(done, tuple(chosen))
    else:
        for action in choices(spot_of(hand)) if hand.to_act == benchmark else (other(hand),):
            yield from courses(benchmark, theirs, other, stacks, (*done, action))


class Mean:
    """The plain mean and those of the range methods, over all holdings of the benchmark player and all courses."""

    def __init__(self, benchmark: int, theirs: Hole, other: Other, stacks: tuple[int, int], plain: Method) -> None:
        known = BOARD if plain is Method.RAW else ()
        live = [own for own in HOLDINGS if not {*own} & {*theirs, *known}]
        self.plain, self.ranged, self.less, self.naive = (Fraction(0) for _ in range(4))
        for course in courses(benchmark, theirs, other, stacks):
            weights = {own: found for own in live if (found := course.weight(own))}
            records = {own: course.record(benchmark, own, theirs, stacks) for own in weights}
            results = {own: net_units(record, plain) for own, record in records.items()}
            ranged, less = range_units(next(iter(records.values())), benchmark, stacks[0])
            reached = sum(weights.values()) / len(live)
            self.ranged += reached * ranged
            self.less += reached * less
            self.plain += sum(weight * results[own] for own, weight in weights.items()) / len(live)
            self.naive += reached * sum(results.values()) / len(results)


# --- over all that can happen --------------------------------------------------------------------


@pytest.mark.parametrize("benchmark", [0, 1])
@pytest.mark.parametrize("theirs", [("As", "7d"), ("9s", "9h")])
def test_before_the_flop_the_mean_over_all_holdings_and_actions_is_the_plain_one(benchmark: int, theirs: Hole) -> None:
    """With 3 BB nothing is left to do after an all-in. Boards are averaged exactly; the deal's correction is known."""
    mean = Mean(benchmark, theirs, shoves, (300, 300), Method.ALL_IN)
    live = [own for own in HOLDINGS if not {*own} & {*theirs}]
    edges = [edge(world(benchmark, own, theirs, STACKS).deal, 0) for own in live]
    deal = Fraction(sum(edges), len(live)) * weights().deal
    assert abs(mean.ranged - mean.plain) <= ROUNDED
    assert abs(mean.less - (mean.plain - deal)) <= ROUNDED
    assert abs(deal) > 1000 * ROUNDED


@pytest.mark.parametrize("other", [calls, bets_the_flop])
@pytest.mark.parametrize("benchmark", [0, 1])
def test_on_a_board_the_mean_over_all_holdings_and_actions_is_the_plain_one(benchmark: int, other: Other) -> None:
    """All streets, 100 BB, given these five cards and those of the other player.

    The defect beside it takes every holding that the actions leave as equally likely.
    """
    mean = Mean(benchmark, ("As", "9c"), other, STACKS, Method.RAW)
    assert abs(mean.ranged - mean.plain) <= ROUNDED
    assert abs(mean.naive - mean.plain) > 10**6 * ROUNDED


@pytest.mark.parametrize(
    "text", ["", "raise 250, call", "raise 250, call, bet 300", "raise 250, call, check, check, bet 500"]
)
def test_the_correction_of_a_decision_is_zero_over_all_that_the_benchmark_player_might_have_done(text: str) -> None:
    """The benchmark player to act, holdings weighed by its policy so far; each action by its probability for each."""
    hand = world(0, ("Kd", "Qd"), ("As", "9c"), STACKS)
    posterior = Posterior(("As", "9c"))
    for at, action in enumerate(_read(text)):
        benchmark = hand.to_act
        if hand.board != posterior.board:
            posterior.see(hand.board)
        if at % 2 == 0 and benchmark == 0 and not hand.street:
            column = choices(spot_of(hand)).index(action)
            posterior.act([shares(spot_of(hand), percentile)[column] for percentile in range(100)])
        hand.act(action)
    if hand.board != posterior.board:
        posterior.see(hand.board)
    spot, put_in = spot_of(hand), hand.put_in[hand.to_act or 0]
    mean = Fraction(0)
    for at, action in enumerate(choices(spot)):
        total = sum(
            weight * shares(spot, hand_percentile(own, hand.board))[at]
            for own, weight in zip(HOLDINGS, posterior.weights, strict=True)
            if weight
        )
        correction = decision_correction(posterior, spot, action, put_in) if total else Fraction(0)
        mean += total * correction
        assert correction
    assert mean == 0


def _read(text: str) -> list[PokerAction]:
    found = []
    for action in filter(None, text.split(", ")):
        kind, _, to_chips = action.partition(" ")
        found.append(PokerAction(ActionKind(kind), int(to_chips or 0)))
    return found


def test_the_deal_is_worth_nothing_over_all_cards_of_the_other_player() -> None:
    leads = [len(holes) * sum(Posterior(holes[0]).edges) for holes in combos()]
    assert sum(leads) == 0
    assert max(leads) > 0


@pytest.mark.parametrize("board", [BOARD[:3], BOARD[:4]])
def test_the_edge_over_runouts_is_the_mean_of_the_exact_edges_of_all_holdings(board: tuple[str, ...]) -> None:
    """Two holdings may be left, one three times as likely: against the exact edges of two hands."""
    posterior, held = Posterior(("As", "9c")), {("Kd", "Qd"): 3, ("9s", "9h"): 1}
    posterior.see(board)
    numbers = {frozenset(own): weight for own, weight in held.items()}
    posterior.weights = [numbers.get(frozenset(own), 0) for own in HOLDINGS]
    street = len(board) - 2
    exact = sum(weight * edge(world(0, own, ("As", "9c"), STACKS).deal, street) for own, weight in held.items())
    assert runout_edge(posterior) == Fraction(exact, 4)


def test_edges_before_the_flop_are_the_exact_ones() -> None:
    for theirs in (("As", "7d"), ("7d", "As"), ("9s", "9h"), ("2c", "5c")):
        for own, found in list(zip(HOLDINGS, Posterior(theirs).edges, strict=True))[::41]:
            if not {*own} & {*theirs}:
                assert found == edge(world(0, own, theirs, STACKS).deal, 0)
    assert max(Posterior(("As", "Ah")).edges) < UNITS // 2


# --- in simulation -------------------------------------------------------------------------------


def against_benchmark(decks: int, style: object) -> tuple[list[HandRecord], list[int]]:
    """A match of a scripted style against the benchmark player, and its seats: 1 where the style had the button."""
    dice, records, benchmark_seats = Dice(b"range test".ljust(32)), [], []
    for number in range(decks):
        benchmark = 1 - number % 2
        hand = Hand(deal_cards(dice, number, alternating(number)), STACKS)
        stream = dice.stream(f"play/{number}")
        while hand.to_act is not None:
            if hand.to_act == benchmark:
                seed = own_seed(dice, f"holdem/{number}", len(hand.history))
                hand.act(benchmark_action(spot_of(hand), hand_percentile(hand.hole(benchmark), hand.board), seed))
            else:
                hand.act(players.action(hand, style, stream))
        records.append(record_of(hand))
        benchmark_seats.append(benchmark)
    return records, benchmark_seats


@pytest.mark.slow
@pytest.mark.parametrize(
    "style", [players.TAG, pytest.param(players.STATION, marks=pytest.mark.slow)], ids=lambda style: style.name
)
def test_what_is_taken_out_is_nothing_on_average_and_variance_goes_with_it(style: object) -> None:
    records, benchmark_seats = against_benchmark(800, style)
    signs = [1 if benchmark else -1 for benchmark in benchmark_seats]
    raw = [sign * record.net_chips for sign, record in zip(signs, records, strict=True)]
    found = [range_units(record, seat, STACKS[0]) for record, seat in zip(records, benchmark_seats, strict=True)]
    left = [[sign * one[at] / PER_CHIP for sign, one in zip(signs, found, strict=True)] for at in (0, 1)]
    for values in left:
        out = [plain - value for plain, value in zip(raw, values, strict=True)]
        assert statistics.stdev(out) > 0
        assert abs(statistics.mean(out)) < 3.5 * statistics.stdev(out) / len(out) ** 0.5
    assert statistics.variance(raw) > statistics.variance(left[0]) > 1.5 * statistics.variance(left[1])


# --- by hand -------------------------------------------------------------------------------------


def test_a_fold_has_the_same_result_whatever_the_benchmark_player_holds() -> None:
    record = told("raise 250, fold", button="Kd Kc", big_blind="As 9c")
    assert range_units(record, 0, STACKS[0])[0] == 100 * PER_CHIP


def test_a_hand_in_which_the_benchmark_player_left_its_policy_keeps_its_plain_result() -> None:
    kept = told("raise 250, call, check, check, check, check, check, check", button="Kd Kc", big_blind="As 9c")
    assert range_units(kept, 0, STACKS[0])[0] != kept.net_chips * PER_CHIP
    amount = told("raise 251, call, check, check, check, check, check, check", button="Kd Kc", big_blind="As 9c")
    cards = told("raise 250, raise 10000, call", button="2d 3c", big_blind="As 9c")
    faulty = msgspec.structs.replace(kept, faults=(1, 0))
    gave_up = forfeited(0, "raise 250, call")
    for record in (amount, cards, faulty, gave_up):
        assert range_units(record, 0, STACKS[0]) == (record.net_chips * PER_CHIP,) * 2
    other = msgspec.structs.replace(kept, faults=(0, 1))
    assert range_units(other, 0, STACKS[0]) == range_units(kept, 0, STACKS[0])


def test_a_forfeit_of_the_other_player_is_like_a_fold() -> None:
    record = forfeited(1, "raise 250, call")
    plain, less = range_units(record, 0, STACKS[0])
    assert plain == 250 * PER_CHIP != less


def test_a_hand_without_its_story_cannot_be_averaged() -> None:
    with pytest.raises(ValueError, match="expected a hand with its cards"):
        range_units(HandRecord("h", HandEnd.FOLD, 100, (0, 0)), 0, STACKS[0])
