"""The files that a memory server from outside is made of, as far as they lie beside its adapter (${HERE}).

    found      those that `launch` names below ${HERE}, of a folder all that is in it; and beside a Python or Node
               program whatever else its interpreter may load from there
    sealed     their digests, in the pin of the server
    started    from a copy of these files and nothing else, in the server's own folder, which is its ${HERE}; the copy
               is compared with what was sealed

So a file that is not sealed is not there when the program runs: a module or a hidden folder that somebody puts beside
it, a stale file of bytecode, what a shell script reads. A program that needs another file names it in `launch`.

A program that is installed elsewhere (${INSTALLED}, the system's own) is the machine's matter. So is one that comes
with Agzamov: the version of the source names it.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agzamov_verify.plan.manifest import PROGRAM_FILES_MAX, PROGRAM_PATH_CHARACTERS_MAX

from ..foundation.files_below import NotAFile, opened_without_links
from ..ports import PortFault
from .adapter_file import DeclaredSystem

BYTES_MAX: Final = 2**28
"""Of all files of one server."""
HERE: Final = "${HERE}"
NAMED: Final = re.compile(r"\$\{HERE\}(/[^:;,'\"\s]*)?")
"""The folder of the adapter, or a path below it, in a word of `launch` that is more than a path."""
CACHE: Final = "__pycache__"
"""Folders that Python fills by itself; none is copied, so none is loaded from."""
PYTHON: Final = frozenset({".py", ".pyc", ".so"})
NODE: Final = frozenset({".cjs", ".js", ".json", ".mjs", ".node"})
LOADED_BY: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {".py": PYTHON, ".cjs": NODE, ".js": NODE, ".mjs": NODE}
)
"""Endings of the files that an interpreter loads beside a program of this ending; of others those of its own."""


def program_files(system: DeclaredSystem) -> dict[str, str]:
    """SHA-256 of each file by its path from ${HERE}; none of a system that comes with Agzamov. Raises PortFault."""
    return _read(system, _names(system), None)


def copied_program(system: DeclaredSystem, sealed: Mapping[str, str] | None, into: Path) -> dict[str, str]:
    """SHA-256 of the files that were copied into a folder: those that are sealed, of a new system all that are found.

    A sealed file that is gone is left out. Raises PortFault.
    """
    into.mkdir()
    return _read(system, _names(system) if sealed is None else _there(system, sealed), into)


def file_changes(sealed: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Differences between the sealed files and those that were copied, in words."""
    for name in sorted(sealed.keys() | found.keys()):
        if name not in found:
            yield f"file {name} is gone"
        elif name not in sealed:
            yield f"file {name} is new"
        elif sealed[name] != found[name]:
            yield f"file {name} was changed"


def _names(system: DeclaredSystem) -> list[str]:
    """Paths from ${HERE} of the files of a system. Raises PortFault."""
    if not system.file:
        return []
    try:
        return sorted({os.path.relpath(path, system.here) for path in _files(system)})
    except OSError as error:
        raise PortFault(f"memory {system.name}: {error.filename}: {error.strerror}") from error


def _there(system: DeclaredSystem, sealed: Iterable[str]) -> list[str]:
    return [name for name in sorted(sealed) if os.path.lexists(system.here / name)]


def _files(system: DeclaredSystem) -> Iterator[Path]:
    """The files of a system; one may come twice."""
    endings = set[str]()
    for path in _named(system):
        if path.is_dir():
            yield from _below(system, path, hidden=True)
        else:
            yield path
            endings |= LOADED_BY.get(path.suffix, {path.suffix} if path.suffix else frozenset())
    if endings:
        yield from (path for path in _below(system, system.here, hidden=False) if path.suffix in endings)


def _named(system: DeclaredSystem) -> Iterator[Path]:
    """The places that `launch` names below the folder of the adapter. Raises PortFault for one that is not there."""
    launch = system.adapter.launch
    for word in map(str, (launch.command, *launch.args, *launch.env.values(), *launch.links.values())):
        for found in _paths_in(system, word):
            path = Path(os.path.normpath(f"{system.here}{found}"))
            if not path.is_relative_to(system.here):
                raise PortFault(f"memory {system.name}: {word}: expected a place below {HERE}, found one outside of it")
            if not path.exists():
                raise PortFault(f"memory {system.name}: no file {path} ({HERE} is the folder of its adapter)")
            yield path


def _paths_in(system: DeclaredSystem, word: str) -> list[str]:
    """What follows ${HERE} in a word: one path where the whole word is one, however odd, else each that it names."""
    whole = word.removeprefix(HERE)
    if whole != word and HERE not in whole and os.path.lexists(f"{system.here}{whole}"):
        return [whole]
    return [found[1] or "" for found in NAMED.finditer(word)]


def _below(system: DeclaredSystem, top: Path, *, hidden: bool) -> Iterator[Path]:
    """All files in a folder and in the folders in it. Raises PortFault for a linked folder."""
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != CACHE and (hidden or not name.startswith("."))]
        for name in folders:
            if (Path(folder) / name).is_symlink():
                raise PortFault(
                    f"memory {system.name}: {Path(folder) / name}: expected no link to a folder beside its program,"
                    " whose files cannot be sealed; copy the folder"
                )
        yield from (Path(folder) / name for name in names)


def _read(system: DeclaredSystem, names: Iterable[str], into: Path | None) -> dict[str, str]:
    """Digests of files below ${HERE}, each read once; copied `into` a folder where one is given."""
    found, size_bytes = dict[str, str](), 0
    for name in names:
        data, may_run = _content(system, name, BYTES_MAX - size_bytes + 1)
        size_bytes += len(data)
        if len(found) == PROGRAM_FILES_MAX or size_bytes > BYTES_MAX or len(name) > PROGRAM_PATH_CHARACTERS_MAX:
            raise PortFault(
                f"memory {system.name}: expected at most {PROGRAM_FILES_MAX} files, of {BYTES_MAX // 2**20} MiB"
                f" together and with short names, that its program may load from {system.here}; put the adapter and the"
                " program into a folder of their own, or install the program and name it by ${INSTALLED}"
            )
        found[name] = hashlib.sha256(data).hexdigest()
        if into:
            copy = into / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            copy.chmod(0o700 if may_run else 0o600)
    return found


def _content(system: DeclaredSystem, name: str, bytes_max: int) -> tuple[bytes, bool]:
    """The bytes of a file below ${HERE}, and whether it may be executed. Raises PortFault for a link or no file."""
    try:
        with opened_without_links(system.here, name) as file:
            return file.read(bytes_max), bool(os.fstat(file.fileno()).st_mode & stat.S_IXUSR)
    except NotAFile as error:
        raise PortFault(f"memory {system.name}: {system.here / name}: {error.strerror}") from error
    except OSError as error:
        if (system.here / name).is_symlink():
            raise PortFault(
                f"memory {system.name}: {system.here / name}: expected a file, found a link; copy what it leads to"
            ) from error
        raise PortFault(f"memory {system.name}: {system.here / name}: {error.strerror}") from error
