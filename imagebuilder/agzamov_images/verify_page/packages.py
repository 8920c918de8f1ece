"""What the page takes from others: Pyodide from npm, and the verifier's requirements for its Python from PyPI.

Both are fetched by lock and checked by hash as for images: Pyodide by the lock in `parts`, Python packages by the
requirements file that the verifier is installed from.
"""

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from agzamov_harness.containers.image_records import ImageFault

from .. import npm, wheels
from ..architecture import ARCHITECTURES
from ..cache import Cache, sha256

PARTS: Final = Path(__file__).parent / "parts"
NEEDED: Final = ("chess", "click", "mpmath", "msgspec", "pokerkit")
"""Of the verifier's requirements; instead of the others it has Python of its own."""

NEEDED_FOR_BEACONS: Final = ("py-ecc",)
"""Of what `make beacon` installs: 0.2 MB of Python alone. The packages that it asks for have stand-ins in `parts`."""

SOURCES: Final = ("chess",)
"""Those that come as source only."""

TARGET: Final = wheels.Target((3, 14), ("pyemscripten_2026_0_wasm32",))
"""The Python of the locked Pyodide, and its platform (PEP 783)."""

PYODIDE_FILES: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")


class Pyodide(NamedTuple):
    """The locked version of Pyodide, and its files by name."""

    version: str
    files: dict[str, bytes]


def pyodide(cache: Cache) -> Pyodide:
    """Pyodide, from the cache or by npm. Raises ImageFault."""
    locked = npm.read_lock(PARTS / "package-lock.json", ARCHITECTURES["amd64"])
    ((package, path),) = npm.fetch([package for package in locked if package.name == "pyodide"], cache)
    with tarfile.open(path) as archive:
        opened = {name: archive.extractfile(f"package/{name}") for name in PYODIDE_FILES}
        return Pyodide(package.version, {name: file.read() for name, file in opened.items() if file})


def python_packages(requirements: Path, beacon: Path, cache: Cache) -> Iterator[tuple[str, bytes]]:
    """The files of the needed packages, by their path in the site folder. Raises ImageFault.

    `requirements`: the pins of the verifier, `beacon`: those of what checks a beacon's round.
    """
    asked = ((requirements, NEEDED), (beacon, NEEDED_FOR_BEACONS))
    pins = [
        pin
        for path, names in asked
        for pin in wheels.read_requirements(path, ARCHITECTURES["amd64"])
        if pin.name in names
    ]
    missing = [pin for pin in pins if not wheels.best(pin, cache, TARGET.tags)]
    if missing:
        wheels.download(missing, SOURCES, cache, TARGET)
    for pin in pins:
        path = wheels.best(pin, cache, TARGET.tags)
        if not path:
            raise ImageFault(f"{requirements}: no file of {pin.name} {pin.version} for Python in a browser was fetched")
        yield from _files(wheels.Fetched(pin, path, sha256(path.parent.name.removeprefix("sha256-"))))


def _files(package: wheels.Fetched) -> Iterator[tuple[str, bytes]]:
    try:
        for entry in wheels.unpacked([package], ""):
            yield entry.path.lstrip("/"), entry.content
    except (zipfile.BadZipFile, tarfile.TarError) as error:
        raise ImageFault(f"{package.path.name}: {error}") from error
