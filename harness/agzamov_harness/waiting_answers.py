"""Answers to questions that were asked together, on disk until those before them in the journal have come.

    {"call":{"to":"agent","us":1234},"entry":{"answer":{…},"prev":"","question":{…},"run":"…","seq":17,"stream":"…","v":1}}

A journal has answers in the order of their questions. One that comes earlier is written here at once, past any buffer,
so that a killed process loses none; its turn come, it is written to the journal. The file is no part of a bundle.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path

import msgspec

from agzamov_verify.journal import BrokenJournal, Entry
from agzamov_verify.scoring.call_records import CallRecord

from .append_only import cut_torn_line, open_append, write_line

FILE = "waiting.ndjson"


class WaitingAnswer(msgspec.Struct, frozen=True):
    """An entry whose `prev` is not known yet, and the record of its call."""

    call: CallRecord
    entry: Entry


_decoder = msgspec.json.Decoder(WaitingAnswer)


class WaitingAnswers:
    """The file of one stream. Answers before entry `first` are in the journal already, and are passed over."""

    def __init__(self, folder: Path, first: int) -> None:
        self._path = folder / FILE
        self._file: FileIO | None = None
        self._recorded: dict[int, WaitingAnswer] = {}
        if self._path.exists():
            cut_torn_line(self._path)
            self._recorded = {one.entry.seq: one for one in _read(self._path) if one.entry.seq >= first}

    def take(self, seq: int) -> WaitingAnswer | None:
        """The answer that an earlier process was given for entry `seq`."""
        return self._recorded.pop(seq, None)

    def put(self, waiting: WaitingAnswer) -> None:
        """Keep an answer until it is its turn."""
        self._file = self._file or open_append(self._path)
        write_line(self._file, msgspec.json.encode(waiting))

    def clear(self) -> None:
        """Forget all, once it is in the journal."""
        if self._file or self._path.exists():
            self._file = self._file or open_append(self._path)
            self._file.truncate(0)

    def sync(self) -> None:
        """Force everything so far to disk."""
        if self._file:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file:
            self._file.close()


def waiting_entries(folder: Path, first: int) -> Iterator[Entry]:
    """The entries that wait in a stream's folder, from `first` on. A torn line is left to the stream's recorder."""
    path = folder / FILE
    if path.exists():
        for line in path.read_bytes().splitlines():
            with suppress(msgspec.MsgspecError, UnicodeDecodeError):
                entry = _decoder.decode(line).entry
                if entry.seq >= first:
                    yield entry


def _read(path: Path) -> Iterator[WaitingAnswer]:
    for number, line in enumerate(path.read_bytes().splitlines()):
        try:
            yield _decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            place = f"{path.parent.name} {FILE} line {number}"
            raise BrokenJournal(place, "an answer that waits", str(error)) from error
