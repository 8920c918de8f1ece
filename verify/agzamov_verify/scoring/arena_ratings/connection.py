"""Which players have a common rating, and whose strength has no limit above or below.

Who met whom, directly or through others, has one rating; others have none in common, and are ranked in parts. Inside a
part strengths are finite without a penalty exactly where, however it is divided in two, somebody of each side took
points from the other (Ford 1957, American Mathematical Monthly 64:28): where everybody reaches everybody by "took
points from". A group that nobody outside took points from is only known to be "at least" so strong, one that took none
"at most".
"""

from dataclasses import dataclass

import numpy as np

from .results_table import Ints, Mask

NO_PART = -1


@dataclass(frozen=True, slots=True, eq=False)
class Connection:
    """Of each player: its part (its least player's number, -1 without a game), and which ends are open."""

    part: Ints
    open_above: Mask
    open_below: Mask

    @property
    def parts(self) -> list[Ints]:
        """The players of each part."""
        return [np.flatnonzero(self.part == name) for name in np.unique(self.part[self.part != NO_PART])]


def connection(points: Mask, met: Mask) -> Connection:
    """Parts and open ends. `points`: player by player, row took points from column. `met`: they met."""
    players = len(points)
    reaches = reached(points)
    group, part = _first_of(reaches & reaches.T), _first_of(reached(met | met.T))
    above, below = np.zeros(players, dtype=np.bool_), np.zeros(players, dtype=np.bool_)
    for name in np.unique(part):
        inside = np.flatnonzero(part == name)
        names, sizes = np.unique(group[inside], return_counts=True)
        # The largest group stands for the rest of the part: what is open is open against it.
        main = names[sizes.argmax()] if (sizes == sizes.max()).sum() == 1 else NO_PART
        for one in names[names != main] if len(names) > 1 else []:
            own, others = inside[group[inside] == one], inside[group[inside] != one]
            above[own] = not reaches[np.ix_(others, own)].any()
            below[own] = not reaches[np.ix_(own, others)].any()
    alone = ~(met | met.T).any(axis=0)
    return Connection(np.where(alone, NO_PART, part), above & ~alone, below & ~alone)


def reached(edges: Mask) -> Mask:
    """Whom each can reach, itself included."""
    found = edges | np.eye(len(edges), dtype=np.bool_)
    while True:
        wide = found.astype(np.float32)
        further = wide @ wide > 0
        if (further == found).all():
            return found
        found = further


def _first_of(related: Mask) -> Ints:
    """The least player that each is related to, for an equivalence."""
    return np.asarray(related.argmax(axis=1), dtype=np.int64)
