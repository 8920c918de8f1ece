"""Attributes of a call that differ between honest repetitions: when it was made and how long it took, the server's id
and fingerprint of it.

Attested by the submitter, never recomputed. A stream's file of calls holds one line for each journal entry, in the
same order and of the same seat, so that the journal itself holds no clock and no server's random id, and two runs of
one deterministic manifest have the same journals to the byte:

    {"at":1795000000,"fingerprint":"fp_1","id":"chatcmpl-7","to":"agent","us":1234}
    {"to":"engine","us":80}
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from ..core.journal import Entry
from ..core.questions import Reply
from ..experiment.plan_fields import Name
from ..plan.manifest import Plan
from ..plan.streams import observations_planned
from .inference.exact import Figure, figure
from .play_times import ComparedTimes, compared_times, together

FORMAT: Literal["agz-calls-1"] = "agz-calls-1"
WORD_CHARACTERS_MAX = 300
SERVED_MAX = 20
SECOND_MAX = 253_402_300_799
"""The end of the year 9999, the last that dates are written of."""

Word = Annotated[str, Meta(max_length=WORD_CHARACTERS_MAX)]


class CallRecord(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One answered call: who answered, its microseconds, and the server's id and fingerprint.

    `at`: the second of the Unix clock at which it was made, left out where that is the second of the call before.
    """

    at: Annotated[int, Meta(ge=0, le=SECOND_MAX)] = 0
    fingerprint: Word = ""
    id: Word = ""
    to: Name
    us: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class Answered(NamedTuple):
    """Addressee and model in the journal entry that a line of the file of calls belongs to."""

    to: str
    model: str


class BadCalls(ValueError):
    """A file of calls does not fit its journal."""

    def __init__(self, line: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}: expected {expected}, found {found}")
        self.line, self.expected, self.found = line, expected, found


class SeatLog(msgspec.Struct):
    """The calls of one seat as they are gathered. Ids are kept as the first 64 bits of their SHA-256."""

    us: list[int] = msgspec.field(default_factory=list)
    seconds: Counter[int] = msgspec.field(default_factory=Counter)
    with_id: int = 0
    ids: set[int] = msgspec.field(default_factory=set)
    served: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)

    def take(self, record: CallRecord, model: str, second: int) -> None:
        """Note one call, made at a second of the clock; 0 where that is not known."""
        self.us.append(record.us)
        if second:
            self.seconds[second] += 1
        if record.id:
            self.with_id += 1
            self.ids.add(int.from_bytes(hashlib.sha256(record.id.encode()).digest()[:8]))
        if model or record.fingerprint:
            self.served[model, record.fingerprint] += 1

    def add(self, other: "SeatLog") -> None:
        """Note the calls of another stream."""
        self.us += other.us
        self.seconds.update(other.seconds)
        self.with_id += other.with_id
        self.ids |= other.ids
        self.served.update(other.served)


class Served(msgspec.Struct, frozen=True):
    """A model's name and a system fingerprint as the server reported them, and in how many answers."""

    model: str
    fingerprint: str
    answers: int


class SeatCalls(msgspec.Struct, frozen=True):
    """The calls of one seat or of the engine in one match.

    `answers_with_id` of the answers had a completion id, `ids` of these are distinct. `served` holds at most 20 of the
    `served_distinct` pairs of model and fingerprint: first the most frequent of each model, so that none hides behind
    many fingerprints of another, then the most frequent of the rest. Names and fingerprints are counted before the cut.
    """

    answers: int
    answers_with_id: int
    ids: int
    served: tuple[Served, ...]
    served_distinct: int
    models_distinct: int
    fingerprints_distinct: int
    mean_ms: Figure
    median_ms: Figure
    p95_ms: Figure
    total_s: Figure


class CallTable(msgspec.Struct, frozen=True):
    """data/results/calls.json: the calls of a run by match and by who answered, and when compared arms were played."""

    format: Literal["agz-calls-1"]
    matches: dict[str, dict[str, SeatCalls]]
    times: tuple[ComparedTimes, ...]


_decoder = msgspec.json.Decoder(CallRecord)
_encoder = msgspec.json.Encoder()


def encode(record: CallRecord) -> bytes:
    """The line of a record, without its line feed."""
    return _encoder.encode(record)


def decode(line: bytes) -> CallRecord:
    """The record of a line. Raises msgspec.MsgspecError, or ValueError for another spelling of it."""
    record = _decoder.decode(line)
    if encode(record) != line:
        raise ValueError("another spelling of a call than the canonical one")
    return record


def answered(entry: Entry) -> Answered:
    """Addressee and model of an entry; the model is empty where the answer is no reply."""
    return _answered(entry.question.to, entry.answer.model if isinstance(entry.answer, Reply) else "")


_answered = lru_cache(maxsize=2**10)(Answered)
"""A stream has few different ones, and one for each line."""


def gather(lines: Iterable[bytes], answers: Sequence[Answered]) -> dict[str, SeatLog]:
    """The calls of a stream by who answered, line by line with its journal. Raises BadCalls."""
    logs: dict[str, SeatLog] = {}
    number = second = 0
    for number, line in enumerate(lines, 1):
        if number > len(answers):
            raise BadCalls(number, f"the end after {len(answers)} lines, one for each entry", "more")
        record, answer = _record(number, line), answers[number - 1]
        if record.to != answer.to:
            raise BadCalls(number, f"a call to {answer.to}, as entry {number - 1} has it", f"one to {record.to}")
        second = record.at or second
        log = logs.get(record.to)
        if log is None:
            log = logs[record.to] = SeatLog()
        log.take(record, answer.model, second)
    if number < len(answers):
        raise BadCalls(number + 1, f"{len(answers)} lines, one for each entry", f"the end after {number}")
    return logs


def _record(number: int, line: bytes) -> CallRecord:
    try:
        return decode(line)
    except (msgspec.MsgspecError, ValueError) as error:
        raise BadCalls(number, "a call", str(error)) from error


def merge(into: dict[str, SeatLog], logs: Mapping[str, SeatLog]) -> None:
    """Add the calls of one more stream."""
    for to, log in logs.items():
        into.setdefault(to, SeatLog()).add(log)


def call_table(logs: Mapping[str, Mapping[str, SeatLog]], plan: Plan | None = None) -> CallTable:
    """The table of calls from the logs by match and addressee; with the times of the arms of a plan."""
    seconds = {name: together(log.seconds for log in seats.values()) for name, seats in logs.items()}
    return CallTable(
        FORMAT,
        {match: {to: _seat(log) for to, log in sorted(seats.items())} for match, seats in logs.items()},
        tuple(compared_times(plan.matches, seconds, partial(observations_planned, plan=plan))) if plan else (),
    )


def _seat(log: SeatLog) -> SeatCalls:
    ordered, n = sorted(log.us), len(log.us)
    median = Fraction(ordered[(n - 1) // 2] + ordered[n // 2], 2)
    listed = _listed(log.served)
    return SeatCalls(
        n,
        log.with_id,
        len(log.ids),
        tuple(Served(model, fingerprint, log.served[model, fingerprint]) for model, fingerprint in listed),
        len(log.served),
        len({model for model, _ in log.served if model}),
        len({fingerprint for _, fingerprint in log.served if fingerprint}),
        figure(Fraction(sum(log.us), 1000 * n)),
        figure(median / 1000),
        figure(Fraction(ordered[(95 * n + 99) // 100 - 1], 1000)),
        figure(Fraction(sum(log.us), 1_000_000)),
    )


def _listed(served: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs that a table lists, most frequent first. Every model has its first pair before any has its second."""

    def rank(pair: tuple[str, str]) -> tuple[int, tuple[str, str]]:
        return -served[pair], pair

    ordered, first = sorted(served, key=rank), dict[str, tuple[str, str]]()
    for pair in ordered:
        first.setdefault(pair[0], pair)
    return sorted(list(dict.fromkeys((*first.values(), *ordered)))[:SERVED_MAX], key=rank)
