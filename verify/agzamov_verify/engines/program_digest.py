"""The digest of an engine's program, by which its answers and its net are remembered."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

ELF: Final = b"\x7fELF"


@cache
def program_sha256(path: Path) -> str:
    """SHA-256 of a program; empty for what is none (a script, a socket), or cannot be read. Read once in a process."""
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(ELF)) == ELF:
                    file.seek(0)
                    return hashlib.file_digest(file, "sha256").hexdigest()
    return ""
