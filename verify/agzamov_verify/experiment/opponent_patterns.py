"""Synthetic opponent patterns (SPEC S5; paper sections 5.1.1 and 5.2), which only the opponent's prompt has.

Each is a sentence for the opponent's system prompt, in the folder of its game. The agent never sees it; the bundle
publishes it through the manifest. A detector of each pattern counts how often it was kept.
"""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias


class Pattern(StrEnum):
    """The catalogue, by the name that a manifest uses."""

    CASTLES_EARLY = "castles_early"
    AVOIDS_QUEEN_TRADES = "avoids_queen_trades"
    KING_ANSWERS_CHECKS = "king_answers_checks"
    PIECES_ANSWER_CHECKS = "pieces_answer_checks"
    ALWAYS_RECAPTURES = "always_recaptures"
    MOVES_ATTACKED_QUEEN = "moves_attacked_queen"
    NEVER_RETREATS = "never_retreats"
    KEEPS_OWN_HALF = "keeps_own_half"
    PUSHES_ROOK_PAWNS = "pushes_rook_pawns"
    MIN_RAISES_PAIRS = "min_raises_pairs"
    FOLDS_BUTTON_TO_3BET = "folds_button_to_3bet"
    LIMPS_BUTTON = "limps_button"
    NEVER_RAISES_BIG_BLIND = "never_raises_big_blind"
    ALWAYS_CBETS = "always_cbets"
    NEVER_CBETS = "never_cbets"
    FOLDS_MISSED_FLOPS = "folds_missed_flops"
    NEVER_FOLDS_PAIRS = "never_folds_pairs"
    FOLDS_RIVERS = "folds_rivers"
    NEVER_BLUFFS_RIVERS = "never_bluffs_rivers"


class Adherence(NamedTuple):
    """Chances of a pattern to show in one result, and the number of them at which it was kept."""

    occasions: int
    kept: int


Detector: TypeAlias = Callable[[Any, int], Adherence]
"""Counts one pattern in one record of a game, of the player in one place (0 is the first to act).

It counts what the player did itself: a substituted action is no occasion.
"""

AGGRESSIVE: Final = frozenset(
    {Pattern.NEVER_RETREATS, Pattern.PUSHES_ROOK_PAWNS, Pattern.ALWAYS_CBETS, Pattern.MIN_RAISES_PAIRS}
)
PASSIVE: Final = frozenset(
    {
        Pattern.KEEPS_OWN_HALF,
        Pattern.LIMPS_BUTTON,
        Pattern.NEVER_RAISES_BIG_BLIND,
        Pattern.NEVER_CBETS,
        Pattern.NEVER_BLUFFS_RIVERS,
    }
)
OPPOSITES: Final = (
    frozenset({Pattern.KING_ANSWERS_CHECKS, Pattern.PIECES_ANSWER_CHECKS}),
    frozenset({Pattern.ALWAYS_CBETS, Pattern.NEVER_CBETS}),
    frozenset({Pattern.NEVER_FOLDS_PAIRS, Pattern.FOLDS_RIVERS}),
)
"""Patterns of which one asks for what the other rules out."""


class ShiftKind(StrEnum):
    """The forced changes of strategy that Phase 3 names (draft section 6, recovery protocol)."""

    AGGRESSIVE_TO_PASSIVE = "aggressive to passive"
    EXPLOITATIVE_TO_BALANCED = "exploitative to balanced"
    PATTERN_BREAK = "pattern break"


def shift_kinds(before: Collection[Pattern], after: Collection[Pattern]) -> tuple[ShiftKind, ...]:
    """The kinds of a change of patterns; none where it is of no kind.

    - Aggressive to passive: an aggressive pattern and no passive one before, a passive one and no aggressive one after.
    - Exploitative to balanced: a pattern before, none after. A player without one plays its own game, which no bundle
      shows to be an equilibrium.
    - Pattern break: a pattern before whose opposite is kept after.
    """
    kinds = []
    is_aggressive, is_passive = _leans(before, AGGRESSIVE, PASSIVE), _leans(after, PASSIVE, AGGRESSIVE)
    if is_aggressive and is_passive:
        kinds.append(ShiftKind.AGGRESSIVE_TO_PASSIVE)
    if before and not after:
        kinds.append(ShiftKind.EXPLOITATIVE_TO_BALANCED)
    if any(len(pair & set(before)) == 1 and pair - set(before) == pair & set(after) for pair in OPPOSITES):
        kinds.append(ShiftKind.PATTERN_BREAK)
    return tuple(kinds)


def _leans(patterns: Collection[Pattern], to: frozenset[Pattern], away: frozenset[Pattern]) -> bool:
    """True if some of the patterns are of one sort and none of the other."""
    return not to.isdisjoint(patterns) and away.isdisjoint(patterns)
