"""Whole games drawn from a bundle by a seed that its submitter could not know, and what their journals hold."""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final, NamedTuple, get_args

from ..core.dice import Dice
from ..core.questions import MemoryQuestion, NoReply, Reply
from ..plan.streams import streams_of
from ..table.game import StreamPlan
from .opened_bundle import Opened
from .replay_stream import entries_of, segments_of

Drawn = dict[str, frozenset[str]]
"""The names of games by stream."""
OF_SEATS: Final = frozenset({"chat", "planted"})
"""Questions that the player in a seat answers, as the journal calls them."""
OF_MEMORIES: Final = frozenset(str(kind.__struct_config__.tag) for kind in get_args(MemoryQuestion))


def streams_in(opened: Opened) -> list[StreamPlan]:
    """The streams of a bundle whose journals are there, in the plan's order."""
    promised = chain.from_iterable(map(streams_of, opened.manifest.plan.matches))
    return [stream for stream in promised if segments_of(opened.digests, stream.id)]


def games_by_match(opened: Opened, seats: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """The (stream, game) pairs of each match in which one of `seats` was asked, in the journal's order.

    Raises HostileBundle, BrokenJournal.
    """
    by_match: dict[str, dict[tuple[str, str], None]] = {}
    for stream in streams_in(opened):
        for entry in entries_of(opened, stream):
            if entry.question.to in seats:
                by_match.setdefault(stream.match.id, {})[stream.id, entry.question.game] = None
    return {match: list(games) for match, games in by_match.items()}


def draw(games: Mapping[str, Sequence[tuple[str, str]]], count: int, run: str, seed: str) -> Drawn:
    """`count` games by stream: from each match in turn, in an order that `seed` shuffles; all if there are fewer."""
    dice = Dice(hashlib.sha256(f"agz/replay/v1\0{run}\0{seed}".encode()).digest())
    matches = dice.stream("matches").deal(sorted(games), len(games))
    shuffled = [dice.stream(f"games/{match}").deal(games[match], min(count, len(games[match]))) for match in matches]
    turns = (pair for turn in zip_longest(*shuffled) for pair in turn if pair is not None)
    drawn: dict[str, set[str]] = {}
    for (stream, game), _ in zip(turns, range(count), strict=False):
        drawn.setdefault(stream, set()).add(game)
    return {stream: frozenset(names) for stream, names in drawn.items()}


def draw_from_all(games: Mapping[str, Sequence[tuple[str, str]]], count: int, run: str, seed: str) -> Drawn:
    """`count` games of all matches together, so that what the sample can miss is hypergeometric."""
    return draw({"": [pair for match in sorted(games) for pair in games[match]]}, count, run, seed)


class Asked(NamedTuple):
    """What a bundle's journals hold: games in which a seat was asked, and numbers of answers.

    `games`: (stream, game) pairs by match, of given seats. `answers`: by game and seat. `memories`: by stream and the
    name of a memory there.
    """

    games: dict[str, list[tuple[str, str]]]
    answers: Counter[tuple[str, str]]
    memories: Counter[tuple[str, str]]


def asked_in(opened: Opened, seats: Collection[str]) -> Asked:
    """Read all journals once. Raises HostileBundle, BrokenJournal."""
    games: dict[str, dict[tuple[str, str], None]] = {}
    answers, memories = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for stream in streams_in(opened):
        for entry in entries_of(opened, stream):
            asked = entry.question
            if asked.to in seats:
                games.setdefault(stream.match.id, {})[stream.id, asked.game] = None
            if asked.ask in OF_SEATS and isinstance(entry.answer, Reply | NoReply):
                answers[asked.game, asked.to] += 1
            elif asked.ask in OF_MEMORIES:
                memories[stream.id, asked.to] += 1
    return Asked({match: list(found) for match, found in games.items()}, answers, memories)
