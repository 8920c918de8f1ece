"""The games whose moves the engine judges, by name."""

from collections.abc import Mapping
from typing import Final

from ...games.registry import GAMES, half
from .judged_moves import JudgedMoves

JUDGED: Final[Mapping[str, JudgedMoves]] = {
    name: half(name, "judged_moves") for name, game in GAMES.items() if game.uses_engine
}
