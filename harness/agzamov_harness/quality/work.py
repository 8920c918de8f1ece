"""Answers of the engine about a played run: ask the missing ones on all cores, then write the folder.

The work is done in <name>.making, which holds `answers.jsonl`, a lock, and at the end the folder itself, which
gets its name when it is complete. Ending the work at any time loses nothing but the searches in flight.
"""

import fcntl
import gzip
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from agzamov_verify import canon
from agzamov_verify.checks.engine_pool import Require, by_net, open_judges
from agzamov_verify.checks.quality import Played
from agzamov_verify.manifest import ManifestError
from agzamov_verify.protocol import load_protocol
from agzamov_verify.scoring.quality.positions import MoveEvaluation, Position, encode
from agzamov_verify.scoring.quality.results import (
    FIGURES_FILE,
    INDEX_FILE,
    QualityResults,
    StreamAnswers,
    answers_name,
    index_of,
    quality_of,
)
from agzamov_verify.stockfish import EngineFault

from ..run import Stop, Stopped
from .answers import AnswerFile

MAKING, ANSWERS, LOCK, COMPLETE = ".making", "answers.jsonl", "lock", "complete"
GZIP_LEVEL = 6


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


def judge_run(played: Played, folder: Path, asking: Asking) -> QualityResults:
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


def _ask(played: Played, answers: AnswerFile, asking: Asking) -> None:
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


def _positions(played: Played) -> Iterator[Position]:
    for _, positions in played.positions():
        yield from positions


def _write_all(played: Played, answers: AnswerFile, nodes: int, folder: Path) -> QualityResults:
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
        _write(folder / answers_name(stream.id), gzip.compress(data, GZIP_LEVEL, mtime=0))
        evaluations |= by_game
    results = quality_of(played.run, played.plan, played.blocks, evaluations, nodes)
    _write(folder / FIGURES_FILE, canon.dumps(results))
    _write(folder / INDEX_FILE, canon.dumps(index_of(played.run, played.plan.protocol, nodes, rows)))
    return results


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
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
