"""Python packages of a hashed requirements file: chosen for the image's Python, fetched by pip, unpacked here.

Nothing of a package is run. A wheel is unpacked as its format says, without its scripts; a package that
comes only as source and is pure Python is taken out of its source archive as it is.
"""

import io
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from .cache import Cache, Digest, digest_of, sha256
from .component import Component, component
from .faults import ImageFault
from .fetching import told
from .tree import Entry, file

PYTHON = (3, 11)
GLIBC_MINOR = 36
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(GLIBC_MINOR, 4, -1)]
LEGACY_PLATFORMS = ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"]
TARGET = {
    "implementation_name": "cpython",
    "implementation_version": "3.11.2",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_release": "",
    "platform_system": "Linux",
    "platform_version": "",
    "python_full_version": "3.11.2",
    "python_version": "3.11",
    "sys_platform": "linux",
    "extra": "",
}
PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)\s*(?:;(?P<marker>[^\\]+?))?\s*(?P<hashes>(?:--hash=\S+\s*)+)"
)
UNPACKED_BYTES_MAX = 2**31
ADVICE = "pip must reach an index by this machine's own configuration, or the cache folder must hold the package"


class Pin(NamedTuple):
    """One requirement that holds for the image's Python."""

    name: str
    version: str
    hashes: frozenset[str]


def read_requirements(path: Path) -> list[Pin]:
    """The pins of a requirements file that hold for the image. Raises ImageFault."""
    try:
        text = re.sub(r"(?m)^\s*#.*$", "", path.read_text()).replace("\\\n", " ")
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}") from error
    pins = []
    for line in filter(None, map(str.strip, text.splitlines())):
        found = PIN.fullmatch(line)
        if not found:
            raise ImageFault(f"{path}: expected NAME==VERSION with --hash=sha256:…, found {line[:80]!r}")
        if not found["marker"] or Marker(found["marker"]).evaluate(TARGET):
            hashes = frozenset(re.findall(r"--hash=sha256:([0-9a-f]{64})", found["hashes"]))
            pins.append(Pin(canonicalize_name(found["name"]), found["version"], hashes))
    return pins


class Fetched(NamedTuple):
    """A pin's file and its digest."""

    pin: Pin
    path: Path
    digest: Digest

    @property
    def component(self) -> Component:
        return component("pypi", self.pin.name, self.pin.version, self.digest)


def fetch(pins: Iterable[Pin], pure: Iterable[str], cache: Cache) -> list[Fetched]:
    """Each pin's file, from the cache or by pip. Raises ImageFault."""
    pins, sources = list(pins), {str(canonicalize_name(name)) for name in pure}
    missing = [pin for pin in pins if not _cached(pin, cache)]
    if missing:
        _download(missing, sources, cache)
    found = [(pin, _cached(pin, cache)) for pin in pins]
    return [Fetched(pin, path, sha256(path.parent.name.removeprefix("sha256-"))) for pin, path in found if path]


def _cached(pin: Pin, cache: Cache) -> Path | None:
    """The best file of a pin that the cache holds: the most specific wheel, else the source."""
    found = [path for value in sorted(pin.hashes) if (path := cache.find(sha256(value)))]
    ranked = [(rank, path) for path in found if (rank := _rank(path)) is not None]
    return min(ranked)[1] if ranked else None


def _tags() -> dict[Tag, int]:
    platforms = [*PLATFORMS, *LEGACY_PLATFORMS]
    tags = [*cpython_tags(PYTHON, ["cp311"], platforms), *compatible_tags(PYTHON, "cp311", platforms)]
    return {tag: rank for rank, tag in reversed(list(enumerate(tags)))}


TAGS = _tags()


def _rank(path: Path) -> int | None:
    """How well a file fits the image, 0 the best; None where it does not."""
    try:
        *_, tags = parse_wheel_filename(path.name)
    except InvalidWheelFilename:
        return len(TAGS) if path.name.endswith(".tar.gz") else None
    return min((TAGS[tag] for tag in tags if tag in TAGS), default=None)


def _download(missing: list[Pin], sources: set[str], cache: Cache) -> None:
    with cache.incoming() as folder:
        rows = [
            f"{pin.name}=={pin.version} " + " ".join(f"--hash=sha256:{one}" for one in sorted(pin.hashes))
            for pin in missing
        ]
        (folder / "requirements.txt").write_text("\n".join(rows) + "\n")
        options = ["--only-binary=:all:", *(f"--no-binary={name}" for name in sorted(sources))]
        platforms = [f"--platform={name}" for name in [*PLATFORMS, *LEGACY_PLATFORMS]]
        python = ["--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=abi3", "--abi=none"]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest=files"]
        told([*command, *options, *platforms, *python, "-r", "requirements.txt"], folder, ADVICE)
        known = {one for pin in missing for one in pin.hashes}
        for path in sorted((folder / "files").iterdir()):
            digest = _promised(path, known)
            cache.put(path, digest)


def _promised(path: Path, known: set[str]) -> Digest:
    digest = digest_of(path, "sha256")
    if digest.value not in known:
        raise ImageFault(f"{path.name}: expected a file with a locked hash, fetched {digest}")
    return digest


def unpacked(fetched: Iterable[Fetched], into: str) -> Iterator[Entry]:
    """The files of packages below `into`. Raises ImageFault for an archive that is not what it says."""
    for one in fetched:
        try:
            entries = _of_wheel(one.path) if one.path.suffix == ".whl" else _of_source(one)
            for path, content, program in entries:
                yield file(f"{into}/{path}", content, program=program)
        except (zipfile.BadZipFile, tarfile.TarError) as error:
            raise ImageFault(f"{one.path.name}: {error}") from error


def _of_wheel(path: Path) -> Iterator[tuple[str, bytes, bool]]:
    with zipfile.ZipFile(path) as wheel:
        if sum(info.file_size for info in wheel.infolist()) > UNPACKED_BYTES_MAX:
            raise ImageFault(f"{path.name}: expected at most {UNPACKED_BYTES_MAX} bytes unpacked, found more")
        for info in wheel.infolist():
            place = _installed(info.filename)
            if place and not info.is_dir():
                yield place, wheel.read(info), bool(info.external_attr >> 16 & 0o111)


def _installed(name: str) -> str:
    """Where a wheel's file goes in the site; empty for its scripts, headers and the like."""
    top, _, rest = name.partition("/")
    if not top.endswith(".data"):
        return name
    kind, _, rest = rest.partition("/")
    return rest if kind in ("purelib", "platlib") else ""


def _of_source(one: Fetched) -> Iterator[tuple[str, bytes, bool]]:
    """The package folder and the metadata of a pure Python source archive."""
    name, version = one.pin.name.replace("-", "_"), one.pin.version
    with tarfile.open(fileobj=io.BytesIO(one.path.read_bytes())) as archive:
        for info in archive:
            _, _, path = info.name.partition("/")
            opened = archive.extractfile(info) if info.isreg() else None
            if opened and path == "PKG-INFO":
                yield f"{name}-{version}.dist-info/METADATA", opened.read(), False
            elif opened and path.startswith(f"{name}/"):
                yield path, opened.read(), False
            elif opened and path.startswith(("LICENSE", "COPYING")):
                yield f"{name}-{version}.dist-info/{path}", opened.read(), False
