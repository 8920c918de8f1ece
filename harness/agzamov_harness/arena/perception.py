"""The perception gap: what a model loses by seeing a position as an image in the place of text.

The same model sits in an arena twice, with `image_input` and without. Of one run all games of a kind begin from the
same starts, so on each start

    d = points a game of the seat with text - points a game of the seat with images,

each the mean over the opponents that both met there, both colours. The gap is the mean of d over the starts, with
Student's interval. Boards that the seat wrote down from images (read-back) stand beside it: a gap without reading
errors is one of play.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

import msgspec

from agzamov_verify.scoring.inference.distributions import t_quantile
from agzamov_verify.table.registry import GAMES

from .verified_bundles import Collected, GamePlayed

SQUARES = 64
UPPER = Fraction(39, 40)


class PerceptionGap(msgspec.Struct, frozen=True):
    """One model in one game. `gap`: points a game with text less those with images, over so many `starts`.

    `low`, `high`: the 95 % interval; null with fewer than two starts. `boards` were read back, of them `boards_right`
    with all squares, `cut`: without their end; `squares_right`: on average, of 64.
    """

    game: str
    text: str
    image: str
    starts: int
    gap: float
    low: float | None
    high: float | None
    boards: int
    boards_right: int
    cut: int
    squares_right: float | None


def perception_gaps(collected: Collected) -> Iterator[PerceptionGap]:
    """The gap of each model that played with images and without, by game, in alphabetical order."""
    for game, results in sorted(collected.results.items()):
        if GAMES[game].pictures:
            points = _points(results)
            for image, text in sorted(collected.sights.items()):
                if differences := _differences(points, text, image):
                    yield _gap(game, (text, image), differences, results)


def _points(results: Iterable[GamePlayed]) -> dict[tuple[str, int, str, str], list[float]]:
    """Points of each game by run, start, player and opponent."""
    found: dict[tuple[str, int, str, str], list[float]] = {}
    for one in results:
        for place, player in enumerate(one.players):
            key = (one.run, one.unit[2], player, one.players[1 - place])
            found.setdefault(key, []).append((one.won[place] + 1) / 2)
    return found


def _differences(points: Mapping[tuple[str, int, str, str], Sequence[float]], text: str, image: str) -> list[float]:
    """One for each start on which both met the same opponents."""
    by_start: dict[tuple[str, int], list[float]] = {}
    for (run, start, player, opponent), won in sorted(points.items()):
        seen = points.get((run, start, image, opponent))
        if player == text and opponent != image and seen and len(seen) == len(won):
            by_start.setdefault((run, start), []).append(fmean(won) - fmean(seen))
    return [fmean(differences) for differences in by_start.values()]


def _gap(
    game: str, names: tuple[str, str], differences: Sequence[float], results: Iterable[GamePlayed]
) -> PerceptionGap:
    n, mean = len(differences), fmean(differences)
    half = None if n <= 1 else float(t_quantile(UPPER, n - 1)) * stdev(differences) / sqrt(n)
    read = [(squares, is_cut) for one in results for who, squares, is_cut in one.read_backs if who == names[1]]
    return PerceptionGap(
        game,
        *names,
        n,
        round(mean, 4),
        None if half is None else round(mean - half, 4),
        None if half is None else round(mean + half, 4),
        len(read),
        sum(squares == SQUARES for squares, _ in read),
        sum(is_cut for _, is_cut in read),
        round(fmean(squares for squares, _ in read), 2) if read else None,
    )


def gap_words(one: PerceptionGap) -> str:
    """A gap in a sentence, with how well the images were read."""
    interval = "too few for an interval" if one.low is None else f"95 % from {one.low:+.3f} to {one.high:+.3f}"
    starts = f"{one.starts:,} start" + ("" if one.starts == 1 else "s")
    told = (
        f"Perception gap of {one.image}: {one.gap:+.3f} points a game for {one.text}, the same model with text"
        f" ({interval}; {starts} with both colours, the same opponents)."
    )
    if not one.boards:
        return f"{told} No board was read back."
    cut = f", {one.cut:,} cut" if one.cut else ""
    right = f"{100 * one.boards_right / one.boards:.1f} % of {one.boards:,} boards read back without a mistake"
    return f"{told} {right}, {one.squares_right:.1f} of 64 squares on average{cut}."
