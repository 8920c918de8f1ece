"""Exact values in the preflop game: action values against a strategy, and its exploitability.

A strategy is a probability for each node, class of hands and action, in units of 1 / SCALE, none of them zero, so
that every decision can be reached and every value is defined. All sums are of integers.
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Final, TypeAlias

from .preflop_matchups import BOARDS
from .preflop_tree import End, Node
from .starting_hands import CLASSES, meetings

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
