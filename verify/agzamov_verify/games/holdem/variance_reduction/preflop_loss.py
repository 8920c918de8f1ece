"""Preflop regret in a declared simplified game: losses of preflop decisions against a published strategy.

What it is: for each decision before the flop, the exact value of the best action less that of the action taken, for
these two cards, against tables/preflop.bin, an equilibrium within about a thousandth of a big blind of the game in
preflop_tree.py, in which the player does its best from then on. Other stacks than 100 big blinds have no such value.
The losses are computed by preflop_values.py and shipped in tables/preflop_losses.bin (scripts/preflop_game/losses.py).

What it is not: there is no betting after the flop in that game, so position, bluffs and what a hand may still become
are not seen, and good play for the real game loses something here. It is a diagnostic beside the result, never a
part of it.

A size that the tree does not have stands for the nearest of its sizes on a logarithmic scale, the smaller at a tie. A
line that goes on where the tree ends is scored no further. The figures of a match are in preflop.py.
"""

import struct
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, product
from typing import Final

import msgspec

from ..rules import BIG_BLIND, ActionKind, PokerAction
from ..script import HandStory
from .preflop_tree import End, Node, preflop_tree
from .preflop_values import SCALE, Strategy, Values
from .shipped_tables import table
from .starting_hands import CLASSES, class_of

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
