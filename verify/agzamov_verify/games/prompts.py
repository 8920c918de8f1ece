"""The digests of all prompt templates and donor notes, so that a manifest pins the words a seat will read."""

import hashlib
from collections.abc import Iterable

from ..protocols import PROTOCOLS
from ..systems import System
from . import terms
from .registry import GAMES


def prompt_digests(protocol: str, systems: Iterable[System] = ()) -> dict[str, str]:
    """Template name to SHA-256 of its UTF-8 text; of donor notes and shipped data, of their file.

    `systems`: those of the plan. Of the games' texts only those that the protocol names: later ones are not its own.
    """
    version, systems = PROTOCOLS[protocol], tuple(systems)
    names = frozenset((*version.formats.prompts, *(name for system in systems for name in system.templates)))
    return {name: digest for name, digest in all_digests(version.games, systems).items() if name in names}


def all_digests(games: Iterable[str], systems: Iterable[System]) -> dict[str, str]:
    """The digests of all texts that these games and systems have today, by name in alphabetical order."""
    systems, texts, played = tuple(systems), dict(terms.TEMPLATES), {name: GAMES[name] for name in games}
    for system in systems:
        texts |= system.templates
    for game in played.values():
        texts |= game.templates
        texts |= game.tool_templates if any(system.asks_tool for system in systems) else {}
        texts |= {f"pattern/{name.value}": text for name, text in game.patterns.items()}
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    digests |= {f"{name}/donor_notes": game.donor_notes_sha256 for name, game in played.items() if game.remembers}
    for game in played.values():
        digests |= game.data_sha256
    return dict(sorted(digests.items()))
