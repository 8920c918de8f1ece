"""The games of one stream as chunks of a report. A worker process makes those of one stream after the other."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from ..checks.opened_bundle import Opened
from ..games.game import StreamPlan
from ..memory.career_memory import OBSERVATION
from ..memory.tools import closing_observation
from ..played_stream import Exchange, played_stream
from ..questions import CallTool, Chat, EndGame, Export, Exported, Store
from ..xray import seats_with_memory
from .chunks import GROUP_BYTES, GROUP_GAMES, Chunk, chunk
from .game_data import END, Lines, Source, game_document

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
        memories = (of.memory for of in seats_with_memory(self.opened.manifest.plan, stream.match))
        sources = {memory: sources_of(replayed.exchanges, memory) for memory in memories}
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


def sources_of(exchanges: Iterable[Exchange], memory: str) -> dict[str, Source]:
    """Where each entry of a seat's memory comes from, in the stream of a career. `memory`: its name in the journal.

    An entry that the server made of others comes from the last contest that it names.
    """
    sources, ended, closed = dict[str, Source](), dict[int, str](), set[str]()
    for question, answer, _ in exchanges:
        match question, answer:
            case Chat(), _ if closing_observation(question.messages) is not None:
                closed.add(question.game)
            case Store(to=to) | CallTool(to=to), _ if to == memory and question.entry:
                is_over = question.game in closed or (isinstance(question, Store) and question.kind == OBSERVATION)
                sources[question.entry] = Source(question.game, END if is_over else question.turn + 1)
            case EndGame(to=to), _ if to == memory:
                ended[question.number] = question.game
            case Export(to=to), Exported() if to == memory:
                for kept in answer.entries:
                    if game := ended.get(max(kept.games, default=0)):
                        sources.setdefault(kept.entry, Source(game, END))
    return sources


def _group(stream: StreamPlan, first: int, games: list[bytes], lines: Lines) -> Group:
    document: dict[str, Any] = {"games": [msgspec.Raw(game) for game in games], "lines": lines.texts}
    return Group(first, len(games), chunk(f"{stream.match.id}/{first:0{NUMBER_DIGITS}d}", document))
