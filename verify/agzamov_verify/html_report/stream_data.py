"""The games of one stream as chunks of a report. A worker process makes those of one stream after the other."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ..bundle import calls_name
from ..checks.opened_bundle import Opened
from ..checks.replay_stream import entries_of
from ..games.game import StreamPlan
from ..journal import SEGMENT_BYTES_MAX
from ..questions import Answer, Question, Store
from ..replayed_game import PlayedGame
from ..scoring.call_records import LINE_BYTES_MAX, decode
from ..script import Exchanges, Replay
from ..streams import block_script
from ..untrusted_input import gzip_lines
from .chunks import GROUP_BYTES, GROUP_GAMES, Chunk, chunk
from .game_data import Lines, game_document

NUMBER_DIGITS: Final = 7


class Group(NamedTuple):
    """Consecutive games of a match in one chunk: the number of the first, how many, and the chunk."""

    first: int
    games: int
    chunk: Chunk


class Asked(NamedTuple):
    """A question, its answer, and the microseconds that the answer took, as attested."""

    question: Question
    answer: Answer
    us: int


class StreamGames(msgspec.Struct, frozen=True):
    """The games of a bundle, stream by stream."""

    opened: Opened

    def groups(self, stream: StreamPlan) -> list[Group]:
        """The chunks of a stream's games. Raises HostileBundle, BrokenJournal, Divergence."""
        sources: dict[str, str] = {}
        made, pending, lines, size = [], list[bytes](), Lines(), 0
        first = stream.first
        for played, asked in self._games(stream):
            for exchange in asked:
                if isinstance(exchange.question, Store):
                    sources[exchange.question.entry] = exchange.question.game
            document = game_document(played, self.opened.manifest.plan, lines, sources, [one.us for one in asked])
            pending.append(msgspec.json.encode(document))
            size += len(pending[-1])
            if size + lines.characters >= GROUP_BYTES or len(pending) >= GROUP_GAMES:
                made.append(_group(stream, first, pending, lines))
                first, pending, lines, size = first + len(pending), [], Lines(), 0
        if pending:
            made.append(_group(stream, first, pending, lines))
        return made

    def _games(self, stream: StreamPlan) -> Iterator[tuple[PlayedGame, list[Asked]]]:
        manifest = self.opened.manifest
        script = block_script(stream, manifest.plan, self.opened.dice, manifest.memories)
        exchanges = Exchanges(script, Replay(stream.id, entries_of(self.opened, stream)))
        by_game: dict[str, list[Asked]] = {}
        for (question, answer), us in zip(exchanges, self._call_times(stream), strict=True):
            by_game.setdefault(question.game, []).append(Asked(question, answer, us))
        for number, record in enumerate(exchanges.value.records, start=stream.first):
            asked = by_game.get(record.game, [])
            told = tuple((one.question, one.answer) for one in asked)
            yield PlayedGame(stream.match, number, record, told), asked

    def _call_times(self, stream: StreamPlan) -> Iterator[int]:
        name = calls_name(stream.id)
        source, digest = self.opened.source, self.opened.digests[name]
        return (decode(line).us for line in gzip_lines(source, name, digest, LINE_BYTES_MAX, SEGMENT_BYTES_MAX))


def _group(stream: StreamPlan, first: int, games: list[bytes], lines: Lines) -> Group:
    document: dict[str, Any] = {"games": [msgspec.Raw(game) for game in games], "lines": lines.texts}
    return Group(first, len(games), chunk(f"{stream.match.id}/{first:0{NUMBER_DIGITS}d}", document))
