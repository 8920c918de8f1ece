"""A bundle's games as they were played: the list of them, a page at a time, one by its name, and all of a stream."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from ..bundle import calls_name
from ..checks.opened_bundle import Opened
from ..checks.replay_stream import entries_of, journal_lines, segments_of
from ..core.columns import ascii_words, table
from ..core.journal import Chain, Entry
from ..core.limits import CALL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
from ..core.questions import Answer, Question
from ..core.script import Exchanges, Replay
from ..core.untrusted_input import HostileBundle, gzip_lines, show_name
from ..experiment.matches import MEASURED, Match
from ..plan.manifest import Manifest
from ..plan.streams import block_script, donors_of, streams_of
from ..scoring.call_records import decode
from ..table.game import StreamPlan
from ..table.registry import GAMES
from .replayed_game import (
    NoSuchGame,
    PlayedGame,
    first_game,
    games_with_told,
    replay_game,
    replay_stream,
    replay_told,
    stream_of,
)
from .views import VIEWS


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
    donors = donors_of(stream, manifest.plan, opened.dice)
    return PlayedStream(stream, tuple(games_with_told(stream, story.value, told, donors)), exchanges)


def _times(opened: Opened, stream: StreamPlan, asked: Sequence[str]) -> list[int]:
    """Time of each answer of a stream, in microseconds. Raises HostileBundle."""
    name = calls_name(stream.id)
    if name not in opened.digests:
        raise HostileBundle(name, "a file of calls", "nothing there")
    lines = gzip_lines(opened.source, name, opened.digests[name], CALL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX)
    try:
        records = [decode(line) for line in lines]
    except (msgspec.MsgspecError, ValueError) as error:
        raise HostileBundle(name, "a call in each line", str(error)) from error
    if [record.to for record in records] != list(asked):
        raise HostileBundle(name, "a call for each entry of the journal, in its order", "others")
    return [record.us for record in records]


PAGE: Final = 40
OUTCOMES: Final = ("won", "drawn", "lost")


class GameSelection(NamedTuple):
    """Selection of games: of a match ("": all), with a result of seat A ("": any), and the page, from 1 on."""

    match: str = ""
    result: str = ""
    page: int = 1


def first_games(manifest: Manifest, played: Mapping[str, object]) -> list[str]:
    """The name of the first game of each kind of game among the matches that were played."""
    by_game: dict[str, str] = {}
    for match in manifest.plan.matches:
        if match.id in played:
            by_game.setdefault(match.game, first_game(match))
    return list(by_game.values())


def played_in(opened: Opened, game: str) -> PlayedGame:
    """One game of a bundle by replay. Raises NoSuchGame, HostileBundle, BrokenJournal, Divergence."""
    stream = stream_of(opened.manifest, game, matches_played(opened))
    if not segments_of(opened.digests, stream.id):
        raise NoSuchGame(f"no game {show_name(game)!r} in this bundle: {_why_absent(opened, stream.match)}")
    lines = journal_lines(opened.source, opened.digests, stream.id)
    chain = Chain(opened.manifest.run_id, stream.id)
    return replay_game(opened.manifest, opened.dice, stream, chain.read_all(lines), game)


def matches_played(opened: Opened) -> list[Match]:
    """The matches of a plan of which the bundle has games: a failed gate or a rule leaves others out."""
    return [match for match in opened.manifest.plan.matches if streams_played(opened, match)]


def _why_absent(opened: Opened, match: Match) -> str:
    """Why a bundle has no such game of a match of its plan."""
    last = streams_played(opened, match)[-1:]
    if not last:
        return "Phase 0 failed, so its match was not played"
    number = last[0].first + last[0].count - 1
    return f"its match was stopped by its rule, after {GAMES[match.game].id_of(match, number)}"


def list_lines(opened: Opened, selection: GameSelection) -> Iterator[str]:
    """One page of the list. Raises HostileBundle, BrokenJournal, Divergence."""
    start = (selection.page - 1) * PAGE
    rows = list(islice(_selected(opened, selection), start, start + PAGE + 1))
    if not rows:
        games = sum(1 for _ in _selected(opened, selection))
        pages = "1 page" if games <= PAGE else f"{-(-games // PAGE):,} pages"
        yield f"no page {selection.page:,}: {games:,} games on {pages}" if games else "no such games here"
        return
    yield from table(("game", _first_place(rows), "A", "how it ended"), map(_row, rows[:PAGE]), names=True)
    yield "A: won, drawn or lost by seat A, which is measured"
    if len(rows) > PAGE:
        yield f"more: add --page {selection.page + 1}"


def list_documents(opened: Opened, selection: GameSelection) -> list[dict[str, str]]:
    """The same page for a program."""
    start = (selection.page - 1) * PAGE
    names = ("game", "first", "a", "end")
    return [
        dict(zip(names, _row(played), strict=True))
        for played in islice(_selected(opened, selection), start, start + PAGE)
    ]


def outcome(played: PlayedGame) -> str:
    """The result of a game for the seat that is measured: won, drawn or lost."""
    return OUTCOMES[1 - played.won(MEASURED)]


def _selected(opened: Opened, selection: GameSelection) -> Iterator[PlayedGame]:
    for played in _games(opened, selection.match):
        if not selection.result or outcome(played) == selection.result:
            yield played


def _games(opened: Opened, match_id: str) -> Iterator[PlayedGame]:
    for match in opened.manifest.plan.matches:
        if match_id in ("", match.id):
            for stream, entries in _streams(opened, match):
                yield from replay_stream(opened.manifest, opened.dice, stream, entries)


def games_told(opened: Opened, match: Match) -> Iterator[PlayedGame]:
    """The games of a match in order, each with its questions and answers. Raises as `played_in`, but for NoSuchGame."""
    for stream in streams_played(opened, match):
        yield from stream_told(opened, stream)


def stream_told(opened: Opened, stream: StreamPlan) -> Iterator[PlayedGame]:
    """The games of one stream, as `games_told`."""
    return replay_told(opened.manifest, opened.dice, stream, entries_of(opened, stream))


def _streams(opened: Opened, match: Match) -> Iterator[tuple[StreamPlan, Iterator[Entry]]]:
    """The streams of a match that were played, each with its journal."""
    return ((stream, entries_of(opened, stream)) for stream in streams_played(opened, match))


def _first_place(rows: Sequence[PlayedGame]) -> str:
    """The name of the first place in the games that are listed."""
    return " or ".join(dict.fromkeys(VIEWS[played.match.game].places[0] for played in rows))


def _row(played: PlayedGame) -> list[str]:
    return [
        played.record.game,
        ascii_words(played.first),
        outcome(played),
        VIEWS[played.match.game].ended(played.record),
    ]
