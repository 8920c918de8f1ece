"""The engine's evaluations of a played run's moves, where the plan promises them or `agzamov quality` asks for them.

What is missing is asked on all cores in <name>.making, which holds `answers.jsonl`, a lock, and at the end the folder
itself, which gets its name when it is complete. Ending the work at any time loses nothing but the searches in flight.

    {"judgement":{"best":"e2e4",…},"question":"<sha256>"}

A line is written whole, past any buffer, as its answer comes; a torn last line is cut off when the file is opened
again. Its key is the digest of all that the answer depends on, so an answer to another question, of another run or at
other nodes, is never taken for this one.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from agzamov_verify.checks.quality_answers import (
    PlayedRun,
    QualityVerdict,
    Require,
    by_name,
    by_net,
    open_judges,
    read_promised,
)
from agzamov_verify.core import canon, gzip_member
from agzamov_verify.core.untrusted_input import HostileBundle, open_source
from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.protocols.norms import EngineNorm, load_protocol
from agzamov_verify.scoring.quality.quality_figures import (
    FIGURES_FILE,
    INDEX_FILE,
    QualityResults,
    StreamAnswers,
    answers_name,
    index_of,
    released_and_shown,
)
from agzamov_verify.scoring.quality.quality_questions import MoveEvaluation, Position, encode

from ..adapters.stockfish_ports import processes_side_by_side
from ..foundation.append_only import cut_torn_line, no_link, open_append, write_line
from ..ports import PortFault
from .run_folder import RunDirectory
from .runner import Blocks
from .stop import Stop, Stopped

SYNC_EVERY = 256


class AnsweredLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
        write_line(self._file, canon.dumps(AnsweredLine(judgement, digest)))
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
            answered = canon.loads_as(line, AnsweredLine)
        except canon.NotCanonical as error:
            raise ManifestError(f"{path} line {number}: expected an answer, found {error}; remove the file") from error
        known[answered.question] = answered.judgement
    return known


MAKING, ANSWERS, LOCK, COMPLETE = ".making", "answers.jsonl", "lock", "complete"


class Asking(msgspec.Struct, frozen=True):
    """Settings of an evaluation: the engine's path, nodes per position, parallel engines, and the check of identity.

    `tick` is called with the number of positions evaluated so far, and the number of all.
    """

    engine: Path
    nodes: int
    jobs: int
    stop: Stop
    tick: Callable[[int, int], None] = lambda _done, _all: None
    require: Require = by_net


def judge_run(played: PlayedRun, folder: Path, asking: Asking) -> QualityResults:
    """Fill `folder` with the answers about all chess games, and return the figures that follow.

    Raises Stopped; EngineFault for another engine; ManifestError if the folder is there or is being made elsewhere.
    """
    if folder.exists():
        raise ManifestError(f"{folder}: this folder exists already; check it (check-quality), or remove it")
    making = folder.with_name(folder.name + MAKING)
    making.mkdir(parents=True, exist_ok=True)
    with _locked(making / LOCK):
        with AnswerFile(making / ANSWERS, load_protocol(played.plan.protocol).engine, asking.nodes) as answers:
            _ask(played, answers, asking)
            results = _write_all(played, answers, asking.nodes, making / COMPLETE)
        (making / COMPLETE).rename(folder)
        shutil.rmtree(making)
    return results


def _ask(played: PlayedRun, answers: AnswerFile, asking: Asking) -> None:
    """Ask about every position that has no answer yet."""
    answered = [position in answers for position in _positions(played)]
    done_count, total = sum(answered), len(answered)
    if done_count == total:
        return
    missing = (position for position in _positions(played) if position not in answers)
    norm = load_protocol(played.plan.protocol).engine
    with (
        open_judges(asking.engine, norm, asking.nodes, asking.jobs, asking.require) as judges,
        _going_on(),
        closing(judges.answers(missing)) as judged,
    ):
        for position, judgement in judged:
            answers.add(position, judgement)
            done_count += 1
            asking.tick(done_count, total)
            asking.stop.check()


@contextmanager
def _going_on() -> Iterator[None]:
    """An engine that fails at its work stops the work, as a signal does; a new one can go on."""
    try:
        yield
    except EngineFault as error:
        raise Stopped(f"the engine failed: {error}") from error


def _positions(played: PlayedRun) -> Iterator[Position]:
    for _, positions in played.positions():
        yield from positions


def _write_all(played: PlayedRun, answers: AnswerFile, nodes: int, folder: Path) -> QualityResults:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    rows: list[StreamAnswers] = []
    evaluations: dict[str, list[MoveEvaluation]] = {}
    for stream in played.streams():
        by_game = {
            record.game: [answers[position] for position in stream.judged.positions(record)]
            for record in stream.records
        }
        lines = [encode(judgement) for judgements in by_game.values() for judgement in judgements]
        data = b"".join(line + b"\n" for line in lines)
        rows.append(StreamAnswers(len(lines), hashlib.sha256(data).hexdigest(), stream.id))
        _write(folder / answers_name(stream.id), gzip_member.compressed(data))
        evaluations |= by_game
    released, shown = released_and_shown(played.run, played.plan, played.blocks, evaluations, nodes)
    _write(folder / FIGURES_FILE, canon.dumps(released))
    _write(folder / INDEX_FILE, canon.dumps(index_of(played.run, played.plan.protocol, nodes, rows)))
    return shown


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb", opener=no_link) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ManifestError(f"{path.parent}: another process is making this folder") from error
        yield


def promised_answers(directory: RunDirectory, blocks: Blocks) -> dict[str, list[MoveEvaluation]]:
    """The answers in the run's folder by game; none where the plan promises none. Raises ManifestError."""
    manifest, folder = directory.manifest, directory.quality
    if not manifest.plan.quality.nodes:
        return {}
    verdict = QualityVerdict(manifest.run_id)
    played = PlayedRun(manifest.run_id, manifest.plan, directory.dice, blocks)
    try:
        answers = read_promised(open_source(folder), "", played, verdict)
    except HostileBundle as error:
        raise ManifestError(f"{folder}/{error.place}: expected {error.expected}, found {error.found}") from error
    for wrong in verdict.findings:
        what = f"expected {wrong.expected}, found {wrong.found}"
        raise ManifestError(f"{folder}/{wrong.place}: {what}; remove the folder, then resume to ask again")
    return answers


def judge_promised(
    directory: RunDirectory,
    blocks: Blocks,
    engine: Path | None,
    stop: Stop,
    tick: Callable[[int, int], None] = lambda _done, _all: None,
) -> None:
    """Ask for the promised answers and leave them in the run's folder; a resumed run keeps those it has.

    In containers, `engine` is the socket of the sealed image. `tick` is told how many positions of how many have their
    answer. Raises Stopped, or PortFault for another engine.
    """
    manifest = directory.manifest
    nodes = manifest.plan.quality.nodes
    if not nodes or engine is None or directory.quality.exists():
        return
    played = PlayedRun(manifest.run_id, manifest.plan, directory.dice, blocks)
    require = by_name if manifest.plan.isolation == "container" else by_net
    try:
        judge_run(played, directory.quality, Asking(engine, nodes, processes_side_by_side(engine), stop, tick, require))
    except EngineFault as error:
        raise PortFault(str(error)) from error
