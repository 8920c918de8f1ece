"""The placebo of a played match: are its notes as many and as long as the entries, and does anybody act on them?

A scripted seat is asked again without the notes at each decision of the last contest of a career, where most are told.
"""

from collections.abc import Iterator, Sequence

import msgspec

from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.replay_stream import exchanges_of
from agzamov_verify.experiment import Match
from agzamov_verify.games.game import StreamPlan
from agzamov_verify.games.page import PROFILE
from agzamov_verify.games.registry import GAMES
from agzamov_verify.memory.career_memory import within
from agzamov_verify.questions import Chat, Hits, Reply, Search
from agzamov_verify.streams import streams_of
from agzamov_verify.systems import MemorySystem
from agzamov_verify.xray import forgotten

PERCENT_MAX = 2
"""Greatest difference between the told notes of a career and the entries in whose place they stand."""
OTHERS_PERCENT_MAX = 5
"""So many decisions may be others without the notes."""


class PlaceboCareer(msgspec.Struct, frozen=True):
    """Sums over the decisions of a career: number and bytes of notes shown and entries found; decisions asked again."""

    stream: str
    notes: int = 0
    entries: int = 0
    notes_bytes: int = 0
    entries_bytes: int = 0
    asked_again: int = 0
    others: int = 0

    def plus(self, **more: int) -> "PlaceboCareer":
        sums = {name: getattr(self, name) + value for name, value in more.items()}
        return msgspec.structs.replace(self, **sums)

    @property
    def is_balanced(self) -> bool:
        """True if as many notes as entries were shown, as long within PERCENT_MAX."""
        away = abs(self.notes_bytes - self.entries_bytes)
        return self.notes == self.entries and 100 * away <= PERCENT_MAX * self.entries_bytes

    @property
    def length_percent(self) -> float:
        """Bytes of the notes, of those of the entries."""
        return 100 * self.notes_bytes / self.entries_bytes if self.entries_bytes else 100


def placebo_careers(opened: Opened, match: Match) -> Iterator[PlaceboCareer]:
    """Every career of a placebo match."""
    for stream in streams_of(match):
        yield _career(opened, stream)


def _career(opened: Opened, stream: StreamPlan) -> PlaceboCareer:
    plan, game = opened.manifest.plan, GAMES[stream.match.game]
    system, seat = plan.systems[stream.match.condition.system], plan.seats[stream.match.measured]
    assert isinstance(system, MemorySystem)
    contests = stream.count // game.contest_results(plan.rules_of(game.name), len(stream.match.table))
    career = PlaceboCareer(stream.id)
    for search, hits, question, reply in _decisions(opened, stream):
        told = _profile(question).removeprefix(seat.briefing).lstrip("\n")
        replaced = within([hit.content for hit in hits.hits], system.limits)
        career = career.plus(
            notes=_count(told, game.donor_notes),
            entries=len(replaced),
            notes_bytes=len(told.encode()),
            entries_bytes=len("\n".join(replaced).encode()),
        )
        if told and search.number == contests and not seat.is_model:
            again = seat.reply_text(forgotten(question.messages, seat.briefing), question.seed)
            career = career.plus(asked_again=1, others=_last_line(again) != _last_line(reply.text))
    return career


def _decisions(opened: Opened, stream: StreamPlan) -> Iterator[tuple[Search, Hits, Chat, Reply]]:
    """Search, hits, first question and reply of each decision of seat A."""
    searched: tuple[Search, Hits] | None = None
    for question, answer in exchanges_of(opened, stream):
        match question, answer:
            case Search(), Hits():
                searched = question, answer
            case Chat(attempt=0), Reply() if searched and question.to == stream.match.measured:
                if question.turn == searched[0].turn:
                    yield *searched, question, answer
                searched = None


def _profile(question: Chat) -> str:
    return next((m.content.partition(PROFILE)[2] for m in question.messages if m.role == "user"), "")


def _count(told: str, notes: Sequence[str]) -> int:
    """The number of donor notes, one below the other, that a text consists of."""
    count = 0
    while told:
        note = max((note for note in notes if told.startswith(note)), key=len, default=told)
        told, count = told[len(note) :].removeprefix("\n"), count + 1
    return count


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]
