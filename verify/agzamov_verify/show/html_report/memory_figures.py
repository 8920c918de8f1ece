"""Did memory change anything? A plain line for each memory, and the table of delivered, used, outcome."""

from collections.abc import Iterator
from typing import Final

from ...checks.memory_use import MemoryUse
from ...checks.steps import Verdict
from ...experiment.matches import Arm
from ...table.game import Noun
from ...table.registry import GAMES
from ..memory_use_words import changed_words, delivered_words, outcome_words, used_words
from ..views import NAMES_OF
from .figures import games_of, parts_of, short_words
from .markup import Element, capital, element, table

WORDS: Final = (
    "Delivered: text of the memory, or what stood in its place, was in the prompt. Used: the decision is another one"
    " without that text; of a scripted seat a drawn sample is computed again, of a model some decisions are asked"
    " again (planted questions). Outcome: the contest ended otherwise than the same contest without memory; compare it"
    " with the placebo's and the filler's, since play from one start differs by itself."
)


def memory_figures(verdict: Verdict) -> Iterator[Element]:
    """One plain line for each memory, then the table of all arms, where a seat has a memory."""
    manifest = parts_of(verdict)[2]
    games = {match.id: GAMES[match.game] for match in manifest.plan.matches}
    helps = {match.id: NAMES_OF.get(match.condition.augmentation, "memory") for match in manifest.plan.matches}
    named = [(_name(use, short_words(manifest, use.match)), use) for use in verdict.memory_use]
    real = [(name, use) for name, use in named if use.arm is Arm.REAL]
    lines = [
        element(
            "li",
            element("a", name, href=games_of(use.match)),
            f": {_plain(use, helps[use.match], games[use.match].contest)}",
        )
        for name, use in real
    ]
    if lines:
        yield element("ul", *lines, class_="plain")
    rows = [
        (name, delivered_words(use), used_words(use), outcome_words(use, games[use.match].contest))
        for name, use in named
    ]
    if rows:
        numbers = table(("match", "delivered", "used", "outcome"), rows)
        yield element("details", element("summary", "All arms, in numbers"), element("p", WORDS), numbers)


def _name(use: MemoryUse, words: str) -> str:
    return f"{words}{'' if use.side == 'a' else f', seat {use.side.upper()}'}"


def _plain(use: MemoryUse, what: str, contest: Noun) -> str:
    """What a memory changed: decisions, and how contests ended."""
    ended = (
        f"; {use.otherwise:,} of {contest.counted(use.contests)} ended otherwise than without" if use.contests else ""
    )
    return f"{capital(changed_words(use, what))}{ended}."
