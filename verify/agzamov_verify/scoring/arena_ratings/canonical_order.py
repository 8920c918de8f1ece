"""An order of players that follows from their games alone, so that what is drawn from it does not depend on names.

Players are told apart by their games, then by whom they played them with, and so on until no more are told apart
(colour refinement: Weisfeiler and Leman 1968). Where some are still alike, one of them is set apart and the others are
told from it: rock, paper and scissors are alike, but two of them are not once the third is known.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from .davidson import Counts
from .results_table import Ints

Games: TypeAlias = tuple[int, ...]
"""Won, drawn and lost moving first against somebody, and by the other moving first."""


def canonical_order(counts: Counts) -> Ints:
    """The players' numbers in an order of their own; only players of interchangeable games may change places."""
    both = np.stack((*counts, *(one.T for one in counts)), axis=-1).astype(np.int64).tolist()
    cells = [[tuple(games) for games in row] for row in both]
    # Players without a game are all alike, and need not be told apart one by one.
    names = _refined([0 if any(map(any, row)) else 1 + player for player, row in enumerate(cells)], cells)
    while len(set(names)) < len(names):
        alike = min(name for name in names if names.count(name) > 1)
        apart = names.index(alike)
        names = _refined([2 * name - (player == apart) for player, name in enumerate(names)], cells)
    return np.argsort(np.array(names, dtype=np.int64), kind="stable").astype(np.int64)


def in_order(counts: Counts, order: Ints) -> Counts:
    """The same games with the players in another order."""
    return Counts(*(one[np.ix_(order, order)] for one in counts))


def seed_of_counts(purpose: str, counts: Counts) -> bytes:
    """SHA-256 of a purpose and of the games, in the order that they are in."""
    games = np.stack(counts).astype("<i8").tobytes()
    return hashlib.sha256(purpose.encode() + b"\n" + games).digest()


def _refined(names: Sequence[int], cells: Sequence[Sequence[Games]]) -> list[int]:
    """Names that differ wherever the games tell players apart; players that differed before still do."""
    while True:
        seen = [(name, tuple(sorted(zip(games, names, strict=True)))) for name, games in zip(names, cells, strict=True)]
        place = {one: rank for rank, one in enumerate(sorted(set(seen)))}
        finer = [place[one] for one in seen]
        if len(place) == len(set(names)):
            return finer
        names = finer
