"""Planted questions in words: what differs between answers to equal prompts, and how many were compared."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from ..core.columns import ascii_words, row
from ..experiment.matches import Match
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..scoring.exchangeability import PLANTED, Compared, ExchangeabilityTest, PlantedAnalysis
from ..scoring.inference.exact import Figure
from ..scoring.planted_replies import EARLY, LATE, PlantedCount, is_more_often
from ..table.planted import Role
from .glossary import label
from .seat_words import percent
from .views import condition_words, game_words

CANNOT: Final = (
    "no planted question can show a server that answers by the prompt alone (against it stands the placebo), keeps each"
    " prompt with its first answer or looks for what it was asked before, nor a hosted model that asks an engine of its"
    " own and checks a tool by it, nor a submitter who edits its answers"
)
"""What equal prompts cannot catch, in one line."""

ASKED: Final = {
    EARLY: "asked in the first half",
    LATE: "asked in the second half",
    Role.COUNTED.value: "asked in the game",
    PLANTED: "planted",
}
DIFFERS: Final = {
    Compared.PHASE: "between phases",
    Compared.ARM: "between arms",
    Compared.TIME: "between the first and the second half",
    Compared.ROLE: "between a decision and the same prompt planted later",
}
"""What two equal prompts differ in, in words."""


def planted_warnings(plan: Plan, planted: PlantedAnalysis) -> Iterator[str]:
    """One sentence for each difference between answers to equal prompts, the surest first. It accuses nobody."""
    yield from _unread_warnings(plan, planted)
    told = sorted((test for test in planted.tests if test.is_told), key=lambda test: _value(test.p_corrected))
    for test in told:
        yield (
            f"seat {ascii_words(test.seat)} answered equal prompts differently in {game_words(test.game)}:"
            f" {shares_words(test, plan)} (p {p_words(test)}, corrected for all such tests;"
            f" {test.replies:,} replies to {test.prompts:,} prompts in all)"
        )


def _unread_warnings(plan: Plan, planted: PlantedAnalysis) -> Iterator[str]:
    """A sentence for each seat that declares no action in more of its planted questions than of its decisions."""
    by_seat: dict[str, list[PlantedCount]] = {}
    for one in planted.asked:
        by_seat.setdefault(one.seat, []).append(one)
    for seat, counts in by_seat.items():
        asked, unread = sum(one.common + one.again for one in counts), sum(one.unread for one in counts)
        decisions, others = sum(one.decisions for one in counts), sum(one.decisions_unread for one in counts)
        if is_more_often(unread, asked, others, decisions, Fraction(load_protocol(plan.protocol).planted.level)):
            yield (
                f"seat {ascii_words(seat)}: {unread:,} of {asked:,} planted questions have no action that can be read,"
                f" but {others:,} of {decisions:,} decisions: its answers to equal prompts say little"
            )


def exchangeability_words(test: ExchangeabilityTest, plan: Plan) -> str:
    """One test, for the details."""
    return (
        f"{game_words(test.game)}, {ascii_words(test.seat)}, {DIFFERS[test.compared]}: {verdict_words(test)},"
        f" {shares_words(test, plan)}; p {p_words(test)}, corrected,"
        f" over {test.replies:,} replies to {test.prompts:,} prompts"
    )


def verdict_words(test: ExchangeabilityTest) -> str:
    """What a test says."""
    if test.is_told:
        return "differ"
    return "no difference is told" if test.can_tell else "too few replies to tell any difference"


def p_words(test: ExchangeabilityTest) -> str:
    """The corrected p of a test."""
    return f"{float(_value(test.p_corrected)):.2g}"


def planted_lines(planted: PlantedAnalysis, plan: Plan) -> Iterator[str]:
    """The rows of `--details`: how many questions, each test of equal prompts, what augmentations changed."""
    if not planted.asked:
        return
    yield from row(label("planted"), asked_words(planted))
    for test in planted.tests:
        yield from row("", exchangeability_words(test, plan))
    for words in used_words(planted):
        yield from row("", words)
    yield from row("", CANNOT)


def used_words(planted: PlantedAnalysis) -> Iterator[str]:
    """How often an augmentation changed what a seat declares."""
    for one in planted.used:
        changed, baseline = percent_of(one.changed), percent_of(one.baseline)
        yield (
            f"{ascii_words(one.match)}, {ascii_words(one.seat)}: of {one.decisions:,} decisions asked again without the"
            f" augmentation {changed} of the replies declare another action; asked twice without it, {baseline} differ"
        )


def asked_words(planted: PlantedAnalysis) -> str:
    """The number of planted questions of a run and their tokens."""
    common, again = sum(one.common for one in planted.asked), sum(one.again for one in planted.asked)
    tokens = sum(one.prompt_tokens + one.completion_tokens for one in planted.asked)
    return f"{common:,} common spots and {again:,} decisions asked again, beside the games: {tokens:,} tokens"


def shares_words(test: ExchangeabilityTest, plan: Plan) -> str:
    """The shares of equal replies of a test."""
    names = [_label(name, plan) for name in test.labels]
    whose = [f"{name} ({count:,} replies)" for name, count in zip(names, test.label_replies, strict=True)]
    parts = [f"{percent_of(test.equal_between)} equal between {whose[0]} and {whose[1]}, the two least alike"]
    for name, share in zip(names, test.equal_within, strict=True):
        if share is not None:
            parts.append(f"{percent_of(share)} within {name}")
    if test.equal_close is not None:
        parts.append(f"{percent_of(test.equal_close)} when asked twice close together")
    return ", ".join(parts)


def _label(name: str, plan: Plan) -> str:
    match = next((match for match in plan.matches if match.id == name), None)
    return ASKED.get(name, name) if match is None else _arm(match)


def _arm(match: Match) -> str:
    return condition_words(match.condition).strip() or ascii_words(match.id)


def percent_of(share: Figure) -> str:
    """A share as it is printed."""
    return percent(float(_value(share)))


def _value(shown: Figure) -> Fraction:
    return Fraction(shown.exact)
