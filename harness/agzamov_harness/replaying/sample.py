"""Which games are asked again: N whole games, spread over the matches, drawn with fresh randomness of the replayer.

The submitter must not know the draw when the bundle is signed, so the seed is never taken from the bundle. It is
printed, and whoever has it draws the same games.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest

from agzamov_verify.checks.opening import Opened
from agzamov_verify.checks.replaying import journal_lines, segments_of
from agzamov_verify.dice import Dice
from agzamov_verify.journal import Chain
from agzamov_verify.phases.streams import StreamPlan, streams_of


def streams_in(opened: Opened) -> list[StreamPlan]:
    """The streams of a bundle whose journals are there, in the plan's order."""
    promised = chain.from_iterable(map(streams_of, opened.manifest.plan.matches))
    return [stream for stream in promised if segments_of(opened.digests, stream.id)]


def games_by_match(opened: Opened, seats: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """The (stream, game) pairs of each match in which one of `seats` was asked, in the journal's order."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for stream in streams_in(opened):
        lines = journal_lines(opened.source, opened.digests, stream.id)
        for entry in Chain(opened.manifest.run_id, stream.id).read_all(lines):
            if entry.question.to in seats:
                found.setdefault(stream.match.id, {})[stream.id, entry.question.game] = None
    return {match: list(games) for match, games in found.items()}


def draw(games: Mapping[str, Sequence[tuple[str, str]]], count: int, run: str, seed: str) -> dict[str, frozenset[str]]:
    """`count` games by stream: from each match in turn, in an order that `seed` shuffles; all if there are fewer."""
    dice = Dice(hashlib.sha256(f"agz/replay/v1\0{run}\0{seed}".encode()).digest())
    matches = dice.stream("matches").deal(sorted(games), len(games))
    shuffled = [dice.stream(f"games/{match}").deal(games[match], min(count, len(games[match]))) for match in matches]
    turns = (one for turn in zip_longest(*shuffled) for one in turn if one is not None)
    drawn: dict[str, set[str]] = {}
    for (stream, game), _ in zip(turns, range(count), strict=False):
        drawn.setdefault(stream, set()).add(game)
    return {stream: frozenset(names) for stream, names in drawn.items()}
