"""Effects of a memory server's own tools on its store, as far as its adapter tells; those of the built-in servers."""

from collections.abc import Mapping
from typing import Final

from .built_in_servers import SERVERS
from .declared_server import NoAdapter, Search, Store, Template, declared_in
from .native_tools import Effect, NativeTool

BUILT_IN_TOOLS: Final = (
    NativeTool(
        name="search",
        description="Find entries for a query, the best first.",
        parameters='{"properties":{"query":{"description":"What to search for, in any words; signs have no special'
        ' meaning.","title":"Query","type":"string"}},"required":["query"],'
        '"title":"searchArguments","type":"object"}',
        effect=Effect.SEARCHES,
        text_argument="query",
    ),
    NativeTool(
        name="store",
        description="Store one entry of a game under a name of its own.",
        parameters='{"properties":{"content":{"description":"Text of the entry.","title":"Content","type":"string"}},'
        '"required":["content"],"title":"storeArguments","type":"object"}',
        effect=Effect.STORES,
        text_argument="content",
    ),
)
"""What a model is offered of a built-in server, the same of each, in this order."""


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
