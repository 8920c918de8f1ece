"""The games of one stream as chunks of a report, by columns (`packed_columns`).

The data of a report in pieces that a page from a file can read: gzip in base64, in style sheets or inert scripts.

A page opened from a file may not fetch another file, and a script that it loads could do anything. A style sheet cannot
run, and its custom property can be read: measured in Chromium and Firefox, up to 1 MB a sheet (Chromium gives an empty
value at 4 MB). A report in one file holds the same texts in `script` elements of type text/plain, which never run.
"""

import base64
import gzip
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from ...checks.opened_bundle import Opened
from ...core.questions import CallTool, Chat, EndGame, Export, Exported, Store
from ...experiment.matches import MEASURED
from ...memory.career_memory import OBSERVATION
from ...memory.tool_calls import closing_observation
from ...table.game import StreamPlan
from ..games_of_bundle import Exchange, played_stream
from ..replayed_game import PlayedGame
from ..views import VIEWS
from ..xray import seats_with_memory
from .game_data import END, EntryOrigin, Lines, game_document
from .packed_columns import column

PART_CHARACTERS: Final = 1_000_000
GROUP_BYTES: Final = 4_000_000
"""Of frames, texts and what refers to them, about: from here on a chunk is closed."""
GROUP_GAMES: Final = 500
"""So that the games of a career, which repeat each other's prompts and cards, lie together."""
REFERENCE_BYTES: Final = 4


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
    packed = bytearray(gzip.compress(msgspec.json.encode(document), 9, mtime=0))
    packed[OS_BYTE] = NO_SYSTEM
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
OS_BYTE: Final = 9
NO_SYSTEM: Final = 255
"""RFC 1952, section 2.3: the system that packed it. Python and zlib of different versions write different ones."""


class ListedGame(NamedTuple):
    """One game as the list of its match has it.

    `ending`: how it ended, in a word or two; `length` in actions; of seat A `won` ("+", "=", "-"), its `place`, and
    what it won in the smallest unit of the game. `thumbnail`: the last state, as the game's `replay.js` reads it.
    `unusable`: each kind of unusable answer: seat, class, how many, and the frame of the first.
    """

    won: str
    ending: str
    length: int
    place: int
    amount: int
    thumbnail: str
    unusable: tuple[tuple[int, str, int, int], ...]


class ChunkGames(NamedTuple):
    """Consecutive games of a match in one chunk: the number of the first, each as the list has it, and the chunk."""

    first: int
    games: tuple[ListedGame, ...]
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
        made, pending, listed, lines, size = [], list[dict[str, Any]](), list[ListedGame](), Lines(), 0
        first = stream.first
        for played in replayed.games:
            document = game_document(played, plan, lines, sources, times.get(played.record.game, ()))
            pending.append(document)
            listed.append(_listed(played, document))
            size += len(msgspec.json.encode(document["frames"]))
            texts = lines.characters + REFERENCE_BYTES * lines.referred
            if size + texts >= GROUP_BYTES or len(pending) >= GROUP_GAMES:
                made.append(_group(stream, first, pending, listed))
                first, pending, listed, lines, size = first + len(pending), [], [], Lines(), 0
        if pending:
            made.append(_group(stream, first, pending, listed))
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


def _group(stream: StreamPlan, first: int, games: Sequence[dict[str, Any]], listed: Sequence[ListedGame]) -> ChunkGames:
    return ChunkGames(first, tuple(listed), chunk(f"{stream.match.id}/{first:0{NUMBER_DIGITS}d}", column(games)))


def _listed(played: PlayedGame, document: Mapping[str, Any]) -> ListedGame:
    """A game's row in the list of its match; `document`: its own."""
    view, frames, order = VIEWS[played.match.game], document["frames"], played.order
    ended, place = view.ended(played.record), order.index(MEASURED)
    kinds: dict[tuple[int, str], list[int]] = {}
    for at, by, kind, *_ in document["unusable"]:
        kinds.setdefault((order[by], kind), []).append(at)
    return ListedGame(
        won="+=-"[1 - played.won(MEASURED)],
        ending=ended.rpartition(", ")[0] or ended,
        length=sum(frame["by"] >= 0 for frame in frames),
        place=place,
        amount=played.record.outcomes[place],
        thumbnail=view.thumbnail(played, frames),
        unusable=tuple((seat, kind, len(at), at[0]) for (seat, kind), at in kinds.items()),
    )
