"""Distributions of this checkout as an image holds them: the package's files and the metadata that tools look for."""

import hashlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agzamov_harness.images.records import ImageFault

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


def package_of(checkout: Path, distribution: str) -> str:
    """The name of a distribution's import package."""
    return str(_project(checkout, distribution)["name"]).replace("-", "_")


def unpacked(checkout: Path, distribution: str, into: str) -> Iterator[Entry]:
    """A distribution as if it were installed below `into`."""
    project = _project(checkout, distribution)
    package = checkout / distribution / package_of(checkout, distribution)
    for path in files(package):
        yield file(f"{into}/{path.relative_to(package.parent)}", path.read_bytes())
    place = f"{into}/{package.name}-{project['version']}.dist-info"
    yield file(f"{place}/METADATA", _metadata(project).encode())
    yield file(f"{place}/LICENSE", (checkout / distribution / "LICENSE").read_bytes())


def component_of(checkout: Path, distribution: str) -> Component:
    """Entry of a distribution in the bill of materials; the digest is over names and contents of its files."""
    project = _project(checkout, distribution)
    digest = hashlib.sha256()
    for entry in unpacked(checkout, distribution, ""):
        digest.update(f"{entry.path}\0{hashlib.sha256(entry.content).hexdigest()}\n".encode())
    return component("own", project["name"], project["version"], sha256(digest.hexdigest()))


def _project(checkout: Path, distribution: str) -> dict[str, Any]:
    path = checkout / distribution / "pyproject.toml"
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
