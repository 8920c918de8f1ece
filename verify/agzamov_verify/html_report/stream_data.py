"""The games of one stream as chunks of a report. A worker process makes those of one stream after the other."""

from typing import Any, Final, NamedTuple

import msgspec

from ..checks.opened_bundle import Opened
from ..games.game import StreamPlan
from ..played_stream import played_stream
from ..questions import Store
from .chunks import GROUP_BYTES, GROUP_GAMES, Chunk, chunk
from .game_data import Lines, game_document

NUMBER_DIGITS: Final = 7


class Group(NamedTuple):
    """Consecutive games of a match in one chunk: the number of the first, how many, and the chunk."""

    first: int
    games: int
    chunk: Chunk


class StreamGames(msgspec.Struct, frozen=True):
    """The games of a bundle, stream by stream."""

    opened: Opened

    def groups(self, stream: StreamPlan) -> list[Group]:
        """The chunks of a stream's games. Raises HostileBundle, BrokenJournal, Divergence."""
        replayed = played_stream(self.opened, stream)
        stored = (one.question for one in replayed.exchanges if isinstance(one.question, Store))
        sources = {question.entry: question.game for question in stored}
        times, plan = replayed.us_by_game, self.opened.manifest.plan
        made, pending, lines, size = [], list[bytes](), Lines(), 0
        first = stream.first
        for played in replayed.games:
            document = game_document(played, plan, lines, sources, times.get(played.record.game, ()))
            pending.append(msgspec.json.encode(document))
            size += len(pending[-1])
            if size + lines.characters >= GROUP_BYTES or len(pending) >= GROUP_GAMES:
                made.append(_group(stream, first, pending, lines))
                first, pending, lines, size = first + len(pending), [], Lines(), 0
        if pending:
            made.append(_group(stream, first, pending, lines))
        return made


def _group(stream: StreamPlan, first: int, games: list[bytes], lines: Lines) -> Group:
    document: dict[str, Any] = {"games": [msgspec.Raw(game) for game in games], "lines": lines.texts}
    return Group(first, len(games), chunk(f"{stream.match.id}/{first:0{NUMBER_DIGITS}d}", document))
