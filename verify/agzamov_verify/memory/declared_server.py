"""A memory server from outside, as its adapter declares it.

An adapter is a file that a person wrote (docs/add-a-memory.md); a sealed plan holds it whole, as canonical JSON with
every key (adapter_format). Nothing shows that what it declares is so. A server that is named without a file must have
the adapter that comes with the harness under that name: `SHIPPED_SHA256` has their digests.
"""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from .. import canon
from ..experiment import Trait
from .adapter_format import Adapter, Search, Store, Template
from .native_tools import Effect, NativeTool
from .servers import SERVERS, Server

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
