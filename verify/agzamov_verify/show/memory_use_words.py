"""Delivered, used, outcome of a memory in one match, in words."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..checks.memory_use import MemoryUse
from ..core.columns import ascii_words, listed
from ..experiment.matches import Arm
from ..plan.manifest import Plan
from ..scoring.seat_stats import share
from ..table.game import Noun
from .planted_words import percent_of
from .seat_words import percent
from .views import game_words

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


def unused_memories(uses: Sequence[MemoryUse], plan: Plan) -> Iterator[str]:
    """A sentence for each game with memories whose text stood in no prompt of a match in which it should have."""
    games = {match.id: match.game for match in plan.matches}
    missing: dict[str, dict[str, None]] = {}
    for one in uses:
        if one.arm is Arm.REAL and not one.delivered:
            missing.setdefault(games[one.match], {})[ascii_words(one.system)] = None
    for game, systems in missing.items():
        names, it = ("memories", "them") if len(systems) > 1 else ("memory", "it")
        told = f"the {names} {listed(list(systems))} stored was put into a prompt of {game_words(game)}"
        yield f"But nothing that {told}, so this run says nothing about {it} there."


def changed_words(use: MemoryUse, what: str = "memory") -> str:
    """What a memory did to decisions, in one plain line: "memory changed 0 of 4 decisions".

    `what`: the augmentation that it is or is part of; of a model's seat decisions are asked again without any.
    """
    if not use.delivered:
        return "nothing remembered reached a prompt"
    if row := use.asked_again:
        changed, twice = (round(row.decisions * float(one.decimal)) for one in (row.changed, row.baseline))
        return (
            f"{what} changed {changed:,} of {row.decisions:,} decisions asked again without it (asked twice alike:"
            f" {twice:,} differ)"
        )
    if not use.asked:
        return f"whether {what} changed a decision is not known"
    return f"{what} changed {use.used:,} of {use.asked:,} decisions"


def outcome_words(use: MemoryUse, contest: Noun) -> str:
    """Contests that ended otherwise than in the naked arm; empty where that has no such contest."""
    if not use.contests:
        return ""
    of = f"{use.otherwise:,} of {contest.counted(use.contests)}"
    return f"{of} ended otherwise than without memory, from the same start (an association: see the other arms)"
