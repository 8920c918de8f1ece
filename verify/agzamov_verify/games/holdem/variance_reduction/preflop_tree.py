"""The preflop game of the baseline: a tree of few bet sizes, and after its last action the hands are shown.

    first in              fold, call, or raise to 2 or 3 big blinds, or all in
    against a bet         fold, call, or raise to 2 or 3 times the bet, or all in
    against a call        check, or raise as first in

A raise that would take more than half of a stack is left out: all in stands for it. There is no betting after the flop:
the board is dealt, and the better hand wins the pot. Both stacks are 100 big blinds.
"""

from functools import lru_cache
from typing import Final

import msgspec

from ..rules import BIG_BLIND, SMALL_BLIND, ActionKind, PokerAction


class PreflopRules(msgspec.Struct, frozen=True):
    """Parameters of a tree: stacks, raises as multiples of the bet they face, and whether the small blind may call."""

    stack_chips: int
    multiples: tuple[int, ...]
    limp: bool


class End(msgspec.Struct, frozen=True):
    """The end of a line: both have `matched_chips` in the pot; `folded_by` gives his up, or the hands are shown."""

    matched_chips: int
    folded_by: int | None


class Node(msgspec.Struct, frozen=True):
    """A decision of `player` (0 is the button). Each action leads to an end or to the node of that number."""

    player: int
    bets: tuple[int, int]
    actions: tuple[PokerAction, ...]
    after: tuple[End | int, ...]


_BLINDS = (SMALL_BLIND, BIG_BLIND)
BASELINE: Final = PreflopRules(100 * BIG_BLIND, (2, 3), limp=True)


@lru_cache(maxsize=4)
def preflop_tree(rules: PreflopRules = BASELINE) -> tuple[Node, ...]:
    """The nodes of a game; number 0 is the first, and a node's number is smaller than those behind it."""
    nodes: list[Node | None] = []
    _grow(rules, 0, _BLINDS, nodes)
    return tuple(node for node in nodes if node is not None)


def _grow(rules: PreflopRules, player: int, bets: tuple[int, int], nodes: list[Node | None]) -> int:
    """Add the node at which `player` faces these bets, and all behind it; its number."""
    number = len(nodes)
    nodes.append(None)
    actions = _actions(rules, player, bets)
    after = tuple(_next(rules, player, bets, action, nodes) for action in actions)
    nodes[number] = Node(player, bets, actions, after)
    return number


def _actions(rules: PreflopRules, player: int, bets: tuple[int, int]) -> tuple[PokerAction, ...]:
    mine, theirs = bets[player], bets[1 - player]
    actions = [PokerAction(ActionKind.FOLD), PokerAction(ActionKind.CALL)] if mine < theirs else []
    actions = actions or [PokerAction(ActionKind.CHECK)]
    if bets == _BLINDS and not rules.limp:
        actions.pop()
    sizes = [theirs * multiple for multiple in rules.multiples]
    if theirs < rules.stack_chips:
        sizes = [to_chips for to_chips in sizes if 2 * to_chips <= rules.stack_chips]
        actions += [PokerAction(ActionKind.RAISE, to_chips) for to_chips in (*sizes, rules.stack_chips)]
    return tuple(actions)


def _next(
    rules: PreflopRules, player: int, bets: tuple[int, int], action: PokerAction, nodes: list[Node | None]
) -> End | int:
    """End or next node after an action. The big blind still acts after a limp; any other call or check is an end."""
    if action.kind is ActionKind.FOLD:
        return End(min(bets), player)
    if action.kind is ActionKind.RAISE:
        raised = (action.to_chips, bets[1]) if player == 0 else (bets[0], action.to_chips)
        return _grow(rules, 1 - player, raised, nodes)
    if action.kind is ActionKind.CALL and bets == _BLINDS:
        return _grow(rules, 1, (BIG_BLIND, BIG_BLIND), nodes)
    return End(max(bets), None)
