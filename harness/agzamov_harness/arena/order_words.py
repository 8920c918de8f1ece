"""What ratings say of the order of players, in sentences: who is ahead, and who cannot be told apart.

They follow from who was found better than whom (`Rating.ahead_of`), not from the ratings themselves.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .game_fits import Rating


class Rated(NamedTuple):
    """A player with its rating."""

    player: str
    rating: Rating


def order_sentences(rated: Sequence[Rated]) -> Iterator[str]:
    """Who is ahead of whom; players who never met, not even through others, are told of part by part."""
    parts = sorted({one.rating.part for one in rated})
    if len(parts) > 1:
        yield f"Not all have met, not even through others: they are ranked in {len(parts)} parts."
    for part in parts:
        own = sorted((one for one in rated if one.rating.part == part), key=lambda one: (-one.rating.elo, one.player))
        yield from _of_part(own)


def and_words(names: Sequence[str]) -> str:
    """Names as a list: "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _of_part(rated: Sequence[Rated]) -> Iterator[str]:
    """Players of one part in the order of their ratings."""
    names = [one.player for one in rated]
    if len(rated) == 1:
        yield f"{names[0]} has nobody to be compared with."
        return
    if not any(one.rating.ahead_of for one in rated):
        yield f"No order is shown: {and_words(names)} cannot be told apart."
        return
    first = [one.player for one in rated if one.rating.best_rank == 1]
    level = list(_level(rated))
    is_ahead_of_all = len(first) == 1 and len(rated[names.index(first[0])].rating.ahead_of) == len(rated) - 1
    if is_ahead_of_all:
        yield f"{first[0]} is ahead of {'all others' if len(rated) > 2 else names[1]}."
    elif len(first) == 1:
        yield f"{first[0]} leads: nobody was found better, but not everybody worse."
    elif level[:1] == [first]:
        yield f"{and_words(first)} may each be first, and cannot be told apart."
        level = level[1:]
    else:
        yield f"{and_words(first)} may each be first."
    if level:
        nor = "".join(f", nor can {and_words(group)}" for group in level[1:])
        yield f"{and_words(level[0])} cannot be told apart{nor}."
    yield from _last(rated)


def _level(rated: Sequence[Rated]) -> Iterator[list[str]]:
    """The longest runs of players none of whom was found better than another one of the run."""
    reached = 0
    for start in range(len(rated)):
        end = start + 1
        while end < len(rated) and not any(_differ(rated[end], rated[other]) for other in range(start, end)):
            end += 1
        if end - start > 1 and end > reached:
            reached = end
            yield [one.player for one in rated[start:end]]


def _last(rated: Sequence[Rated]) -> Iterator[str]:
    """The fewest players at the end of whom everybody else is ahead."""
    for size in range(1, len(rated)):
        above, below = rated[:-size], {one.player for one in rated[-size:]}
        if all(below <= set(one.rating.ahead_of) for one in above):
            verb = "is" if size == 1 else "are"
            if len(above) > 1:
                yield f"{and_words([one.player for one in rated[-size:]])} {verb} behind all others."
            return


def _differ(one: Rated, other: Rated) -> bool:
    return one.player in other.rating.ahead_of or other.player in one.rating.ahead_of
