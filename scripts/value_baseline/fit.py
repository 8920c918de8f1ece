"""Fits tables/baseline.json once, to self-play of scripted players on declared seeds.

    python scripts/value_baseline/fit.py > verify/agzamov_verify/games/holdem/tables/baseline.json

Takes some minutes on one core. Ridge regression of the all-in adjusted result on what each correction would take out
with a weight of one (of a big blind for the deal), each pairing of players scaled to the same variance, around a
weight of 1 for pots and 0 for the rest, then rounded to sixteenths. Nothing that is unbiased depends on these numbers.
"""

import hashlib
import sys
from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np
from players import STACK_CHIPS, STYLES, hands

from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice
from agzamov_verify.games.holdem.control_variates import (
    PAIRS,
    SIXTEENTHS,
    Method,
    Weights,
    growths,
    last_street,
    net_chips,
)
from agzamov_verify.games.holdem.equity import FLOP, PREFLOP, TURN, UNITS, edge
from agzamov_verify.games.holdem.hand_script import HandRecord
from agzamov_verify.games.holdem.rules import BIG_BLIND

SEED = hashlib.sha256(b"agzamov luck baseline 1").digest()  # that of the shipped table
DECKS = 8_000
POTS = (400, 1_000, 2_500)
SIZES = len(POTS) + 1
PULL = 0.2  # the variance that is left over that of a weight before the data: a weight is expected within two of it


def main() -> None:
    """Play, fit, and write the file."""
    rows, results = [], []
    for pairing in between_styles():
        x = np.array([features(record) for record in pairing])
        y = np.array([float(net_chips(record, Method.ALL_IN)) for record in pairing])
        rows.append((x - x.mean(0)) / y.std())
        results.append((y - y.mean()) / y.std())
        print(f"{len(pairing)} hands, sd {y.std():.0f} chips", file=sys.stderr)
    sys.stdout.buffer.write(canon.dumps(named(fitted(np.vstack(rows), np.concatenate(results)))) + b"\n")


def between_styles() -> Iterator[list[HandRecord]]:
    """Each style against each, itself included."""
    for number, (a, b) in enumerate(combinations_with_replacement(STYLES, 2)):
        yield hands(Dice(SEED), range(number * DECKS, (number + 1) * DECKS), a, b, swapped=False)


def features(record: HandRecord) -> list[float]:
    """Chips that each weight would take out if it were one: deal, pots by street and size, strengths by street."""
    story = record.story
    assert story is not None
    room = Weights(STACK_CHIPS, 0, POTS, (), (), (), (), ()).room
    row = [edge(story.deal, PREFLOP) / UNITS] + [0.0] * (3 * SIZES + 2 * PAIRS)
    for street in range(FLOP, last_street(record.end, story) + 1):
        chips = story.matched_chips[street - 1]
        size = sum(chips > bound for bound in POTS)
        change = edge(story.deal, street) - edge(story.deal, street - 1)
        row[1 + (street - FLOP) * SIZES + size] = chips * change / UNITS
        for pair, growth in enumerate(growths(story.deal, street) if street > FLOP else ()):
            row[1 + 3 * SIZES + (street - TURN) * PAIRS + pair] = room(chips) * growth / UNITS
    return row


def fitted(x: np.ndarray, y: np.ndarray) -> list[int]:
    """The weights in sixteenths: ridge regression around the weights of street equity."""
    street_equity_weights = np.array([0.0] + [1.0] * (3 * SIZES) + [0.0] * (2 * PAIRS))
    x = x * np.array([BIG_BLIND] + [1.0] * (3 * SIZES + 2 * PAIRS))
    weights = np.linalg.solve(x.T @ x + PULL * np.eye(x.shape[1]), x.T @ y + PULL * street_equity_weights)
    weights[0] *= BIG_BLIND
    return [round(value * SIXTEENTHS) for value in weights]


def named(weights: list[int]) -> dict[str, object]:
    """The weights by the names of `baseline.Weights`."""
    pots = [weights[1 + street * SIZES : 1 + (street + 1) * SIZES] for street in range(3)]
    strengths = weights[1 + 3 * SIZES :]
    return {
        "deal": weights[0],
        "flop": pots[0],
        "pots": list(POTS),
        "river": pots[2],
        "river_strengths": strengths[PAIRS:],
        "stack": STACK_CHIPS,
        "turn": pots[1],
        "turn_strengths": strengths[:PAIRS],
    }


if __name__ == "__main__":
    main()
