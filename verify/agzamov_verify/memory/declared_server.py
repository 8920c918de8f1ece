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
from .given_text import GivenRule, Gives

Rewrites = Literal["never", "end_game", "always", "described"]
Setting = Literal["half_life_games", "noise_percent"]
Query = Literal["none", "substring", "full_text", "semantic", "hybrid", "graph"]
Answer = Literal["structured", "json_text", "json_in_text", "text"]
Template: TypeAlias = dict[str, Any]
"""Arguments of a tool, with `${name}` where a value is filled in."""


class Launch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The program of a server. `options`: for a setting of a plan that is not 0, the option that hands it over.

    `links`: places below its home, and the files of the installed system that they link to, such as a model's weights.
    `url`: where it is reached by HTTP: at the port ${PORT} that it is started with; without a command the address of a
    server that runs already, which nobody starts, and which no digest pins.
    `models_url`: an OpenAI-compatible API with the embedding or chat model that the server asks, at ${MODELS_URL}: a
    relay that records. `models_key_env`: the variable that holds the API's key, which the server never sees.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    links: dict[str, str] = {}
    options: dict[Setting, str] = {}
    url: str = ""
    models_url: str = ""
    models_key_env: str = ""

    @property
    def runs_already(self) -> bool:
        """True for a server that is reached at an address and not started."""
        return bool(self.url) and not self.command


class Traits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Traits that a system declares; `agzamov memory check` tests them.

    rewrites       when the text of entries may change: never; at the end of a game; always, so that what a search gives
                   need be no part of a stored entry and nobody can trace it; or as the tool `describe` says
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
    `gives`: whole entries, exact parts of them, or previews: the entry, or its beginning and then `ellipsis`.
    `content_text`, `id_text`: regular expressions that find the entry, and the server's name for it, in the content
    that was read. `empty_text`: prose that stands for no entries.
    """

    tool: str
    args: Template
    answer: Answer = "structured"
    items: str = ""
    items_text: str = ""
    entry: str = ""
    id: str = ""
    content: str = ""
    content_text: str = ""
    id_text: str = ""
    empty_text: str = ""
    gives: Gives = "entries"
    ellipsis: str = ""
    query_words: Literal["all", "longest"] = "all"


class Fetch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tool that gives one whole entry by its name: each entry that a search gives is asked for by it.

    So is each of an export whose content is not read. The rest as in `Search`.
    """

    tool: str = ""
    args: Template = {}
    answer: Answer = "structured"
    content: str = ""
    content_text: str = ""


class EndGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tool to call at the end of a game, if there is one. `entries`: its number of live entries."""

    tool: str = ""
    args: Template = {}
    entries: str = ""


class Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every live entry. `more`: whether further pages follow. `empty_text`: prose that stands for no entries.

    `in_order`: pages begin at ${offset} and give entries in the order of storing, so that new ones can be read alone.
    `files`: a pattern of files below the data folder, each an entry, which `items_text` reads; then no tool is called.
    `absent`: the server has no tool that gives every entry; in an adapter's file, `export: none`.
    `content_text`, `id_text`: as in `Search`.
    """

    tool: str = ""
    args: Template = {}
    answer: Answer = "structured"
    items: str = ""
    items_text: str = ""
    entry: str = ""
    id: str = ""
    content: str = ""
    content_text: str = ""
    id_text: str = ""
    games: str = ""
    kind: str = ""
    derived_from: str = ""
    more: str = ""
    empty_text: str = ""
    files: str = ""
    in_order: bool = False
    absent: bool = False


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
    fetch: Fetch = Fetch()
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
        calls += [(self.fetch.tool, self.fetch.args)]
        calls += [(call.tool, call.args) for call in self.first]
        return {tool: args for tool, args in calls if tool}

    @property
    def is_traced(self) -> bool:
        """True if what a search gives must be a stored entry or a part of one."""
        return self.traits.rewrites != "always"

    @property
    def exports(self) -> bool:
        """True if a run asks for all entries, and compares them with what was stored."""
        return self.is_traced and not self.export.absent

    def given(self, *, native: bool) -> GivenRule:
        """The rule for what a search gives of an entry. `native`: to a model that calls the server's own tools."""
        if self.fetch.tool and not native:
            return GivenRule()
        return GivenRule(self.search.gives, self.search.ellipsis)

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
MODELS_URL: Final = "MODELS_URL"
"""The variable of an adapter that stands for the address at which its server finds its embedding or chat model."""

WITH_IMAGE: Final = ("basic-memory", "chroma-mcp", "mcp-memory-service", "mem0", "server-memory")
"""The adapters that come with the harness whose servers have an image: `memory-` and the adapter's name."""
IMAGE_PARTS: Final[Mapping[str, str]] = MappingProxyType(
    {name: f"memory_{name.replace('-', '_')}" for name in WITH_IMAGE}
)
"""By the name of such an adapter, the part that its server's image plays in a manifest."""

SHIPPED_SHA256: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "basic-memory": ("4f308f4467ffae8d000cab2caccf7d290b8600b4c392eaa0910340e8fbe1e09e",),
        "brainops": ("7cbc4b1a62c76cc359b4378907e332c7d5637d0b930ea58548df4b627576427c",),
        "chroma-mcp": ("21214915cbebb0d310351f0d9f3ec3a51de73f331b0556accbe63a6a49e2c861",),
        "mcp-memory-service": ("b5adc25779f188ac226dfee8e6264eb5ad002a71588be89d03eccce154103e70",),
        "mem0": ("61f9f19df3994781580afcc25c082448e280a4c901b649703dca061197b280dd",),
        "server-memory": ("8d0592f3cb0fe6f4855f5bbf7c5da65aab7372c1ec41b09c3b33e66e0dbae7d9",),
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


def _outside(declared: Adapter, image_part: str) -> Server:
    traits = declared.traits
    refuses = {"none": "no entry", "exact": "equal entries", "semantic": "entries like others"}[traits.dedup]
    address = declared.launch.url if declared.launch.runs_already else ""
    ran_already = f", at {address}, where it ran already and nothing pins it" if address else ""
    repeat = "repeat" if traits.deterministic == "both" else "need not repeat"
    words = (
        f"from outside{ran_already}; its adapter is sealed, and declares unchecked: it searches by {traits.query},"
        f" rewrites {traits.rewrites}, refuses {refuses}, its searches {repeat}{_beside(declared)}"
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
        address=address,
        models_url=declared.launch.models_url,
        exports=declared.exports,
        is_traced=declared.is_traced,
        given=declared.given(native=False),
        given_natively=declared.given(native=True),
    )


def _beside(declared: Adapter) -> str:
    """Words for what keeps an audit of the server from being whole, and for what it asks."""
    gives = {"entries": "", "parts": ", its searches give parts of entries", "previews": ", its searches cut entries"}
    none = "" if not declared.export.absent else ", no tool gives every entry"
    models = f", it asks models at {declared.launch.models_url}" if declared.launch.models_url else ""
    return f"{gives[declared.given(native=False).gives]}{none}{models}"
