"""A bundle in a zip file, unpacked into the page's memory; the verifier itself reads folders and plain tars alone.

Names and sizes are held to the verifier's own rules before a byte is unpacked, and no file gives more bytes than its
entry says. Refused are links, encryption, other compression than Deflate, and more than UNPACKED_BYTES_MAX in all.
"""

import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

from agzamov_verify.core.untrusted_input import DEPTH_MAX, AdmittedNames, HostileBundle, show_name

UNPACKED_BYTES_MAX: Final = 2**29
"""What the memory of a browser's tab holds beside the verifier."""

MAGIC: Final = b"PK\x03\x04"
FINDER: Final = "__MACOSX/"
"""Notes that macOS puts beside the files that a person chose."""

ENCRYPTED: Final = 1
METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip file does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def unpacked(path: Path, room: Path) -> Path:
    """The folder in `room` with what the zip file holds: its one top folder, else one named like it.

    Raises HostileBundle.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = list(_admitted(archive))
            tops = {info.filename.partition("/")[0] for info in entries if "/" in info.filename}
            has_top = len(tops) == 1 and all("/" in info.filename for info in entries)
            folder = room if has_top else room / "bundle"
            for info in entries:
                file = folder / info.filename
                if info.filename.endswith("/"):
                    file.mkdir(parents=True, exist_ok=True)
                    continue
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.read(info))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, UnicodeError) as error:
        raise HostileBundle(show_name(path.name), "a whole zip file", show_name(str(error))) from error
    return room / tops.pop() if has_top else folder


def _admitted(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """Files and folders, without the Finder's. Raises HostileBundle for an entry that no bundle may have.

    A name may have one part more than in a folder, for the top; the verifier counts those of the unpacked folder.
    """
    names, total = AdmittedNames(DEPTH_MAX + 1), 0
    for info in archive.infolist():
        name = info.orig_filename
        if name.startswith(FINDER):
            continue
        if name.endswith("/"):
            names.admit_folder(name.removesuffix("/"))
            if info.file_size:
                _refuse(name, "a folder entry without content", f"{info.file_size} bytes")
            yield info
            continue
        names.admit(name)
        total += names.admit_size(name, info.file_size)
        if total > UNPACKED_BYTES_MAX:
            _refuse("zip file", f"at most {UNPACKED_BYTES_MAX >> 20} MiB unpacked", "more")
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            _refuse(name, "a regular file", "a link or a device")
        if info.flag_bits & ENCRYPTED:
            _refuse(name, "a file without a password", "an encrypted one")
        if info.compress_type not in METHODS:
            _refuse(name, "a file stored or compressed by Deflate", f"method {info.compress_type}")
        yield info


def _refuse(place: str, expected: str, found: str) -> NoReturn:
    raise HostileBundle(show_name(place), expected, found)
