"""The record of a leaderboard: a line for every bundle that was ever submitted, and what became of it.

It lies beside the bundles, and the maintainers commit it with each build.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from agzamov_verify.commands.bundle_argument import LEADERBOARD_RECORD
from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ManifestError

RECORD: Final = LEADERBOARD_RECORD


class SubmissionOutcome(StrEnum):
    """Outcome of a submission."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class SubmissionEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line. `present`: the bundle is still there. `submitter`: the id of the key that signed it.

    `measured`: a digest of what the run measured (`pipeline.measured`), the same when it is packed again. `run`,
    `sha256`, `submitter` and `measured` are empty where they could not be read, and `measured` in lines of 0.3.0.
    """

    name: str
    outcome: SubmissionOutcome
    reason: str
    run: str
    sha256: str
    present: bool = True
    submitter: str = ""
    measured: str = ""

    @property
    def bundle(self) -> tuple[str, str, str]:
        """Identity of the bundle."""
        return self.name, self.run, self.sha256

    @property
    def content(self) -> tuple[str, str]:
        """What is the same under whatever name."""
        return self.run, self.sha256

    def is_measured_otherwise(self, other: "SubmissionEntry") -> bool:
        """Whether two bundles of one run hold another record of it: it can be played more than once."""
        return self.sha256 != other.sha256 and (not self.measured or self.measured != other.measured)


_decoder = msgspec.json.Decoder(SubmissionEntry)


def read_record(folder: Path) -> list[SubmissionEntry]:
    """The record of a folder; empty where there is none yet. Raises ManifestError."""
    path = folder / RECORD
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ManifestError(f"{path}: expected a regular file")
    lines = path.read_bytes().splitlines() if path.exists() else []
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(_decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ManifestError(f"{path} line {number}: {error}; take the record back from version control") from error
    return entries


def joined(before: Sequence[SubmissionEntry], now: Iterable[SubmissionEntry]) -> list[SubmissionEntry]:
    """The record with this build's entries: known bundles, renamed or not, in their old places; new ones last.

    That a bundle was accepted is kept whatever becomes of it: one that is refused now has an entry of its own.
    """
    found, known = {entry.bundle: entry for entry in now}, {entry.bundle for entry in before}
    renamed = {entry.content: bundle for bundle, entry in found.items() if entry.run and bundle not in known}
    record = [replace(entry, present=False) for entry in before]
    by_presence = sorted(range(len(before)), key=lambda at: not before[at].present)  # those that were there come first
    for is_same_outcome, at in product((True, False), by_presence):
        old = before[at]
        for new in filter(None, map(found.get, (old.bundle, renamed.get(old.content, old.bundle)))):
            if not record[at].present and _follows(new, old, is_same_outcome=is_same_outcome):
                record[at] = found.pop(new.bundle)
    return [*record, *found.values()]


def _follows(new: SubmissionEntry, old: SubmissionEntry, *, is_same_outcome: bool) -> bool:
    """Whether an entry takes the place of an older one: with the same outcome, or accepted now and refused then."""
    if is_same_outcome:
        return new.outcome is old.outcome
    return (old.outcome, new.outcome) == (SubmissionOutcome.REFUSED, SubmissionOutcome.ACCEPTED)


def write_record(folder: Path, entries: Iterable[SubmissionEntry]) -> None:
    """Write the record whole or not at all. A link in its place is replaced, never followed."""
    descriptor, name = tempfile.mkstemp(prefix=".record.", dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(canon.dumps(entry) + b"\n" for entry in entries)
    Path(name).chmod(0o644)
    Path(name).replace(folder / RECORD)


def taken_away(entries: Sequence[SubmissionEntry], withdrawn: Collection[str] = ()) -> Counter[str]:
    """By key, the runs that were accepted once and are not here any more, but for those that were to be withdrawn."""
    accepted = [entry for entry in entries if entry.outcome is SubmissionOutcome.ACCEPTED]
    here = {entry.run: entry for entry in accepted if entry.present}
    gone = {
        (entry.submitter, entry.run)
        for entry in accepted
        if not entry.present
        and entry.run not in withdrawn
        and (entry.run not in here or here[entry.run].is_measured_otherwise(entry))
    }
    return Counter(submitter for submitter, _ in gone)


def worse(before: Sequence[SubmissionEntry], now: Sequence[SubmissionEntry]) -> list[SubmissionEntry]:
    """Entries that are refused, or no longer there, and were not so before."""
    known = {(entry.bundle, entry.outcome, entry.present) for entry in before}
    here = {entry.bundle for entry in now if entry.present}
    bad = [
        entry
        for entry in now
        if (entry.outcome is SubmissionOutcome.REFUSED if entry.present else entry.bundle not in here)
    ]
    return [entry for entry in bad if (entry.bundle, entry.outcome, entry.present) not in known]
