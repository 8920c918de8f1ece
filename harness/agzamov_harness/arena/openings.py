"""Openings of an arena's rounds: a new round begins from those that its games began from least often.

All pairings of a round share one opening of each game, which its sealed seed draws. Two rounds of one opening would be
one for players without chance: such games count once. So the seed of a new round is drawn again until its openings are
new, as long as the book lasts (docs/decisions/0110).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from agzamov_verify.core.dice import Dice
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.table.registry import GAMES


class Opening(NamedTuple):
    """A position of a game's book, in the game's own words."""

    game: str
    start: str


class SealedRound(NamedTuple):
    """A run or bundle of an arena; no dice where they cannot be known yet."""

    plan: Plan
    dice: Dice | None


def openings_of(plan: Plan, dice: Dice) -> Iterator[Opening]:
    """The openings of a round, each once."""
    found = dict[Opening, None]()
    for match in plan.matches:
        game = GAMES[match.game]
        units = match.planned // game.unit_results(plan.rules_of(match.game), len(match.seats))
        for unit in range(min(units, game.openings)):  # a game without a book has none, however many results
            if start := game.opening(dice, match, unit):
                found[Opening(match.game, start)] = None
    yield from found


def least_used(rounds: Iterable[SealedRound], plan: Plan) -> Callable[[Dice], bool]:
    """Whether dice give a plan openings that these rounds began from least often."""
    used = Counter(one for sealed in rounds if sealed.dice for one in openings_of(sealed.plan, sealed.dice))
    least = {match.game: _least(used, match.game) for match in plan.matches}

    def accepts(dice: Dice) -> bool:
        return all(used[one] <= least[one.game] for one in openings_of(plan, dice))

    return accepts


def _least(used: Counter[Opening], game: str) -> int:
    """How often the opening of a game was used that was used least."""
    counts = [times for one, times in used.items() if one.game == game]
    return min(counts, default=0) if len(counts) >= GAMES[game].openings else 0
