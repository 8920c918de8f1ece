"""The submissions of a folder: each is verified here, and taken or refused with a reason.

A submission is a folder or plain tar directly below the leaderboard's folder, with a plain name. What is cheap to know
(its size, who signed it, whether its run was submitted before) is looked at first, so that a stranger's bundle is not
replayed. Files whose names begin with a dot are left alone.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_verify.bundle_argument import no_bundle
from agzamov_verify.checks import Options, Verdict, verify
from agzamov_verify.checks.check_log import CheckLog, Status, StepFailed
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.display.report import finding_line
from agzamov_verify.scoring.compliance import departures
from agzamov_verify.untrusted_input import HostileBundle, open_source, printable, show_name

from .policy import Policy
from .record import RECORD, Entry, Outcome, payload_digest

MIB: Final = 2**20
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Refused(Exception):
    """A submission that is not taken, with the reason."""


class Submission(NamedTuple):
    """One submission: its entry of the record; if it is taken, its bundle, who signed it, and what its check said."""

    entry: Entry
    path: Path
    taken: "Taken | None" = None


class Taken(NamedTuple):
    """A submission that holds."""

    opened: Opened
    submitter: str
    verdict: Verdict


def examined(
    folder: Path, policy: Policy, options: Options, accepted_before: Mapping[str, str]
) -> Iterator[Submission]:
    """Every submission; of two bundles of one run the one that was accepted before, else the first by name.

    `accepted_before`: by run, the name under which the record has it as accepted and present.
    """
    paths = [path for path in folder.iterdir() if not path.name.startswith(".") and path.name != RECORD]
    known = set(accepted_before.values())
    runs: dict[str, str] = {}
    for path in sorted(paths, key=lambda path: (path.name not in known, path.name)):
        found = examine(path, policy, options, runs)
        if found.taken:
            runs[found.entry.run] = found.entry.name
        yield found


def examine(path: Path, policy: Policy, options: Options, runs: Mapping[str, str]) -> Submission:
    """One submission: held to the policy, and verified. `runs`: those that are taken already, with their names."""
    name, run, digest = printable(path.name), "", ""
    try:
        _require_plain(path)
        _require_small(path, policy)
        opened = _opened(path)
        run, digest = opened.manifest.run_id, payload_digest(opened.source)
        submitter = _allowed(opened, policy, runs)
        verdict = verify(path, options)
        _require_level(verdict, policy)
    except Refused as refusal:
        return Submission(Entry(name, Outcome.REFUSED, str(refusal), run, digest), path)
    except (OSError, RecursionError, MemoryError) as error:
        reason = f"it could not be read: {printable(str(error)) or type(error).__name__}"
        return Submission(Entry(name, Outcome.REFUSED, reason, run, digest), path)
    return Submission(Entry(name, Outcome.ACCEPTED, "", run, digest), path, Taken(opened, submitter, verdict))


def _require_plain(path: Path) -> None:
    """Raises Refused for a link, an odd name, or a file that is plainly no bundle."""
    if not PLAIN.fullmatch(path.name):
        raise Refused("expected a name of letters, digits, dots, underscores and hyphens")
    if path.is_symlink():
        raise Refused("expected a folder or a plain tar file, found a symbolic link")
    if why := no_bundle(path):
        raise Refused(printable(why.removeprefix(f"{show_name(str(path))}: ")))


def _require_small(path: Path, policy: Policy) -> None:
    """Raises Refused for a bundle that is too large, or whose files are not plain."""
    try:
        size = sum(open_source(path).sizes.values())
    except HostileBundle as error:
        raise Refused(f"step 1 {show_name(str(error))}") from error
    if size > policy.bundle_mib_max * MIB:
        raise Refused(f"expected at most {policy.bundle_mib_max} MiB, found {size / MIB:,.0f} MiB")


def _allowed(opened: Opened, policy: Policy, runs: Mapping[str, str]) -> str:
    """The submitter, checked before anything is replayed. Raises Refused."""
    submitter = next((who for who, key in policy.keys.items() if key == opened.submitter), "")
    if not submitter:
        raise Refused(f"signed by key {opened.submitter[:16]}, which the policy does not name")
    run = opened.manifest.run_id
    if run in runs:
        raise Refused(f"the run {run} is submitted already, as {runs[run]}")
    places = departures(opened.manifest.plan)
    if places and not policy.departures:
        raise Refused(f"its plan departs from {opened.manifest.plan.protocol} in {len(places)} places: {places[0]}")
    return submitter


def _opened(path: Path) -> Opened:
    log = CheckLog()
    try:
        return open_bundle(path, log)
    except StepFailed as error:
        raise Refused(finding_line(log.findings[0])) from error


def _require_level(verdict: Verdict, policy: Policy) -> None:
    if verdict.failed:
        raise Refused(finding_line(verdict.findings[0]) if verdict.findings else "a check failed")
    missing = ", ".join(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
    if verdict.results is None or verdict.analysis is None:
        raise Refused(f"its figures could not be computed within the limits of this check; not checked: {missing}")
    if verdict.level < policy.level:
        raise Refused(f"level {verdict.level}, {policy.level} required; not checked: {missing}")
