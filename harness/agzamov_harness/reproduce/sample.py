"""Sample of games to ask again: N whole games drawn from all matches, and their recorded questions and answers.

The submitter must not know the draw when the bundle is signed, so the seed is never taken from the bundle. It is
printed, and whoever has it draws the same games. Prompts are recomputed by replay, as a journal has only digests.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.replay_stream import entries_of, exchanges_of, segments_of
from agzamov_verify.dice import Dice
from agzamov_verify.games.game import StreamPlan
from agzamov_verify.questions import Chat, NoReply, Reply
from agzamov_verify.streams import streams_of


class Exchange(NamedTuple):
    """One question to a seat, whole, and the answer that the journal holds."""

    question: Chat
    answer: Reply | NoReply


def streams_in(opened: Opened) -> list[StreamPlan]:
    """The streams of a bundle whose journals are there, in the plan's order."""
    promised = chain.from_iterable(map(streams_of, opened.manifest.plan.matches))
    return [stream for stream in promised if segments_of(opened.digests, stream.id)]


def games_by_match(opened: Opened, seats: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """The (stream, game) pairs of each match in which one of `seats` was asked, in the journal's order."""
    by_match: dict[str, dict[tuple[str, str], None]] = {}
    for stream in streams_in(opened):
        for entry in entries_of(opened, stream):
            if entry.question.to in seats:
                by_match.setdefault(stream.match.id, {})[stream.id, entry.question.game] = None
    return {match: list(games) for match, games in by_match.items()}


def draw(games: Mapping[str, Sequence[tuple[str, str]]], count: int, run: str, seed: str) -> dict[str, frozenset[str]]:
    """`count` games by stream: from each match in turn, in an order that `seed` shuffles; all if there are fewer."""
    dice = Dice(hashlib.sha256(f"agz/replay/v1\0{run}\0{seed}".encode()).digest())
    matches = dice.stream("matches").deal(sorted(games), len(games))
    shuffled = [dice.stream(f"games/{match}").deal(games[match], min(count, len(games[match]))) for match in matches]
    turns = (pair for turn in zip_longest(*shuffled) for pair in turn if pair is not None)
    drawn: dict[str, set[str]] = {}
    for (stream, game), _ in zip(turns, range(count), strict=False):
        drawn.setdefault(stream, set()).add(game)
    return {stream: frozenset(names) for stream, names in drawn.items()}


def exchanges(opened: Opened, drawn: Mapping[str, Collection[str]], seats: Collection[str]) -> Iterator[Exchange]:
    """Every question to `seats` in the drawn games, by stream, in order."""
    for stream in streams_in(opened):
        if stream.id in drawn:
            yield from _of_stream(opened, stream, drawn[stream.id], seats)


def _of_stream(opened: Opened, stream: StreamPlan, games: Collection[str], seats: Collection[str]) -> list[Exchange]:
    return [
        Exchange(question, answer)
        for question, answer in exchanges_of(opened, stream)
        if isinstance(question, Chat)
        and isinstance(answer, Reply | NoReply)
        and question.game in games
        and question.to in seats
    ]
