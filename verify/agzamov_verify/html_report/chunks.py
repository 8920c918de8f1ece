"""The data of a report in pieces that a page from a file can read: gzip in base64, in style sheets or inert scripts.

A page opened from a file may not fetch another file, and a script that it loads could do anything. A style sheet cannot
run, and its custom property can be read: measured in Chromium and Firefox, up to 1 MB a sheet (Chromium gives an empty
value at 4 MB). A report in one file holds the same texts in `script` elements of type text/plain, which never run.
"""

import base64
import gzip
import hashlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

PART_CHARACTERS: Final = 1_000_000
GROUP_BYTES: Final = 4_000_000
"""Of JSON before compression, lines of text included: from here on a chunk is closed."""
GROUP_GAMES: Final = 50


class Chunk(NamedTuple):
    """A document as its page reads it: base64 of gzip, in parts, and the SHA-256 of the gzip bytes."""

    name: str
    parts: tuple[str, ...]
    sha256: str

    @property
    def reference(self) -> list[Any]:
        """Entry of a chunk in the page's index: its name, number of parts and digest."""
        return [self.name, len(self.parts), self.sha256]


def chunk(name: str, document: Any) -> Chunk:
    """One document as a chunk; equal documents have equal bytes."""
    packed = gzip.compress(msgspec.json.encode(document), 9, mtime=0)
    text = base64.b64encode(packed).decode("ascii")
    parts = tuple(text[start : start + PART_CHARACTERS] for start in range(0, len(text), PART_CHARACTERS))
    return Chunk(name, parts, hashlib.sha256(packed).hexdigest())


def style_sheet(part: str) -> str:
    """The text of a style sheet that holds one part."""
    return f'#chunk{{--data:"{part}"}}\n'


def sheet_names(made: Chunk) -> Iterator[tuple[str, str]]:
    """The files of a chunk in a folder: name and text."""
    for number, part in enumerate(made.parts):
        yield f"{made.name}-{number}.css", style_sheet(part)
