"""A bundle's games: the list of them (name, seats, result, reason), a page at a time; one of them by its name."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from .checks.opened_bundle import Opened
from .checks.replay_stream import entries_of, journal_lines, segments_of
from .columns import ascii_words, table
from .experiment import MEASURED, Match
from .games.game import StreamPlan
from .journal import Chain, Entry
from .manifest import Manifest
from .played_stream import streams_played
from .replayed_game import NoSuchGame, PlayedGame, first_game, replay_game, replay_stream, replay_told, stream_of
from .untrusted_input import show_name
from .views import VIEWS

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
    stream = stream_of(opened.manifest, game)
    if not segments_of(opened.digests, stream.id):
        raise NoSuchGame(f"no game {show_name(game)!r} in this bundle: Phase 0 failed, so its match was not played")
    lines = journal_lines(opened.source, opened.digests, stream.id)
    chain = Chain(opened.manifest.run_id, stream.id)
    return replay_game(opened.manifest, opened.dice, stream, chain.read_all(lines), game)


def list_lines(opened: Opened, selection: GameSelection) -> Iterator[str]:
    """One page of the list. Raises HostileBundle, BrokenJournal, Divergence."""
    start = (selection.page - 1) * PAGE
    rows = list(islice(_selected(opened, selection), start, start + PAGE + 1))
    if not rows:
        yield "no such games here"
        return
    yield from table(("game", _first_place(rows), "A", "how it ended"), map(_row, rows[:PAGE]))
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
    for stream, entries in _streams(opened, match):
        yield from replay_told(opened.manifest, opened.dice, stream, entries)


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
