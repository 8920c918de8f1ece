"""The digests of all prompt templates and donor notes, so that a manifest pins the words a seat will read."""

import hashlib
from collections.abc import Iterable

from ..systems import System
from . import terms
from .registry import GAMES


def prompt_digests(systems: Iterable[System] = ()) -> dict[str, str]:
    """Template name to SHA-256 of its UTF-8 text; of donor notes and shipped data, of their file.

    `systems`: those of the plan.
    """
    systems, texts = tuple(systems), dict(terms.TEMPLATES)
    for system in systems:
        texts |= system.templates
    for game in GAMES.values():
        texts |= game.templates
        texts |= game.tool_templates if any(system.asks_tool for system in systems) else {}
        texts |= {f"pattern/{name.value}": text for name, text in game.patterns.items()}
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    digests |= {f"{name}/donor_notes": game.donor_notes_sha256 for name, game in GAMES.items() if game.remembers}
    for game in GAMES.values():
        digests |= game.data_sha256
    return dict(sorted(digests.items()))
