"""Synthetic opponent patterns (SPEC S5; paper sections 5.1.1 and 5.2), which only the opponent's prompt has.

Each is a sentence for the opponent's system prompt. The agent never sees it; the bundle publishes it through the
manifest. A detector of each pattern counts how often it was kept. A game names its patterns in its own folder
(`pattern_sentences`), with a sentence, a detector and, for Phase 3, a sort of each (`PatternSorts`).
"""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

Pattern: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"\A[a-z0-9_]{1,64}\Z", extra_json_schema={"format": "pattern-name"})
]
"""The name of a pattern in a manifest: small letters, digits and underscores. Each game has its own."""


class Adherence(NamedTuple):
    """Chances of a pattern to show in one result, and the number of them at which it was kept."""

    occasions: int
    kept: int


Detector: TypeAlias = Callable[[Any, int], Adherence]
"""Counts one pattern in one record of a game, of the player in one place (0 is the first to act).

It counts what the player did itself: a substituted action is no occasion.
"""


class PatternSorts(NamedTuple):
    """Patterns of a game by what they make of a player, which gives a change of patterns its kind.

    `opposites`: pairs of patterns of which one asks for what the other rules out.
    """

    aggressive: frozenset[Pattern] = frozenset()
    passive: frozenset[Pattern] = frozenset()
    opposites: tuple[frozenset[Pattern], ...] = ()


class ShiftKind(StrEnum):
    """The forced changes of strategy that Phase 3 names (draft section 6, recovery protocol)."""

    AGGRESSIVE_TO_PASSIVE = "aggressive to passive"
    EXPLOITATIVE_TO_BALANCED = "exploitative to balanced"
    PATTERN_BREAK = "pattern break"


def shift_kinds(before: Collection[Pattern], after: Collection[Pattern], sorts: PatternSorts) -> tuple[ShiftKind, ...]:
    """The kinds of a change of patterns of one game; none where it is of no kind.

    - Aggressive to passive: an aggressive pattern and no passive one before, a passive one and no aggressive one after.
    - Exploitative to balanced: a pattern before, none after. A player without one plays its own game, which no bundle
      shows to be an equilibrium.
    - Pattern break: a pattern before whose opposite is kept after.
    """
    kinds = []
    is_aggressive, is_passive = (
        _leans(before, sorts.aggressive, sorts.passive),
        _leans(after, sorts.passive, sorts.aggressive),
    )
    if is_aggressive and is_passive:
        kinds.append(ShiftKind.AGGRESSIVE_TO_PASSIVE)
    if before and not after:
        kinds.append(ShiftKind.EXPLOITATIVE_TO_BALANCED)
    if any(len(pair & set(before)) == 1 and pair - set(before) == pair & set(after) for pair in sorts.opposites):
        kinds.append(ShiftKind.PATTERN_BREAK)
    return tuple(kinds)


def _leans(patterns: Collection[Pattern], to: frozenset[Pattern], away: frozenset[Pattern]) -> bool:
    """True if some of the patterns are of one sort and none of the other."""
    return not to.isdisjoint(patterns) and away.isdisjoint(patterns)
