"""The record of a leaderboard: a line for every bundle that was ever submitted. No line ever leaves it.

    {"name":"ada-fts","outcome":"accepted","present":true,"reason":"","run":"19d78c1cd1b44936","sha256":"…"}

A bundle is known by its submission's name, its run and the digest of its payload manifest. One that is taken away, or
replaced under its name, keeps its line, and its outcome, as no longer present.
"""

import os
import tempfile
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from agzamov_verify import canon
from agzamov_verify.bundle import PAYLOAD_FILE
from agzamov_verify.manifest import ManifestError
from agzamov_verify.untrusted_input import Source, sha256_of

RECORD: Final = "record.jsonl"


class Outcome(StrEnum):
    """Outcome of a submission."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line. `run` and `sha256` are empty where they could not be read; `present`: the bundle is still there."""

    name: str
    outcome: Outcome
    reason: str
    run: str
    sha256: str
    present: bool = True

    @property
    def bundle(self) -> tuple[str, str, str]:
        """Identity of the bundle."""
        return self.name, self.run, self.sha256


_decoder = msgspec.json.Decoder(Entry)


def payload_digest(source: Source) -> str:
    """SHA-256 of a bundle's payload manifest, which names every file of it."""
    return sha256_of(source, PAYLOAD_FILE)


def read_record(folder: Path) -> list[Entry]:
    """The record of a folder; empty where there is none yet. Raises ManifestError."""
    path = folder / RECORD
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise ManifestError(f"{path}: expected a regular file")
    lines = path.read_bytes().splitlines() if path.exists() else []
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(_decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise ManifestError(f"{path} line {number}: {error}; take the record back from version control") from error
    return entries


def joined(before: Sequence[Entry], now: Iterable[Entry]) -> list[Entry]:
    """The record with this build's entries: known bundles in their old places, new ones behind them."""
    found = {entry.bundle: entry for entry in now}
    kept = [
        found.pop(entry.bundle) if entry.bundle in found else msgspec.structs.replace(entry, present=False)
        for entry in before
    ]
    return [*kept, *found.values()]


def write_record(folder: Path, entries: Iterable[Entry]) -> None:
    """Write the record whole or not at all. A link in its place is replaced, never followed."""
    descriptor, name = tempfile.mkstemp(prefix=".record.", dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(canon.dumps(entry) + b"\n" for entry in entries)
    Path(name).chmod(0o644)
    Path(name).replace(folder / RECORD)


def worse(before: Sequence[Entry], now: Sequence[Entry]) -> list[Entry]:
    """Entries that are refused, or no longer there, and were not so before."""
    known = {entry.bundle: entry for entry in before}

    def is_bad(entry: Entry | None) -> bool:
        return entry is not None and (entry.outcome is Outcome.REFUSED or not entry.present)

    return [entry for entry in now if is_bad(entry) and known.get(entry.bundle) != entry]
