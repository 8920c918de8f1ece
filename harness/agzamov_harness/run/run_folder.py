"""A run on disk while it is being made: runs/<run_id>/.

manifest.json  manifest.sha256  manifest.sig  secret (mode 0600)  source.json
registration.json  registration.tlog-proof  beacon.json (of a run that was registered)
registration.tsq  registration.tsr (of one whose log was time-stamped)
journal/<stream>/…  notes/  judged/  executions/  egress/  memory/  memory_data/  lock

No file in it says which program is started, or where one is found: that is in the owner's own folder (`run_origin`).
`source.json` is the version of the program that sealed the run, `manifest.sha256` the digest of its manifest, so that
one that was changed since is named as such; it proves nothing. `manifest.sig` does: it is the signature over the
manifest by the key that it names, made when the run was sealed (`seal_signature`).
`journal`, `notes` and `judged` are all that a harness in its container can write; `executions` is what was seen from
outside. By hand, with compose.yaml, it can write `executions` too. `memory` has
what memory servers print, `memory_data` their folders while they run: what a killed run left there goes with the next.
`people.json`, in a run with people, has the secrets of their addresses (`people.admissions`); no bundle takes it.
"""

import fcntl
import hashlib
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final, TypeVar

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agzamov_verify.bundle import BAGIT_FILE
from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core import canon
from agzamov_verify.core.dice import Dice
from agzamov_verify.plan.manifest import Manifest, ManifestError, load_manifest, prompt_digests
from agzamov_verify.protocols.norms import protocol_sha256
from agzamov_verify.registration.beacon import BeaconRound

from ..foundation.append_only import MAKING, open_append
from ..foundation.owner_folder import installed_folder
from ..foundation.program_and_machine import SourceVersion, source_version
from ..ports import PortFault
from . import seal_signature
from .run_origin import RunOrigin, memory_servers_of, plan_folder_of, recall, remember

T = TypeVar("T")
WORKERS_END_S: Final = 5.0
"""Seconds that a lock is waited for: the workers of a process that was killed hold it until they have ended too."""
LOOK_S: Final = 0.05

MANIFEST, SECRET, JOURNAL, LOCK = "manifest.json", "secret", "journal", "lock"
SOURCE, SEALED, SIGNATURE = "source.json", "manifest.sha256", "manifest.sig"
ORIGIN = (SOURCE, SEALED, SIGNATURE)
REGISTRATION, PROOF, BEACON = "registration.json", "registration.tlog-proof", "beacon.json"
QUERY, STAMP = "registration.tsq", "registration.tsr"
NOTES, EXECUTIONS, EGRESS, JUDGED, QUALITY = "notes", "executions", "egress", "judged", "quality"
MEMORY_LOGS, MEMORY_DATA = "memory", "memory_data"
PREFLIGHT, WEIGHTS = "preflight.json", "weights.json"
ADDRESSES, DIGESTS = "addresses.json", "digests.json"
MEMORY_MODELS = "memory_models.jsonl"
SHA256 = re.compile(rb"[0-9a-f]{64}")
DIGITS = 16
"""Digits of a digest that an error shows."""

KNOWN_NOTES = frozenset({LOCK, ADDRESSES, DIGESTS, MEMORY_MODELS, PREFLIGHT})
"""Files that a harness leaves in `notes`; WEIGHTS is in `executions`, where no container writes."""


class Changed(ManifestError):
    """The sealed manifest of a run, or the digest beside it, was changed."""


class InUse(ManifestError):
    """Another process holds a lock that this one needs."""


class RunDirectory:
    """One run's folder: the sealed manifest, and the places of its journals.

    `origin`: paths that the owner of the run knows, as far as this machine does. `sealed_by`: the version that sealed.
    """

    def __init__(
        self, path: Path, manifest: Manifest, secret: bytes, sealed_by: SourceVersion, origin: RunOrigin
    ) -> None:
        self.path, self.manifest, self.secret = path, manifest, secret
        self.sealed_by, self.origin = sealed_by, origin

    @property
    def plan_folder(self) -> Path:
        """The folder of the plan's file. Raises ManifestError where it is needed and unknown."""
        return plan_folder_of(self.origin, self.manifest.plan, self.path)

    @property
    def memory_servers(self) -> Path:
        """The folder of installed memory servers. Raises ManifestError where it is needed and unknown."""
        return memory_servers_of(self.origin, self.manifest.plan, self.path)

    def has(self, name: str) -> bool:
        """Whether a file is there; one that a crash of an earlier version left empty is not."""
        path = self.path / name
        return path.is_file() and path.stat().st_size > 0

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    @property
    def notes(self) -> Path:
        """Folder of the harness's findings while it played."""
        return self.path / NOTES

    @property
    def executions(self) -> Path:
        """Folder of the records of the run's containers, one folder for each time that it was played."""
        return self.path / EXECUTIONS

    @property
    def beacon(self) -> BeaconRound | None:
        """The round that the seed waits for, once it is here; None with another seed. Raises ManifestError."""
        if self.manifest.plan.seed.origin != "beacon":
            return None
        path, value = self.path / BEACON, self.manifest.plan.seed.value
        try:
            beacon = canon.loads_as(path.read_bytes(), BeaconRound)
        except (OSError, canon.NotCanonical) as error:
            how = f"give it by: agzamov register beacon {shlex.quote(str(self.path))} FILE"
            raise ManifestError(f"{path}: expected the round {value} that the seed waits for; {how}") from error
        if beacon.seed_value != value:
            raise ManifestError(f"{path}: expected the round {value}, found {beacon.seed_value}")
        return beacon

    @property
    def dice(self) -> Dice:
        """The dice of the run. Raises ManifestError while the round that the seed waits for is not here."""
        beacon = self.beacon
        return seed_dice(self.manifest, self.secret, beacon.randomness if beacon else b"")

    def require_registered(self) -> None:
        """Raises ManifestError for a run that asked to be registered and has no proof of it yet."""
        if (self.path / REGISTRATION).exists() and not self.has(PROOF):
            folder = shlex.quote(str(self.path))
            raise ManifestError(
                f"{self.path}: expected the proof that this run is registered, found none; ask the log's keeper for it,"
                f" then: agzamov register proof {folder} FILE"
            )

    @property
    def quality(self) -> Path:
        """The engine's answers about every chess move, where the plan promises them, once they are complete."""
        return self.path / JUDGED / QUALITY

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder for this process alone. Raises ManifestError while another one has it."""
        return held(self.path / LOCK, f"{self.path}: another process is running this run", wait_s=WORKERS_END_S)

    @contextmanager
    def shared(self, share: str) -> Iterator[None]:
        """Hold one share of the folder for this process alone, beside those of other shares.

        Raises PortFault while it is held: a process that was lost may leave its lock for a while.
        """
        try:
            with (
                held(self.path / LOCK, f"{self.path}: another process is running this run", fcntl.LOCK_SH),
                held(self.path / f"{LOCK}-{share}", f"{self.path}: another process is playing share {share}"),
            ):
                yield
        except InUse as error:
            raise PortFault(str(error)) from error

    def playing(self) -> AbstractContextManager[None]:
        """Hold the journals: in containers it is another process that writes them. Raises ManifestError."""
        return held(self.notes / LOCK, f"{self.path}: another process is running this run", wait_s=WORKERS_END_S)

    @property
    def is_played(self) -> bool | None:
        """Whether a process of this machine plays the run. None for shares: to look at their locks could stop one."""
        if any(self.path.glob(f"{LOCK}-*")):
            return None
        return any(_is_held(path) for path in (self.path / LOCK, self.notes / LOCK))


def _is_held(path: Path) -> bool:
    """Whether a process has a lock file for itself alone. Whoever wants it in the meantime waits (`held`)."""
    try:
        with path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def held(path: Path, otherwise: str, kind: int = fcntl.LOCK_EX, wait_s: float = 0) -> Iterator[None]:
    """Hold a lock file, for this process alone unless `kind` is LOCK_SH.

    Raises InUse, which says `otherwise`, where another still has it after `wait_s`.
    """
    end = time.monotonic() + wait_s
    with open_append(path) as lock:
        while True:
            try:
                fcntl.flock(lock, kind | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() >= end:
                    raise InUse(otherwise) from error
                time.sleep(LOOK_S)
            else:
                break
        yield


def create(
    runs: Path,
    manifest: Manifest,
    secret: bytes,
    key: Ed25519PrivateKey,
    plan_folder: Path = Path(),
    key_file: Path = Path("submitter.pem"),
    memory_servers: Path | None = None,
) -> RunDirectory:
    """A new folder for a sealed manifest, complete before it has its name.

    The run goes on with the manifest that these bytes spell, as whoever verifies it does: `manifest` may hold its
    mappings in the order in which a plan was typed. `key` is the one that the manifest names; it signs.
    """
    sealed = manifest.bytes
    manifest = load_manifest(sealed)
    sealed_by, sha256 = source_version(), hashlib.sha256(sealed).hexdigest()
    servers = (memory_servers or installed_folder()).absolute()
    origin = RunOrigin(str(key_file.absolute()), str(servers), str(plan_folder.resolve()))
    path = runs / manifest.run_id
    _require_utf8(key_file.absolute(), servers, plan_folder.resolve(), path.absolute())
    making, signature = runs / f".{manifest.run_id}{MAKING}", seal_signature.signed(sealed, key)
    seal_signature.require_signed(signature, sealed, manifest.submitter_key_id)
    with _removed_on_failure(making):
        making.mkdir(parents=True)
        for folder in (JOURNAL, NOTES, JUDGED, EXECUTIONS):
            (making / folder).mkdir()
        (making / MANIFEST).write_bytes(sealed)
        (making / SEALED).write_text(sha256)
        (making / SIGNATURE).write_bytes(signature)
        (making / SOURCE).write_bytes(canon.dumps(sealed_by))
        descriptor = os.open(making / SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secret.hex())
        remember(sha256, origin)
        making.rename(path)
    return RunDirectory(path, manifest, secret, sealed_by, origin)


def _require_utf8(*paths: Path) -> None:
    """Raises ManifestError for a path whose bytes are no UTF-8: no document can hold it, and no command names it."""
    for path in paths:
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            raise ManifestError(
                f"{str(path)!a}: expected a path in UTF-8; rename it, or work in another one"
            ) from error


@contextmanager
def _removed_on_failure(making: Path) -> Iterator[None]:
    """Remove a folder that could not be completed. Raises ManifestError in the place of OSError."""
    try:
        yield
    except BaseException as error:
        shutil.rmtree(making, ignore_errors=True)
        if isinstance(error, OSError):
            where = error.filename or making.parent
            raise ManifestError(f"{where}: the run cannot be sealed there ({error.strerror})") from error
        raise


def clear_unsealed(runs: Path) -> None:
    """Remove what seals that were killed left in a folder of runs, while nobody else seals there."""
    for making in runs.glob(f".*{MAKING}/"):
        if not making.is_symlink():
            shutil.rmtree(making, ignore_errors=True)


def load(path: Path, plan_folder: Path | None = None, memory_servers: Path | None = None) -> RunDirectory:
    """The run in a folder that `create` made. Raises ManifestError.

    `plan_folder` and `memory_servers` are taken in the place of those that this machine knows.
    """
    try:
        manifest = load_sealed(path)
        secret = _told(path / SECRET, lambda data: bytes.fromhex(data.decode()))
        sealed_by = _told(path / SOURCE, lambda data: canon.loads_as(data, SourceVersion))
    except Changed:
        raise
    except (OSError, ValueError) as error:
        if (path / BAGIT_FILE).is_file():
            whose = f"{path}: this is the bundle of a run that was played to its end: nothing is left to play"
            raise ManifestError(f"{whose}; check it with: agzamov verify {shlex.quote(str(path))}") from error
        what = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        raise ManifestError(f"{path}: expected the folder of a sealed run ({what})") from error
    if hashlib.sha256(secret).hexdigest() != manifest.secret_commit:
        raise ManifestError(f"{path / SECRET}: expected the secret that the manifest commits to, found another")
    here = (
        protocol_sha256(manifest.plan.protocol),
        prompt_digests(manifest.plan.protocol, manifest.plan.systems.values(), manifest.plan.games),
    )
    if (manifest.protocol_sha256, manifest.prompts_sha256) != here:
        expected = "the protocol and the prompts of this version"
        raise ManifestError(f"{path}: expected {expected}, found others; it was sealed by {sealed_by}: use that")
    origin = recall(hashlib.sha256(manifest.bytes).hexdigest())
    given = {"plan_folder": plan_folder, "memory_servers": memory_servers}
    paths = {name: str(folder.absolute()) for name, folder in given.items() if folder}
    return RunDirectory(path, manifest, secret, sealed_by, msgspec.structs.replace(origin, **paths))


def require_signed_by(directory: RunDirectory, key: str | None) -> None:
    """Raises ManifestError where a run was sealed by another key than the one that is expected, if one is."""
    sealed_by = directory.manifest.submitter_key_id
    if key not in (None, sealed_by):
        raise ManifestError(f"{directory.path}: expected a run that the key {key} sealed, found one by {sealed_by}")


def _told(path: Path, read: Callable[[bytes], T]) -> T:
    """What a file says. Raises OSError, and ValueError with the file's name."""
    try:
        return read(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def load_sealed(path: Path) -> Manifest:
    """The manifest in the folder of a run. Raises OSError, and ManifestError for another one than was sealed."""
    data, digest = (path / MANIFEST).read_bytes(), (path / SEALED).read_bytes().strip()
    found = hashlib.sha256(data).hexdigest()
    if not SHA256.fullmatch(digest):
        raise Changed(f"{path / SEALED}: expected a SHA-256, found something else; that of {MANIFEST} is {found}")
    sealed = digest.decode()
    if found != sealed:
        raise Changed(
            f"{path / MANIFEST}: expected the sealed one, SHA-256 {sealed[:DIGITS]}, found {found[:DIGITS]}: it was"
            " changed after it was sealed; undo the change, or seal a new run from a plan that says it"
        )
    manifest = load_manifest(data)
    try:
        seal_signature.require_signed((path / SIGNATURE).read_bytes(), data, manifest.submitter_key_id)
    except seal_signature.BadSignature as error:
        raise Changed(
            f"{path / SIGNATURE}: {error}: the manifest or this file was changed after it was sealed; undo the change,"
            " or seal a new run from a plan that says it"
        ) from error
    return manifest


def require_room(out: Path, runs: Path) -> None:
    """Find out before the first game whether a bundle can be written into `out`. Raises ManifestError."""
    require_writable(out)
    require_apart(out, runs)


def require_apart(out: Path, runs: Path) -> None:
    """Raises ManifestError where bundles are wanted in the folder of the runs."""
    if out.resolve() == runs.resolve():
        raise ManifestError(f"--out {out}: expected another folder than that of the runs: both have the run's id in it")


def require_writable(
    folder: Path,
    otherwise: str = "the bundle cannot be written there",
    advice: str = "choose another folder with --out",
) -> None:
    """Find out before the first game whether `folder` can be written. Raises ManifestError, which says `otherwise`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ManifestError(f"{folder}: {otherwise} ({error.strerror}); {advice}") from error
