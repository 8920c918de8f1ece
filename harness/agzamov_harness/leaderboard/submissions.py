"""The submissions of a folder: each is verified here, and taken or refused with a reason. None vanishes.

A submission is a folder or plain tar directly below the leaderboard's folder, named by its submitter. The record holds
a line for each that was ever seen, so one that is taken away is still listed, as taken away:

    {"name":"ada-fts","outcome":"accepted","reason":"","run":"19d78c1cd1b44936","sha256":"…"}
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from agzamov_verify import canon
from agzamov_verify.bundle import PAYLOAD_FILE
from agzamov_verify.bundle_argument import no_bundle
from agzamov_verify.checks import Options, Verdict, verify
from agzamov_verify.checks.check_log import Status
from agzamov_verify.display.report import finding_line
from agzamov_verify.untrusted_input import HostileBundle, open_source, printable, sha256_of, show_name

from .policy import Policy

MIB = 2**20
GONE = "it was taken away: its bundle is no longer here"

Outcome = Literal["accepted", "refused"]


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the record. `sha256`: of the bundle's payload manifest, empty where it could not be read."""

    name: str
    outcome: Outcome
    reason: str
    run: str
    sha256: str


class Submission(NamedTuple):
    """One submission as it was found: its line of the record, who signed it, and what its check said if it is taken."""

    recorded: Recorded
    path: Path
    submitter: str
    verdict: Verdict | None


_decoder = msgspec.json.Decoder(Recorded)


def examined(folder: Path, policy: Policy, options: Options) -> Iterator[Submission]:
    """Every submission in the order of their names. The second of two bundles of one run is refused."""
    runs: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not (path.is_dir() or path.suffix == ".tar"):
            continue
        found = examine(path, policy, options)
        run, name = found.recorded.run, found.recorded.name
        if found.verdict and run in runs:
            reason = f"the run {run} is submitted already, as {runs[run]}"
            recorded = msgspec.structs.replace(found.recorded, outcome="refused", reason=reason)
            found = found._replace(recorded=recorded, verdict=None)
        elif found.verdict:
            runs[run] = name
        yield found


def examine(path: Path, policy: Policy, options: Options) -> Submission:
    """One submission: verified, and held to the policy."""
    name = printable(path.name)
    reason = no_bundle(path).removeprefix(f"{show_name(str(path))}: ") or _too_large(path, policy)
    if reason:
        return Submission(Recorded(name, "refused", printable(reason), "", ""), path, "", None)
    verdict = verify(path, options)
    submitter = next((who for who, key in policy.keys.items() if key == verdict.submitter), "")
    reason = _refused(verdict, policy, submitter)
    recorded = Recorded(name, "refused" if reason else "accepted", reason, printable(verdict.run), _digest(path))
    return Submission(recorded, path, submitter, None if reason else verdict)


def _too_large(path: Path, policy: Policy) -> str:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file() and not file.is_symlink()]
    size = sum(file.lstat().st_size for file in files)
    if size <= policy.bundle_mib_max * MIB:
        return ""
    return f"expected at most {policy.bundle_mib_max} MiB, found {size / MIB:,.0f} MiB; publish it elsewhere"


def _refused(verdict: Verdict, policy: Policy, submitter: str) -> str:
    """Why a bundle is not ranked; empty where it is."""
    if verdict.failed:
        return finding_line(verdict.findings[0]) if verdict.findings else "a check failed"
    if not submitter:
        return f"signed by key {verdict.submitter[:16]}, which the policy does not name"
    if verdict.level < policy.level:
        missing = ", ".join(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
        return f"level {verdict.level}, {policy.level} required; not checked: {missing}"
    if verdict.results and verdict.results.departures and not policy.departures:
        count = len(verdict.results.departures)
        return f"its plan departs from {verdict.results.protocol} in {count} places: {verdict.results.departures[0]}"
    return ""


def _digest(path: Path) -> str:
    try:
        return sha256_of(open_source(path), PAYLOAD_FILE)
    except (HostileBundle, KeyError, OSError):
        return ""


# --- the record ----------------------------------------------------------------------------------


def read_record(path: Path) -> dict[str, Recorded]:
    """The record by name; empty where there is none yet. Raises msgspec.MsgspecError."""
    record: dict[str, Recorded] = {}
    if path.exists():
        for line in path.read_bytes().splitlines():
            entry = _decoder.decode(line)
            record[entry.name] = entry
    return record


def joined(record: Mapping[str, Recorded], found: list[Submission]) -> dict[str, Recorded]:
    """The record with what was found now. A submission that is gone keeps its line, as taken away."""
    present = {submission.recorded.name: submission.recorded for submission in found}
    gone = {
        name: msgspec.structs.replace(entry, outcome="refused", reason=GONE)
        for name, entry in record.items()
        if name not in present
    }
    return dict(sorted({**gone, **present}.items()))


def record_bytes(record: Mapping[str, Recorded]) -> bytes:
    """The record as a file."""
    return b"".join(canon.dumps(entry) + b"\n" for entry in record.values())


def newly_refused(before: Mapping[str, Recorded], now: Mapping[str, Recorded]) -> list[Recorded]:
    """The submissions that are refused and were not before."""
    return [entry for name, entry in now.items() if entry.outcome == "refused" and before.get(name) != entry]
