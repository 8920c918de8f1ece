"""The built-in memory servers, and the facts about a server that verification needs."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from ..experiment import Trait


class Server(NamedTuple):
    """A memory server.

    `rewrites`: it may change entries when a game ends. `ages`: it can rank entries by their age. `damages`: it damages
    a declared share of what it gives. `image_part`: what its container's image is called in a manifest; empty where
    there is none. `without_half_life`: how it ranks by age where the plan sets no half-life. `refuses`: which entries
    it may refuse. `searches_repeat`: a fresh server gives the same answers to the same calls.
    `recomputed`: its searches follow from the stored entries, and verification computes them.
    `takes_limit`: a search has an argument for the greatest number of entries.
    """

    words: str
    traits: frozenset[Trait] = frozenset()
    rewrites: bool = False
    ages: bool = False
    damages: bool = False
    image_part: str = "memory"
    without_half_life: frozenset[Trait] = frozenset({Trait.UNIFORM})
    refuses: Literal["none", "exact", "semantic"] = "none"
    searches_repeat: bool = True
    recomputed: bool = False
    takes_limit: bool = True


SERVERS: Final[Mapping[str, Server]] = MappingProxyType(
    {
        "full_text": Server("full-text search, ranked as SQLite FTS5 ranks", frozenset({Trait.FULL_TEXT}), ages=True),
        "semantic": Server(
            "nearest by meaning, all-MiniLM-L6-v2",
            frozenset({Trait.SEMANTIC}),
            ages=True,
            image_part="memory_semantic",
        ),
        "recent": Server("the last entries, whatever is asked", recomputed=True),
        "history": Server("all entries in order, as many as fit", recomputed=True),
        "file": Server("a text file with a search for words", frozenset({Trait.FULL_TEXT})),
        "graph": Server("a graph of entities and observations", frozenset({Trait.GRAPH}), ages=True),
        "noisy": Server(
            "full-text search that damages what it gives", frozenset({Trait.FULL_TEXT, Trait.NOISY}), damages=True
        ),
        "consolidator": Server("counts of equal lines, added up after each game", rewrites=True),
    }
)
