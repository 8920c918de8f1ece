"""Which accepted submission a refused one was copied from: the same sealed manifest, or streams of the same journal.

A copy never holds. The sealed manifest commits to the submitter's key, so another key cannot sign it; under another
manifest the dice are others, and each line of a journal names its run. This finds the words for the reason.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from agzamov_verify.bundle import INDEX_FILE, MANIFEST_FILE, RUN_DIGITS, Index
from agzamov_verify.core.untrusted_input import HostileBundle, open_source, read_small, sha256_of

KEY_DIGITS: Final = 16


class Marks(NamedTuple):
    """Digests by which a copy is known: of the sealed manifest (empty: unreadable), and of each stream's lines."""

    manifest: str = ""
    streams: frozenset[str] = frozenset()


class Original(NamedTuple):
    """An accepted bundle: the name of its submission, its run, the id of the key that signed it, and its marks.

    Of one that is gone the run alone is known, which is the manifest's digest in short.
    """

    name: str
    run: str
    key: str
    marks: Marks = Marks()


def marks_of(path: Path) -> Marks:
    """The marks of a bundle of which nothing was checked, as far as they can be read."""
    marks = Marks()
    try:
        source = open_source(path)
        marks = Marks(sha256_of(source, MANIFEST_FILE))
        rows = msgspec.json.decode(read_small(source, INDEX_FILE), type=Index).streams
    except (HostileBundle, KeyError, OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return marks
    return marks._replace(streams=frozenset(row.root for row in rows if row.entries))


def copied_from(marks: Marks, originals: Iterable[Original]) -> str:
    """Of which accepted bundle a refused one is a copy, and what was copied; empty where of none."""
    for original in originals:
        whose = f"a copy of {original.name} (run {original.run}, signed by key {original.key[:KEY_DIGITS]})"
        shared = len(marks.streams & original.marks.streams)
        if marks.manifest and marks.manifest[:RUN_DIGITS] == original.run:
            return f"{whose}: the same sealed manifest, which commits to that key"
        if shared:
            return f"{whose}: the same lines in {shared} of the journal's {len(marks.streams)} streams"
    return ""
