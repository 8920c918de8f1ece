"""Digests of the files that a memory server from outside is made of, as far as they lie beside its adapter (${HERE}).

They are sealed in the pin of the server and compared before each start of it. Sealed are the files that `launch` names
below ${HERE}, of a folder all that is in it; and beside a program whatever else its interpreter may load from there: a
module that is put there later stands in the place of one of the library.

A program that is installed elsewhere (${INSTALLED}, the system's own) is the machine's matter. So is one that comes
with Agzamov: the version of the source names it.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agzamov_verify.plan.manifest import PROGRAM_FILES_MAX, PROGRAM_PATH_CHARACTERS_MAX

from ..ports import PortFault
from .adapter_file import DeclaredSystem

BYTES_MAX: Final = 2**28
"""Of all files of one server."""
NAMED: Final = re.compile(r"\$\{HERE\}(/[^:;,'\"\s]*)?")
"""The folder of the adapter, or a path below it, anywhere in a word of `launch`."""
PYTHON: Final = frozenset({".py", ".pyc", ".so"})
NODE: Final = frozenset({".cjs", ".js", ".json", ".mjs", ".node"})
LOADED_BY: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {".py": PYTHON, ".cjs": NODE, ".js": NODE, ".mjs": NODE}
)
"""Endings of the files that an interpreter loads beside a program of this ending; of others those of its own."""


def program_files(system: DeclaredSystem) -> dict[str, str]:
    """SHA-256 of each file by its path from ${HERE}; none of a system that comes with Agzamov. Raises PortFault."""
    if not system.file:
        return {}
    try:
        return _digests(system, sorted(set(_files(system))))
    except OSError as error:
        raise PortFault(f"memory {system.name}: {error.filename}: {error.strerror}") from error


def file_changes(sealed: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Differences between the sealed files and those that are there, in words."""
    for name in sorted(sealed.keys() | found.keys()):
        if name not in found:
            yield f"file {name} is gone"
        elif name not in sealed:
            yield f"file {name} is new"
        elif sealed[name] != found[name]:
            yield f"file {name} was changed"


def _files(system: DeclaredSystem) -> Iterator[Path]:
    """The files of a system; one may come twice."""
    endings = set[str]()
    for path in _named(system):
        if path.is_dir():
            yield from _below(system, path)
        elif path.is_file():
            yield path
            endings |= LOADED_BY.get(path.suffix, {path.suffix} if path.suffix else frozenset())
    if endings:
        yield from (path for path in _below(system, system.here) if path.suffix in endings)


def _named(system: DeclaredSystem) -> Iterator[Path]:
    """The places that `launch` names below the folder of the adapter."""
    launch = system.adapter.launch
    for word in (launch.command, *launch.args, *launch.env.values(), *launch.links.values()):
        for found in NAMED.finditer(str(word)):
            yield Path(os.path.normpath(f"{system.here}{found[1] or ''}"))


def _below(system: DeclaredSystem, top: Path) -> Iterator[Path]:
    """All files in a folder and in the folders in it, but for hidden folders. Raises PortFault for a linked folder."""
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in folders:
            if (Path(folder) / name).is_symlink():
                raise PortFault(
                    f"memory {system.name}: {Path(folder) / name}: expected no link to a folder beside its program,"
                    " whose files cannot be sealed; copy the folder"
                )
        yield from (path for name in names if (path := Path(folder) / name).is_file())


def _digests(system: DeclaredSystem, paths: list[Path]) -> dict[str, str]:
    found, size_bytes = dict[str, str](), 0
    for path in paths:
        name = os.path.relpath(path, system.here)
        size_bytes += path.stat().st_size
        if len(found) == PROGRAM_FILES_MAX or size_bytes > BYTES_MAX or len(name) > PROGRAM_PATH_CHARACTERS_MAX:
            raise PortFault(
                f"memory {system.name}: expected at most {PROGRAM_FILES_MAX} files, of {BYTES_MAX // 2**20} MiB"
                f" together and with short names, that its program may load from {system.here}; put the adapter and the"
                " program into a folder of their own, or install the program and name it by ${INSTALLED}"
            )
        with path.open("rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
