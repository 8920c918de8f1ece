"""Reads a bundle, a directory or its plain tar, without trusting it: nothing is ever extracted.

Every limit has a name. Only folders and regular files with plain ASCII names count; links, devices, absolute or upward
paths, and names that differ only in case are refused before anything is opened. Folder, tar and zip have one rule.
"""

import hashlib
import os
import re
import stat
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, Self

from .gzip_member import HEADER

NAME_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
WINDOWS_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
DEPTH_MAX = 7
FILES_MAX = 100_000
FILE_BYTES_MAX = 2**30
TOTAL_BYTES_MAX = 2**36
SMALL_BYTES_MAX = 2**26
READ_BYTES = 2**20
_TAR_BLOCK, _TAR_RECORD = 512, 10_240
_EXTENDED_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
"""Types of entries that change the name, the size or other fields of those after them."""


class HostileBundle(ValueError):
    """A bundle breaks a rule of the container itself."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__(place, expected, found)  # all of them, so that it can come from another process
        self.place, self.expected, self.found = place, expected, found

    def __str__(self) -> str:
        return f"{self.place}: expected {self.expected}, found {self.found}"


class Source(Protocol):
    """The source of a bundle's files."""

    sizes: dict[str, int]

    def open(self, name: str) -> BinaryIO:
        """The bytes of one file that `sizes` lists. Raises HostileBundle."""
        ...


def open_source(path: Path) -> Source:
    """The bundle at `path`. Raises HostileBundle if its names, types or sizes break a rule."""
    if path.is_dir():
        return DirectorySource(path)
    if path.is_file():
        return TarSource(path)
    raise HostileBundle(str(path), "a bundle: a directory or a plain tar", "nothing there")


class DirectorySource:
    """A bundle as a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.sizes: dict[str, int] = {}
        names = AdmittedNames()
        for name, entry in _walk(root, "", names):
            names.admit(name)
            self.sizes[name] = names.admit_size(name, _regular_size(name, entry.lstat()))

    def open(self, name: str) -> BinaryIO:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            descriptor = os.open(self._root / name, flags)
        except OSError as error:
            raise HostileBundle(name, "a readable regular file", str(error.strerror)) from error
        file = os.fdopen(descriptor, "rb")
        try:
            _regular_size(name, os.fstat(descriptor))
        except HostileBundle:
            file.close()
            raise
        return file


class TarSource:
    """A bundle as an uncompressed ustar file with one top folder. Extended headers are refused."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.sizes: dict[str, int] = {}
        self._offsets: dict[str, int] = {}
        names, first_top = AdmittedNames(), ""
        with path.open("rb") as file:
            for member, offset in _tar_members(file):
                top, _, name = member.name.partition("/")
                first_top = first_top or top
                is_folder = member.type == tarfile.DIRTYPE
                if not NAME_PART.fullmatch(top) or top != first_top or not (name or is_folder):
                    raise HostileBundle(show_name(member.name), "one top folder", "another shape")
                if is_folder:
                    if "/" in member.name:
                        names.admit_folder(name)
                    continue
                names.admit(name)
                self.sizes[name] = names.admit_size(name, member.size)
                self._offsets[name] = offset

    def open(self, name: str) -> BinaryIO:
        file = self._path.open("rb")
        file.seek(self._offsets[name])
        return _Window(file, self.sizes[name])  # type: ignore[return-value]


class _Window:
    """The part of a tar that holds one member."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def read(self, count: int = -1) -> bytes:
        count = self._left if count < 0 else min(count, self._left)
        data = self._file.read(count)
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AdmittedNames:
    """Counts a container's files, folders and bytes, and refuses names that cannot live on every file system."""

    def __init__(self, parts_max: int = DEPTH_MAX) -> None:
        self._parts_max = parts_max
        self._files: set[str] = set()
        self._folders: dict[str, str] = {}
        self._bytes = 0

    def admit(self, name: str) -> None:
        """Count a file and its folders. Raises HostileBundle for a name that is not plain, or is there already."""
        self._require_plain(name)
        if folder := name.rpartition("/")[0]:
            self._add_folder(folder)
        folded = name.casefold()
        if folded in self._files:
            raise HostileBundle(show_name(name), "names that differ in more than case", "the same name twice")
        if folded in self._folders:
            raise HostileBundle(show_name(name), "a file or a folder", "both with this name")
        self._files.add(folded)
        if len(self._files) > FILES_MAX:
            raise HostileBundle("bundle", f"at most {FILES_MAX} files", "more")

    def admit_folder(self, name: str) -> None:
        """Count a folder, as often as it is named. Raises HostileBundle as `admit` does."""
        self._require_plain(name)
        self._add_folder(name)

    def _require_plain(self, name: str) -> None:
        parts = name.split("/")
        plain = all(NAME_PART.fullmatch(part) and not WINDOWS_DEVICE.fullmatch(part) for part in parts)
        if len(parts) > self._parts_max or not plain:
            raise HostileBundle(show_name(name), f"a name of at most {self._parts_max} plain parts", "another name")

    def _add_folder(self, name: str) -> None:
        """Count a folder and those that it lies in, of which the first that is known ends the way up."""
        while name and self._folders.get(folded := name.casefold()) != name:
            if folded in self._folders:
                raise HostileBundle(show_name(name), "names that differ in more than case", "the same folder twice")
            if folded in self._files:
                raise HostileBundle(show_name(name), "a file or a folder", "both with this name")
            self._folders[folded] = name
            name = name.rpartition("/")[0]
        if len(self._folders) > FILES_MAX:
            raise HostileBundle("bundle", f"at most {FILES_MAX} folders", "more")

    def admit_size(self, name: str, size: int) -> int:
        """Count a file's bytes, and return them. Raises HostileBundle beyond a limit."""
        if size > FILE_BYTES_MAX:
            raise HostileBundle(name, f"at most {FILE_BYTES_MAX} bytes", f"{size} bytes")
        self._bytes += size
        if self._bytes > TOTAL_BYTES_MAX:
            raise HostileBundle("bundle", f"at most {TOTAL_BYTES_MAX} bytes", "more")
        return size


def show_name(text: str) -> str:
    """Foreign text made safe for a terminal: escaped, and cut after 120 characters."""
    escaped = text.encode("ascii", "backslashreplace").decode()
    return "".join(c if " " <= c <= "~" else f"\\x{ord(c):02x}" for c in escaped)[:120]


def printable(text: str) -> str:
    """Foreign text for a person: everything that is not printable (escapes, bidi marks) is spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text)


def read_small(source: Source, name: str, bytes_max: int = SMALL_BYTES_MAX) -> bytes:
    """The whole of a file. Raises HostileBundle if it is missing or larger than `bytes_max`."""
    if name not in source.sizes:
        raise HostileBundle(name, "a file", "nothing there")
    if source.sizes[name] > bytes_max:
        raise HostileBundle(name, f"at most {bytes_max} bytes", f"{source.sizes[name]} bytes")
    with source.open(name) as file:
        return file.read(source.sizes[name] + 1)  # one more, so that a file that grew since has another digest


def sha256_of(source: Source, name: str) -> str:
    """SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    with source.open(name) as file:
        while piece := file.read(READ_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def gzip_lines(source: Source, name: str, sha256: str, line_bytes_max: int, raw_bytes_max: int) -> Iterator[bytes]:
    """The lines of a gzip member, without line feeds, in bounded memory.

    Raises HostileBundle at the end if the file's SHA-256 is not `sha256`, so nothing that was read
    may count before the iterator is exhausted.
    """
    digest = hashlib.sha256()
    inflater = zlib.decompressobj(wbits=31)
    rest, raw = b"", 0
    with source.open(name) as file:
        for piece in _inflated(file, inflater, digest.update, name):
            raw += len(piece)
            if raw > raw_bytes_max:
                raise HostileBundle(name, f"at most {raw_bytes_max} bytes inflated", "more")
            *lines, rest = (rest + piece).split(b"\n")
            if len(rest) > line_bytes_max or max(map(len, lines), default=0) > line_bytes_max:
                raise HostileBundle(name, f"lines of at most {line_bytes_max} bytes", "a longer one")
            yield from lines
    if rest or not inflater.eof:
        raise HostileBundle(name, "a complete last line and gzip member", "a cut one")
    if digest.hexdigest() != sha256:
        raise HostileBundle(name, f"sha256 {sha256}", f"sha256 {digest.hexdigest()}")


def _inflated(
    file: BinaryIO, inflater: "zlib._Decompress", note: Callable[[bytes], None], name: str
) -> Iterator[bytes]:
    try:
        is_first = True
        while piece := file.read(READ_BYTES):
            note(piece)
            if is_first and not piece.startswith(HEADER):
                found = piece[: len(HEADER)].hex(" ")
                raise HostileBundle(name, f"a gzip member that begins with {HEADER.hex(' ')}", found)
            is_first = False
            while piece:
                yield inflater.decompress(piece, READ_BYTES)
                piece = inflater.unconsumed_tail
            if inflater.unused_data:
                raise HostileBundle(name, "one gzip member", "bytes after it")
        yield inflater.flush()
    except zlib.error as error:
        raise HostileBundle(name, "gzip", str(error)) from error


def _walk(root: Path, prefix: str, names: AdmittedNames) -> Iterator[tuple[str, Path]]:
    """The files below a folder; `names` admits each folder before it is looked into."""
    for entry in sorted(os.scandir(root), key=lambda item: item.name):
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False):
            names.admit_folder(name)
            yield from _walk(Path(entry.path), name + "/", names)
        else:
            yield name, Path(entry.path)


def _regular_size(name: str, status: os.stat_result) -> int:
    if not stat.S_ISREG(status.st_mode):
        kinds = {"l": "a symbolic link", "p": "a pipe", "s": "a socket"}
        kind = kinds.get(stat.filemode(status.st_mode)[0], "a device")
        raise HostileBundle(show_name(name), "a regular file", kind)
    return status.st_size


def _refuse_tail(file: BinaryIO) -> None:
    """Refuse anything but zeros after a tar's end marker, up to a whole record of 10 KiB."""
    tail = file.read(_TAR_RECORD)
    if tail.strip(b"\0") or file.read(1):
        raise HostileBundle("tar", "nothing but a few zeros after its end", "more")


def _tar_members(file: BinaryIO) -> Iterator[tuple[tarfile.TarInfo, int]]:
    offset, seen = 0, 0
    size = os.fstat(file.fileno()).st_size
    while True:
        file.seek(offset)
        block = file.read(_TAR_BLOCK)
        if not block.strip(b"\0"):
            _refuse_tail(file)
            return
        try:
            member = tarfile.TarInfo.frombuf(block, "ascii", "strict")
        except (tarfile.HeaderError, UnicodeError) as error:
            raise HostileBundle(f"tar offset {offset}", "a ustar header", show_name(str(error))) from error
        seen += 1
        offset += _TAR_BLOCK
        if member.type in _EXTENDED_HEADERS:
            expected = "a plain ustar header: unpack the tar and check the folder, or make it with tar --format=ustar"
            raise HostileBundle(show_name(member.name), expected, f"an extended header, type {member.type!r}")
        if member.type not in (tarfile.REGTYPE, tarfile.DIRTYPE) or seen > 2 * FILES_MAX:
            raise HostileBundle(show_name(member.name), "a regular file or folder", f"type {member.type!r}")
        if member.size < 0 or offset + member.size > size:
            raise HostileBundle(show_name(member.name), "a member inside the file", f"{member.size} bytes")
        if member.type == tarfile.DIRTYPE and member.size:
            raise HostileBundle(show_name(member.name), "a folder entry without content", f"{member.size} bytes")
        yield member, offset
        offset += -(-member.size // _TAR_BLOCK) * _TAR_BLOCK


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object in which no key comes twice, as an `object_pairs_hook`. Raises ValueError with the key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen = set[str]()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice} is there twice")
    return found
