"""The games of one stream as chunks of a report, in pieces that a page from a file can read.

The data of a report in pieces that a page from a file can read: gzip in base64, in style sheets or inert scripts.

A page opened from a file may not fetch another file, and a script that it loads could do anything. A style sheet cannot
run, and its custom property can be read: measured in Chromium and Firefox, up to 1 MB a sheet (Chromium gives an empty
value at 4 MB). A report in one file holds the same texts in `script` elements of type text/plain, which never run.
"""

import base64
import gzip
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ...checks.opened_bundle import Opened
from ...core.questions import CallTool, Chat, EndGame, Export, Exported, Store
from ...memory.career_memory import OBSERVATION
from ...memory.tool_calls import closing_observation
from ...table.game import StreamPlan
from ..games_of_bundle import Exchange, played_stream
from ..xray import seats_with_memory
from .game_data import END, EntryOrigin, Lines, game_document

PART_CHARACTERS: Final = 1_000_000
GROUP_BYTES: Final = 4_000_000
"""Of JSON before compression, lines of text included: from here on a chunk is closed."""
GROUP_GAMES: Final = 50


class Chunk(NamedTuple):
    """A document as its page reads it: base64 of gzip, in parts, and the SHA-256 of the gzip bytes."""

    name: str
    parts: tuple[str, ...]
    sha256: str

    @property
    def reference(self) -> list[Any]:
        """Entry of a chunk in the page's index: its name, number of parts and digest."""
        return [self.name, len(self.parts), self.sha256]


def chunk(name: str, document: Any) -> Chunk:
    """One document as a chunk; equal documents have equal bytes."""
    packed = gzip.compress(msgspec.json.encode(document), 9, mtime=0)
    text = base64.b64encode(packed).decode("ascii")
    parts = tuple(text[start : start + PART_CHARACTERS] for start in range(0, len(text), PART_CHARACTERS))
    return Chunk(name, parts, hashlib.sha256(packed).hexdigest())


def style_sheet(part: str) -> str:
    """The text of a style sheet that holds one part."""
    return f'#chunk{{--data:"{part}"}}\n'


def sheet_names(made: Chunk) -> Iterator[tuple[str, str]]:
    """The files of a chunk in a folder: name and text."""
    for number, part in enumerate(made.parts):
        yield f"{made.name}-{number}.css", style_sheet(part)


NUMBER_DIGITS: Final = 7


class ChunkGames(NamedTuple):
    """Consecutive games of a match in one chunk: the number of the first, how many, and the chunk."""

    first: int
    games: int
    chunk: Chunk


class StreamGames(msgspec.Struct, frozen=True):
    """The games of a bundle, stream by stream."""

    opened: Opened

    def groups(self, stream: StreamPlan) -> list[ChunkGames]:
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


def sources_of(exchanges: Iterable[Exchange], memory: str) -> dict[str, EntryOrigin]:
    """Where each entry of a seat's memory comes from, in the stream of a career. `memory`: its name in the journal.

    An entry that the server made of others comes from the last contest that it names.
    """
    sources, ended, closed = dict[str, EntryOrigin](), dict[int, str](), set[str]()
    for question, answer, _ in exchanges:
        match question, answer:
            case Chat(), _ if closing_observation(question.messages) is not None:
                closed.add(question.game)
            case Store(to=to) | CallTool(to=to), _ if to == memory and question.entry:
                is_over = question.game in closed or (isinstance(question, Store) and question.kind == OBSERVATION)
                sources[question.entry] = EntryOrigin(question.game, END if is_over else question.turn + 1)
            case EndGame(to=to), _ if to == memory:
                ended[question.number] = question.game
            case Export(to=to), Exported() if to == memory:
                for kept in answer.entries:
                    if game := ended.get(max(kept.games, default=0)):
                        sources.setdefault(kept.entry, EntryOrigin(game, END))
    return sources


def _group(stream: StreamPlan, first: int, games: list[bytes], lines: Lines) -> ChunkGames:
    document: dict[str, Any] = {"games": [msgspec.Raw(game) for game in games], "lines": lines.texts}
    return ChunkGames(first, len(games), chunk(f"{stream.match.id}/{first:0{NUMBER_DIGITS}d}", document))
