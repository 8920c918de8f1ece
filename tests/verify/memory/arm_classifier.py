"""A classifier of prompts by their arm: logistic regression on words, shapes of lines, lengths and numbers.

It stands for an endpoint that has seen other runs of a plan and wants to know which arm a prompt is of.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

NUMBER = re.compile(r"\d+")
WORDS_MAX = 400
STEPS, RATE, PENALTY = 300, 0.3, 1e-3


class Accuracy(NamedTuple):
    """The share of prompts told right, and its standard error over careers."""

    share: float
    error: float

    @property
    def is_chance(self) -> bool:
        """True if it is within 2.58 standard errors of a half: 99 of 100 times, where nothing can be told."""
        return abs(self.share - 0.5) <= 2.58 * self.error


def features(prompt: str) -> Counter[str]:
    """Words, lines without their numbers, and by line the mean of each number and of their ratio; lengths."""
    found: Counter[str] = Counter(f"word {word}" for word in re.findall(r"\S+", prompt))
    lines = prompt.splitlines()
    found |= Counter({"characters": len(prompt), "lines": len(lines), "words": len(prompt.split())})
    by_shape: dict[str, list[list[int]]] = {}
    for line in lines:
        by_shape.setdefault(NUMBER.sub("#", line), []).append([int(number) for number in NUMBER.findall(line)])
    for shape, numbers in by_shape.items():
        found[f"shape {shape}"] = len(numbers)
        for at, column in enumerate(zip(*numbers, strict=True)):
            found[f"mean {at} of {shape}"] = sum(column) / len(column)  # type: ignore[assignment]
        pairs = [(one[-2], one[-1]) for one in numbers if len(one) > 1]
        if total := sum(of for _, of in pairs):
            found[f"ratio of {shape}"] = sum(times for times, _ in pairs) / total  # type: ignore[assignment]
    return found


class ArmClassifier:
    """Trained on prompts of two arms; `tells` is True for a prompt that looks like the second one's."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        rows = [features(prompt) for prompt in (*first, *second)]
        held = Counter(name for row in rows for name in row)
        self._names = [name for name, _ in held.most_common(WORDS_MAX)]
        table = self._table(rows)
        self._mean, self._spread = table.mean(axis=0), table.std(axis=0) + 1e-9
        table = (table - self._mean) / self._spread
        wanted = np.array([0.0] * len(first) + [1.0] * len(second))
        self._weights, self._bias = np.zeros(table.shape[1]), 0.0
        for _ in range(STEPS):
            off = 1 / (1 + np.exp(-(table @ self._weights + self._bias))) - wanted
            self._weights -= RATE * (table.T @ off / len(wanted) + PENALTY * self._weights)
            self._bias -= RATE * float(off.mean())

    def _table(self, rows: Sequence[Counter[str]]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
        return np.array([[float(row.get(name, 0)) for name in self._names] for row in rows])

    def tells(self, prompts: Sequence[str]) -> list[bool]:
        """For each prompt whether it looks like the second arm's."""
        table = (self._table([features(prompt) for prompt in prompts]) - self._mean) / self._spread
        return [bool(value > 0) for value in table @ self._weights + self._bias]


def accuracy(trained: ArmClassifier, first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]) -> Accuracy:
    """The accuracy on careers of the two arms, each its prompts; the error is over careers."""
    shares = [1 - np.mean(trained.tells(career)) for career in first]
    shares += [np.mean(trained.tells(career)) for career in second]
    return Accuracy(float(np.mean(shares)), float(np.std(shares, ddof=1) / np.sqrt(len(shares))))
