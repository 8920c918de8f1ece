"""A memory server from outside: the format in which an adapter declares it, and what a sealed plan holds of it.

Format of an adapter, `agz-memory-1`: a memory system's declared traits, and the calls that it takes.

A person writes one as YAML (docs/add-a-memory.md); a sealed plan holds it as canonical JSON with every key. These are
the keys and their types; whether a server is spoken to by it the harness finds out.

A memory server from outside, as its adapter declares it.

An adapter is a file that a person wrote (docs/add-a-memory.md); a sealed plan holds it whole, as canonical JSON with
every key. Nothing shows that what it declares is so. A server that is named without a file must have
the adapter that comes with the harness under that name: `SHIPPED_SHA256` has their digests.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from ..core import canon
from ..experiment.matches import Trait
from .built_in_servers import SERVERS, Server
from .native_tools import Effect, NativeTool

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


ADAPTER_CHARACTERS_MAX: Final = 20_000
ADAPTER_SUFFIXES: Final = (".yaml", ".yml")
REASON_CHARACTERS_MAX: Final = 200
SHOWN_DIGITS: Final = 12
HALF_LIFE: Final = "half_life_games"

WITH_IMAGE: Final = ("basic-memory", "chroma-mcp", "mcp-memory-service", "mem0", "server-memory")
"""The adapters that come with the harness whose servers have an image: `memory-` and the adapter's name."""
IMAGE_PARTS: Final[Mapping[str, str]] = MappingProxyType(
    {name: f"memory_{name.replace('-', '_')}" for name in WITH_IMAGE}
)
"""By the name of such an adapter, the part that its server's image plays in a manifest."""

SHIPPED_SHA256: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "basic-memory": ("6d90727c833906142111ef28734a32fdd4347c2d25bc1dd5bcbbd38e8a35b7cc",),
        "brainops": ("1d522ec61d3bacb725a2102538e64135221472aafa51bae503fe158e866ab277",),
        "chroma-mcp": ("c26bb9681b02db39c76f728420ffb22f5f70c23cc96399f3ed169e36909b2864",),
        "mcp-memory-service": ("fbc00b05e488c02b226cc43ecf3143e5f79a83f527fd559652fc91309d050772",),
        "mem0": ("21c4b27f63c32e5d0c836df910841812f8428bb4b265366d896a330c7fa4bdc7",),
        "server-memory": ("588fc77ea4a01bf8cd692ec1159cba0ac3991aa6bcf1b437ae36952cc807cedc",),
    }
)
"""By name the adapters that come with the harness: SHA-256 of the canonical JSON of each text that a release had."""

SERVER_OF_NAME: Final[Mapping[str, str]] = MappingProxyType(
    {name.replace("-", "_"): name for name in (*SERVERS, *SHIPPED_SHA256)}
)
"""The built-in servers and those whose adapter comes with the harness, by the name that a system of theirs may have."""

TRAITS_OF_QUERY: Final[Mapping[str, frozenset[Trait]]] = MappingProxyType(
    {
        "full_text": frozenset({Trait.FULL_TEXT}),
        "graph": frozenset({Trait.GRAPH}),
        "semantic": frozenset({Trait.SEMANTIC}),
    }
)
"""By what a server searches, the traits that a plan may declare of it; of others none."""


BUILT_IN_TOOLS: Final = (
    NativeTool(
        name="search",
        description="Find entries for a query, the best first; `now` is the number of the game being played.",
        parameters='{"properties":{"query":{"title":"Query","type":"string"}},"required":["query"],'
        '"title":"searchArguments","type":"object"}',
        effect=Effect.SEARCHES,
        text_argument="query",
    ),
    NativeTool(
        name="store",
        description="Store one entry of a game under a name of its own.",
        parameters='{"properties":{"content":{"title":"Content","type":"string"}},"required":["content"],'
        '"title":"storeArguments","type":"object"}',
        effect=Effect.STORES,
        text_argument="content",
    ),
)
"""What a model is offered of a built-in server, the same of each, in this order."""


class NoAdapter(NamedTuple):
    """A text that is no adapter, with the reason."""

    reason: str


def server_of(name: str, adapter: str) -> Server | None:
    """The server that a plan names: one of the table, or that of the adapter that it holds. None if neither."""
    if not adapter:
        return SERVERS.get(name)
    declared = declared_in(adapter)
    return None if isinstance(declared, NoAdapter) else _outside(declared, IMAGE_PARTS.get(name, ""))


@lru_cache(maxsize=64)
def declared_in(adapter: str) -> Adapter | NoAdapter:
    """The adapter that canonical JSON spells, with every key and no other."""
    try:
        return canon.loads_as(adapter.encode(), Adapter)
    except (canon.NotCanonical, UnicodeEncodeError) as error:
        return NoAdapter(str(error)[:REASON_CHARACTERS_MAX])


def names_a_file(server: str) -> bool:
    """True if a plan's word for a server is the file of its adapter, and no name."""
    return server.endswith(ADAPTER_SUFFIXES)


def shipped_problem(name: str, adapter: str) -> str:
    """Difference of an adapter from the one shipped under its name, in words; empty if there is none."""
    if name not in SHIPPED_SHA256:
        return f"expected FILE.yaml or one of {', '.join(SHIPPED_SHA256)} as server, found {name}"
    found = hashlib.sha256(adapter.encode()).hexdigest()
    if found in SHIPPED_SHA256[name]:
        return ""
    sealed, known = found[:SHOWN_DIGITS], ", ".join(digest[:SHOWN_DIGITS] for digest in SHIPPED_SHA256[name])
    return (
        f"expected the adapter that comes with the program as {name} (sha256 {known}), found another text (sha256"
        f" {sealed}); name another adapter by its file"
    )


def effects_of(name: str, adapter: str) -> Mapping[str, tuple[Effect, str]]:
    """The tools that a model may be offered by name: the effect of each, and the argument of the model's text."""
    if not adapter:
        tools = BUILT_IN_TOOLS if name in SERVERS else ()
        return {tool.name: (tool.effect, tool.text_argument) for tool in tools}
    declared = declared_in(adapter)
    if isinstance(declared, NoAdapter):
        return {}
    return {tool: effect_of(tool, declared.store, declared.search) for tool in declared.native}


def effect_of(tool: str, store: Store, search: Search) -> tuple[Effect, str]:
    """The effect of a tool, and the argument that holds the model's text; `store`, `search`: those of its adapter."""
    if tool == store.tool and (text := _argument(store.args, "${content}")):
        return Effect.STORES, text
    if tool == search.tool and (text := _argument(search.args, "${query}")):
        return Effect.SEARCHES, text
    return Effect.UNKNOWN, ""


def _argument(args: Template, variable: str) -> str:
    """The argument that is a variable and nothing else; empty where there is none."""
    return next((name for name, value in args.items() if value == variable), "")


def _outside(declared: Adapter, image_part: str) -> Server:
    traits = declared.traits
    refuses = {"none": "no entry", "exact": "equal entries", "semantic": "entries like others"}[traits.dedup]
    repeat = "repeat" if traits.deterministic == "both" else "need not repeat"
    words = (
        f"from outside; its adapter is sealed, and declares unchecked: it searches by {traits.query}, rewrites"
        f" {traits.rewrites}, refuses {refuses}, its searches {repeat}"
    )
    by_age = {"none": {Trait.UNIFORM}, "games": {Trait.TEMPORAL}, "wall": set[Trait]()}[traits.clock]
    return Server(
        words,
        TRAITS_OF_QUERY.get(traits.query, frozenset()),
        rewrites=traits.rewrites != "never",
        ages=HALF_LIFE in declared.launch.options,
        image_part=image_part,
        without_half_life=frozenset(by_age),
        refuses=traits.dedup,
        searches_repeat=traits.deterministic == "both",
        takes_limit="${limit}" in str(declared.search.args),
    )
