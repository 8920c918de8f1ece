"""Solves the preflop game by CFR+ and writes the strategy that the verifier ships.

    python scripts/preflop_game/solve.py > verify/agzamov_verify/games/holdem/tables/preflop.bin

Takes some minutes on one core. Counterfactual regret minimisation with positive regrets and linear averaging, the two
players in turns (O. Tammelin, "Solving large imperfect information games using CFR+", 2014), every action with at
least one part in SCALE. Sums run in a fixed order of plain multiplications and additions, without a dot product, so
the same bytes come out on every machine with IEEE 754 arithmetic.

    strategy   for each node in order, each action but the last, each of 169 classes:
               parts of SCALE in 16 bits, low byte first
"""

import sys
from collections.abc import Sequence

import numpy as np

from agzamov_verify.games.holdem.equity import BOARDS
from agzamov_verify.games.holdem.preflop_game import SCALE, End, Node, exploitability_chips, preflop_tree
from agzamov_verify.games.holdem.starting_hands import CLASSES, meetings

ITERATIONS = 3_000
LEAST = 1 / SCALE


class Solver:
    """Regrets and average strategies of both players."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        shapes = [(len(node.actions), CLASSES) for node in nodes]
        self._regrets = [np.zeros(shape) for shape in shapes]
        self._sums = [np.zeros(shape) for shape in shapes]
        self._ends = [
            (number, choice, after)
            for number, node in enumerate(nodes)
            for choice, after in enumerate(node.after)
            if isinstance(after, End)
        ]
        ways, edges = meetings()
        pairs = sum(map(sum, ways))
        self._ways = np.array(ways, dtype=float) / pairs
        self._edges = np.array(edges, dtype=float) / BOARDS / pairs

    def run(self, iterations: int) -> list[list[list[int]]]:
        """The average strategy after so many iterations, in parts of SCALE."""
        for iteration in range(1, iterations + 1):
            for player in (0, 1):
                self._update(player, iteration)
        return [_in_parts(_shares(total)) for total in self._sums]

    def _update(self, player: int, iteration: int) -> None:
        strategy = [_shares(regret) for regret in self._regrets]
        reach = self._reaches(strategy)
        after = self._end_values(player, strategy, reach[1 - player])
        for number in range(len(self._nodes) - 1, -1, -1):
            node = self._nodes[number]
            parts = [
                after[number, choice] if isinstance(next_node, End) else after[next_node, -1]
                for choice, next_node in enumerate(node.after)
            ]
            if node.player != player:
                after[number, -1] = _added(parts)
                continue
            value = _added([part * share for part, share in zip(parts, strategy[number], strict=True)])
            self._regrets[number] = np.maximum(self._regrets[number] + (np.array(parts) - value), 0)
            self._sums[number] += iteration * reach[player][number] * strategy[number]
            after[number, -1] = value

    def _reaches(self, strategy: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """How likely each player's own choices lead to each node, by class."""
        reach: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        for own in reach:
            own.extend(np.ones(CLASSES) for _ in self._nodes)
        for number, node in enumerate(self._nodes):
            for choice, next_node in enumerate(node.after):
                if not isinstance(next_node, End):
                    for player, own in enumerate(reach):
                        own[next_node] = (
                            own[number] * strategy[number][choice] if node.player == player else own[number]
                        )
        return reach

    def _end_values(
        self, player: int, strategy: list[np.ndarray], reach: list[np.ndarray]
    ) -> dict[tuple[int, int], np.ndarray]:
        """The player's values at all ends, by node and action."""
        arrive = np.array(
            [
                reach[number] if self._nodes[number].player == player else reach[number] * strategy[number][choice]
                for number, choice, _ in self._ends
            ]
        )
        folded = np.array([end.folded_by is not None for _, _, end in self._ends])
        values = np.empty_like(arrive)
        values[folded] = _against(self._ways, arrive[folded])
        values[~folded] = _against(self._edges, arrive[~folded])
        chips = [
            float(-end.matched_chips if end.folded_by == player else end.matched_chips) for _, _, end in self._ends
        ]
        values *= np.array(chips)[:, None]
        return {(number, choice): row for (number, choice, _), row in zip(self._ends, values, strict=True)}


def _against(matrix: np.ndarray, arrive: np.ndarray) -> np.ndarray:
    """For each row of `arrive`, `matrix` times it, summed in the order of the classes."""
    total = np.zeros_like(arrive)
    for number in range(CLASSES):
        total += arrive[:, number, None] * matrix[:, number]
    return total


def _added(parts: Sequence[np.ndarray]) -> np.ndarray:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _shares(positive: np.ndarray) -> np.ndarray:
    """Each column in proportion, evenly where it is empty, none less than LEAST."""
    total, count = _added(list(positive)), len(positive)
    empty = total <= 0
    shares = np.where(empty, 1 / count, positive / np.where(empty, 1.0, total))
    return LEAST + (1 - count * LEAST) * shares


def _in_parts(shares: np.ndarray) -> list[list[int]]:
    """Whole parts of SCALE that add up to it; what rounding leaves goes to the largest share."""
    parts = np.maximum(np.rint(shares * SCALE).astype(int), 1)
    largest = shares.argmax(0)
    parts[largest, np.arange(CLASSES)] += SCALE - parts.sum(0)
    return parts.tolist()


def packed(strategy: list[list[list[int]]]) -> bytes:
    """The file's bytes."""
    return b"".join(np.array(node[:-1], dtype="<u2").tobytes() for node in strategy)


def main() -> None:
    """Solve, say how good it is, and write the file."""
    nodes = preflop_tree()
    strategy = Solver(nodes).run(int(sys.argv[1]) if len(sys.argv) > 1 else ITERATIONS)
    print(f"exploitability: {float(exploitability_chips(nodes, strategy)) * 10:.3f} mbb a hand", file=sys.stderr)
    sys.stdout.buffer.write(packed(strategy))


if __name__ == "__main__":
    main()
