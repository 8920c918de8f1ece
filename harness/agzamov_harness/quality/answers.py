"""The engine's answers while they are being collected: one file that only grows, and that a kill cannot spoil.

    {"judgement":{"best":"e2e4",…},"question":"<sha256>"}

A line is written whole, past any buffer, as its answer comes; a torn last line is cut off when the file is
opened again. Its key is the digest of all that the answer depends on, so an answer to another question, of
another run or at other nodes, is never taken for this one.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from agzamov_verify import canon
from agzamov_verify.manifest import ManifestError
from agzamov_verify.protocol import EngineNorm
from agzamov_verify.scoring.quality.positions import MoveEvaluation, Position

from ..append_only import cut_torn_line, open_append, write_line

SYNC_EVERY = 256


class Answered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line."""

    judgement: MoveEvaluation
    question: str


class AnswerFile:
    """Answers by the digest of their question. Raises ManifestError for a file that somebody else wrote in."""

    def __init__(self, path: Path, engine: EngineNorm, nodes: int) -> None:
        self._asked_as = {"hash_mib": engine.hash_mib, "net_sha256": engine.net_sha256, "nodes": nodes}
        self._known = _read_back(path)
        self._file = open_append(path)
        self._unsynced = 0

    def __contains__(self, position: Position) -> bool:
        return self._digest(position) in self._known

    def __getitem__(self, position: Position) -> MoveEvaluation:
        return self._known[self._digest(position)]

    def add(self, position: Position, judgement: MoveEvaluation) -> None:
        """Keep an answer."""
        digest = self._digest(position)
        write_line(self._file, canon.dumps(Answered(judgement, digest)))
        self._known[digest] = judgement
        self._unsynced += 1
        if self._unsynced >= SYNC_EVERY:
            self._sync()

    def close(self) -> None:
        with self._file:
            self._sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0

    def _digest(self, position: Position) -> str:
        return canon.digest({**self._asked_as, "position": msgspec.to_builtins(position)})


def _read_back(path: Path) -> dict[str, MoveEvaluation]:
    if not path.exists():
        return {}
    cut_torn_line(path)
    known = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            answered = canon.loads_as(line, Answered)
        except canon.NotCanonical as error:
            raise ManifestError(f"{path} line {number}: expected an answer, found {error}; remove the file") from error
        known[answered.question] = answered.judgement
    return known
