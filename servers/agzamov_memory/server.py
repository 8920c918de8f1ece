"""The five tools of a memory server, the same for every system (interface `agz-memory-1`)."""

from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field

from .entry import Entry
from .store import Rewrites, Store

CONTENT_BYTES_MAX = 65_536
QUERY_BYTES_MAX = 65_536
ENTRIES_MAX = 1_000_000
PAGE_ENTRIES_MAX = 200

# Strict: a number that came as text is an error of the caller. Arguments that are text are annotated `str` and nothing
# else, since the SDK parses a text that looks like JSON under any other annotation.
Count = Annotated[int, Field(strict=True, ge=0, le=ENTRIES_MAX)]
PageSize = Annotated[int, Field(strict=True, ge=1, le=PAGE_ENTRIES_MAX)]


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


def server_of(memory: Store, name: str, version: str) -> MCPServer:
    """The server of a memory. Its tools run on the event loop and wait for nothing: one call after the other."""
    server = MCPServer(name=f"agzamov-memory-{name}", version=version, log_level="WARNING")

    @server.tool(structured_output=True)
    async def describe() -> Description:
        """Say which system this is."""
        return Description(name=name, version=version, rewrites=memory.rewrites)

    @server.tool(structured_output=True)
    async def store(entry: str, content: str, game: Count, kind: str) -> Stored:
        """Store one entry of a game under a name of its own."""
        reason = refusal(memory, entry, content)
        if not reason:
            memory.store(Entry(entry, content, (game,), kind))
        return Stored(stored=not reason, reason=reason)

    @server.tool(structured_output=True)
    async def search(query: str, limit: Count, now: Count) -> Hits:
        """Find entries for a query, the best first; `now` is the number of the game being played."""
        # A limit in bytes, on a character: what is cut away is far behind any word that ranks.
        asked = query.encode()[:QUERY_BYTES_MAX].decode(errors="ignore")
        found = memory.search(asked, limit, now)
        return Hits(hits=[Hit(entry=one.entry, content=one.content) for one in found])

    @server.tool(structured_output=True)
    async def end_game(game: Count) -> Ended:
        """Say that a game has ended: the one moment at which a system may rewrite its entries."""
        memory.end_game(game)
        return Ended(entries=memory.entries.count())

    @server.tool(structured_output=True)
    async def export(after: Count, limit: PageSize) -> Page:
        """Give the live entries in order of storing, after the first `after` ones."""
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
