"""Documents of one's own that a plan names: they are read with the plan, which then holds them whole."""

import re
from codecs import BOM_UTF8
from itertools import islice
from pathlib import Path
from typing import Final

from agzamov_verify.documents.own_documents import CHARACTERS_MAX, PATH, names_a_folder
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import ManifestError

NAMED_MAX: Final = 5
"""Files of a folder that an error names."""


def with_documents(wished: object, folder: Path) -> object:
    """The plain values of a plan in a folder, with the texts of each folder of documents that it names.

    Raises ManifestError with the key's path.
    """
    if not isinstance(wished, dict) or not isinstance(wished.get("systems"), dict):
        return wished
    systems = {name: _with_texts(f"systems.{name}", system, folder) for name, system in wished["systems"].items()}
    return {**wished, "systems": systems}


def _with_texts(place: str, system: object, folder: Path) -> object:
    """A system with its texts; as it is where it names no folder, or where the schema refuses its name."""
    if not isinstance(system, dict) or system.get("kind") != "rag":
        return system
    documents = system.get("documents")
    if not isinstance(documents, str) or not names_a_folder(documents) or not re.fullmatch(PATH, documents):
        return system
    if system.get("texts"):
        raise ManifestError(f"{place}.texts: expected none: the texts are read from {documents}")
    try:
        return {**system, "texts": _texts(folder / documents)}
    except OSError as error:
        raise ManifestError(f"{place}.documents: {folder / documents}: {error.strerror}") from error
    except ManifestError as error:
        raise ManifestError(f"{place}.documents: {error}") from error


def _texts(folder: Path) -> dict[str, str]:
    """The texts in a folder by game. Raises OSError, and ManifestError where it has none or one is wrong."""
    if not folder.is_dir():
        raise ManifestError(f"{folder}: expected a folder below that of the plan, found none")
    paths = {game: folder / f"{game}.txt" for game in GAMES}
    texts = {game: _read(path) for game, path in paths.items() if path.exists()}
    if not texts:
        expected = " or ".join(path.name for path in paths.values())
        found = ", ".join(islice(sorted(path.name for path in folder.iterdir()), NAMED_MAX))
        raise ManifestError(f"{folder}: expected {expected}, found {found or 'nothing'}")
    return texts


def _read(path: Path) -> str:
    """A text, its lines ended by line feeds, without spaces before them."""
    if not path.is_file():
        raise ManifestError(f"{path}: expected a file")
    with path.open("rb") as file:
        data = file.read(CHARACTERS_MAX + 1).removeprefix(BOM_UTF8)
    if len(data) > CHARACTERS_MAX:
        raise ManifestError(f"{path}: expected at most {CHARACTERS_MAX:,} characters, found more")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError(
            f"{path}: expected plain ASCII text, found byte {data[error.start]:#04x} in line {line}"
        ) from error
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
