"""Equal prompts: a table of the tests of planted questions, and of what augmentations changed."""

from collections.abc import Iterator
from typing import Final

from ...checks.steps import Verdict
from ...core.untrusted_input import printable
from ...plan.manifest import Plan
from ...scoring.exchangeability import ExchangeabilityTest
from ..planted_words import CANNOT, DIFFERS, asked_words, p_words, percent_of, shares_words, verdict_words
from ..views import game_words
from .figures import figure, parts_of, short_words
from .markup import Element, table

TESTED: Final = ("game", "seat", "compared", "shares of equal replies", "replies", "prompts", "p, corrected", "outcome")
USED: Final = ("match", "seat", "decisions", "another action without it", "bare replies that differ")


def planted_figures(verdict: Verdict) -> Iterator[Element]:
    """Tables of equal prompts, and of decisions with and without an augmentation, where a model was asked."""
    analysis, manifest = verdict.analysis, parts_of(verdict)[2]
    if analysis is None or not analysis.planted.asked:
        return
    planted = analysis.planted
    words = (
        f"{asked_words(planted)}. Replies to byte-identical prompts, reduced to the declared action; a permutation test"
        f" within groups of equal prompts, corrected for all of them. {CANNOT[:1].upper()}{CANNOT[1:]}."
    )
    rows = [_row(test, manifest.plan) for test in planted.tests]
    if rows:
        yield figure("Were equal prompts answered alike?", words, None, table(TESTED, rows))
    used = [
        (
            short_words(manifest, row.match),
            printable(row.seat),
            f"{row.decisions:,}",
            percent_of(row.changed),
            percent_of(row.baseline),
        )
        for row in planted.used
    ]
    if used:
        words = (
            "Decisions asked again, twice, without the augmentation. What it changes is the share that declares another"
            " action beyond the share in which both bare replies differ."
        )
        yield figure("What augmentations changed", words, None, table(USED, used))


def _row(test: ExchangeabilityTest, plan: Plan) -> tuple[str | Element, ...]:
    return (
        game_words(test.game),
        printable(test.seat),
        DIFFERS[test.compared],
        shares_words(test, plan),
        f"{test.replies:,}",
        f"{test.prompts:,}",
        p_words(test),
        verdict_words(test),
    )
