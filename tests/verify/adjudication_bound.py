"""The least number of engine scores that can show when a game was adjudicated, whatever rule chooses them."""

from collections.abc import Sequence


def scores_least(sides: Sequence[int], plies: int) -> int:
    """Lower bound, for scores that are for White (+1), Black (-1) or nobody (0), up to where the game ended.

    Each of the disjoint windows of `plies` scores in which the rule did not fire needs one that was asked again: with
    none, all of its scores may have been for one side. Where it fired at the end, all of that window are needed.
    """
    n = len(sides)
    fired = n >= plies and sides[-1] != 0 and len(set(sides[-plies:])) == 1
    return (n - plies) // plies + plies if fired else n // plies
