"""Selection of the engine scores to ask again, so that nobody can choose when a game was adjudicated.

A game is given away when `plies` consecutive scores stand beyond the threshold for one side. So the
scores of an adjudicated game's last window decide it. And every window before that decided it too, by
not firing: it holds a score within the threshold, or two neighbours for different sides. One such
witness for each window is enough: if the witnesses are true, no window fired, whatever the other scores
were. Softened scores that let a lost game go on are found here with certainty, at about one question
for `plies` plies.
"""

from collections.abc import Sequence


def witnesses(sides: Sequence[int], plies: int) -> list[int]:
    """Indices into `sides` (+1, -1 or 0 for each score) that show where the rule fired and where it did not."""
    chosen: set[int] = set()
    start = 0
    while start + plies <= len(sides):
        end = start + plies
        level = next((index for index in range(end - 1, start - 1, -1) if not sides[index]), None)
        turn = next((index for index in range(end - 1, start, -1) if sides[index] != sides[index - 1]), None)
        if level is not None:
            chosen.add(level)
            start = level + 1
        elif turn is not None:
            chosen |= {turn - 1, turn}
            start = turn
        else:
            chosen |= set(range(start, end))
            start = end
    return sorted(chosen)
