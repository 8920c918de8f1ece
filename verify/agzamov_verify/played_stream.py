"""A stream of a bundle as it was played: its games, and all that was asked in it with the time of each answer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from .bundle import calls_name
from .checks.opened_bundle import Opened
from .checks.replay_stream import entries_of, segments_of
from .experiment import Match
from .games.game import StreamPlan
from .journal import SEGMENT_BYTES_MAX
from .questions import Answer, Question
from .replayed_game import PlayedGame, games_with_told
from .scoring.call_records import LINE_BYTES_MAX, decode
from .script import Exchanges, Replay
from .streams import block_script, streams_of
from .untrusted_input import HostileBundle, gzip_lines


class Exchange(NamedTuple):
    """A question, its answer, and how many microseconds it took, as the submitter says."""

    question: Question
    answer: Answer
    us: int


class PlayedStream(NamedTuple):
    """One stream: its games, each with its questions and answers, and all of them in order."""

    plan: StreamPlan
    games: tuple[PlayedGame, ...]
    exchanges: tuple[Exchange, ...]

    @property
    def us_by_game(self) -> dict[str, list[int]]:
        """The times of the answers in each game, in the order of `PlayedGame.asked`."""
        times: dict[str, list[int]] = {}
        for exchange in self.exchanges:
            times.setdefault(exchange.question.game, []).append(exchange.us)
        return times


def streams_played(opened: Opened, match: Match) -> list[StreamPlan]:
    """The streams of a match that the bundle has."""
    return [stream for stream in streams_of(match) if segments_of(opened.digests, stream.id)]


def played_streams(opened: Opened, match: Match) -> Iterator[PlayedStream]:
    """The streams of a match that were played. Raises as `played_stream`."""
    return (played_stream(opened, stream) for stream in streams_played(opened, match))


def played_stream(opened: Opened, stream: StreamPlan) -> PlayedStream:
    """One stream by replay. Raises HostileBundle, BrokenJournal, Divergence."""
    manifest = opened.manifest
    replay = Replay(stream.id, entries_of(opened, stream))
    story = Exchanges(block_script(stream, manifest.plan, opened.dice, manifest.memories), replay)
    told = list(story)
    replay.finish()
    times = _times(opened, stream, [question.to for question, _ in told])
    exchanges = tuple(Exchange(*pair, us) for pair, us in zip(told, times, strict=True))
    return PlayedStream(stream, tuple(games_with_told(stream, story.value, told)), exchanges)


def _times(opened: Opened, stream: StreamPlan, asked: Sequence[str]) -> list[int]:
    """Time of each answer of a stream, in microseconds. Raises HostileBundle."""
    name = calls_name(stream.id)
    if name not in opened.digests:
        raise HostileBundle(name, "a file of calls", "nothing there")
    lines = gzip_lines(opened.source, name, opened.digests[name], LINE_BYTES_MAX, SEGMENT_BYTES_MAX)
    try:
        records = [decode(line) for line in lines]
    except (msgspec.MsgspecError, ValueError) as error:
        raise HostileBundle(name, "a call in each line", str(error)) from error
    if [record.to for record in records] != list(asked):
        raise HostileBundle(name, "a call for each entry of the journal, in its order", "others")
    return [record.us for record in records]
