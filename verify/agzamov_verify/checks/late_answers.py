"""Answers to people that came later than their hold, so that the machine's own time showed, in each arm of a study.

A hold is drawn from the seed, so anybody can draw it again; how long machine, tools and memory took stands in the calls
beside the journal, which are attested. An answer is late if these calls together took longer than its hold.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from ..bundle import calls_name
from ..core.dice import Dice
from ..core.journal import Chain, Entry
from ..core.limits import CALL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
from ..core.seat_letters import survey_name
from ..core.untrusted_input import gzip_lines
from ..experiment.people_settings import Hold
from ..plan.people_study import PERSON, people_of, settings_of
from ..plan.streams import streams_of
from ..plan.study_hold import hold_s
from ..scoring.call_records import CallRecord, decode
from ..table.decision import FIRST_ATTEMPT
from ..table.game import StreamPlan
from .opened_bundle import Opened
from .replay_stream import journal_lines

MICROSECONDS_PER_S: Final = 1_000_000
CHAT: Final = "chat"


class LateAnswers(msgspec.Struct, frozen=True):
    """Positions shown to people in one sub-phase, and how many of them came later than their hold."""

    sub_phase: str
    positions: int
    late: int


def late_answers(opened: Opened) -> Iterator[LateAnswers]:
    """The late answers in each arm of a study with a hold; of another bundle none. For a bundle that was replayed."""
    plan = opened.manifest.plan
    people = people_of(plan)
    hold = settings_of(plan).hold if people else None
    if hold is None:
        return
    counts = dict[str, list[int]]()
    for person in people:
        for sub_phase, match in person.matches.items():
            count = counts.setdefault(sub_phase.value, [0, 0])
            for stream in streams_of(match):
                for is_late in lateness(
                    _entries(opened, stream), _calls(opened, stream), person.name, hold, opened.dice
                ):
                    count[0] += 1
                    count[1] += is_late
    for name, (positions, late) in sorted(counts.items()):
        yield LateAnswers(name, positions, late)


def lateness(
    entries: Iterable[Entry], calls: Iterable[CallRecord], person: str, hold: Hold, dice: Dice
) -> Iterator[bool]:
    """Of each position that a person was shown in a stream, whether it came later than its hold."""
    taken_us = 0
    for entry, call in zip(entries, calls, strict=True):
        asked = entry.question
        if asked.to == survey_name(PERSON):
            taken_us = 0
        elif asked.to != person:
            taken_us += call.us
        else:
            if asked.ask == CHAT and asked.attempt == FIRST_ATTEMPT:
                yield taken_us > hold_s(hold, dice, asked) * MICROSECONDS_PER_S
            taken_us = 0


def _entries(opened: Opened, stream: StreamPlan) -> Iterator[Entry]:
    lines = journal_lines(opened.source, opened.digests, stream.id)
    return Chain(opened.manifest.run_id, stream.id).read_all(lines)


def _calls(opened: Opened, stream: StreamPlan) -> Iterator[CallRecord]:
    name = calls_name(stream.id)
    limits = CALL_LINE_BYTES_MAX, JOURNAL_SEGMENT_BYTES_MAX
    return map(decode, gzip_lines(opened.source, name, opened.digests[name], *limits))
