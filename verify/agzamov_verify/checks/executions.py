"""Step 14: the log of executions fits the journals: none of them ever lost an entry between two executions.

The log is read before the journals, whose replay compares the digest of every entry that the log names.
"""

from collections.abc import Iterable, Iterator

import msgspec

from .. import bundle
from ..core.execution_log import LOG_BYTES_MAX, BrokenLog, ExecutionHistory, Head
from ..core.journal import StreamRow
from ..core.untrusted_input import HostileBundle
from .check_log import CheckLog, Finding, Number
from .opened_bundle import Opened, read_payload


class LoggedExecutions(msgspec.Struct, frozen=True):
    """The valid part of a bundle's log of executions, and its defects."""

    history: ExecutionHistory
    findings: list[Finding]


def read_executions(opened: Opened) -> LoggedExecutions:
    """The log of the bundle. A defect is a finding, never an exception."""
    logged = LoggedExecutions(ExecutionHistory(), [])
    try:
        logged.history.read_all(read_payload(opened.source, opened.digests, bundle.EXECUTIONS_FILE, LOG_BYTES_MAX))
    except HostileBundle as error:
        logged.findings.append(_finding(error.place, error.expected, error.found))
    except BrokenLog as error:
        logged.findings.append(_finding(f"{bundle.EXECUTIONS_FILE} line {error.line}", error.expected, error.found))
    return logged


def check_executions(logged: LoggedExecutions, rows: Iterable[StreamRow], log: CheckLog) -> None:
    """Take step 14: the log's last digest of every stream is the bundle's. Raises StepFailed."""
    history = logged.history
    log.remark(Number.EXECUTIONS, str(history.summary))
    with log.step(Number.EXECUTIONS):
        log.take(logged.findings)
        if not history.summary.done:
            log.add(Number.EXECUTIONS, bundle.EXECUTIONS_FILE, "a last execution that was done", "another end")
        heads = {row.stream: Head(row.entries, row.head) for row in rows if row.entries}
        for stream in sorted(heads.keys() | history.heads.keys()):
            place, expected = f"{bundle.EXECUTIONS_FILE} {stream}", _shown(history.heads.get(stream))
            log.same(Number.EXECUTIONS, place, expected, _shown(heads.get(stream)))


def execution_warnings(history: ExecutionHistory) -> Iterator[str]:
    """The warning about a run that was killed at some time: one sentence, or none."""
    executions, killed, _ = history.summary
    if killed:
        were = "execution was" if executions == 1 else "executions were"
        last = "its last record" if killed == 1 else "their last record"
        yield (
            f"{killed} of {executions} {were} cut off (killed, or a power cut): answers given since {last}"
            " could have been dropped"
        )


def _finding(place: str, expected: str, found: str) -> Finding:
    return Finding(Number.EXECUTIONS, place, expected, found)


def _shown(head: Head | None) -> str:
    return f"{head.entries} entries, the last {head.head[:16]}" if head else "no entries"
