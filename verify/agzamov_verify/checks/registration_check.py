"""Level V2: a run was registered before its seed existed, and every registration of its study is accounted for.

Asked of a bundle whose record is consistent (V1), by the trust policy of its reader, offline:

 1  the registration in the bundle names this run, its study, its secret and its beacon round, by the submitter's key
 2  the proof shows it in a log that the policy names; enough witnesses saw that log, and when; a time-stamp of the
    proof's checkpoint by an authority that the policy names counts as one of them
 3  the key was not revoked by then, and the beacon round came out later, by the policy's margin
 4  the round's signature is by the chain's key, so that nobody chose the seed
 5  the log in the reader's folder continues the proof's, holds this registration, and its end with this very bundle
 6  no other registration of the key's study is missing beyond its deadline

What is wrong is a finding; what nobody has given yet is missing, with who would have to do what.
"""

from pathlib import Path
from typing import ClassVar

import msgspec

from .. import bundle
from ..core.envelope import key_id_of, load_public_key
from ..core.untrusted_input import HostileBundle, read_small
from ..registration.accounting import Account, Fate, Ledger, StudyAccount, ledger_of, study_lines
from ..registration.beacon import BeaconRound, NoPairing, is_of_chain
from ..registration.log_entry import ENTRY_BYTES_MAX, Read, Registered, manifest_sha256, pem_of, read_entry, study_of
from ..registration.trust_policy import TrustPolicy
from ..transparency_log.checkpoint import Witnessed, witnessed
from ..transparency_log.folder_log import FolderLog
from ..transparency_log.signed_note import BadNote
from ..transparency_log.tlog_proof import PROOF_BYTES_MAX, Included, included
from .level_verdict import LevelVerdict
from .opened_bundle import Opened
from .stamp_check import StampVerdict, check_stamp

STEP = 17
"""The number of this step in findings: it follows the sixteen of level V1."""


NOT_REGISTERED = (
    "this run was not registered before it was played; its submitter can register the next: agzamov register"
)
NOT_IN_BUNDLE = (
    "the log has this run's registration, and the bundle has not; its submitter would have to put it back:"
    f" {' and '.join(bundle.REGISTRATION_FILES)}"
)


class Trust(msgspec.Struct, frozen=True):
    """Whom a reader trusts: a policy, a copy of the log if there is one, and the time now in POSIX seconds.

    `attestations`: files of others about the bundle, for levels V3 and V4. `roots`: the root certificates, in PEM, of
    the time-stamp authorities that the policy names.
    """

    policy: TrustPolicy
    log: Path | None = None
    now_s: int = 0
    attestations: tuple[Path, ...] = ()
    roots: dict[str, bytes] = {}


class RegistrationVerdict(LevelVerdict):
    """What keeps a bundle from V2. `account`: the log's, of its study, in words.

    `unreported`: runs of its study that were registered, and missing beyond their deadline. `others`: registered runs
    of its study beside this one, whatever became of them.
    """

    step: ClassVar[int] = STEP

    registered_s: int | None = None
    unreported: int = 0
    others: int = 0


def check_registration(opened: Opened, trust: Trust, beacon: BeaconRound | None) -> RegistrationVerdict:
    """What the policy says of the bundle's registration. Never raises for a bad bundle, policy key or log."""
    verdict = RegistrationVerdict()
    present = [name for name in bundle.REGISTRATION_FILES if name in opened.source.sizes]
    if not present:
        verdict.missing.append(NOT_REGISTERED)
        _study_alone(opened, trust, verdict)
        return verdict
    place = bundle.REGISTRATION_FILE
    try:
        data = read_small(opened.source, bundle.REGISTRATION_FILE, ENTRY_BYTES_MAX)
        read = read_entry(data)
        registered = _of_this_run(opened, read, verdict)
        place = bundle.PROOF_FILE
        proof = read_small(opened.source, bundle.PROOF_FILE, PROOF_BYTES_MAX)
        place_in_log = included(proof, data, trust.policy.log_keys, trust.policy.witness_keys)
    except (BadNote, HostileBundle) as error:
        verdict.add(place, error.expected, error.found)
        return verdict
    _keeper_is_another(opened, trust.policy, verdict)
    if registered:
        stamp = check_stamp(opened, place_in_log.witnessed.checkpoint, trust.policy, trust.roots)
        _times(opened, registered, place_in_log.witnessed, stamp, trust.policy, verdict)
        _beacon(trust.policy, beacon, verdict)
        _log(opened, data, registered, place_in_log, trust, verdict)
        verdict.account += stamp_lines(stamp)
    return verdict


def _keeper_is_another(opened: Opened, policy: TrustPolicy, verdict: RegistrationVerdict) -> None:
    """Who plays under the key of a log or of a witness can date its own registration back."""
    for key in (*policy.log_keys, *policy.witness_keys):
        if key_id_of(key.public) == opened.submitter:
            verdict.add("policy", f"another key of {key.name} than the submitter's", "the same key")


def _of_this_run(opened: Opened, read: Read, verdict: RegistrationVerdict) -> Registered | None:
    """The registration, if it is one, compared with the sealed manifest."""
    entry, manifest = read.entry, opened.manifest
    if not isinstance(entry, Registered):
        verdict.add(bundle.REGISTRATION_FILE, "the registration of a run", "the end of one")
        return None
    seed = manifest.plan.seed
    waits_for = f"seed {entry.chain}/{entry.round}" if entry.round else "a seed of its own"
    for what, expected, found in (
        ("key", opened.submitter, read.key_id),
        ("manifest_sha256", manifest_sha256(manifest), entry.manifest_sha256),
        ("study", study_of(manifest), entry.study),
        ("secret_commit", manifest.secret_commit, entry.secret_commit),
        ("round", f"seed {seed.value}" if seed.origin == "beacon" else "a seed of its own", waits_for),
    ):
        verdict.same(f"{bundle.REGISTRATION_FILE} {what}", expected, found)
    return entry


def _times(
    opened: Opened,
    registered: Registered,
    proof: Witnessed,
    stamp: StampVerdict,
    policy: TrustPolicy,
    verdict: RegistrationVerdict,
) -> None:
    """Witnesses and time-stamp, revocation, and the time before the beacon round."""
    time_s = verdict.registered_s = proof.and_also(stamp.by, stamp.time_s).time_s(policy.quorum)
    if time_s is None:
        _too_few(len(proof.times_s), stamp, policy, verdict)
    revoked = policy.revoked.get(opened.submitter)
    if revoked and (time_s is None or time_s >= revoked.since_s):
        expected = f"a key that is not revoked ({revoked.reason})"
        verdict.add(bundle.KEY_FILE, expected, f"{opened.submitter[:16]}, revoked from {revoked.since_s} on")
    chain = policy.chains.get(registered.chain)
    if chain is None or time_s is None:
        return
    out_s = chain.time_s(registered.round)
    if time_s > out_s - policy.margin_s:
        expected = f"registered {policy.margin_s} s before round {registered.round}, by {out_s - policy.margin_s}"
        verdict.add(bundle.PROOF_FILE, expected, f"witnessed at {time_s}: the seed could have been known")
    if registered.seen_round and chain.time_s(registered.seen_round) > time_s:
        verdict.add(bundle.REGISTRATION_FILE, f"a seen round that was out by {time_s}", f"{registered.seen_round}")


def _too_few(witnesses: int, stamp: StampVerdict, policy: TrustPolicy, verdict: RegistrationVerdict) -> None:
    """Too few have seen the log by a known time: what is wrong, or was not looked at here, or is not there."""
    would_do = witnesses + 1 >= policy.quorum
    if would_do and stamp.wrong:
        verdict.findings.append(stamp.wrong)
    elif would_do and stamp.missing and policy.timestampers:
        verdict.missing.append(stamp.missing)
    else:
        wanted = "1 witness" if policy.quorum == 1 else f"{policy.quorum} witnesses"
        kinds = "the cosignatures or the time-stamp" if policy.timestampers else "the cosignatures"
        found = f"{witnesses + (stamp.time_s is not None)}"
        why = f"; {stamp.missing}" if stamp.missing else ""
        verdict.add(bundle.PROOF_FILE, f"{kinds} of {wanted} of the policy", f"{found}{why}")


def stamp_lines(stamp: StampVerdict) -> list[str]:
    """A time-stamp in words for a reader; none where there is none."""
    if stamp.time_s is not None:
        return [f"its registration was in the log by {stamp.time_s}, as a time-stamp by {stamp.by} shows"]
    return [f"a time-stamp that does not count: found {stamp.wrong.found}"] if stamp.wrong else []


def _beacon(policy: TrustPolicy, beacon: BeaconRound | None, verdict: RegistrationVerdict) -> None:
    """The round that the seed waited for is one of a chain that the policy knows."""
    if beacon is None:
        verdict.missing.append(
            "its seed was the submitter's own, so the plan could have been sealed many times before one was registered;"
            " a plan with seed: {origin: beacon, value: quicknet/ROUND} cannot"
        )
        return
    chain = policy.chains.get(beacon.chain)
    if chain is None:
        verdict.add(bundle.BEACON_FILE, "a beacon that the policy knows", beacon.chain)
        return
    try:
        if not is_of_chain(beacon, chain):
            verdict.add(bundle.BEACON_FILE, f"round {beacon.round} signed by {beacon.chain}", "another signature")
    except NoPairing as error:
        verdict.missing.append(f"the beacon round's signature was not checked: {error}")


def _log(
    opened: Opened, data: bytes, registered: Registered, proof: Included, trust: Trust, verdict: RegistrationVerdict
) -> None:
    """The account of this run and of its study in the reader's copy of the log."""
    if trust.log is None:
        verdict.missing.append(
            "whether every registered run was reported is not known: get a copy of the log's folder, give it by --log"
        )
        return
    place = f"log {proof.witnessed.checkpoint.origin}"
    try:
        log, signed = opened_log(trust.log, trust.policy)
        log.require_grown_from(proof.witnessed.checkpoint)
        ledger = read_ledger(log, log_time_s(signed, trust), trust.policy.deadline_max_s, _key_text(opened))
        at_place = log.entry(proof.number)
    except BadNote as error:
        verdict.add(place, error.expected, error.found)
        return
    if at_place != data:
        verdict.add(place, f"this registration at entry {proof.number}", "another one")
        return
    study = ledger.of(opened.submitter, registered.study)
    accounts = study.accounts if study else []
    own = next((one for one in accounts if one.registered.manifest_sha256 == registered.manifest_sha256), None)
    if study is None or own is None or own.number != proof.number:
        verdict.add(place, f"this run registered once, at entry {proof.number}", "registered at another entry")
        return
    _tell_study(study, opened, trust, verdict)
    unread = [key.name for key in trust.policy.log_keys if key.name != proof.witnessed.checkpoint.origin]
    if unread:
        verdict.account.append(
            f"  not read: {', '.join(unread)}, which the policy names too: runs may be missing there"
        )
    _own_end(opened, own, place, verdict)
    _others(study, own, place, verdict)


def _study_alone(opened: Opened, trust: Trust, verdict: RegistrationVerdict) -> None:
    """The account of the study of a bundle without a registration: whoever leaves it out hides no missing run."""
    if trust.log is None:
        return
    try:
        log, signed = opened_log(trust.log, trust.policy)
        ledger = read_ledger(log, log_time_s(signed, trust), trust.policy.deadline_max_s, _key_text(opened))
    except BadNote as error:
        verdict.add("log", error.expected, error.found)
        return
    if study := ledger.of(opened.submitter, study_of(opened.manifest)):
        _tell_study(study, opened, trust, verdict)
        own = manifest_sha256(opened.manifest)
        if any(one.registered.manifest_sha256 == own for one in study.accounts):
            verdict.missing[:] = [NOT_IN_BUNDLE]


def _tell_study(study: StudyAccount, opened: Opened, trust: Trust, verdict: RegistrationVerdict) -> None:
    verdict.account = list(study_lines(study, trust.policy.name_of(opened.submitter)))
    verdict.unreported = study.count(Fate.MISSING)
    verdict.others = len(study.accounts) - 1


def _own_end(opened: Opened, own: Account, place: str, verdict: RegistrationVerdict) -> None:
    if own.fate is Fate.FINISHED:
        verdict.same(
            place, f"this bundle as the result, {own.bundle_sha256}", f"this bundle as the result, {opened.sha256}"
        )
    elif own.fate is Fate.STOPPED:
        verdict.add(place, "a run that was finished", f"logged as stopped: {own.reason}")
    else:
        late = ", and its deadline has passed" if own.fate is Fate.MISSING else ""
        verdict.missing.append(
            f"its result is not logged{late}; its submitter would have to log it: agzamov register end BUNDLE"
        )


def _others(study: StudyAccount, own: Account, place: str, verdict: RegistrationVerdict) -> None:
    missing = study.count(Fate.MISSING) - (own.fate is Fate.MISSING)
    if missing:
        runs = "1 other run" if missing == 1 else f"{missing} other runs"
        verdict.add(place, "every registered run of this study reported", f"{runs} begun and never reported")
    if still_open := study.count(Fate.OPEN) - (own.fate is Fate.OPEN):
        runs = (
            "1 other registered run of its study has" if still_open == 1 else f"{still_open} others of its study have"
        )
        verdict.missing.append(
            f"{runs} no end yet; its submitter would have to log it, then take a newer copy of the log"
        )
    for problem in study.problems:
        verdict.add(place, "registrations as the study promised", problem)


def opened_log(folder: Path, policy: TrustPolicy) -> tuple[FolderLog, Witnessed]:
    """A log in a folder whose checkpoint is by a log of the policy. Raises BadNote."""
    log = FolderLog(folder)
    return log, witnessed(log.checkpoint.note.data, policy.log_keys, policy.witness_keys)


def log_time_s(signed: Witnessed, trust: Trust) -> int:
    """The time at which a log was like this: that of its witnesses, or else now."""
    return signed.time_s(trust.policy.quorum) or trust.now_s


def _key_text(opened: Opened) -> bytes:
    """The words that every entry by the submitter's key holds."""
    public = load_public_key(opened.payload(bundle.KEY_FILE)).public_bytes_raw()
    return pem_of(public).split("\n")[1].encode()


def read_ledger(log: FolderLog, now_s: int, deadline_max_s: int, holding: bytes = b"") -> Ledger:
    """The account of the entries of a log, or of those alone that hold a text; all are hashed, these are read.

    Raises BadNote where the entries are not those of its checkpoint.
    """
    reads = list[tuple[int, Read | str]]()
    for number, data in enumerate(log.entries()):
        if holding not in data:
            continue
        try:
            reads.append((number, read_entry(data)))
        except BadNote as error:
            reads.append((number, str(error)))
    return ledger_of(reads, now_s, deadline_max_s)
