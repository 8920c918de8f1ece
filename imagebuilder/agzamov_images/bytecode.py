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

from agzamov_harness.containers.image_records import ImageFault

from .architecture import Architecture, here
from .suites import Suite
from .tree import Entry, Kind, file

SYSTEM, SITE = "system", "site"
TIMEOUT_S = 600


def compiled(interpreter: Iterable[Entry], entries: list[Entry], root: str, suite: Suite) -> Iterator[Entry]:
    """The bytecode of the Python files below `root`. Raises ImageFault where one does not compile.

    `interpreter` holds the suite's Python, such as this machine can run, among other files.
    """
    machine = here()
    sources = [entry for entry in entries if entry.path.startswith(f"{root}/") and entry.path.endswith(".py")]
    with tempfile.TemporaryDirectory() as folder:
        system, site = Path(folder) / SYSTEM, Path(folder) / SITE
        lay_out(system, [entry for entry in interpreter if _runs_python(entry, machine, suite)])
        lay_out(site, sources)
        _compile(machine, suite, Path(folder), root)
        for path in sorted(site.rglob("*.pyc")):
            yield file(str(path.relative_to(site)), path.read_bytes())


def _program(suite: Suite) -> str:
    return f"usr/bin/python{suite.python_version}"


def _runs_python(entry: Entry, machine: Architecture, suite: Suite) -> bool:
    library = entry.path.startswith(f"{machine.libraries}/") and ".so" in entry.path
    return library or entry.path == _program(suite) or entry.path.startswith(f"usr/lib/python{suite.python_version}/")


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


def _compile(machine: Architecture, suite: Suite, folder: Path, root: str) -> None:
    system, site = folder / SYSTEM, folder / SITE
    libraries = system / machine.libraries
    command = [
        *(str(libraries / machine.loader), "--library-path", str(libraries), str(system / _program(suite))),
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
