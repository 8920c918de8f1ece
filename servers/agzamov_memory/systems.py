"""The table of memory systems: one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .consolidator import Consolidator
from .decay import Decay
from .embedding import Embed, embedder
from .entry_table import EntryTable
from .full_text import FullText
from .graph import Graph
from .history import History
from .noisy import Noisy
from .recent import Recent
from .semantic import Semantic
from .store import Store
from .text_file import Lines, TextFile


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says about a system."""

    folder: Path
    half_life_games: int | None = None
    noise_percent: int | None = None


@dataclass(frozen=True, slots=True)
class System:
    """How a system is made, and which settings it takes: a half-life, where one is given; noise, always."""

    make: Callable[[Settings], Store]
    decays: bool = False
    damages: bool = False


def _table(settings: Settings) -> EntryTable:
    return EntryTable(settings.folder)


def semantic(settings: Settings, embed: Embed) -> Store:
    """Search by meaning, with this function that gives a text its vector."""
    return Semantic(_table(settings), Decay(settings.half_life_games), embed)


SYSTEMS: dict[str, System] = {
    "consolidator": System(lambda settings: Consolidator(_table(settings))),
    "file": System(lambda settings: TextFile(Lines(settings.folder / "memory.txt"))),
    "full_text": System(lambda settings: FullText(_table(settings), Decay(settings.half_life_games)), decays=True),
    "graph": System(lambda settings: Graph(_table(settings), Decay(settings.half_life_games)), decays=True),
    "history": System(lambda settings: History(_table(settings))),
    "noisy": System(
        lambda settings: Noisy(FullText(_table(settings), Decay(None)), settings.noise_percent or 0), damages=True
    ),
    "recent": System(lambda settings: Recent(_table(settings))),
    "semantic": System(lambda settings: semantic(settings, embedder()), decays=True),
}
