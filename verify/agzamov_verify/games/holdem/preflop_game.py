"""Preflop regret in a declared simplified game: its tree, exact values, and what decisions lose against its solution.

The tree has few bet sizes, and after its last action the hands are shown.

    first in              fold, call, or raise to 2 or 3 big blinds, or all in
    against a bet         fold, call, or raise to 2 or 3 times the bet, or all in
    against a call        check, or raise as first in

A raise that would take more than half of a stack is left out: all in stands for it. There is no betting after the flop:
the board is dealt, and the better hand wins the pot. Both stacks are 100 big blinds.

Exact values are those of actions against a strategy, and its exploitability. A strategy is a probability for each node,
class of hands and action, in units of 1 / SCALE, none of them zero, so that every decision can be reached and every
value is defined. All sums are of integers.

What preflop regret is: for each decision before the flop, the exact value of the best action less that of the action
taken, for these two cards, against tables/preflop.bin, an equilibrium within about a thousandth of a big blind of that
tree, in which the player does its best from then on. Other stacks than 100 big blinds have no such value. The losses
are computed here and shipped in tables/preflop_losses.bin (scripts/preflop_game/losses.py).

What it is not: there is no betting after the flop in that game, so position, bluffs and what a hand may still become
are not seen, and good play for the real game loses something here. It is a diagnostic beside the result, never a
part of it.

A size that the tree does not have stands for the nearest of its sizes on a logarithmic scale, the smaller at a tie. A
line that goes on where the tree ends is scored no further. The figures of a match are in match_analysis.py.
"""

import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, product
from operator import mul
from typing import Final, TypeAlias

import msgspec

from .equity import BOARDS, table
from .hand_script import HandStory
from .rules import BIG_BLIND, SMALL_BLIND, ActionKind, PokerAction
from .starting_hands import CLASSES, class_of, meetings


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


SCALE: Final = 50_000
Strategy: TypeAlias = Sequence[Sequence[Sequence[int]]]  # by node, then action, then class
Vector: TypeAlias = list[int]


class Values:
    """Action values of `player` at its nodes: the other follows a strategy, the player then plays a best response.

    `worth[node][action][class]` are chips in units of 1 / `weight[node][class]`, net of the whole hand.
    """

    def __init__(self, nodes: Sequence[Node], strategy: Strategy, player: int) -> None:
        self._nodes, self._strategy, self._player = nodes, strategy, player
        self._depth = _depth(nodes, 0, 1 - player)
        self.worth: dict[int, list[Vector]] = {}
        self.weight: dict[int, Vector] = {}
        self._total = self._value(0, [1] * CLASSES, self._depth)

    def loss_chips(self, node: int, action: int, number: int) -> Fraction:
        """Loss of an action with a class of hands relative to the best action, in chips."""
        values = [worth[number] for worth in self.worth[node]]
        return Fraction(max(values) - values[action], self.weight[node][number])

    @property
    def chips(self) -> Fraction:
        """Mean winnings of the player's best response over all deals, in chips."""
        ways, _ = meetings()
        return Fraction(sum(self._total), sum(map(sum, ways)) * BOARDS * SCALE**self._depth)

    def _value(self, number: int, reach: Vector, left: int) -> Vector:
        """The player's values at a node by class; `reach` is the other's, which has `left` decisions still to scale."""
        node = self._nodes[number]
        if node.player != self._player:
            parts = [
                self._after(after, list(map(mul, reach, self._strategy[number][index])), left - 1)
                for index, after in enumerate(node.after)
            ]
            return [sum(column) for column in zip(*parts, strict=True)]
        parts = [self._after(after, reach, left) for after in node.after]
        ways, _ = meetings()
        # Values and weights are sums over the other hand's classes of ways to be dealt, its reach and outcomes over
        # BOARDS boards. The other's reach has a factor SCALE for each decision behind; SCALE^left stands for those
        # still to come, so all leaves of the tree have one scale.
        scale = BOARDS * SCALE**left
        self.worth[number] = parts
        self.weight[number] = [scale * sum(map(mul, row, reach)) for row in ways]
        return [max(column) for column in zip(*parts, strict=True)]

    def _after(self, after: End | int, reach: Vector, left: int) -> Vector:
        if not isinstance(after, End):
            return self._value(after, reach, left)
        ways, edges = meetings()
        scale = after.matched_chips * SCALE**left
        if after.folded_by is None:
            return [scale * sum(map(mul, row, reach)) for row in edges]
        scale *= BOARDS if after.folded_by == 1 - self._player else -BOARDS
        return [scale * sum(map(mul, row, reach)) for row in ways]


def exploitability_chips(nodes: Sequence[Node], strategy: Strategy) -> Fraction:
    """Winnings of a best response to the strategy, on average over both seats, in chips a hand. 0 in equilibrium."""
    return (Values(nodes, strategy, 0).chips + Values(nodes, strategy, 1).chips) / 2


def _depth(nodes: Sequence[Node], number: int, player: int) -> int:
    """The most decisions that `player` has in a line from this node on."""
    node = nodes[number]
    deepest = max((_depth(nodes, after, player) for after in node.after if not isinstance(after, End)), default=0)
    return deepest + (node.player == player)


STRATEGY_SHA256: Final = "33597d29e0e3b2bc8c65ce5f55fe87d6a5eb6c95cf5daa3732747d450b729d6f"
LOSSES_SHA256: Final = "9a00ac5c2d933d9bd403d88469e8c39755bb7e48f19469bd58ccc872dc9a559e"
MICRO_BB: Final = 1_000_000


class PreflopDecision(msgspec.Struct, frozen=True):
    """A decision in the tree: of the button (0) or big blind (1), the loss in millionths of a big blind.

    `resized` says that the size played is not one of the tree's.
    """

    player: int
    node: int
    action: int
    loss_micro_bb: int
    resized: bool


def preflop_decisions(story: HandStory) -> tuple[PreflopDecision, ...]:
    """The decisions of a hand before the flop that the tree has."""
    return tuple(_walk(story))


def _walk(story: HandStory) -> Iterator[PreflopDecision]:
    nodes, number = preflop_tree(), 0
    for played in story.history:
        node = nodes[number]
        index = nearest(node, played.action)
        if played.street or index is None:
            return
        hole = story.deal.big_blind if played.player else story.deal.button
        loss = loss_micro_bb(number, index, class_of(hole))
        yield PreflopDecision(played.player, number, index, loss, node.actions[index] != played.action)
        after = node.after[index]
        if isinstance(after, End):
            return
        number = after


def nearest(node: Node, action: PokerAction) -> int | None:
    """Index of the node's action that stands for `action`, or None if the node has none of its kind."""
    kinds = [index for index, candidate in enumerate(node.actions) if candidate.kind is action.kind]
    if action.kind is not ActionKind.RAISE or not kinds:
        return kinds[0] if kinds else None
    chosen = kinds[0]
    for index in kinds[1:]:
        if action.to_chips**2 > node.actions[chosen].to_chips * node.actions[index].to_chips:
            chosen = index
    return chosen


def loss_micro_bb(node: int, action: int, number: int) -> int:
    """Loss of an action of a node with a class of hands, in millionths of a big blind, rounded half-even."""
    losses, first_rows = _losses()
    return losses[CLASSES * (first_rows[node] + action) + number]


@lru_cache(maxsize=1)
def _losses() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shipped losses, and the row of each node's first action in them.

    A row for each action of each node in order, in it each class: 32 bits, least byte first.
    """
    data = table("preflop_losses.bin", LOSSES_SHA256)
    counts = [len(node.actions) for node in preflop_tree()]
    return struct.unpack(f"<{len(data) // 4}I", data), tuple(accumulate(counts, initial=0))


def computed_losses(strategy: Strategy) -> Iterator[int]:
    """The losses against a strategy of the baseline's tree, in the order of the table."""
    nodes = preflop_tree()
    values = [Values(nodes, strategy, player) for player in (0, 1)]
    for number, node in enumerate(nodes):
        for action, at in product(range(len(node.actions)), range(CLASSES)):
            yield round(values[node.player].loss_chips(number, action, at) * MICRO_BB / BIG_BLIND)


@lru_cache(maxsize=1)
def shipped_strategy() -> Strategy:
    """The strategy of the baseline.

    For each node in order, each action but the last, each class: parts of SCALE as 16 bits, least byte first. The
    last action has what is left.
    """
    columns = struct.iter_unpack(f"<{CLASSES}H", table("preflop.bin", STRATEGY_SHA256))
    strategy = []
    for node in preflop_tree():
        shares = [next(columns) for _ in node.actions[1:]]
        strategy.append([*shares, tuple(SCALE - sum(parts) for parts in zip(*shares, strict=True))])
    return strategy
