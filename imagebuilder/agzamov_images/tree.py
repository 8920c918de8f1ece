"""Files of an image as values, their tar, and the tree digest that every route of building must reach.

A tar here is a function of its entries alone: sorted by path, one time for all, owner 0, modes 0755 or
0644 unless the declaration says otherwise. The tree digest forgets layers and times: it is the SHA-256
over one canonical line for each path, `[kind, mode, uid, gid, sha256 or link, path]`.
"""

import hashlib
import tarfile
from collections.abc import Iterable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from agzamov_harness.containers.image_records import ImageFault
from agzamov_verify.core import canon

EPOCH = 1_767_225_600  # 2026-01-01: the one time in every image
EPOCH_TEXT = "2026-01-01T00:00:00Z"
CHUNK = 2**20
DIRECTORY_MODE, FILE_MODE, PROGRAM_MODE, LINK_MODE = 0o755, 0o644, 0o755, 0o777

# What an engine puts into every container, and so into its export.
OF_THE_ENGINE = ("dev", "proc", "sys", ".dockerenv", "etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/mtab")


class Kind(StrEnum):
    """Type of the entry at a path."""

    DIRECTORY = "d"
    FILE = "f"
    LINK = "l"


class Entry(NamedTuple):
    """One path. `path` has no leading slash; `link` is the target of a symbolic link."""

    path: str
    kind: Kind
    mode: int
    content: bytes = b""
    link: str = ""


class Leaf(NamedTuple):
    """One path with a digest in place of its content."""

    path: str
    kind: Kind
    mode: int
    uid: int
    gid: int
    value: str


def directory(path: str, mode: int = DIRECTORY_MODE) -> Entry:
    """A directory."""
    return Entry(clean(path), Kind.DIRECTORY, mode)


def file(path: str, content: bytes, *, program: bool = False) -> Entry:
    """A regular file; of its mode only "can be run" is kept, since umasks differ."""
    return Entry(clean(path), Kind.FILE, PROGRAM_MODE if program else FILE_MODE, content)


def link(path: str, target: str) -> Entry:
    """A symbolic link."""
    return Entry(clean(path), Kind.LINK, LINK_MODE, link=target)


def clean(path: str) -> str:
    """The path without `./` and slashes at its ends. Raises ImageFault for one that leaves the tree."""
    parts = [part for part in PurePosixPath(path.lstrip("/")).parts if part != "."]
    if ".." in parts or "\0" in path:
        raise ImageFault(f"expected a path inside the image, found {path!r}")
    return "/".join(parts)


def kept(entries: Iterable[Entry], drop: Iterable[str]) -> Iterator[Entry]:
    """The entries whose path matches none of the patterns; a `*` matches slashes too."""
    patterns = tuple(drop)
    return (
        entry for entry in entries if entry.path and not any(fnmatchcase(entry.path, pattern) for pattern in patterns)
    )


def arranged(entries: Iterable[Entry], standing: frozenset[str]) -> list[Entry]:
    """The entries sorted, with the parents that do not stand yet; a later one replaces one of the same path.

    Raises ImageFault where a file and a directory meet.
    """
    by_path: dict[str, Entry] = {}
    for entry in entries:
        _put(by_path, entry)
    for path in list(by_path):
        for parent in _parents(path):
            if parent not in standing and parent not in by_path:
                by_path[parent] = directory(parent)
            elif parent in by_path and by_path[parent].kind is not Kind.DIRECTORY:
                raise ImageFault(f"{path}: expected a directory at {parent}, found another kind of file")
    return [by_path[path] for path in sorted(by_path)]


def _put(by_path: dict[str, Entry], entry: Entry) -> None:
    before = by_path.get(entry.path)
    if before and before.kind is not entry.kind:
        raise ImageFault(f"{entry.path}: expected one kind of file, found two")
    by_path[entry.path] = entry


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


class Hashed:
    """A file to write to, or None to write nowhere, that counts and hashes what passes."""

    def __init__(self, out: IO[bytes] | None) -> None:
        self._out = out
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._hash.update(data)
        self.size += len(data)
        if self._out:
            self._out.write(data)
        return len(data)

    def tell(self) -> int:
        """Number of bytes written so far."""
        return self.size

    @property
    def hexdigest(self) -> str:
        return self._hash.hexdigest()


def write_tar(path: Path, entries: Iterable[Entry]) -> tuple[str, int]:
    """Write the entries as one tar; its SHA-256 and its size in bytes."""
    with path.open("wb") as out:
        hashed = Hashed(out)
        with tarfile.open(fileobj=hashed, mode="w", format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
            for entry in entries:
                tar.addfile(_header(entry), BytesIO(entry.content) if entry.content else None)
        return hashed.hexdigest, hashed.size


def _header(entry: Entry) -> tarfile.TarInfo:
    info = tarfile.TarInfo(entry.path + ("/" if entry.kind is Kind.DIRECTORY else ""))
    info.mode, info.mtime, info.size = entry.mode, EPOCH, len(entry.content)
    info.linkname = entry.link
    match entry.kind:
        case Kind.DIRECTORY:
            info.type = tarfile.DIRTYPE
        case Kind.LINK:
            info.type = tarfile.SYMTYPE
        case Kind.FILE:
            info.type = tarfile.REGTYPE
    return info


def read_tar(path: Path) -> Iterator[Entry]:
    """The entries of a tar of ours."""
    with tarfile.open(path) as tar:
        for info in tar:
            opened = tar.extractfile(info) if info.isreg() else None
            content = opened.read() if opened else b""
            yield Entry(clean(info.name), _kind(info), info.mode, content, info.linkname)


def directories(path: Path) -> Iterator[str]:
    """The directories of a tar of ours."""
    with tarfile.open(path) as tar:
        yield from (clean(info.name) for info in tar if info.isdir())


def leaves(tar: tarfile.TarFile) -> Iterator[Leaf]:
    """Every path of a tar that is not the engine's; a hard link counts as a copy of the file it names."""
    files: dict[str, Leaf] = {}
    for info in tar:
        path = clean(info.name)
        if not _ours(path):
            continue
        if info.islnk():
            yield files[clean(info.linkname)]._replace(path=path)
            continue
        leaf = Leaf(path, _kind(info), info.mode & 0o7777, info.uid, info.gid, _value(tar, info))
        files[path] = leaf
        yield leaf


def _kind(info: tarfile.TarInfo) -> Kind:
    if info.isreg():
        return Kind.FILE
    if info.isdir():
        return Kind.DIRECTORY
    if info.issym():
        return Kind.LINK
    raise ImageFault(f"{info.name}: expected a file, a directory or a link, found tar type {info.type!r}")


def _value(tar: tarfile.TarFile, info: tarfile.TarInfo) -> str:
    opened = tar.extractfile(info) if info.isreg() else None
    if not opened:
        return info.linkname
    hashed = Hashed(None)
    while chunk := opened.read(CHUNK):
        hashed.write(chunk)
    return hashed.hexdigest


def first_difference(expected: Path, actual: Path, expected_sha256: str) -> str:
    """The first path at which a tar differs from another one, in words."""
    if not expected.is_file() or sha256_of(expected) != expected_sha256:
        return f"expected sha256 {expected_sha256[:16]}, found {sha256_of(actual)[:16]}; the other tar is not here"
    left, right = tree_of([expected]), tree_of([actual])
    for path in sorted({*left, *right}):
        if path not in right:
            return f"{path}: expected a file, found none"
        if path not in left:
            return f"{path}: expected no such file, found one"
        if left[path] != right[path]:
            return f"{path}: expected {_told(left[path])}, found {_told(right[path])}"
    return "the same files in another order, or with other times"


def _told(leaf: Leaf) -> str:
    return f"{leaf.kind.name.lower()} {leaf.mode:04o} {leaf.uid}:{leaf.gid} {leaf.value[:16]}".strip()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def tree_of(layers: Iterable[Path]) -> dict[str, Leaf]:
    """The tree that layers make, the lowest first."""
    tree: dict[str, Leaf] = {}
    for path in layers:
        with tarfile.open(path) as tar:
            tree.update((leaf.path, leaf) for leaf in leaves(tar))
    return tree


def tree_digest(tree: Iterable[Leaf]) -> str:
    """SHA-256 of a tree."""
    hashed = hashlib.sha256()
    for leaf in sorted(tree):
        row = [leaf.kind.value, leaf.mode, leaf.uid, leaf.gid, leaf.value, leaf.path]
        hashed.update(canon.dumps(row) + b"\n")
    return hashed.hexdigest()


def _ours(path: str) -> bool:
    return path != "" and not any(path == place or path.startswith(f"{place}/") for place in OF_THE_ENGINE)
