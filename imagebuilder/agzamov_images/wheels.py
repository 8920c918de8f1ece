"""Python packages of a hashed requirements file: chosen for the image's Python, fetched by pip, unpacked here.

Nothing of a package is run. A wheel is unpacked as its format says, without its scripts; a package that
comes only as source and is pure Python is taken out of its source archive as it is.
"""

import io
import os
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from agzamov_harness.containers.image_records import ImageFault

from .architecture import ARCHITECTURES, Architecture
from .cache import Cache, Digest, digest_of, sha256
from .components import Component, component
from .package_managers import told
from .suites import BOOKWORM, SUITES, Suite
from .tree import Entry, file

LEGACY_PLATFORMS = {
    "amd64": ("manylinux2014", "manylinux2010", "manylinux1", "linux"),
    "arm64": ("manylinux2014", "linux"),
}
MARKERS = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_system": "Linux",
    "platform_version": "",
    "sys_platform": "linux",
    "extra": "",
}
PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)\s*(?:;(?P<marker>[^\\]+?))?\s*(?P<hashes>(?:--hash=\S+\s*)+)"
)
UNPACKED_BYTES_MAX = 2**31
# pip reads the metadata of a source archive through the build program that it names, setuptools as a rule, which runs
# its setup.py. This stands in setuptools' place and gives the metadata that the archive holds.
BACKEND = """\
import sys
from email.parser import HeaderParser
from pathlib import Path
from types import MappingProxyType

__legacy__ = sys.modules[__name__]

def get_requires_for_build_wheel(settings=None):
    return []

def prepare_metadata_for_build_wheel(folder, settings=None):
    text = Path("PKG-INFO").read_text(encoding="utf-8")
    fields = HeaderParser().parsestr(text)
    info = Path(folder, f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info")
    info.mkdir()
    (info / "METADATA").write_text(text, encoding="utf-8")
    return info.name
"""
NO_FOLDERS: Mapping[str, str] = MappingProxyType({})
ADVICE = "pip must reach an index by this machine's own configuration, or the cache folder must hold the package"


class Pin(NamedTuple):
    """One requirement that holds for the image's Python."""

    name: str
    version: str
    hashes: frozenset[str]


def read_requirements(path: Path, architecture: Architecture, suite: Suite = BOOKWORM) -> list[Pin]:
    """The pins of a requirements file that hold for the image. Raises ImageFault."""
    try:
        text = re.sub(r"(?m)^\s*#.*$", "", path.read_text()).replace("\\\n", " ")
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}") from error
    pins, target = [], _markers(architecture, suite)
    for line in filter(None, map(str.strip, text.splitlines())):
        matched = PIN.fullmatch(line)
        if not matched:
            raise ImageFault(f"{path}: expected NAME==VERSION with --hash=sha256:…, found {line[:80]!r}")
        if not matched["marker"] or Marker(matched["marker"]).evaluate(target):
            hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", matched["hashes"]))
            pins.append(Pin(canonicalize_name(matched["name"]), matched["version"], hashes))
    return pins


def _markers(architecture: Architecture, suite: Suite) -> dict[str, str]:
    """The environment markers of an image."""
    full = ".".join(map(str, suite.python))
    versions = {"implementation_version": full, "python_full_version": full, "python_version": suite.python_version}
    return {**MARKERS, **versions, "platform_machine": architecture.machine}


class Fetched(NamedTuple):
    """A pin's file and its digest."""

    pin: Pin
    path: Path
    digest: Digest

    @property
    def component(self) -> Component:
        return component("pypi", self.pin.name, self.pin.version, self.digest)


def fetch(
    pins: Iterable[Pin], pure: Iterable[str], cache: Cache, architecture: Architecture, suite: Suite = BOOKWORM
) -> list[Fetched]:
    """Each pin's file, from the cache or by pip. Raises ImageFault."""
    pins, sources = list(pins), {str(canonicalize_name(name)) for name in pure}
    missing = [pin for pin in pins if not cached(pin, cache, architecture, suite)]
    if missing:
        download(missing, sources, cache, _target(architecture, suite))
    pairs = [(pin, cached(pin, cache, architecture, suite)) for pin in pins]
    return [Fetched(pin, path, sha256(path.parent.name.removeprefix("sha256-"))) for pin, path in pairs if path]


def cached(pin: Pin, cache: Cache, architecture: Architecture, suite: Suite = BOOKWORM) -> Path | None:
    """The best file of a pin that the cache holds for an image."""
    return best(pin, cache, TAGS[architecture.name, suite.name])


def best(pin: Pin, cache: Cache, known: Mapping[Tag, int]) -> Path | None:
    """The best file of a pin that the cache holds: the wheel with the first of the known tags, else the source."""
    paths = [path for value in sorted(pin.hashes) if (path := cache.find(sha256(value)))]
    ranked = [(rank, path) for path in paths if (rank := _rank(path, known)) is not None]
    return min(ranked)[1] if ranked else None


def _platforms(architecture: Architecture, suite: Suite) -> list[str]:
    """The platforms whose wheels run in an image, the newest first."""
    machine = architecture.machine
    glibc = [f"manylinux_2_{minor}_{machine}" for minor in range(suite.glibc_minor, 4, -1)]
    return [*glibc, *(f"{name}_{machine}" for name in LEGACY_PLATFORMS[architecture.name])]


class Target(NamedTuple):
    """The Python that packages are fetched for: its version, and the platforms of wheels that it takes, best first."""

    python: tuple[int, int]
    platforms: Sequence[str]

    @property
    def abi(self) -> str:
        return f"cp{self.python[0]}{self.python[1]}"

    @property
    def tags(self) -> dict[Tag, int]:
        """The rank of each tag of a wheel, 0 the best."""
        python, platforms = self.python, self.platforms
        tags = [*cpython_tags(python, [self.abi], platforms), *compatible_tags(python, self.abi, platforms)]
        return {tag: rank for rank, tag in reversed(list(enumerate(tags)))}


def _target(architecture: Architecture, suite: Suite) -> Target:
    return Target(suite.python[:2], _platforms(architecture, suite))


TAGS = {
    (architecture.name, suite.name): _target(architecture, suite).tags
    for architecture in ARCHITECTURES.values()
    for suite in SUITES.values()
}


def _rank(path: Path, known: Mapping[Tag, int]) -> int | None:
    """Rank of a file among those that fit the image, 0 the best; None if it does not fit."""
    try:
        *_, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        return len(known) if path.name.endswith(".tar.gz") else None
    return min((known[tag] for tag in tags if tag in known), default=None)


def download(missing: Iterable[Pin], sources: Iterable[str], cache: Cache, target: Target) -> None:
    """Fetch files of pins by pip into the cache; of those named in `sources` the source. Raises ImageFault."""
    missing = list(missing)
    with cache.incoming() as folder:
        rows = [
            f"{pin.name}=={pin.version} " + " ".join(f"--hash=sha256:{hexdigest}" for hexdigest in sorted(pin.hashes))
            for pin in missing
        ]
        (folder / "requirements.txt").write_text("\n".join(rows) + "\n")
        options = ["--only-binary=:all:", *(f"--no-binary={name}" for name in sorted(sources))]
        platforms = [f"--platform={name}" for name in target.platforms]
        python = [f"--python-version={target.python[0]}.{target.python[1]}", "--implementation=cp"]
        python += [f"--abi={abi}" for abi in (target.abi, "abi3", "none")]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest=files"]
        ours = ["--use-pep517", "--no-build-isolation", "-r", "requirements.txt"]
        told([*command, *options, *platforms, *python, *ours], folder, ADVICE, _backend(folder / "backend"))
        known = {hexdigest for pin in missing for hexdigest in pin.hashes}
        for path in sorted((folder / "files").iterdir()):
            digest = _promised(path, known)
            cache.put(path, digest)


def _backend(folder: Path) -> dict[str, str]:
    """The environment in which pip asks BACKEND for the metadata of a source archive, and runs nothing of it."""
    (folder / "setuptools").mkdir(parents=True)
    (folder / "setuptools" / "__init__.py").touch()
    (folder / "setuptools" / "build_meta.py").write_text(BACKEND)
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))}


def _promised(path: Path, known: set[str]) -> Digest:
    digest = digest_of(path, "sha256")
    if digest.value not in known:
        raise ImageFault(f"{path.name}: expected a file with a locked hash, fetched {digest}")
    return digest


def unpacked(fetched: Iterable[Fetched], into: str, folders: Mapping[str, str] = NO_FOLDERS) -> Iterator[Entry]:
    """The files of packages below `into`. Raises ImageFault for an archive that is not what it says.

    `folders`: by name, the folder in a source archive that is the package, where it has another name.
    """
    for package in fetched:
        try:
            entries = _of_wheel(package.path) if package.path.suffix == ".whl" else of_source(package, folders)
            for path, content, program in entries:
                yield file(f"{into}/{path}", content, program=program)
        except (zipfile.BadZipFile, tarfile.TarError) as error:
            raise ImageFault(f"{package.path.name}: {error}") from error


def _of_wheel(path: Path) -> Iterator[tuple[str, bytes, bool]]:
    with zipfile.ZipFile(path) as wheel:
        if sum(info.file_size for info in wheel.infolist()) > UNPACKED_BYTES_MAX:
            raise ImageFault(f"{path.name}: expected at most {UNPACKED_BYTES_MAX} bytes unpacked, found more")
        for info in wheel.infolist():
            place = _installed(info.filename)
            if place and not info.is_dir():
                yield place, wheel.read(info), bool(info.external_attr >> 16 & 0o111)


def _installed(name: str) -> str:
    """Path of a wheel's file in the site folder; empty for its scripts, headers and the like."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    kind, _, rest = rest.partition("/")
    return rest if kind in ("purelib", "platlib") else ""


def of_source(fetched: Fetched, folders: Mapping[str, str] = NO_FOLDERS) -> Iterator[tuple[str, bytes, bool]]:
    """The package folder and the metadata of a pure Python source archive."""
    name, version = fetched.pin.name.replace("-", "_"), fetched.pin.version
    package = folders.get(fetched.pin.name, name)
    with tarfile.open(fileobj=io.BytesIO(fetched.path.read_bytes())) as archive:
        for info in archive:
            _, _, path = info.name.partition("/")
            opened = archive.extractfile(info) if info.isreg() else None
            if opened and path == "PKG-INFO":
                yield f"{name}-{version}.dist-info/METADATA", opened.read(), False
            elif opened and path.startswith(f"{package}/"):
                yield path, opened.read(), False
            elif opened and path.startswith(("LICENSE", "COPYING")):
                yield f"{name}-{version}.dist-info/{path}", opened.read(), False
