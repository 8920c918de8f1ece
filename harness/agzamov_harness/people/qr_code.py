"""The address of a page as a QR code on the terminal, for a phone in the same network. Its library is optional."""

from io import StringIO
from typing import Final

from ..foundation.first_use import imported_at_first_use

segno = imported_at_first_use("segno")
MISSING: Final = "(a phone could read this address as a QR code; for that: make phone in a clone, or pip install segno)"
WHITE_ON_BLACK: Final = "\033[97;40m"
"""Blocks are light modules, so the code would be inverted on a light terminal, which not every phone reads."""
PLAIN: Final = "\033[0m"


def qr_code(address: str) -> str:
    """The code in lines of half blocks, with colours; how to have it, where segno is not installed."""
    drawn = StringIO()
    try:
        segno.make(address, error="l", micro=False).terminal(drawn, compact=True)
    except ImportError:
        return MISSING
    return "\n".join(f"{WHITE_ON_BLACK}{line}{PLAIN}" for line in drawn.getvalue().splitlines())
