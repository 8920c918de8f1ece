"""Distributions of this checkout as an image holds them: the package's files and the metadata that tools look for."""

import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from agzamov_harness.containers.image_records import ImageFault

from .cache import sha256
from .components import Component, component
from .tree import Entry, file


def files(folder: Path) -> Iterator[Path]:
    """The files of a package, less what running it leaves behind, in one order."""
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        made = path.suffix == ".pyc" or any(part.startswith(".") or part == "__pycache__" for part in inner)
        if path.is_file() and not made:
            yield path


def by_distribution(packages: Iterable[str]) -> dict[str, list[str]]:
    """Names of import packages by the folder of their distribution: servers/agzamov_memory is one of servers."""
    folders: dict[str, list[str]] = {}
    for path in packages:
        folders.setdefault(str(PurePosixPath(path).parent), []).append(PurePosixPath(path).name)
    return folders


def unpacked(checkout: Path, packages: Iterable[str], into: str) -> Iterator[Entry]:
    """Packages of distributions as if these were installed below `into`."""
    for distribution, names in by_distribution(packages).items():
        folder, project = checkout / distribution, _project(checkout / distribution)
        for name in names:
            yield from _package(folder / name, into)
        place = f"{into}/{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        yield file(f"{place}/METADATA", _metadata(project).encode())
        yield file(f"{place}/LICENSE", (folder / "LICENSE").read_bytes())


def components_of(checkout: Path, packages: Iterable[str]) -> Iterator[Component]:
    """Entries of the distributions in the bill of materials; the digest is over names and contents of the files."""
    for distribution, names in by_distribution(packages).items():
        project = _project(checkout / distribution)
        digest = hashlib.sha256()
        for entry in unpacked(checkout, (f"{distribution}/{name}" for name in names), ""):
            digest.update(f"{entry.path}\0{hashlib.sha256(entry.content).hexdigest()}\n".encode())
        yield component("own", project["name"], project["version"], sha256(digest.hexdigest()))


def _package(folder: Path, into: str) -> Iterator[Entry]:
    if not folder.is_dir():
        raise ImageFault(f"{folder}: expected an import package of this checkout, found none")
    for path in files(folder):
        yield file(f"{into}/{path.relative_to(folder.parent)}", path.read_bytes())


def _project(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    try:
        return dict(tomllib.loads(path.read_text())["project"])
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise ImageFault(f"{path}: expected a distribution of this checkout: {error}") from error


def _metadata(project: dict[str, Any]) -> str:
    rows = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
    ]
    return "\n".join(rows) + "\n"
