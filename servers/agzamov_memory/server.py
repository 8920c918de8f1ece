"""The five tools of a memory server, the same for every system (interface `agz-memory-1`)."""

from typing import Annotated

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from agzamov_mcp.plain_server import READ_ONLY, PlainServer

from .entry import Entry
from .store import Rewrites, Store

CONTENT_BYTES_MAX = 65_536
QUERY_BYTES_MAX = 65_536
ENTRIES_MAX = 1_000_000
PAGE_ENTRIES_MAX = 200

LIMIT, PAGE_ENTRIES, NO_GAME, KIND = 5, 100, 0, "note"
"""Where a client names none. An entry of a later game counts as new, so a search at game 0 lets nothing age."""
INSTRUCTIONS = (
    "A memory of short texts. Store an entry under a name of its own, and search for it in any words. It begins empty,"
    " and keeps what it is told until its server ends."
)
STORES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
"""A name that is taken is refused, so the same call again changes nothing."""
REWRITES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
DRAWS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
"""Of a search that changes no entry and answers otherwise when it is asked again."""

# Strict: a number that came as text is an error of the caller. Text is a plain `str` with a description, since the SDK
# parses a text that looks like JSON under any other type.
Game = Annotated[int, Field(strict=True, ge=0, le=ENTRIES_MAX, description="Number of the game that the entry is of.")]
Now = Annotated[
    int,
    Field(
        strict=True,
        ge=0,
        le=ENTRIES_MAX,
        description="Number of the game being played: where a half-life was declared, entries of earlier games weigh"
        " less. 0 lets nothing age.",
    ),
]
Over = Annotated[int, Field(strict=True, ge=0, le=ENTRIES_MAX, description="Number of the game that has ended.")]
Limit = Annotated[int, Field(strict=True, ge=0, le=ENTRIES_MAX, description="Entries to give at most.")]
After = Annotated[int, Field(strict=True, ge=0, le=ENTRIES_MAX, description="Entries to leave out, from the oldest.")]
PageSize = Annotated[int, Field(strict=True, ge=1, le=PAGE_ENTRIES_MAX, description="Entries to give at most.")]
Name = Annotated[str, Field(description="A name that no entry has.")]
Content = Annotated[str, Field(description="Text of the entry.")]
Kind = Annotated[str, Field(description="Kind of entry, in any word; it is exported and never searched.")]
Query = Annotated[str, Field(description="What to search for, in any words; signs have no special meaning.")]


class Description(BaseModel):
    """Which system this is, with its settings in its version."""

    name: str
    version: str
    rewrites: Rewrites


class Stored(BaseModel):
    """Whether an entry was taken in, and the reason where it was not."""

    stored: bool
    reason: str


class Hit(BaseModel):
    """An entry that a search gives."""

    entry: str
    content: str


class Hits(BaseModel):
    """What a search gives, the best first."""

    hits: list[Hit]


class Ended(BaseModel):
    """The number of live entries after a game."""

    entries: int


class Kept(BaseModel):
    """A live entry in full."""

    entry: str
    content: str
    games: list[int]
    kind: str
    derived_from: list[str]


class Page(BaseModel):
    """Some live entries in order of storing, and whether there are more."""

    entries: list[Kept]
    more: bool


def refusal(memory: Store, entry: str, content: str) -> str:
    """The reason why an entry cannot be stored, or nothing."""
    if not entry:
        return "an entry needs a name"
    if memory.entries.holds(entry):
        return f"{entry} is already stored"
    if not content.strip():
        return "an entry needs content"
    if len(content.encode()) > CONTENT_BYTES_MAX:
        return f"content has more than {CONTENT_BYTES_MAX} bytes"
    if memory.entries.count() >= ENTRIES_MAX:
        return f"the memory holds {ENTRIES_MAX} entries and takes no more"
    return ""


def server_of(memory: Store, name: str, version: str, searches: ToolAnnotations = READ_ONLY) -> MCPServer:
    """The server of a memory. Its tools run on the event loop and wait for nothing: one call after the other."""
    server = PlainServer(f"agzamov-memory-{name}", version, INSTRUCTIONS)
    ends = STORES if memory.rewrites == "never" else REWRITES

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def describe() -> Description:
        """Say which system this is."""
        return Description(name=name, version=version, rewrites=memory.rewrites)

    @server.tool(structured_output=True, annotations=STORES)
    async def store(entry: Name, content: Content, game: Game = NO_GAME, kind: Kind = KIND) -> Stored:
        """Store one entry of a game under a name of its own."""
        reason = refusal(memory, entry, content)
        if not reason:
            memory.store(Entry(entry, content, (game,), kind))
        return Stored(stored=not reason, reason=reason)

    @server.tool(structured_output=True, annotations=searches)
    async def search(query: Query, limit: Limit = LIMIT, now: Now = NO_GAME) -> Hits:
        """Find entries for a query, the best first."""
        # A limit in bytes, on a character: what is cut away is far behind any word that ranks.
        asked = query.encode()[:QUERY_BYTES_MAX].decode(errors="ignore")
        found = memory.search(asked, limit, now)
        return Hits(hits=[Hit(entry=one.entry, content=one.content) for one in found])

    @server.tool(structured_output=True, annotations=ends)
    async def end_game(game: Over) -> Ended:
        """Say that a game has ended: the one moment at which a system may rewrite its entries."""
        memory.end_game(game)
        return Ended(entries=memory.entries.count())

    @server.tool(structured_output=True, annotations=READ_ONLY)
    async def export(after: After = 0, limit: PageSize = PAGE_ENTRIES) -> Page:
        """Give the live entries in order of storing, page by page; `more` says whether there are others behind them."""
        kept = memory.entries.page(after, limit)
        return Page(entries=[_kept(one) for one in kept], more=memory.entries.count() > after + len(kept))

    return server


def _kept(one: Entry) -> Kept:
    return Kept(
        entry=one.entry,
        content=one.content,
        games=list(one.games),
        kind=one.kind,
        derived_from=list(one.derived_from),
    )
