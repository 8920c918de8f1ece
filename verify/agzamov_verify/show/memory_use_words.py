"""Delivered, used, outcome of a memory in one match, in words."""

from typing import Final

from ..checks.memory_use import MemoryUse
from ..scoring.seat_stats import share
from ..table.game import Noun
from .seat_words import percent

NOT_KNOWN: Final = "of a model known by decisions that were asked again alone: see planted questions"


def delivered_words(use: MemoryUse) -> str:
    """Decisions with the text in their prompt, and its bytes: "36 of 40 decisions (90.0 %), 410 bytes each"."""
    each = f", {share(use.bytes, use.delivered):,.0f} bytes each" if use.delivered else ""
    return f"{use.delivered:,} of {use.decisions:,} decisions ({percent(share(use.delivered, use.decisions))}){each}"


def used_words(use: MemoryUse) -> str:
    """Decisions that are others without the text, of those that were computed again."""
    if not use.delivered:
        return "nothing was delivered"
    if not use.asked:
        return NOT_KNOWN
    drawn = f", drawn from {use.delivered:,}," if use.asked < use.delivered else ""
    return (
        f"{use.used:,} of {use.asked:,} decisions{drawn} are others without it ({percent(share(use.used, use.asked))})"
    )


def outcome_words(use: MemoryUse, contest: Noun) -> str:
    """Contests that ended otherwise than in the naked arm; empty where that has no such contest."""
    if not use.contests:
        return ""
    of = f"{use.otherwise:,} of {contest.counted(use.contests)}"
    return f"{of} ended otherwise than without memory, from the same start (an association: see the other arms)"
