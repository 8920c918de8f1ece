"""The submissions of a folder: each is verified here, and taken or refused with a reason by the leaderboard's policy.

A submission is a folder or plain tar directly below the leaderboard's folder, with a plain name. What is cheap to know
(its size, who signed it, whether its run was submitted before) is looked at first, so that a stranger's bundle is not
replayed. Files whose names begin with a dot are left alone. The policy is a YAML file of the maintainers:

title: Memory for agents
keys:                      # submitters by name: the id of each one's key, as `agzamov keygen` prints it
  ada: 5a09d04bf611e1c42a4a65ecace4b34c2b1bccfb8e0666bd9135ed5933c21adc
level: V1                  # the least level that is ranked
departures: false          # rank plans that depart from their protocol too
bundle_mib_max: 200
contenders_max: 10         # of one submitter on one board; those that come later have no rank
withdrawn: []              # accepted runs that you agreed to take away: of any other one its submitter has no rank
trust: {}                  # a trust policy as `verify --policy` reads it: with it and a log, rows show V2 or higher
"""

import os
import re
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from agzamov_verify.bundle import ENVELOPE_FILE, PAYLOAD_FILE
from agzamov_verify.checks.attestations_given import trust_about
from agzamov_verify.checks.check_log import CheckLog, Status, StepFailed
from agzamov_verify.checks.opened_bundle import Opened, open_bundle
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.commands.bundle_argument import LEADERBOARD_RECORD, no_bundle
from agzamov_verify.core import canon
from agzamov_verify.core.untrusted_input import HostileBundle, Source, open_source, printable, sha256_of, show_name
from agzamov_verify.experiment.plan_fields import Line
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.registration.trust_policy import TrustPolicy, parse_policy
from agzamov_verify.scoring.departures import departures
from agzamov_verify.show.text.quality_text import ANSWERS
from agzamov_verify.show.text.registration_lines import next_level
from agzamov_verify.show.text.verdict_report import finding_line
from agzamov_verify.transparency_log.signed_note import BadNote

from ..foundation.checked_yaml import load_yaml, read_limited, require_schema
from .copies import Marks, Original, copied_from, marks_of

KeyId = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}$", description="the id of a key: 64 hexadecimal digits, as keygen prints it")
]
RunId = Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$", description="the id of a run: 16 hexadecimal digits")]
Mebibytes = Annotated[int, Meta(ge=1, le=100_000)]


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaderboard's rules. `keys`: only bundles that one of these keys signed are ranked.

    `trust`: the fields of a `TrustPolicy`; empty: no level above V1 is asked of a bundle.
    """

    title: Line
    keys: dict[str, KeyId]
    level: Literal["V0", "V1", "V2", "V3", "V4"] = "V1"
    departures: bool = False
    bundle_mib_max: Mebibytes = 200
    contenders_max: Annotated[int, Meta(ge=1, le=1_000)] = 10
    withdrawn: tuple[RunId, ...] = ()
    trust: dict[str, Any] = {}

    @property
    def trust_policy(self) -> TrustPolicy | None:
        """Whom the maintainers trust; submitters have the names of `keys` unless it says others. Raises BadNote."""
        if not self.trust:
            return None
        found = parse_policy(msgspec.json.encode(self.trust))
        return replace(found, submitters={key: name for name, key in self.keys.items()} | found.submitters)


def load_policy(path: Path) -> Policy:
    """The policy in a file. Raises ManifestError with the place of each problem."""
    text = read_limited(path)
    try:
        wished = load_yaml(text, "policy")
        require_schema(wished, msgspec.json.schema(Policy), "policy")
        policy = msgspec.convert(wished, Policy)
        _require_sound(policy)
    except (ManifestError, msgspec.ValidationError, BadNote) as error:
        raise ManifestError(f"{path}: {error}") from error
    return policy


def _require_sound(policy: Policy) -> None:
    """Raises ManifestError for a key that has two names, BadNote for a trust policy that is none."""
    if policy.trust_policy is None and policy.level > "V1":
        raise ManifestError(f"policy.trust: expected a trust policy, without which no bundle reaches {policy.level}")
    names: dict[str, str] = {}
    for name, key in policy.keys.items():
        if (first := names.setdefault(key, name)) != name:
            raise ManifestError(f"policy.keys: expected one name for a key, found {first} and {name} for {key[:16]}")


RECORD: Final = LEADERBOARD_RECORD


class SubmissionOutcome(StrEnum):
    """Outcome of a submission."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class SubmissionEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line. `present`: the bundle is still there. `submitter`: the id of the key that signed it.

    `run`, `sha256` and `submitter` are empty where they could not be read.
    """

    name: str
    outcome: SubmissionOutcome
    reason: str
    run: str
    sha256: str
    present: bool = True
    submitter: str = ""

    @property
    def bundle(self) -> tuple[str, str, str]:
        """Identity of the bundle."""
        return self.name, self.run, self.sha256

    @property
    def content(self) -> tuple[str, str]:
        """What is the same under whatever name."""
        return self.run, self.sha256


_decoder = msgspec.json.Decoder(SubmissionEntry)


def payload_digest(source: Source) -> str:
    """SHA-256 of a bundle's payload manifest, which names every file of it."""
    return sha256_of(source, PAYLOAD_FILE)


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
        except msgspec.MsgspecError as error:
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
    here = {entry.run for entry in entries if entry.present and entry.outcome is SubmissionOutcome.ACCEPTED}
    gone = {
        (entry.submitter, entry.run)
        for entry in entries
        if not entry.present and entry.outcome is SubmissionOutcome.ACCEPTED and entry.run not in {*here, *withdrawn}
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


MIB: Final = 2**20
PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class SubmissionRefused(Exception):
    """A submission that is not taken, with the reason."""


class Submission(NamedTuple):
    """One submission: its entry of the record; if it is taken, its bundle, who signed it, and what its check said.

    `marks`: those by which a copy of it, or it as a copy, is known.
    """

    entry: SubmissionEntry
    path: Path
    taken: "Taken | None" = None
    marks: Marks = Marks()


class Taken(NamedTuple):
    """A submission that holds."""

    opened: Opened
    submitter: str
    verdict: Verdict


def examined(folder: Path, policy: Policy, options: Options, record: Iterable[SubmissionEntry]) -> Iterator[Submission]:
    """Every submission; of two bundles of one run the one that was accepted before, else the first by name.

    Refused ones come last, when all is known that they may be copies of. `record`: what came before, with what is gone.
    """
    accepted_before = [entry for entry in record if entry.outcome is SubmissionOutcome.ACCEPTED]
    paths = [path for path in folder.iterdir() if _is_submission(path)]
    known = {entry.name for entry in accepted_before if entry.present}
    runs: dict[str, str] = {}
    originals, refused = list[Original](), list[Submission]()
    for path in sorted(paths, key=lambda path: (path.name not in known, path.name)):
        found = examine(path, policy, options, runs)
        if not found.taken:
            refused.append(found)
            continue
        entry = found.entry
        runs[entry.run] = entry.name
        originals.append(Original(entry.name, entry.run, entry.submitter, found.marks))
        yield found
    originals += [Original(entry.name, entry.run, entry.submitter) for entry in accepted_before]
    yield from (_named(found, originals) for found in refused)


def _is_submission(path: Path) -> bool:
    """False of hidden files, of the board's own record, and of answers that `agzamov quality` keeps beside a bundle."""
    if path.name.startswith(".") or path.name == RECORD:
        return False
    is_beside = path.name.endswith(ANSWERS) and path.with_name(path.name.removesuffix(ANSWERS)).exists()
    return not is_beside or (path / ENVELOPE_FILE).exists()


def _named(refused: Submission, originals: Iterable[Original]) -> Submission:
    """A refused submission; if it is a copy, its reason names the bundle that it was made from."""
    entry = refused.entry
    if entry.run in {original.run for original in originals}:  # signed by its own key, and its reason says where it is
        return refused
    others = [original for original in originals if original.name != entry.name]  # it may be an accepted one, changed
    copied = copied_from(refused.marks, others)
    return refused._replace(entry=replace(entry, reason=f"{copied}; {entry.reason}")) if copied else refused


def examine(path: Path, policy: Policy, options: Options, runs: Mapping[str, str]) -> Submission:
    """One submission: held to the policy, and verified. `runs`: those that are taken already, with their names."""
    entry, marks = SubmissionEntry(printable(path.name), SubmissionOutcome.REFUSED, "", "", ""), Marks()
    try:
        _require_plain(path)
        _require_small(path, policy)
        marks = marks_of(path)
        opened = _opened(path)
        named = {"run": opened.manifest.run_id, "sha256": payload_digest(opened.source), "submitter": opened.submitter}
        entry = replace(entry, **named)
        submitter = _allowed(opened, policy, runs)
        verdict = verify(path, replace(options, trust=trust_about(options.trust, opened.sha256)))
        _require_level(verdict, policy)
    except SubmissionRefused as refusal:
        return Submission(replace(entry, reason=str(refusal)), path, marks=marks)
    except (OSError, RecursionError, MemoryError) as error:
        reason = f"it could not be read: {printable(str(error)) or type(error).__name__}"
        return Submission(replace(entry, reason=reason), path, marks=marks)
    taken = Taken(opened, submitter, verdict)
    return Submission(replace(entry, outcome=SubmissionOutcome.ACCEPTED), path, taken, marks)


def _require_plain(path: Path) -> None:
    """Raises SubmissionRefused for a link, an odd name, or a file that is plainly no bundle."""
    if not PLAIN.fullmatch(path.name):
        raise SubmissionRefused("expected a name of letters, digits, dots, underscores and hyphens")
    if path.is_symlink():
        raise SubmissionRefused("expected a folder or a plain tar file, found a symbolic link")
    if why := no_bundle(path):
        raise SubmissionRefused(printable(why.removeprefix(f"{show_name(str(path))}: ")))


def _require_small(path: Path, policy: Policy) -> None:
    """Raises SubmissionRefused for a bundle that is too large, or whose files are not plain."""
    try:
        size = sum(open_source(path).sizes.values())
    except HostileBundle as error:
        raise SubmissionRefused(f"step 1 {show_name(str(error))}") from error
    if size > policy.bundle_mib_max * MIB:
        raise SubmissionRefused(f"expected at most {policy.bundle_mib_max} MiB, found {size / MIB:,.0f} MiB")


def _allowed(opened: Opened, policy: Policy, runs: Mapping[str, str]) -> str:
    """The submitter, checked before anything is replayed. Raises SubmissionRefused."""
    submitter = next((who for who, key in policy.keys.items() if key == opened.submitter), "")
    if not submitter:
        raise SubmissionRefused(f"signed by key {opened.submitter[:16]}, which the policy does not name")
    run = opened.manifest.run_id
    if run in runs:
        raise SubmissionRefused(f"the run {run} is submitted already, as {runs[run]}")
    places = departures(opened.manifest.plan)
    if places and not policy.departures:
        raise SubmissionRefused(
            f"its plan departs from {opened.manifest.plan.protocol} in {len(places)} places: {places[0]}"
        )
    return submitter


def _opened(path: Path) -> Opened:
    log = CheckLog()
    try:
        return open_bundle(path, log)
    except StepFailed as error:
        raise SubmissionRefused(finding_line(log.findings[0])) from error


def _require_level(verdict: Verdict, policy: Policy) -> None:
    if verdict.failed:
        raise SubmissionRefused(finding_line(verdict.findings[0]) if verdict.findings else "a check failed")
    missing = ", ".join(step.name for step in verdict.steps if step.status is Status.NOT_CHECKED)
    if verdict.results is None or verdict.analysis is None:
        raise SubmissionRefused(
            f"its figures could not be computed within the limits of this check; not checked: {missing}"
        )
    if verdict.level < policy.level:
        lacks = f"not checked: {missing}" if missing else " ".join(next_level(verdict))
        raise SubmissionRefused(f"level {verdict.level}, {policy.level} required; {lacks}")
