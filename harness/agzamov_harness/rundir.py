"""A run on disk while it is being made: runs/<run_id>/.

manifest.json  secret (mode 0600)  plan_folder  journal/<stream>/…  notes/  judged/  sittings/  egress/  lock

`plan_folder` says where the plan stood, from which the paths of weights are taken; it never enters a bundle.
`journal`, `notes` and `judged` are all that a harness in its container can write; `sittings` is what was seen from
outside. By hand, with compose.yaml, it can write `sittings` too.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from agzamov_verify.games.prompts import prompt_digests
from agzamov_verify.manifest import Manifest, ManifestError, load_manifest
from agzamov_verify.protocol import protocol_sha256

MANIFEST, SECRET, PLAN_FOLDER, JOURNAL, LOCK = "manifest.json", "secret", "plan_folder", "journal", "lock"
NOTES, SITTINGS, EGRESS, JUDGED, QUALITY = "notes", "sittings", "egress", "judged", "quality"


class RunDirectory:
    """One run's folder: what was sealed, and where its journals go."""

    def __init__(self, path: Path, manifest: Manifest, secret: bytes, plan_folder: Path) -> None:
        self.path, self.manifest, self.secret, self.plan_folder = path, manifest, secret, plan_folder

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    @property
    def notes(self) -> Path:
        """What the harness found out while it played."""
        return self.path / NOTES

    @property
    def sittings(self) -> Path:
        """What was seen of the run's containers, one file for each time that it was played."""
        return self.path / SITTINGS

    @property
    def quality(self) -> Path:
        """The engine's answers about every chess move, where the plan promises them, once they are complete."""
        return self.path / JUDGED / QUALITY

    def locked(self) -> AbstractContextManager[None]:
        """Hold the folder for this process alone. Raises ManifestError while another one has it."""
        return self._holding(self.path / LOCK)

    def playing(self) -> AbstractContextManager[None]:
        """Hold the journals: in containers it is another process that writes them. Raises ManifestError."""
        return self._holding(self.notes / LOCK)

    @contextmanager
    def _holding(self, path: Path) -> Iterator[None]:
        with path.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ManifestError(f"{self.path}: another process is running this run") from error
            yield


def create(runs: Path, manifest: Manifest, secret: bytes, plan_folder: Path = Path()) -> RunDirectory:
    """A new folder for a sealed manifest, complete before it has its name."""
    plan_folder = plan_folder.resolve()
    path = runs / manifest.run_id
    making = runs / f".{manifest.run_id}.making"
    making.mkdir(parents=True)
    for folder in (JOURNAL, NOTES, JUDGED, SITTINGS):
        (making / folder).mkdir()
    (making / MANIFEST).write_bytes(manifest.bytes)
    (making / PLAN_FOLDER).write_text(str(plan_folder))
    descriptor = os.open(making / SECRET, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secret.hex())
    making.rename(path)
    return RunDirectory(path, manifest, secret, plan_folder)


def load(path: Path) -> RunDirectory:
    """The run in a folder that `create` made. Raises ManifestError."""
    try:
        manifest = load_manifest((path / MANIFEST).read_bytes())
        secret = bytes.fromhex((path / SECRET).read_text())
        plan_folder = Path((path / PLAN_FOLDER).read_text())
    except (OSError, ValueError) as error:
        what = error.strerror if isinstance(error, OSError) else error
        raise ManifestError(f"{path}: expected the folder of a sealed run: {what}") from error
    if hashlib.sha256(secret).hexdigest() != manifest.secret_commit:
        raise ManifestError(f"{path / SECRET}: expected the secret that the manifest commits to, found another")
    here = (protocol_sha256(manifest.plan.protocol), prompt_digests())
    if (manifest.protocol_sha256, manifest.prompts_sha256) != here:
        wanted = "the protocol and the prompts of this version"
        raise ManifestError(f"{path}: expected {wanted}, found others; use the version that sealed it")
    return RunDirectory(path, manifest, secret, plan_folder)
