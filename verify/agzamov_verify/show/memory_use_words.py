"""Delivered, used, outcome of a memory in one match, in words."""

from typing import Final

from ..checks.memory_use import MemoryUse
from ..scoring.seat_stats import share
from ..table.game import Noun
from .planted_words import percent_of
from .seat_words import percent

NOT_KNOWN: Final = "not known: no decision was computed or asked again without it"


def delivered_words(use: MemoryUse) -> str:
    """Decisions with the text in their prompt, and its bytes: "36 of 40 decisions (90.0 %), 410 bytes each"."""
    each = f", {share(use.bytes, use.delivered):,.0f} bytes each" if use.delivered else ""
    return f"{use.delivered:,} of {use.decisions:,} decisions ({percent(share(use.delivered, use.decisions))}){each}"


def used_words(use: MemoryUse) -> str:
    """Decisions that are others without the text, of those that were computed or asked again."""
    if not use.delivered:
        return "nothing was delivered"
    if row := use.asked_again:
        return (
            f"of {row.decisions:,} decisions asked again without any augmentation {percent_of(row.changed)} of the"
            f" replies declare another action; asked so twice, {percent_of(row.baseline)} differ"
        )
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
