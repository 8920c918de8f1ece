"""A registered run from its sealed plan to its logged end: each step is left out whose result is there already.

    registration.json -> entry of the log -> registration.tlog-proof -> beacon.json -> bundle -> its end in the log

So whoever is stopped anywhere goes on with the same command. The log is a folder of this machine with its key, or a
copy of somebody else's, or is kept where only files are sent to.
"""

import hashlib
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.bundle import MANIFEST_FILE, PAYLOAD_FILE
from agzamov_verify.core.envelope import key_id
from agzamov_verify.plan.manifest import Manifest, ManifestError, Seed
from agzamov_verify.registration.beacon import QUICKNET
from agzamov_verify.registration.log_entry import (
    Aborted,
    Entry,
    Finished,
    Registered,
    manifest_sha256,
    read_entry,
    study_of,
)
from agzamov_verify.transparency_log.checkpoint import parse_checkpoint
from agzamov_verify.transparency_log.folder_log import FolderLog
from agzamov_verify.transparency_log.signed_note import BadNote
from agzamov_verify.transparency_log.tlog_proof import parse_proof

from ..foundation.append_only import write_whole
from ..run import run_folder
from ..run.first_contact import NOT_SEALED
from ..run.registration import is_as_stamped, keep_proof, registered, signed_entry, take_beacon, take_proof
from ..run.run_folder import BEACON, PROOF, REGISTRATION, STAMP, RunDirectory
from ..run.stop import Stop, Stopped, StoppedAsAsked
from . import log_writer
from .margins import require_margins
from .request_admission import DAY_S, day_of, logged, number_of, reads_of, require_seen, require_to_come

PROOF_SUFFIX: Final = ".tlog-proof"
LOOK_S: Final = 1.0
MARGIN_S: Final = 120
"""A later witness's time no longer counts by a policy that says nothing else."""


class LogPlace(NamedTuple):
    """Where the log is: `folder` with its `key`, or a copy without; `requests`: folder of files for its keeper."""

    folder: Path | None
    key: Ed25519PrivateKey | None
    requests: Path


class Promise(NamedTuple):
    """What a registration says beside its plan: see `agzamov register plan`."""

    attempt: int
    attempts: int
    days: int
    seen_round: int
    margins: Mapping[str, str]


class RegisteredRun:
    """One run on its way. `again`: the command that goes on with it; `clock_s`: POSIX seconds of this machine."""

    def __init__(
        self,
        directory: RunDirectory,
        signer: Ed25519PrivateKey,
        place: LogPlace,
        again: Callable[[], str],
        clock_s: Callable[[], int],
        tell: Callable[[str], object],
    ) -> None:
        self._directory, self._signer, self._place = directory, signer, place
        self.again, self._clock_s, self._tell = again, clock_s, tell
        self._number: int | None = None
        name = directory.manifest.run_id
        self._request, self._end = place.requests / f"{name}.json", place.requests / f"{name}-end.json"

    def register(self, promise: Promise) -> None:
        """Have the run registered, and its proof kept. Raises ManifestError, Stopped."""
        entry = self._directory.path / REGISTRATION
        is_new = not self._directory.has(REGISTRATION)
        if is_new:
            if any(self._directory.journal.iterdir()):
                raise ManifestError(
                    f"{self._directory.path}: this run was begun before it was registered: seal a new one"
                )
            deadline_s = self._clock_s() + promise.days * DAY_S
            numbers = promise.attempt, promise.attempts
            registered(self._directory, self._signer, *numbers, deadline_s, promise.seen_round, promise.margins)
        try:
            self._prove()
        except BadNote as error:
            if self._may_be_logged(entry.read_bytes()):
                raise Stopped(f"its registration cannot be proved: {error}; {self.go_on}") from error
            if is_new:
                entry.unlink()
            raise Stopped(f"the run is not registered: {error}; nothing was played; {self.go_on}") from error
        if not self._directory.has(PROOF):
            raise StoppedAsAsked(self._send(self._request, entry.read_bytes()))

    def await_round(self, file: Path | None, stop: Stop) -> None:
        """Have the round that the seed waits for. Raises ManifestError, StoppedAsAsked."""
        self._wait(stop, 0)
        seed = self._directory.manifest.plan.seed
        if seed.origin != "beacon" or self._directory.has(BEACON):
            return
        when = f", out at {day_of(self._out_s)}" if self._out_s else ""
        if file is None:
            raise StoppedAsAsked(f"the seed waits for round {seed.value}{when}: give it by --round FILE; {self.go_on}")
        if not _is_written(file):
            self._tell(f"waiting for round {seed.value}{when}, in {file}")
        while not _is_written(file):
            self._wait(stop, LOOK_S)
            with suppress(BadNote):  # somebody else may be writing the log
                self._prove()
        take_beacon(self._directory, file, self._tell)
        self._wait(stop, 0)
        if self._signatures() < 2 and not self._directory.has(STAMP):
            self._tell("warning: no witness signed the registration, so it can reach V1 alone: see docs/trust.md")

    def ended(self) -> str:
        """What became of the run by the log, in words; empty while it has no end there. Raises ManifestError."""
        if self._place.folder is None:
            return ""
        wanted = key_id(self._signer.public_key()), manifest_sha256(self._directory.manifest)
        with _one_line():
            for number, read in reads_of(FolderLog(self._place.folder).entries()):
                if isinstance(read, str) or isinstance(read.entry, Registered):
                    continue
                if (read.key_id, read.entry.manifest_sha256) == wanted:
                    return f"its end is logged already, as entry {number}: {_end_words(read.entry)}"
        return ""

    def log_result(self, bundle: Path) -> None:
        """Log the bundle as the run's result. Raises ManifestError, Stopped."""
        if (bundle / MANIFEST_FILE).read_bytes() != self._directory.manifest.bytes:
            raise ManifestError(f"{bundle}: expected the bundle of the run in {self._directory.path}, found another")
        digest = hashlib.sha256((bundle / PAYLOAD_FILE).read_bytes()).hexdigest()
        try:
            self._log(Finished(digest, manifest_sha256(self._directory.manifest)))
        except (BadNote, ManifestError, OSError) as error:
            raise Stopped(f"the bundle {bundle} is whole, and its end is not logged: {error}; {self.go_on}") from error

    def log_abort(self, reason: str) -> None:
        """Log that the run has no result, and why. Raises ManifestError."""
        if not self._directory.has(REGISTRATION):
            raise ManifestError(f"{self._directory.path}: expected a registered run, found one that is not")
        with _one_line():
            self._log(Aborted(manifest_sha256(self._directory.manifest), reason))

    def _log(self, end: Entry) -> None:
        entry = signed_entry(end, self._signer)
        read_entry(entry)
        if self._place.folder and self._place.key:
            number = logged(self._place.folder, entry, self._place.key, self._clock_s())
            self._tell(f"logged as entry {number}: {_end_words(end)}")
        else:
            self._tell(self._send(self._end, entry))

    def _prove(self) -> None:
        """Keep the proof, if the log has the registration, or its better one with more witnesses. Raises BadNote."""
        folder, key = self._place.folder, self._place.key
        entry = (self._directory.path / REGISTRATION).read_bytes()
        if folder:
            if self._number is None:
                self._number = (
                    logged(folder, entry, key, self._clock_s()) if key else number_of(FolderLog(folder), entry)
                )
            if self._number is not None and self._is_better(proof := log_writer.proof(folder, self._number)):
                keep_proof(self._directory, proof, str(folder))
        sent_back = self._request.with_name(self._request.name + PROOF_SUFFIX)
        if _is_written(sent_back):
            try:
                is_better = self._is_better(sent_back.read_bytes())
            except BadNote as error:
                raise BadNote(f"{sent_back}: {error.expected}", error.found) from error
            if is_better:
                take_proof(self._directory, sent_back)

    def _may_be_logged(self, entry: bytes) -> bool:
        """False if the log surely lacks the registration: it was refused, and never sent."""
        if self._number is not None or self._directory.has(PROOF):
            return True
        if self._place.folder is None:
            return False
        try:
            return number_of(FolderLog(self._place.folder), entry) is not None
        except BadNote:
            return True

    def _is_better(self, proof: bytes) -> bool:
        """Whether a proof has more witnesses than the one that is kept, in time, and leaves a time-stamp its worth."""
        if not is_as_stamped(self._directory, parse_checkpoint(parse_proof(proof).checkpoint)):
            return False
        kept = self._signatures()
        in_time = not self._out_s or self._clock_s() < self._out_s - MARGIN_S
        return _signatures(proof) > kept and (in_time or kept < 2)

    def _signatures(self) -> int:
        """Signatures of the kept proof; 0 without one. Raises BadNote, which names its file."""
        if not self._directory.has(PROOF):
            return 0
        file = self._directory.path / PROOF
        try:
            return _signatures(file.read_bytes())
        except BadNote as error:
            wanted = f"the proof that was kept in {file} (remove the file, and the log's is taken again)"
            raise BadNote(wanted, error.found) from error

    @property
    def _out_s(self) -> int:
        """When the round comes out, in POSIX seconds; 0 for another chain and without a round."""
        number = quicknet_round(self._directory.manifest.plan.seed)
        return QUICKNET.time_s(number) if number else 0

    def _wait(self, stop: Stop, seconds: float) -> None:
        try:
            stop.wait(seconds)
        except StoppedAsAsked as error:
            raise StoppedAsAsked(f"{error}; nothing was played; {self.go_on}") from error

    def _send(self, file: Path, entry: bytes) -> str:
        """Write a request for the keeper; what to do with it."""
        if _is_written(file) and file.read_bytes() != entry:
            raise ManifestError(f"{file}: expected the request of this run, found another, which was kept")
        write_whole(file, entry)
        if file == self._end:
            return f"send {file} to the keeper of the log: it says how this run ended"
        proof = f"{file.name}{PROOF_SUFFIX}"
        return f"send {file} to the keeper of the log, and put {proof} beside it; then {self.go_on}"

    @property
    def go_on(self) -> str:
        """What to type after a stop."""
        return f"go on with: {self.again()}"


def require_writable(place: LogPlace, submitter: Ed25519PrivateKey) -> None:
    """Find out before anything is sealed whether the log can be written. Raises ManifestError."""
    if place.folder is None or place.key is None:
        run_folder.require_writable(
            place.requests, "requests cannot be written there", "choose another with --requests"
        )
        return
    if key_id(place.key.public_key()) == key_id(submitter.public_key()):
        raise ManifestError("--log-key: expected another key than the one that signs your runs")
    with _one_line(), log_writer.locked(place.folder):
        log_writer.own_checkpoint(place.folder, place.key)


def quicknet_round(seed: Seed) -> int:
    """The round of drand's quicknet that a seed waits for; 0 for another chain and without a round."""
    chain, _, number = seed.value.partition("/")
    return int(number) if (seed.origin, chain) == ("beacon", "quicknet") else 0


def require_unregistered(manifest: Manifest, promise: Promise, runs: Path, place: LogPlace, clock_s: int) -> None:
    """Raises ManifestError for a run whose round is out, whose number in its study is registered, or whose promise is
    not the one that the study began with."""
    require_margins(promise.margins, manifest.plan, promise.attempt)
    with _one_line():
        if number := quicknet_round(manifest.plan.seed):
            require_to_come(number, clock_s)
            require_seen(promise.seen_round, clock_s)
        known = reads_of(FolderLog(place.folder).entries()) if place.folder else []
    found = [(f"entry {at} of {place.folder}", read) for at, read in known]
    for path in sorted(runs.glob(f"*/{REGISTRATION}")):
        with suppress(BadNote, OSError):
            go_on = shlex.join(["agzamov", "register", "run", str(path.parent)])
            found.insert(0, (f"go on with {go_on}", read_entry(path.read_bytes())))
    wanted = manifest.submitter_key_id, study_of(manifest)
    for where, read in found:
        if isinstance(read, str) or not isinstance(read.entry, Registered):
            continue
        if (read.key_id, read.entry.study) == wanted:
            _require_same_study(read.entry, promise, where)


def _require_same_study(earlier: Registered, promise: Promise, where: str) -> None:
    """Raises ManifestError where a registration of the same plan by the same key does not go with this one."""
    if earlier.attempt == promise.attempt:
        raise ManifestError(
            f"run {promise.attempt} of this plan is registered already: {where}; another run of it needs --attempt"
            f" {promise.attempt + 1}, of as many --attempts as were promised; {NOT_SEALED}"
        )
    if earlier.attempts != promise.attempts:
        raise ManifestError(
            f"--attempts {promise.attempts}: run {earlier.attempt} of this plan promised {earlier.attempts} in all:"
            f" {where}; {NOT_SEALED}"
        )
    if earlier.margins != dict(promise.margins):
        declared = " ".join(f"--margin {unit}={margin}" for unit, margin in earlier.margins.items()) or "no --margin"
        raise ManifestError(
            f"expected the margins of run {earlier.attempt} of this plan, {declared}: {where}; {NOT_SEALED}"
        )


def _is_written(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def _signatures(proof: bytes) -> int:
    """Signatures of a proof's checkpoint: the log's own, and its witnesses'. Raises BadNote."""
    return len(parse_checkpoint(parse_proof(proof).checkpoint).note.signatures)


def _end_words(end: Entry) -> str:
    if isinstance(end, Finished):
        return f"result, bundle {end.bundle_sha256[:16]}"
    return f"no result, {end.reason}" if isinstance(end, Aborted) else "a registration"


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
    except BadNote as error:
        raise ManifestError(str(error)) from error
