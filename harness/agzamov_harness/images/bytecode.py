"""Bytecode of an image's Python files, made by the image's own interpreter.

A container cannot keep bytecode on its read-only root, so without this every start compiles again.
The interpreter is the image's, since two releases of one Python version differ in some files; it runs
from a folder through its own loader, without root or an engine. The hash in each file is not checked
at import, so no time of a file matters.
"""

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from .faults import ImageFault
from .tree import Entry, Kind, file

INTERPRETER = "usr/bin/python3.11"
LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = f"{LIBRARIES}/ld-linux-x86-64.so.2"
STANDARD_LIBRARY = "usr/lib/python3.11/"
TIMEOUT_S = 600


def compiled(standing: Iterable[Entry], entries: list[Entry], root: str) -> Iterator[Entry]:
    """The bytecode of the Python files below `root`. Raises ImageFault where one does not compile."""
    sources = [entry for entry in entries if entry.path.startswith(f"{root}/") and entry.path.endswith(".py")]
    with tempfile.TemporaryDirectory() as folder:
        system, site = Path(folder) / "system", Path(folder) / "site"
        _lay_out(system, [entry for entry in standing if _runs_python(entry)])
        _lay_out(site, sources)
        _compile(system, site, root)
        for path in sorted(site.rglob("*.pyc")):
            yield file(str(path.relative_to(site)), path.read_bytes())


def _runs_python(entry: Entry) -> bool:
    library = entry.path.startswith(f"{LIBRARIES}/") and ".so" in entry.path
    return library or entry.path == INTERPRETER or entry.path.startswith(STANDARD_LIBRARY)


def _lay_out(folder: Path, entries: Iterable[Entry]) -> None:
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


def _compile(system: Path, site: Path, root: str) -> None:
    command = [
        *(str(system / LOADER), "--library-path", str(system / LIBRARIES), str(system / INTERPRETER)),
        *("-B", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash"),
        *("-s", str(site), "-p", "/", str(site / root)),
    ]
    environment = {"PYTHONHOME": str(system / "usr"), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except OSError as error:
        raise ImageFault(
            f"the image's own Python does not start here ({error.strerror}); build on Linux, x86-64"
        ) from error
    if done.returncode:
        raise ImageFault(f"{root}: expected Python files that compile, found: {(done.stdout + done.stderr)[:400]}")
