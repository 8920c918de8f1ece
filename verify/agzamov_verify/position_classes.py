"""Classes of the positions that matches of Phase 5 begin from (paper section 4.6)."""

from enum import StrEnum
from typing import Final


class PositionClass(StrEnum):
    """Class of a position: by how much worse one side stands, or a forced mate or won ending (`probe_positions`)."""

    EQUAL = "equal"
    SLIGHT = "slight"
    SEVERE = "severe"
    MATE = "mate"
    WON = "won"


UNEVEN: Final = (PositionClass.SLIGHT, PositionClass.SEVERE)
"""Classes in which one side stands worse and can hold out."""
