"""The score of a search: that of the last `info` line of the best line that gives a value, not a bound.

    info depth 9 seldepth 11 multipv 1 score cp 58 nodes 812 nps 203000 time 4 pv e2e4 c7c5
    info depth 10 seldepth 13 multipv 1 score cp -110 upperbound nodes 1004 nps 200800 time 5 pv e2e4 e7e5
    bestmove e2e4 ponder c7c5

An engine searches within a window of values. A value outside is searched again with a wider window, and where the nodes
are over by then, the last line says only that it is at most (`upperbound`) or at least (`lowerbound`) so much. Here the
score is +58 centipawns (UCI protocol of April 2006: `info score`, `lowerbound`, `upperbound`).

The move is that of `bestmove`. After a `lowerbound` it may be another than that of the line with the score.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from ..core.questions import Evaluation

BOUNDS: Final = frozenset({"lowerbound", "upperbound"})


class NoExactScore(Exception):
    """A search gave no score that is a value: bounds alone, or nothing."""


class Searched(NamedTuple):
    """The result of a search: the engine's move, its score for the side to move, and the moves told with that score."""

    best: str
    evaluation: Evaluation
    line: tuple[str, ...]


def searched(lines: Iterable[str]) -> Searched:
    """The result of a search from all lines of the engine, `bestmove` the last. Raises NoExactScore."""
    exact, bounds, line = None, 0, ""
    for line in lines:
        head, _, moves = line.partition(" pv ")
        words = _score(head)
        if not BOUNDS.isdisjoint(words):
            bounds += 1
        elif words:
            exact = _evaluation(words), tuple(moves.split())
    if exact is None:
        raise NoExactScore(f"expected a score that is a value, found {f'{bounds} bounds' if bounds else 'no score'}")
    return Searched(line.split()[1], *exact)


def _score(head: str) -> list[str]:
    """The words of an `info` line of the best line from its score on; empty for any other line."""
    return head.partition(" score ")[2].split() if " multipv 1 " in head else []


def _evaluation(words: list[str]) -> Evaluation:
    kind, value = words[:2]
    return Evaluation(None, int(value)) if kind == "mate" else Evaluation(int(value), None)
