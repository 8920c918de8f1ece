"""The games whose moves the engine judges, by name."""

from collections.abc import Mapping
from typing import Final

from ...table.registry import parts
from .judged_moves import JudgedMoves

JUDGED: Final[Mapping[str, JudgedMoves]] = parts("judged_moves")
