"""Debian packages: resolved by apt into a lock, fetched by apt, unpacked here without running a script of theirs.

The lock names each package once: `{"architecture", "name", "sha256", "size_bytes", "version"}`. It
names no mirror: apt knows where its packages come from, and the digest says whether they are ours.
"""

import io
import re
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from .cache import Cache, sha256
from .component import Component, component
from .faults import ImageFault, Superseded
from .fetching import told
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
STEADY = ("-qq", "-o", "Debug::NoLocking=1", "-o", "APT::Install-Recommends=0")
INSTALLED = re.compile(r"^Inst (\S+?)(?::\S+)? \((\S+) .*\[(\S+)\]", re.MULTILINE)
AR_MAGIC, AR_HEADER_BYTES = b"!<arch>\n", 60
ADVICE = "apt must reach a mirror by this machine's own configuration, or the cache folder must hold the package"
GONE = re.compile(r"was not found|404 +Not Found|Unable to locate package")
SUPERSEDED = (
    "a locked version is no longer offered, or apt's lists are old: run `apt-get update`, or bring the cache folder "
    "from where the image was built, or run `agzamov images lock`, which gives another digest"
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


def read_lock(path: Path) -> list[Deb]:
    """The packages of a lock. Raises ImageFault."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Deb])
    except OSError as error:
        raise ImageFault(f"{path}: {error.strerror}; run `agzamov images lock {path.parent.name}`") from error
    except msgspec.MsgspecError as error:
        raise ImageFault(f"{path}: {error}") from error


def write_lock(path: Path, debs: list[Deb]) -> None:
    """One package a line, so that a change of the lock reads like one."""
    rows = ",\n".join(msgspec.json.encode(deb, order="sorted").decode() for deb in debs)
    path.write_text(f"[\n{rows}\n]\n")


def resolve(wanted: Iterable[str], without: Iterable[str], below: Iterable[str]) -> list[Deb]:
    """The wanted packages and what they depend on, by this machine's apt, as if nothing were installed."""
    left_out = {*without, *below}
    with tempfile.TemporaryDirectory() as folder:
        status = Path(folder) / "status"
        status.touch()
        command = ["apt-get", *STEADY, "-o", f"Dir::State::status={status}", "--simulate", "install", *wanted]
        found = INSTALLED.findall(told(command, Path(folder), "run `apt-get update` first"))
        rows = [_row(name, version, Path(folder)) for name, version, _ in found if name not in left_out]
    if unknown := set(without) - {name for name, _, _ in found}:
        raise ImageFault(f"nothing depends on {', '.join(sorted(unknown))}: remove it from `without`")
    return sorted(rows)


def _row(name: str, version: str, folder: Path) -> Deb:
    shown = told(["apt-cache", "show", "--no-all-versions", f"{name}={version}"], folder, "run `apt-get update` first")
    fields = dict(line.split(": ", 1) for line in shown.splitlines() if re.match(r"[A-Z][A-Za-z0-9-]*: ", line))
    return Deb(name, version, fields["Architecture"], fields["SHA256"], int(fields["Size"]))


def fetch(debs: Iterable[Deb], cache: Cache) -> list[Path]:
    """Each package's file, from the cache or by apt. Raises ImageFault."""
    debs = list(debs)
    missing = [deb for deb in debs if not cache.find(sha256(deb.sha256))]
    if missing:
        _download(missing, cache)
    return [path for deb in debs if (path := cache.find(sha256(deb.sha256)))]


def _download(missing: list[Deb], cache: Cache) -> None:
    with cache.incoming() as folder:
        wanted = [f"{deb.name}:{deb.architecture}={deb.version}".replace(":all=", "=") for deb in missing]
        try:
            told(["apt-get", *STEADY, "download", *wanted], folder, ADVICE)
        except ImageFault as error:
            raise Superseded(f"{error}; {SUPERSEDED}") if GONE.search(str(error)) else error from error
        for deb in missing:
            found = list(folder.glob(f"{deb.name}_*.deb"))
            if not found:
                raise Superseded(f"{deb.name} {deb.version}: apt fetched nothing; {SUPERSEDED}")
            cache.put(found[0], sha256(deb.sha256))


def unpacked(paths: Iterable[Path]) -> Iterator[Entry]:
    """The files of packages, merged under /usr; what a container has no use for is left out by the caller."""
    for path in paths:
        with tarfile.open(fileobj=io.BytesIO(_data_tar(path))) as tar:
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
    if f"{entry.path}/".startswith(USR_MERGED):
        return entry._replace(path=f"usr/{entry.path}")
    return entry


def joined(entries: list[Entry], path: str, pattern: str) -> Entry:
    """One file of all that match a pattern, in the order of their names. Raises ImageFault where none does."""
    parts = sorted(entry for entry in entries if entry.kind is Kind.FILE and fnmatchcase(entry.path, pattern))
    if not parts:
        raise ImageFault(f"{path}: expected files that match {pattern}, found none")
    return file(path, b"".join(entry.content for entry in parts))


def _data_tar(path: Path) -> bytes:
    """The packed tar of a .deb's files: the member `data.tar.*` of an ar archive."""
    content = path.read_bytes()
    if not content.startswith(AR_MAGIC):
        raise ImageFault(f"{path}: expected a Debian package, found another file")
    at = len(AR_MAGIC)
    while at + AR_HEADER_BYTES <= len(content):
        header = content[at : at + AR_HEADER_BYTES]
        name, size = header[:16].decode().strip(" /"), int(header[48:58])
        at += AR_HEADER_BYTES
        if name.startswith("data.tar"):
            return content[at : at + size]
        at += size + size % 2
    raise ImageFault(f"{path}: expected a data.tar in the package, found none")
