"""Debian packages: resolved by apt into a lock, fetched by apt, unpacked here without running a script of theirs.

The lock of an architecture names each package once: `{"architecture", "name", "sha256", "size_bytes", "version"}`,
and the date of the archive that they were resolved from, by which Debian's snapshots can be asked for them. It
names no mirror: apt knows where its packages come from, and the digest says whether they are ours.
"""

import io
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec

from agzamov_harness.containers.image_records import ImageFault

from .architecture import Architecture
from .cache import Cache, sha256
from .components import Component, component
from .package_managers import UPDATE, Apt, Superseded
from .suites import BOOKWORM, Suite
from .tree import Entry, Kind, clean, directory, file, link

USR_MERGED = ("bin/", "sbin/", "lib/", "lib64/")
# What a container has no use for; licences stay.
DROPPED = (
    "usr/share/doc/*/[!c]*",
    "usr/share/doc/*/changelog*",
    "usr/share/man/*",
    "usr/share/info/*",
    "usr/share/lintian/*",
    "usr/share/bug/*",
    "usr/share/locale/*",
    "usr/share/doc-base/*",
)
STATUS = "var/lib/dpkg/status.d"
"""Folder in which scanners look for the Debian packages of an image without dpkg."""
INSTALLED = re.compile(r"^Inst (\S+?)(?::\S+)? \((\S+) .*\[(\S+)\]", re.MULTILINE)
RELEASE = re.compile(r"\bDebian(?:-Security)?:(\d+)")
AR_MAGIC, AR_HEADER_BYTES = b"!<arch>\n", 60
ADVICE = "apt must reach a mirror by this machine's own configuration, or the cache folder must hold the package"
GONE = re.compile(r"was not found|404 +Not Found|Unable to locate package")
SUPERSEDED = (
    "a locked version is no longer offered, or apt's lists are old: run `apt-get update`, or point apt at Debian's "
    "snapshot service for the lock's date, or bring the packages (--packages-from), or run `agzamov images lock`, "
    "which gives another digest"
)


class Deb(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One locked package."""

    name: str
    version: str
    architecture: str
    sha256: str
    size_bytes: int

    @property
    def component(self) -> Component:
        return component("deb", self.name, self.version, sha256(self.sha256), self.architecture)


class DebLock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The packages of a layer for one architecture, sorted by name.

    `distribution` is such as "debian-12". `snapshot` is the newest date of the archives that the packages were
    resolved from: the first snapshot of Debian's archive after it holds all of them.
    """

    architecture: str
    distribution: Annotated[str, msgspec.Meta(pattern="^debian-[0-9]+$")]
    snapshot: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
    packages: tuple[Deb, ...]

    @property
    def components(self) -> list[Component]:
        return [msgspec.structs.replace(deb.component, distribution=self.distribution) for deb in self.packages]


def read_lock(path: Path, architecture: Architecture, suite: Suite = BOOKWORM) -> DebLock:
    """The lock of an architecture. Raises ImageFault."""
    again = f"run `agzamov images lock {path.parent.name} --arch {architecture.name}`"
    try:
        locked = msgspec.json.decode(path.read_bytes(), type=DebLock)
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}; {again}") from error
    except msgspec.MsgspecError as error:
        raise ImageFault(f"{path}: {error}; {again}") from error
    others = {deb.architecture for deb in locked.packages} - {architecture.name, "all"}
    if locked.architecture != architecture.name or others:
        raise ImageFault(f"{path}: expected packages for {architecture.name}, found {locked.architecture}, {others}")
    if locked.distribution != suite.distribution:
        raise ImageFault(f"{path}: expected packages of {suite.distribution}, found {locked.distribution}; {again}")
    return locked


def write_lock(path: Path, lock: DebLock) -> None:
    """One package a line, so that a change of the lock reads like one."""
    rows = ",\n".join(msgspec.json.encode(deb, order="sorted").decode() for deb in lock.packages)
    head = msgspec.json.encode(msgspec.structs.replace(lock, packages=())).decode()
    path.write_text(head.replace('"packages":[]', f'"packages":[\n{rows}\n]') + "\n")


def resolve(apt: Apt, names: Iterable[str], without: Iterable[str], below: Iterable[str]) -> DebLock:
    """The wanted packages and what they depend on, by this machine's apt, as if nothing were installed."""
    left_out = {*without, *below}
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        status.touch()
        command = ["-o", f"Dir::State::status={status}", "--simulate", "install", *names]
        shown = apt.get(command, Path(folder), UPDATE)
        installed = INSTALLED.findall(shown)
        rows = [_row(apt, name, version, Path(folder)) for name, version, _ in installed if name not in left_out]
        snapshot = apt.snapshot(Path(folder))
    if unknown := set(without) - {name for name, _, _ in installed}:
        raise ImageFault(f"nothing depends on {', '.join(sorted(unknown))}: remove it from `without`")
    releases = set(RELEASE.findall(shown))
    if releases != {str(apt.suite.release)}:
        found = ", ".join(sorted(releases)) or "none"
        raise ImageFault(f"expected packages of Debian {apt.suite.release} ({apt.suite.name}) alone, found {found}")
    return DebLock(apt.architecture.name, apt.suite.distribution, snapshot, tuple(sorted(rows)))


def _row(apt: Apt, name: str, version: str, folder: Path) -> Deb:
    fields = apt.show(f"{name}={version}", folder)
    return Deb(name, version, fields["Architecture"], fields["SHA256"], int(fields["Size"]))


def fetch(debs: Iterable[Deb], cache: Cache, architecture: Architecture, suite: Suite = BOOKWORM) -> list[Path]:
    """Each package's file, from the cache or by apt. Raises ImageFault."""
    debs = list(debs)
    missing = [deb for deb in debs if not cache.find(sha256(deb.sha256))]
    if missing:
        _download(missing, cache, Apt(architecture, cache, suite))
    return [path for deb in debs if (path := cache.find(sha256(deb.sha256)))]


def _download(missing: list[Deb], cache: Cache, apt: Apt) -> None:
    with cache.incoming() as folder:
        names = [f"{deb.name}:{deb.architecture}={deb.version}".replace(":all=", "=") for deb in missing]
        try:
            _get(apt, names, folder)
        except ImageFault as error:
            raise Superseded(f"{error}; {SUPERSEDED}") if GONE.search(str(error)) else error from error
        for deb in missing:
            paths = list(folder.glob(f"{deb.name}_*.deb"))
            if not paths:
                raise Superseded(f"{deb.name} {deb.version}: apt fetched nothing; {SUPERSEDED}")
            cache.put(paths[0], sha256(deb.sha256))


def _get(apt: Apt, names: list[str], folder: Path) -> None:
    """Let apt download packages; lists that are ours are renewed where they may be old. Raises ImageFault."""
    try:
        apt.get(["download", *names], folder, ADVICE)
    except ImageFault as error:
        if not (apt.lists_are_ours and GONE.search(str(error))):
            raise
        apt.update()
        apt.get(["download", *names], folder, ADVICE)


def unpacked(paths: Iterable[Path]) -> Iterator[Entry]:
    """The files of packages, merged under /usr; what a container has no use for is left out by the caller."""
    for path in paths:
        with tarfile.open(fileobj=io.BytesIO(_member(path, "data.tar"))) as tar:
            yield from map(_merged, _entries(tar, path.name))


def _entries(tar: tarfile.TarFile, package: str) -> Iterator[Entry]:
    for info in tar:
        path = clean(info.name)
        if info.isdir():
            yield directory(path)
        elif info.issym():
            yield link(path, info.linkname)
        elif info.isreg() or info.islnk():
            opened = tar.extractfile(info)
            yield file(path, opened.read() if opened else b"", program=bool(info.mode & 0o111))
        else:
            raise ImageFault(f"{package}: {path}: expected a file, a directory or a link")


def _merged(entry: Entry) -> Entry:
    if f"{entry.path}/" in USR_MERGED and entry.kind is Kind.LINK:  # base-files of Debian 13 brings bin -> usr/bin
        return entry
    if f"{entry.path}/".startswith(USR_MERGED):
        return entry._replace(path=f"usr/{entry.path}")
    return entry


def joined(entries: list[Entry], path: str, pattern: str) -> Entry:
    """One file of all that match a pattern, in the order of their names. Raises ImageFault where none does."""
    parts = sorted(entry for entry in entries if entry.kind is Kind.FILE and fnmatchcase(entry.path, pattern))
    if not parts:
        raise ImageFault(f"{path}: expected files that match {pattern}, found none")
    return file(path, b"".join(entry.content for entry in parts))


def status(debs: Iterable[Deb], paths: Iterable[Path]) -> Iterator[Entry]:
    """Yield the control file of each package, at the path that scanners read without dpkg. Raises ImageFault."""
    for deb, path in zip(debs, paths, strict=True):
        with tarfile.open(fileobj=io.BytesIO(_member(path, "control.tar"))) as tar:
            members = [tar.extractfile(info) for info in tar if clean(info.name) == "control" and info.isreg()]
            control = b"".join(opened.read() for opened in members if opened)
        if f"Package: {deb.name}\n".encode() not in control:
            raise ImageFault(f"{path}: expected the control file of {deb.name}, found {control[:40]!r}")
        yield file(f"{STATUS}/{deb.name}", control)


def _member(path: Path, prefix: str) -> bytes:
    """A packed tar of a .deb, an ar archive: `data.tar.*` or `control.tar.*`."""
    content = path.read_bytes()
    if not content.startswith(AR_MAGIC):
        raise ImageFault(f"{path}: expected a Debian package, found another file")
    offset = len(AR_MAGIC)
    while offset + AR_HEADER_BYTES <= len(content):
        header = content[offset : offset + AR_HEADER_BYTES]
        name, size = header[:16].decode().strip(" /"), int(header[48:58])
        offset += AR_HEADER_BYTES
        if name.startswith(prefix):
            return content[offset : offset + size]
        offset += size + size % 2
    raise ImageFault(f"{path}: expected a {prefix} in the package, found none")
