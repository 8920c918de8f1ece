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

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from agzamov_verify.bundle import ENVELOPE_FILE, MANIFEST_FILE, RUN_DIGITS
from agzamov_verify.checks.attestations_given import trust_about
from agzamov_verify.checks.check_log import CheckLog, Number, Status, Step, StepFailed
from agzamov_verify.checks.limits import Budget
from agzamov_verify.checks.opened_bundle import KEY_DIGITS, Opened, Signed, open_signed, read_manifest
from agzamov_verify.checks.steps import Options, Verdict, verify
from agzamov_verify.commands.bundle_argument import no_bundle
from agzamov_verify.core.untrusted_input import HostileBundle, open_source, printable, show_name
from agzamov_verify.core.workers import memory_limit
from agzamov_verify.experiment.plan_fields import Line
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.registration.trust_policy import TrustPolicy, parse_policy
from agzamov_verify.scoring.departures import departures
from agzamov_verify.show.text.quality_text import ANSWERS
from agzamov_verify.show.text.registration_lines import next_level
from agzamov_verify.show.text.verdict_report import finding_line
from agzamov_verify.transparency_log.signed_note import BadNote

from ..foundation.checked_yaml import load_yaml, read_limited, require_schema
from ..pipeline.measured import measured_sha256
from .copies import Marks, Original, copied_from, marks_of
from .submission_record import RECORD, SubmissionEntry, SubmissionOutcome

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


MIB: Final = 2**20
OTHERWISE: Final = "other journals, calls, logs or judged moves"
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


class Accepted(NamedTuple):
    """Accepted runs: the entries of those that are taken in this build, by run, and all entries of earlier builds."""

    here: dict[str, SubmissionEntry]
    before: Sequence[SubmissionEntry]


def examined(folder: Path, policy: Policy, options: Options, record: Iterable[SubmissionEntry]) -> Iterator[Submission]:
    """Every submission; of two bundles of one run the one that was accepted before, else the first by name.

    Refused ones come last, when all is known that they may be copies of. `record`: what came before, with what is gone.
    """
    accepted = Accepted({}, [entry for entry in record if entry.outcome is SubmissionOutcome.ACCEPTED])
    paths = [path for path in folder.iterdir() if _is_submission(path)]
    known = {entry.name for entry in accepted.before if entry.present}
    originals, refused = list[Original](), list[Submission]()
    for path in sorted(paths, key=lambda path: (path.name not in known, path.name)):
        found = examine(path, policy, options, accepted)
        if not found.taken:
            refused.append(found)
            continue
        entry = found.entry
        accepted.here[entry.run] = entry
        originals.append(Original(entry.name, entry.run, entry.submitter, found.marks))
        yield found
    originals += [Original(entry.name, entry.run, entry.submitter) for entry in accepted.before]
    yield from (_named(found, originals) for found in refused)


def _is_submission(path: Path) -> bool:
    """False of hidden files, of the board's own record, and of answers that `agzamov quality` keeps beside a bundle."""
    if path.name.startswith(".") or path.name == RECORD:
        return False
    is_folder = path.is_dir() and path.name.endswith(ANSWERS)
    is_beside = is_folder and path.with_name(path.name.removesuffix(ANSWERS)).exists()
    return not is_beside or (path / ENVELOPE_FILE).exists()


def _named(refused: Submission, originals: Iterable[Original]) -> Submission:
    """A refused submission; if it is a copy, its reason names the bundle that it was made from."""
    entry = refused.entry
    if (entry.run, entry.submitter) in {(original.run, original.key) for original in originals}:
        return refused  # its reason says where the accepted one is
    others = [original for original in originals if original.name != entry.name]  # it may be an accepted one, changed
    copied = copied_from(refused.marks, others)
    return refused._replace(entry=replace(entry, reason=f"{copied}; {entry.reason}")) if copied else refused


def examine(path: Path, policy: Policy, options: Options, accepted: Accepted) -> Submission:
    """One submission: held to the policy, and verified."""
    entry, marks = SubmissionEntry(printable(path.name), SubmissionOutcome.REFUSED, "", "", ""), Marks()
    try:
        _require_plain(path)
        _require_small(path, policy)
        log, budget = CheckLog(), Budget(options.limits)
        with _opening(log, budget):
            marks = marks_of(path)
            signed = open_signed(path, log)
            entry = _entry_of(entry, signed)
        submitter = _allowed_signer(signed.submitter, policy)
        with _opening(log, budget):
            opened = read_manifest(signed, log)
        _require_new(entry, accepted, policy)
        _require_norm(opened.manifest.plan, policy)
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


@contextmanager
def _opening(log: CheckLog, budget: Budget) -> Iterator[None]:
    """For what is read before a bundle is verified, within the limits of a check. Raises SubmissionRefused."""
    try:
        with memory_limit(budget.limits.memory_mib_max), log.taking(Number.NAMES), budget.interrupting():
            yield
    except StepFailed as error:
        why = finding_line(log.findings[0]) if log.findings else _not_checked(log.steps)
        raise SubmissionRefused(why) from error


def _entry_of(entry: SubmissionEntry, signed: Signed) -> SubmissionEntry:
    """The entry with what is known of a signed bundle. A run's id is the beginning of its manifest's digest."""
    return replace(
        entry,
        run=signed.digests.get(MANIFEST_FILE, "")[:RUN_DIGITS],
        sha256=signed.statement.subject[0].digest.sha256,
        submitter=signed.submitter,
        measured=measured_sha256(signed),
    )


def _allowed_signer(key: str, policy: Policy) -> str:
    """The submitter's name, found before a stranger's manifest is read. Raises SubmissionRefused."""
    submitter = next((who for who, allowed in policy.keys.items() if allowed == key), "")
    if not submitter:
        raise SubmissionRefused(f"signed by key {key[:KEY_DIGITS]}, which the policy does not name")
    return submitter


def _require_new(entry: SubmissionEntry, accepted: Accepted, policy: Policy) -> None:
    """Raises SubmissionRefused for a run that was withdrawn, is here already, or was accepted with another record."""
    if entry.run in policy.withdrawn:
        raise SubmissionRefused(f"the run {entry.run} was withdrawn: the policy names it")
    if here := accepted.here.get(entry.run):
        is_other = entry.is_measured_otherwise(here)
        again = f" with {OTHERWISE}, so it was played twice or changed" if is_other else ""
        raise SubmissionRefused(f"the run {entry.run} is submitted already, as {here.name}{again}")
    before = [old for old in accepted.before if old.run == entry.run]
    if before and all(entry.is_measured_otherwise(old) for old in before):
        of = f"with {OTHERWISE}" if before[0].measured else "by 0.3.0, which kept no digest of its journals"
        accepted_as = f"the run {entry.run} was accepted before, as {before[0].name}, {of}"
        raise SubmissionRefused(f"{accepted_as}; put that bundle back")


def _require_norm(plan: Plan, policy: Policy) -> None:
    places = departures(plan)
    if places and not policy.departures:
        raise SubmissionRefused(f"its plan departs from {plan.protocol} in {len(places)} places: {places[0]}")


def _not_checked(steps: Iterable[Step]) -> str:
    """The first step that could not be taken, and why."""
    first = next(step for step in steps if step.status is Status.NOT_CHECKED)
    return f"not checked: {first.name} ({first.remark})"


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
