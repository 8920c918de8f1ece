"""Format of an adapter, `agz-memory-1`: a memory system's declared traits, and the calls that it takes.

A person writes one as YAML (docs/add-a-memory.md); a sealed plan holds it as canonical JSON with every key. These are
the keys and their types; whether a server is spoken to by it the harness finds out.
"""

from typing import Any, Literal, TypeAlias

import msgspec

Rewrites = Literal["never", "end_game", "described"]
Setting = Literal["half_life_games", "noise_percent"]
Query = Literal["none", "substring", "full_text", "semantic", "hybrid", "graph"]
Answer = Literal["structured", "json_text", "text"]
Template: TypeAlias = dict[str, Any]
"""Arguments of a tool, with `${name}` where a value is filled in."""


class Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The program of a server. `options`: for a setting of a plan that is not 0, the option that hands it over.

    `links`: places below its home, and the files of the installed system that they link to, such as a model's weights.
    """

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    links: dict[str, str] = {}
    options: dict[Setting, str] = {}


class Traits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Traits that a system declares; `agzamov memory check` tests them.

    rewrites       when the text of entries may change: never; at the end of a game; or as the tool `describe` says
    dedup          which entries it refuses because it holds one like them; a refusal where none is declared is a fault
    ids            who names an entry: the client, a digest of its content, or the server
    deterministic  what a fresh server repeats, given the same calls: the store alone, or searches too
    """

    architecture: str
    query: Query
    rewrites: Rewrites
    dedup: Literal["none", "exact", "semantic"] = "none"
    ids: Literal["client", "content_hash", "server"] = "client"
    deterministic: Literal["store", "both"] = "both"
    consistency: Literal["immediate", "eventual"] = "immediate"
    embeds: Literal["none", "own", "sidecar"] = "none"
    language_model: Literal["none", "recorded"] = "none"
    clock: Literal["none", "games", "wall"] = "none"


class Variant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of several systems of one program: its kind, its way of searching, and its settings."""

    about: str
    query: Query
    settings: tuple[Setting, ...] = ()


class Describe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tool by which a system describes itself: whether it rewrites, its name and its version."""

    tool: str = ""
    rewrites: str = ""
    name: str = ""
    version: str = ""


class Store(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Storing an entry. `stored`, `stored_text`: true, or found in the text, where the entry was taken.

    `refused`, `refused_text`: the reason, where it was not. `id`, `id_text`: the server's own name for it.
    """

    tool: str
    args: Template
    answer: Answer = "structured"
    stored: str = ""
    stored_text: str = ""
    refused: str = ""
    refused_text: str = ""
    id: str = ""
    id_text: str = ""


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Searching. `items` gives a list, of each of which the rest is read; without it, the rest gives lists.

    `items_text`: for prose, a regular expression with the groups content, and entry or id. `query_words`: whether the
    whole query is sent, or its longest word alone, for systems that look for the query as it stands.
    """

    tool: str
    args: Template
    answer: Answer = "structured"
    items: str = ""
    items_text: str = ""
    entry: str = ""
    id: str = ""
    content: str = ""
    query_words: Literal["all", "longest"] = "all"


class EndGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tool to call at the end of a game, if there is one. `entries`: its number of live entries."""

    tool: str = ""
    args: Template = {}
    entries: str = ""


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every live entry. `more`: whether further pages follow. `empty_text`: prose that stands for no entries.

    `in_order`: pages begin at ${offset} and give entries in the order of storing, so that new ones can be read alone.
    `files`: a pattern of files below the data folder, each an entry, which `items_text` reads; then no tool is called.
    """

    tool: str = ""
    args: Template = {}
    answer: Answer = "structured"
    items: str = ""
    items_text: str = ""
    entry: str = ""
    id: str = ""
    content: str = ""
    games: str = ""
    kind: str = ""
    derived_from: str = ""
    more: str = ""
    empty_text: str = ""
    files: str = ""
    in_order: bool = False


class First(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call that a server needs once, before the first entry, such as making a collection."""

    tool: str
    args: Template = {}


class Adapter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One memory system, or several of one program (`systems`).

    `install`: what a person types to have the program; in it, as in `launch`, ${INSTALLED} is the folder
    it is put in.
    `tools_sha256`: the digest of its tool list, if that is pinned. `native`: the tools that a model may be offered as
    they are, with `use: native`; all others are denied. `verified`: whether the adapter was tried with the real system.
    """

    about: str
    interface: Literal["agz-memory-1"]
    launch: Launch
    traits: Traits
    store: Store
    search: Search
    export: Export
    describe: Describe = Describe()
    end_game: EndGame = EndGame()
    first: tuple[First, ...] = ()
    install: tuple[str, ...] = ()
    mcp_mode: Literal["auto", "legacy", "2026-07-28"] = "auto"
    native: tuple[str, ...] = ()
    systems: dict[str, Variant] = {}
    tools_sha256: str = ""
    verified: bool = False

    @property
    def tools(self) -> dict[str, Template]:
        """Arguments of each tool that is called, by the tool's name."""
        calls = [(self.describe.tool, {}), (self.store.tool, self.store.args), (self.search.tool, self.search.args)]
        calls += [(self.end_game.tool, self.end_game.args), (self.export.tool, self.export.args)]
        calls += [(call.tool, call.args) for call in self.first]
        return {tool: args for tool, args in calls if tool}

    @property
    def reserved(self) -> frozenset[str]:
        """Names of the tools that no model is offered: those for the whole memory, and those called once."""
        names = (self.describe.tool, self.end_game.tool, self.export.tool, *(call.tool for call in self.first))
        return frozenset(filter(None, names))
