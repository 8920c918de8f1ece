"""Documents of one's own that a plan names: they are read with the plan, which then holds them whole."""

from pathlib import Path
from typing import Final

from agzamov_verify.documents.own_documents import CHARACTERS_MAX, names_a_folder
from agzamov_verify.games.registry import GAMES
from agzamov_verify.manifest import ManifestError

BYTES_EACH: Final = 4
"""Most bytes of a character in UTF-8."""


def with_documents(wished: object, folder: Path) -> object:
    """The plain values of a plan in a folder, with the texts of each folder of documents that it names.

    Raises ManifestError with the key's path.
    """
    if not isinstance(wished, dict) or not isinstance(wished.get("systems"), dict):
        return wished
    systems = {name: _with_texts(f"systems.{name}", system, folder) for name, system in wished["systems"].items()}
    return {**wished, "systems": systems}


def _with_texts(place: str, system: object, folder: Path) -> object:
    if not isinstance(system, dict) or system.get("kind") != "rag" or "texts" in system:
        return system
    documents = system.get("documents")
    if not isinstance(documents, str) or not names_a_folder(documents):
        return system
    paths = {game: folder / documents / f"{game}.txt" for game in GAMES}
    texts = {game: _read(f"{place}.documents", path) for game, path in paths.items() if path.exists()}
    if not texts:
        expected = " or ".join(path.name for path in paths.values())
        raise ManifestError(f"{place}.documents: {folder / documents}: expected {expected}, found neither")
    return {**system, "texts": texts}


def _read(place: str, path: Path) -> str:
    """A document's text, its lines ended by line feeds."""
    try:
        with path.open("rb") as file:
            data = file.read(BYTES_EACH * CHARACTERS_MAX + 1)
        text = data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ManifestError(f"{place}: {path}: expected a text in UTF-8 ({error})") from error
    text = text.replace("\r\n", "\n")
    if len(text) > CHARACTERS_MAX:
        raise ManifestError(f"{place}: {path}: expected at most {CHARACTERS_MAX:,} characters, found more")
    return text
