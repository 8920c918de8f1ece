"""Counts of the document passages in prompts, taken from the prompts that the replay made again (step 7)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..core.columns import ascii_words
from ..core.questions import Answer, Chat, Question
from ..documents.library import DOCUMENTS
from ..experiment.matches import Match
from ..plan.manifest import Plan
from ..plan.streams import streams_of
from ..scoring.results import MatchResult
from ..table.prompt_lines import read_page


class PassagesTold(NamedTuple):
    """Decisions with a passage in their prompt, and passages in all prompts together."""

    decisions: int = 0
    passages: int = 0

    def plus(self, other: "PassagesTold") -> "PassagesTold":
        return PassagesTold(self.decisions + other.decisions, self.passages + other.passages)


class PassageCounts:
    """Counts the passages of one stream while it is replayed."""

    def __init__(self) -> None:
        self.told = PassagesTold()
        self._game = ""
        self._counted: set[tuple[int, str]] = set()

    def note(self, question: Question, _: Answer) -> None:
        """Take one question. Further ones at the same decision repeat the passages, and are not counted."""
        if not isinstance(question, Chat):
            return
        for message in question.messages:
            if message.role != "system" and DOCUMENTS in message.content:
                break
        else:
            return  # most streams have none: be quick
        if question.game != self._game:
            self._game, self._counted = question.game, set()
        decision = (question.turn, question.to)
        if decision not in self._counted and (documents := read_page(question.messages).documents):
            self._counted.add(decision)
            self.told = self.told.plus(PassagesTold(1, len(documents.splitlines())))


class MatchPassages(NamedTuple):
    """Passages in the prompts of a match; `decisions` are those of seats with documents, with or without a passage."""

    match: str
    told: PassagesTold
    decisions: int


def match_passages(
    plan: Plan, results: Sequence[MatchResult], streams: Mapping[str, PassagesTold]
) -> Iterator[MatchPassages]:
    """The counts of each match in which a seat has documents. `streams`: those that were played."""
    matches = {match.id: match for match in plan.matches}
    for result in {result.match: result for result in results}.values():
        match, told = matches[result.match], PassagesTold()
        if sides := _sides(plan, match):
            for stream in streams_of(match):
                told = told.plus(streams.get(stream.id, PassagesTold()))
            yield MatchPassages(match.id, told, sum(result.seat_stats[side].decisions for side in sides))


def passages_remark(matches: Sequence[MatchPassages]) -> str:
    """The counts in words; empty where no seat has documents."""
    counts = "; ".join(
        f"{ascii_words(match)} {told.decisions:,} of {decisions:,} decisions, {told.passages:,} passages"
        for match, told, decisions in matches
    )
    return counts and f"passages told before: {counts}"


def passages_warnings(matches: Sequence[MatchPassages]) -> Iterator[str]:
    """A warning for each match without a passage in any prompt: its prompts are those of a seat without documents."""
    for match, told, decisions in matches:
        if decisions and not told.decisions:
            yield (
                f"{ascii_words(match)}: no passage was told at any of {decisions:,} decisions, so no prompt held any;"
                " see whether the documents have words of its situations"
            )


def is_told_passages(plan: Plan, match: Match) -> bool:
    """True if a seat of the match has documents, so that prompts may hold passages that count."""
    return bool(_sides(plan, match))


def _sides(plan: Plan, match: Match) -> list[int]:
    """The seats that have documents, by their index."""
    return [
        place
        for place, condition in enumerate(match.conditions)
        if any(system.library(condition.arm, match.game) for system in plan.parts_of(condition.system).values())
    ]
