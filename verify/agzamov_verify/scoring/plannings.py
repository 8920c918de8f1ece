"""The planning figures of the games that have some, by name.

Apart from `scorings`: they need numpy, which whoever checks a bundle in a browser does not have.
"""

from collections.abc import Mapping
from typing import Final

from ..table.registry import parts
from .game_planning import GamePlanning

PLANNINGS: Final[Mapping[str, GamePlanning]] = parts("planning")
