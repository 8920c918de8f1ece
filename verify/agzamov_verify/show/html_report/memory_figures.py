"""Delivered, used, outcome: a table of what each memory did, match by match."""

from collections.abc import Iterator
from typing import Final

from ...checks.steps import Verdict
from ...table.registry import GAMES
from ..memory_use_words import delivered_words, outcome_words, used_words
from .figures import figure, parts_of, short_words
from .markup import Element, table

WORDS: Final = (
    "Delivered: text of the memory, or what stood in its place, was in the prompt. Used: the decision is another one"
    " without that text; of a scripted seat a drawn sample is computed again, of a model some decisions are asked"
    " again (planted questions). Outcome: the contest ended otherwise than the same contest without memory; compare it"
    " with the placebo's and the filler's, since play from one start differs by itself."
)


def memory_figures(verdict: Verdict) -> Iterator[Element]:
    """One table, where a seat has a memory."""
    manifest = parts_of(verdict)[2]
    games = {match.id: GAMES[match.game] for match in manifest.plan.matches}
    rows = [
        (
            f"{short_words(manifest, use.match)}{'' if use.side == 'a' else f', seat {use.side.upper()}'}",
            delivered_words(use),
            used_words(use),
            outcome_words(use, games[use.match].contest),
        )
        for use in verdict.memory_use
    ]
    if rows:
        columns = ("match", "delivered", "used", "outcome")
        yield figure("Delivered, used, outcome", WORDS, None, table(columns, rows))
