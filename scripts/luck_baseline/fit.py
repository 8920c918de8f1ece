"""Fits tables/baseline.json once, to self-play of scripted players on declared seeds.

    python scripts/luck_baseline/fit.py > verify/agzamov_verify/scoring/luck/tables/baseline.json

Takes ten minutes on one core. Least squares of the all-in adjusted result on what each correction would take out with
a weight of one, each pairing of players scaled to the same variance, drawn towards a weight of 1 for pots and 0 for
the rest, then rounded to sixteenths. It prints nothing that a run depends on: any numbers would be unbiased.
"""

import hashlib
import sys
from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np
import players
from players import STYLES, hands

from agzamov_harness.adapters.reference.players import reply
from agzamov_verify import canon
from agzamov_verify.dice import Dice
from agzamov_verify.games.decision import Tally
from agzamov_verify.games.holdem.script import HandRecord, PokerRules, deal_cards, play
from agzamov_verify.games.players import GameName, Player
from agzamov_verify.questions import Chat, Question, Reply
from agzamov_verify.scoring.luck.adjusted import Method, last_street, net_chips
from agzamov_verify.scoring.luck.baseline import SIXTEENTHS, growth_luck
from agzamov_verify.scoring.luck.edges import FLOP, PREFLOP, UNITS, edge
from agzamov_verify.script import drive

SEED = hashlib.sha256(b"agzamov luck baseline 1").digest()
STYLE_DECKS, REFERENCE_DECKS = 8_000, 12_000
POTS = (400, 1_000, 2_500)
SIZES, STEPS = len(POTS) + 1, 3
PULL = 30.0  # observations' worth of belief in the weights before the data


def main() -> None:
    """Play, fit, and write the file."""
    rows, results = [], []
    for pairing in (*between_styles(), *with_reference()):
        x = np.array([features(record) for record in pairing])
        y = np.array([float(net_chips(record, Method.ALL_IN)) for record in pairing])
        rows.append((x - x.mean(0)) / y.std())
        results.append((y - y.mean()) / y.std())
        print(f"{len(pairing)} hands, sd {y.std():.0f} chips", file=sys.stderr)  # noqa: T201
    sys.stdout.buffer.write(canon.dumps(named(fitted(np.vstack(rows), np.concatenate(results)))) + b"\n")


def between_styles() -> Iterator[list[HandRecord]]:
    """Each style against each, itself included."""
    for number, (a, b) in enumerate(combinations_with_replacement(STYLES, 2)):
        yield hands(Dice(SEED), range(number * STYLE_DECKS, (number + 1) * STYLE_DECKS), a, b, swapped=False)


def with_reference() -> Iterator[list[HandRecord]]:
    """The reference player against itself and against the random player."""
    for opponent in ("reference", "random"):
        dice, tallies = Dice(SEED), (Tally(), Tally())
        played = []
        for number in range(REFERENCE_DECKS):
            seats = (Player("reference"), Player(opponent))
            button, big_blind = seats if number % 2 == 0 else (seats[1], seats[0])
            deal = deal_cards(dice, 10**6 + number, button_is_a=number % 2 == 0)
            name = GameName(f"h{number}", f"{opponent}/{number}")
            played.append(drive(play(name, deal, (button, big_blind), PokerRules(), dice, tallies), _answer))
        yield played


def _answer(question: Question) -> Reply:
    assert isinstance(question, Chat)
    return Reply(text=reply(question.seat, question.messages, question.seed))


def features(record: HandRecord) -> list[float]:
    """Chips that each weight would take out if it were one: deal, pots by street and size, strengths by street."""
    story = record.story
    assert story is not None
    row = [edge(story.deal, PREFLOP) / UNITS] + [0.0] * (3 * SIZES + 2 * STEPS**2)
    for street in range(FLOP, last_street(record.end, story) + 1):
        chips = story.matched_chips[street - 1]
        size = sum(chips > bound for bound in POTS)
        change = edge(story.deal, street) - edge(story.deal, street - 1)
        row[1 + (street - FLOP) * SIZES + size] = chips * change / UNITS
        for at in range(STEPS**2) if street > FLOP else ():
            growth = growth_luck(story.deal, street, _unit(at)) / UNITS
            row[1 + 3 * SIZES + (street - FLOP - 1) * STEPS**2 + at] = chips * growth
    return row


def _unit(at: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(STEPS * behind + ahead == at) for ahead in range(STEPS)) for behind in range(STEPS))


def fitted(x: np.ndarray, y: np.ndarray) -> list[int]:
    """The weights in sixteenths."""
    before = np.array([0.0] + [1.0] * (3 * SIZES) + [0.0] * (2 * STEPS**2))
    scale = np.sqrt((x**2).mean(0)) + 1e-12
    z = x / scale
    pull = PULL * np.eye(x.shape[1])
    found = np.linalg.solve(z.T @ z + pull, z.T @ y + pull @ (before * scale)) / scale
    return [round(value * SIXTEENTHS) for value in found]


def named(found: list[int]) -> dict[str, object]:
    """The weights by the names of `baseline.Weights`."""
    pots = [found[1 + at * SIZES : 1 + (at + 1) * SIZES] for at in range(3)]
    rest = found[1 + 3 * SIZES :]
    steps = [rest[at : at + STEPS] for at in range(0, len(rest), STEPS)]
    return {
        "deal": found[0],
        "flop": pots[0],
        "pots": list(POTS),
        "river": pots[2],
        "river_strengths": steps[STEPS:],
        "turn": pots[1],
        "turn_strengths": steps[:STEPS],
    }


if __name__ == "__main__":
    assert PokerRules().stack_chips == players.STACK_CHIPS
    main()
