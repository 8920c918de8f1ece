"""The log of executions: each start and stop of a run, with the journals' lengths and digests at that moment.

    {"event":"start","execution":0,"prev":"00…","streams":{}}
    {"entries":74,"event":"finished","execution":0,"head":"5e…","prev":"9a…","stream":"p1-chess960-naked-a-b00000"}
    {"event":"stop","execution":0,"outcome":"stopped","prev":"c3…","streams":{"p1-…-b00001":{"entries":12,"head":"71…"}}}

One canonical JSON line for each event, and each line names the SHA-256 of the line before. `streams` holds the journals
that changed since the last line that named them: how many entries, and the digest of the last one. So the log says what
every journal held at each start and stop. A journal never loses an entry: answers that were thrown away and asked again
contradict the log. An execution without a stop was killed, and what it recorded after its last line is not covered.
The log is attested: its owner can write another one, but not by only deleting journals.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from . import canon
from .journal import GENESIS, line_digest

LOG_BYTES_MAX = 2**26
Digest: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Entries: TypeAlias = Annotated[int, Meta(ge=1, le=canon.INTEGER_MAX)]
Execution: TypeAlias = Annotated[int, Meta(ge=0, le=canon.INTEGER_MAX)]


class ExecutionOutcome(StrEnum):
    """The end of an execution that could still record it."""

    DONE = "done"
    STOPPED = "stopped"


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a stream's journal: its number of entries, and the SHA-256 of its last line."""

    entries: Entries
    head: Digest


class Start(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="start"):
    """An execution starts. `streams`: journals that are not as the log last named them."""

    execution: Execution
    prev: Digest
    streams: dict[str, Head]


class Finished(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="finished"):
    """A stream was played to its end."""

    entries: Entries
    execution: Execution
    head: Digest
    prev: Digest
    stream: str


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="stop"):
    """An execution stops. `streams`: journals that are not as the log last named them."""

    execution: Execution
    outcome: ExecutionOutcome
    prev: Digest
    streams: dict[str, Head]


Event: TypeAlias = Start | Finished | Stop


class BrokenLog(ValueError):
    """A line of the log that does not fit its place."""

    def __init__(self, line: int, expected: str, found: str) -> None:
        super().__init__(f"line {line}: expected {expected}, found {found}")
        self.line, self.expected, self.found = line, expected, found


class ExecutionSummary(NamedTuple):
    """A log in short: the number of executions, and of those that ended without a stop (killed, or a power cut)."""

    executions: int
    without_stop: int
    done: bool

    def __str__(self) -> str:
        times = "1 execution" if self.executions == 1 else f"{self.executions} executions"
        if not self.without_stop:
            return times
        return f"{times}, {self.without_stop} cut off: what they recorded last is not covered by the log"


class ExecutionHistory:
    """The content of a log, read line by line: the chain of its lines, and every head of every stream.

    `heads` has the last one of each stream, `marks` all of them by stream and number of entries.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.prev = GENESIS
        self.execution = -1
        self.running = False
        self.outcome: ExecutionOutcome | None = None
        self.without_stop = 0
        self.heads: dict[str, Head] = {}
        self.marks: dict[str, dict[int, str]] = {}

    @property
    def summary(self) -> ExecutionSummary:
        killed = self.without_stop + self.running
        return ExecutionSummary(self.execution + 1, killed, not self.running and self.outcome is ExecutionOutcome.DONE)

    def read_all(self, data: bytes) -> None:
        """Take every line of a whole log. Raises BrokenLog at the first that breaks a rule."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self.read(line)
        if rest:
            raise self._broken("a line feed at the end", f"{len(rest)} bytes without one")

    def read(self, line: bytes) -> None:
        """Take one line. Raises BrokenLog."""
        try:
            event: Event = canon.loads_as(line, Event)  # type: ignore[arg-type] # msgspec reads unions of structs too
        except canon.NotCanonical as error:
            raise self._broken("an event in canonical JSON", str(error)) from error
        if event.prev != self.prev:
            raise self._broken(f"prev {self.prev[:16]}", f"prev {event.prev[:16]}")
        self._in_order(event)
        for stream, head in _named(event):
            self._take(stream, head)
        self.prev = line_digest(line)
        self.lines += 1

    def _in_order(self, event: Event) -> None:
        if isinstance(event, Start):
            if event.execution != self.execution + 1:
                raise self._broken(f"the start of execution {self.execution + 1}", f"that of {event.execution}")
            self.without_stop += self.running
            self.execution, self.running = event.execution, True
            return
        if not self.running or event.execution != self.execution:
            expected = f"an event of execution {self.execution}" if self.running else "the start of an execution"
            raise self._broken(expected, f"an event of execution {event.execution}")
        if isinstance(event, Stop):
            self.running, self.outcome = False, event.outcome

    def _take(self, stream: str, head: Head) -> None:
        known = self.heads.get(stream)
        if known and head.entries <= known.entries:
            raise self._broken(f"more than the {known.entries} entries of {stream} before", f"{head.entries} entries")
        self.heads[stream] = head
        self.marks.setdefault(stream, {})[head.entries] = head.head

    def _broken(self, expected: str, found: str) -> BrokenLog:
        return BrokenLog(self.lines, expected, found)


def encoded(event: Event) -> bytes:
    """The line of `event`, without its line feed."""
    return canon.dumps(event)


def _named(event: Event) -> Iterator[tuple[str, Head]]:
    if isinstance(event, Finished):
        yield event.stream, Head(event.entries, event.head)
    else:
        yield from event.streams.items()
