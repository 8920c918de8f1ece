"""The preflop game: its tree is legal poker, its solver finds published push-or-fold play, its values are exact."""

from fractions import Fraction
from itertools import pairwise

import pytest

from agzamov_verify.games.holdem.equity import BOARDS, table
from agzamov_verify.games.holdem.preflop_game import (
    BASELINE,
    LOSSES_SHA256,
    MICRO_BB,
    SCALE,
    STRATEGY_SHA256,
    End,
    Node,
    PreflopRules,
    Strategy,
    Values,
    exploitability_chips,
    loss_micro_bb,
    nearest,
    preflop_decisions,
    preflop_tree,
    shipped_strategy,
)
from agzamov_verify.games.holdem.rules import ActionKind, PokerAction
from agzamov_verify.games.holdem.starting_hands import CLASSES, combos, meetings
from verify.scripted import poker_hand
from verify.variance_reduction.class_names import class_name
from verify.variance_reduction.scripted_hands import script, told

solve = script("preflop_game/solve.py")
losses = script("preflop_game/losses.py")
CLASS = {class_name(at): at for at in range(CLASSES)}
STACK = BASELINE.stack_chips
FOLD, ALL_IN, CALL = 0, 1, 1
ITERATIONS = 300


# --- the tree ------------------------------------------------------------------------------------


def lines(number: int, done: tuple[PokerAction, ...]) -> list[tuple[tuple[PokerAction, ...], Node | End]]:
    """Every node and end behind a node, with the actions that lead to it."""
    node = preflop_tree()[number]
    found: list[tuple[tuple[PokerAction, ...], Node | End]] = [(done, node)]
    for action, after in zip(node.actions, node.after, strict=True):
        if isinstance(after, End):
            found.append(((*done, action), after))
        else:
            found += lines(after, (*done, action))
    return found


def test_every_line_of_the_tree_is_legal_poker_and_ends_where_a_hand_does() -> None:
    for done, place in lines(0, ()):
        hand = poker_hand()
        for action in done:
            hand.act(action)
        if isinstance(place, Node):
            assert (hand.street, hand.to_act, tuple(hand.put_in)) == (0, place.player, place.bets)
            assert {one.kind for one in place.actions} == set(hand.legal().kinds)
            assert all(hand.fault(one) is None for one in place.actions)
        elif place.folded_by is None:
            assert (hand.street > 0, set(hand.put_in)) == (True, {place.matched_chips})
        else:
            assert abs(hand.net_chips()[0]) == place.matched_chips
            assert hand.lost_by(place.folded_by) == hand.net_chips()


def test_the_tree_has_the_sizes_that_it_says() -> None:
    nodes = preflop_tree()
    assert [one.to_chips for one in nodes[0].actions] == [0, 0, 200, 300, STACK]
    sized = [one.to_chips for node in nodes for one in node.actions if 0 < one.to_chips < STACK]
    assert max(sized) <= STACK // 2
    assert all(after > number for number, node in enumerate(nodes) for after in node.after if isinstance(after, int))


# --- the solver, by published equilibria ---------------------------------------------------------


def push_or_fold(stack_bb: int) -> tuple[tuple[Node, ...], Strategy]:
    nodes = preflop_tree(PreflopRules(100 * stack_bb, (), limp=False))
    return nodes, solve.Solver(nodes).run(ITERATIONS)


def share(parts: list[int]) -> float:
    """How often an action is taken, over all holdings."""
    return sum(len(held) * part for held, part in zip(combos(), parts, strict=True)) / (1326 * SCALE)


def test_at_ten_big_blinds_the_button_pushes_583_hands_in_1000_and_374_call() -> None:
    """holdemresources.net's heads-up push-or-fold equilibrium at 10 big blinds: 58.3 % and 37.4 %."""
    nodes, strategy = push_or_fold(10)
    assert round(share(strategy[0][ALL_IN]), 3) == 0.583
    assert round(share(strategy[1][CALL]), 3) == 0.374
    assert exploitability_chips(nodes, strategy) < Fraction(1, 100)


# From the page on the use of those charts: T3s is pushed up to 7.7 big blinds, Q2o called up to 5.6, and 63s pushed
# from 5.1 to 7.1 and below 2.3.
PUSHES = {4: {"T3s": True, "63s": False}, 6: {"T3s": True, "63s": True}, 9: {"T3s": False, "63s": False}}
CALLS = {4: {"Q2o": True}, 6: {"Q2o": False}, 9: {"Q2o": False}}


@pytest.mark.parametrize("stack_bb", PUSHES)
def test_hands_are_pushed_and_called_up_to_the_published_stacks(stack_bb: int) -> None:
    _, strategy = push_or_fold(stack_bb)
    pushed = {name: strategy[0][ALL_IN][CLASS[name]] > SCALE // 2 for name in PUSHES[stack_bb]}
    called = {name: strategy[1][CALL][CLASS[name]] > SCALE // 2 for name in CALLS[stack_bb]}
    assert (pushed, called) == (PUSHES[stack_bb], CALLS[stack_bb])


# --- exact values --------------------------------------------------------------------------------


def test_a_push_is_worth_the_blind_when_they_fold_and_the_showdown_when_they_call() -> None:
    """By its definition, class by class, for a caller who calls with pairs alone."""
    nodes = preflop_tree(PreflopRules(1_000, (), limp=False))
    pairs = [SCALE - 1 if class_name(at)[0] == class_name(at)[1] else 1 for at in range(CLASSES)]
    strategy = [[[1] * CLASSES, [SCALE - 1] * CLASSES], [[SCALE - part for part in pairs], pairs]]
    values = Values(nodes, strategy, 0)
    ways, edges = meetings()
    for name in ("AA", "72o", "T9s"):
        mine = CLASS[name]
        fold = sum(ways[mine][at] * (SCALE - part) * 100 for at, part in enumerate(pairs))
        call = Fraction(sum(edges[mine][at] * part * 1_000 for at, part in enumerate(pairs)), BOARDS)
        push = (fold + call) / (SCALE * sum(ways[mine]))
        worth = [Fraction(part[mine], values.weight[0][mine]) for part in values.worth[0]]
        assert worth == [-50, push]
        assert values.loss_chips(0, FOLD, mine) == max(0, push + 50)


def test_a_caller_who_calls_too_much_is_exploited_by_more() -> None:
    nodes, strategy = push_or_fold(10)
    looser = [strategy[0], [[1] * CLASSES, [SCALE - 1] * CLASSES]]
    assert exploitability_chips(nodes, looser) > exploitability_chips(nodes, strategy) + 1


# --- the shipped strategy ------------------------------------------------------------------------


def test_the_shipped_strategy_gives_away_less_than_half_a_thousandth_of_a_big_blind() -> None:
    found = exploitability_chips(preflop_tree(), shipped_strategy())
    assert 0 < found < Fraction(1, 20)


def test_the_shipped_strategy_is_pinned_whole_and_leaves_no_action_out() -> None:
    assert all(
        sum(parts) == SCALE and min(parts) >= 1 for node in shipped_strategy() for parts in zip(*node, strict=True)
    )
    with pytest.raises(AssertionError, match=r"preflop.bin: expected sha256"):
        table("preflop.bin", STRATEGY_SHA256[::-1])


def test_the_solver_writes_what_the_verifier_reads() -> None:
    strategy = shipped_strategy()
    plain = [[list(action) for action in node] for node in strategy]
    assert solve.packed(plain) == table("preflop.bin", STRATEGY_SHA256)


@pytest.mark.slow
def test_the_shipped_losses_are_those_of_the_shipped_strategy() -> None:
    assert losses.packed() == table("preflop_losses.bin", LOSSES_SHA256)


def test_good_hands_are_worth_more_than_bad_ones_and_better_cards_never_lose_less_by_folding() -> None:
    losses = [loss_micro_bb(0, FOLD, CLASS[name]) for name in ("AA", "KK", "QQ", "JJ", "TT")]
    assert all(more > less for more, less in pairwise(losses))
    assert loss_micro_bb(0, FOLD, CLASS["72o"]) == 0
    assert loss_micro_bb(0, len(preflop_tree()[0].actions) - 1, CLASS["72o"]) > MICRO_BB


# --- decisions of hands --------------------------------------------------------------------------


def test_each_decision_before_the_flop_is_scored_for_who_made_it() -> None:
    record = told("raise 300, raise 900, call, check, check, check, check, check, check")
    assert record.story is not None
    found = preflop_decisions(record.story)
    assert [one.player for one in found] == [0, 1, 0]
    assert found[0].loss_micro_bb == loss_micro_bb(0, 3, CLASS["AA"])
    assert found[1].loss_micro_bb == loss_micro_bb(found[1].node, found[1].action, CLASS["KK"])
    assert not any(one.resized for one in found)


def test_folding_aces_loses_what_they_were_worth() -> None:
    (found,) = preflop_decisions(told("fold").story)  # type: ignore[arg-type]
    assert found.loss_micro_bb == loss_micro_bb(0, FOLD, CLASS["AA"]) > 4 * MICRO_BB


@pytest.mark.parametrize(
    ("to_chips", "stands_for"),
    [(200, 200), (244, 200), (245, 300), (250, 300), (600, 300), (1_733, STACK), (5_000, STACK)],
)
def test_a_size_stands_for_the_nearest_on_a_logarithmic_scale(to_chips: int, stands_for: int) -> None:
    node = preflop_tree()[0]
    at = nearest(node, PokerAction(ActionKind.RAISE, to_chips))
    assert at is not None
    assert node.actions[at].to_chips == stands_for


def test_a_line_that_goes_on_where_the_tree_ends_is_scored_no_further() -> None:
    """A raise to 60 big blinds stands for all in; what is raised after it has no place."""
    record = told("raise 6000, raise 10000, call")
    assert record.story is not None
    assert [one.resized for one in preflop_decisions(record.story)] == [True]
