"""Bytecode of an image's Python files, made by Debian's interpreter of the same version.

A container cannot keep bytecode on its read-only root, so without this every start compiles again.
The interpreter is the image's own, since two releases of one Python version differ in some files; for an image of
another architecture it is the same release for this machine's. It runs from a folder through its own loader,
without root or an engine. The hash in each file is not checked at import, so no time of a file matters.
"""

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from agzamov_harness.images.records import ImageFault

from .architecture import Architecture, here
from .tree import Entry, Kind, file

INTERPRETER = "usr/bin/python3.11"
STANDARD_LIBRARY = "usr/lib/python3.11/"
TIMEOUT_S = 600


def compiled(interpreter: Iterable[Entry], entries: list[Entry], root: str) -> Iterator[Entry]:
    """The bytecode of the Python files below `root`. Raises ImageFault where one does not compile.

    `interpreter` holds a Python that this machine can run, among other files.
    """
    machine = here()
    sources = [entry for entry in entries if entry.path.startswith(f"{root}/") and entry.path.endswith(".py")]
    with tempfile.TemporaryDirectory() as folder:
        system, site = Path(folder) / "system", Path(folder) / "site"
        lay_out(system, [entry for entry in interpreter if _runs_python(entry, machine)])
        lay_out(site, sources)
        _compile(machine, system, site, root)
        for path in sorted(site.rglob("*.pyc")):
            yield file(str(path.relative_to(site)), path.read_bytes())


def _runs_python(entry: Entry, machine: Architecture) -> bool:
    library = entry.path.startswith(f"{machine.libraries}/") and ".so" in entry.path
    return library or entry.path == INTERPRETER or entry.path.startswith(STANDARD_LIBRARY)


def lay_out(folder: Path, entries: Iterable[Entry]) -> None:
    """Write entries below a folder."""
    for entry in entries:
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        match entry.kind:
            case Kind.FILE:
                place.write_bytes(entry.content)
                place.chmod(entry.mode)
            case Kind.LINK:
                place.unlink(missing_ok=True)
                place.symlink_to(entry.link)
            case Kind.DIRECTORY:
                place.mkdir(exist_ok=True)


def _compile(machine: Architecture, system: Path, site: Path, root: str) -> None:
    libraries = system / machine.libraries
    command = [
        *(str(libraries / machine.loader), "--library-path", str(libraries), str(system / INTERPRETER)),
        *("-B", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"),
        *("-s", str(site), "-p", "/", str(site / root)),
    ]
    environment = {"PYTHONHOME": str(system / "usr"), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except OSError as error:
        raise ImageFault(
            f"Debian's Python for {machine.name} does not start here ({error.strerror}); build on Linux"
        ) from error
    if done.returncode:
        raise ImageFault(f"{root}: expected Python files that compile, found: {(done.stdout + done.stderr)[:400]}")
