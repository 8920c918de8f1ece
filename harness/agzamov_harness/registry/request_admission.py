"""Requests to a log: why one counts for nothing, and the entry and proof of one that is in it.

A log takes whatever is signed. A keeper refuses what `registrations` would ignore or hold against its own study, while
the submitter can still mend it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.registration.accounting import ledger_of
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.log_entry import Read, Registered, read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog
from agzamov_verify.transparency_log.signed_note import BadNote

from . import log_writer

DAY_S: Final = 86_400
DEADLINE_MAX_S: Final = 366 * DAY_S
"""What a trust policy takes if it says nothing else."""


def reads_of(entries: Iterable[bytes]) -> list[tuple[int, Read | str]]:
    """Every entry by its number, read, or why it cannot be."""
    reads = list[tuple[int, Read | str]]()
    for number, data in enumerate(entries):
        try:
            reads.append((number, read_entry(data)))
        except BadNote as error:
            reads.append((number, str(error)))
    return reads


class Queue:
    """The entries of a log, each read once, and behind them the requests that are to be appended."""

    def __init__(self, known: Iterable[bytes]) -> None:
        entries = list(known)
        self.numbers = {entry: number for number, entry in enumerate(entries)}
        self._reads = reads_of(entries)

    def add(self, entry: bytes, now_s: int, *, is_strict: bool = True) -> None:
        """Take a request. Raises BadNote, with the reason, for one that is not signed or is there already.

        If `is_strict`, also for one that would count for nothing.
        """
        read = read_entry(entry)
        if entry in self.numbers:
            raise BadNote("a request that is not in the log yet", "one that is")
        if is_strict:
            self._require_admissible(read, now_s)
        self.numbers[entry] = len(self._reads)
        self._reads.append((len(self._reads), read))

    def _require_admissible(self, read: Read, now_s: int) -> None:
        if isinstance(read.entry, Registered):
            _require_time(read.entry, now_s)
        reads, size = self._reads, len(self._reads)
        before, after = (ledger_of(some, now_s, DEADLINE_MAX_S) for some in (reads, [*reads, (size, read)]))
        if why := dict(after.ignored).get(size):
            raise BadNote("a request that counts for something", why)
        if isinstance(read.entry, Registered):
            studies = (ledger.of(read.key_id, read.entry.study) for ledger in (before, after))
            old, new = (list(study.problems) if study else [] for study in studies)
            for problem in new:
                if problem not in old:
                    raise BadNote("a registration as its study promised", problem)


def _require_time(entry: Registered, now_s: int) -> None:
    if not now_s < entry.deadline_s <= now_s + DEADLINE_MAX_S:
        raise BadNote(f"a deadline within {DEADLINE_MAX_S // DAY_S} days from now", day_of(entry.deadline_s))
    if entry.chain == "quicknet":
        require_to_come(entry.round, now_s)
        require_seen(entry.seen_round, now_s)


def require_to_come(number: int, now_s: int) -> None:
    """Raises BadNote for a round of quicknet that is out: a registration after it proves nothing."""
    out_s = QUICKNET.time_s(number)
    if out_s <= now_s:
        later = QUICKNET.round_after(now_s + DAY_S)
        out = f"round {number}, out since {day_of(out_s)}"
        raise BadNote(f"a beacon round that is not out yet (in a day it will be {later})", out)


def require_seen(number: int, now_s: int) -> None:
    """Raises BadNote for a round of quicknet, not 0, that nobody can have seen: V2 refuses such an entry."""
    out_s = QUICKNET.time_s(number)
    if number and out_s > now_s:
        raise BadNote("a round that was seen, so is out", f"round {number}, out at {day_of(out_s)}")


def day_of(time_s: int) -> str:
    """A time in POSIX seconds for a person, in UTC."""
    try:
        return f"{datetime.fromtimestamp(time_s, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{time_s} s"


def number_of(log: FolderLog, entry: bytes) -> int | None:
    """The number of an entry in a log, None if it is not in it. Raises BadNote for a damaged log."""
    return {data: number for number, data in enumerate(log.entries())}.get(entry)


def logged(folder: Path, entry: bytes, key: Ed25519PrivateKey, now_s: int) -> int:
    """The number of an entry that is in the log from now on. Raises BadNote for a new one that counts for nothing."""
    with log_writer.locked(folder):
        log = FolderLog(folder)
        number = number_of(log, entry)
        if number is not None:
            return number
        Queue(log.entries()).add(entry, now_s)
        return log_writer.append(folder, [entry], key).size - 1
