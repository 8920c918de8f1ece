"""A memory server from outside, as its adapter declares it.

An adapter is a file that a person wrote (docs/add-a-memory.md); a sealed plan holds it whole, as canonical JSON. How a
server is spoken to is the harness's business. Here is read what it declares of itself: nothing shows that it is so.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol

import msgspec

from .. import canon
from ..experiment import Trait
from .native_tools import Effect
from .servers import SERVERS, Server

ADAPTER_CHARACTERS_MAX: Final = 20_000
HALF_LIFE: Final = "half_life_games"

IMAGE_PARTS: Final[Mapping[str, str]] = MappingProxyType({"server-memory": "memory_server_memory"})
"""By the name of an adapter that comes with the harness, the part that its server's image plays in a manifest."""

TRAITS_OF_QUERY: Final[Mapping[str, frozenset[Trait]]] = MappingProxyType(
    {
        "full_text": frozenset({Trait.FULL_TEXT}),
        "graph": frozenset({Trait.GRAPH}),
        "semantic": frozenset({Trait.SEMANTIC}),
    }
)
"""By what a server searches, the traits that a plan may declare of it; of others none."""


BUILT_IN_EFFECTS: Final[Mapping[str, tuple[Effect, str]]] = MappingProxyType(
    {"search": (Effect.SEARCHES, "query"), "store": (Effect.STORES, "content")}
)
"""What a model may be offered of a built-in server."""


class AdapterCall(Protocol):
    """A tool that an adapter calls, as it is read here or by the harness."""

    @property
    def tool(self) -> str: ...

    @property
    def args(self) -> Mapping[str, Any]: ...


class DeclaredTraits(msgspec.Struct, frozen=True):
    """The traits in an adapter that a plan and the audit take from there."""

    query: Literal["none", "substring", "full_text", "semantic", "hybrid", "graph"]
    rewrites: Literal["never", "end_game", "described"]
    dedup: Literal["none", "exact", "semantic"]
    deterministic: Literal["store", "both"]
    clock: Literal["none", "games", "wall"]


class DeclaredLaunch(msgspec.Struct, frozen=True):
    """The settings of a plan that the server takes, with its options for them."""

    options: dict[str, str]


class DeclaredCall(msgspec.Struct, frozen=True):
    """A tool that an adapter calls, and its arguments: a text that is `${content}` or `${query}` is the one stored."""

    tool: str = ""
    args: dict[str, Any] = {}


class Declared(msgspec.Struct, frozen=True):
    """An adapter, of which only these keys are read here."""

    launch: DeclaredLaunch
    traits: DeclaredTraits
    store: DeclaredCall = DeclaredCall()
    search: DeclaredCall = DeclaredCall()
    native: tuple[str, ...] = ()


class NoAdapter(NamedTuple):
    """Why a text is no adapter."""

    reason: str


def server_of(name: str, adapter: str) -> Server | None:
    """The server that a plan names: one of the table, or that of the adapter that it holds. None if neither."""
    if not adapter:
        return SERVERS.get(name)
    declared = declared_in(adapter)
    return None if isinstance(declared, NoAdapter) else _outside(declared, IMAGE_PARTS.get(name, ""))


@lru_cache(maxsize=64)
def declared_in(adapter: str) -> Declared | NoAdapter:
    """What an adapter's canonical JSON declares."""
    try:
        return msgspec.convert(canon.loads(adapter.encode()), Declared)
    except (canon.NotCanonical, msgspec.ValidationError, UnicodeEncodeError) as error:
        return NoAdapter(str(error))


def effects_of(name: str, adapter: str) -> Mapping[str, tuple[Effect, str]]:
    """The tools that a model may be offered by name: the effect of each, and the argument of the model's text."""
    if not adapter:
        return BUILT_IN_EFFECTS if name in SERVERS else {}
    declared = declared_in(adapter)
    if isinstance(declared, NoAdapter):
        return {}
    return {tool: effect_of(tool, declared.store, declared.search) for tool in declared.native}


def effect_of(tool: str, store: AdapterCall, search: AdapterCall) -> tuple[Effect, str]:
    """The effect of a tool, and the argument that holds the model's text; `store`, `search`: those of its adapter."""
    if tool == store.tool and (text := _argument(store.args, "${content}")):
        return Effect.STORES, text
    if tool == search.tool and (text := _argument(search.args, "${query}")):
        return Effect.SEARCHES, text
    return Effect.UNKNOWN, ""


def _argument(args: Mapping[str, Any], variable: str) -> str:
    """The argument that is a variable and nothing else; empty where there is none."""
    return next((name for name, value in args.items() if value == variable), "")


def _outside(declared: Declared, image_part: str) -> Server:
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
    )
