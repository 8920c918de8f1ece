"""What the journal costs, with a sync to disk at the end of each game, in a run with an instant endpoint.

    python bench/journal_cost.py [FOLDER]

The same run is played in turns in three ways, one call at a time, so that nothing hides behind anything
else: with the journal in FOLDER (default: this directory, so a real disk), with the journal on tmpfs
(/dev/shm), and with a recorder that asks the world and writes nothing. Within the first, the time spent
appending lines and in `fsync` is also measured directly, and is what the bar is for. The endpoint answers
at once: beside a real model the share would be hundreds of times smaller.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from agzamov_harness.run import play_stream
from agzamov_harness.run.recorder import AnsweredCall, Recorder
from agzamov_verify.core.questions import Answer, Question
from instant import instant_server, play, sealed

GAMES, PLIES, ROUNDS = 6, 80, 5
BAR = 0.05
TMPFS = Path("/dev/shm")  # noqa: S108 - Linux's own name for it


class Timed(Recorder):
    """The recorder, with a note of the time that its appends take."""

    def _append(self, one: AnsweredCall) -> Answer:
        with noted("append"):
            return super()._append(one)


spent_s = {"append": 0.0, "fsync": 0.0}


@contextmanager
def noted(what: str) -> Iterator[None]:
    """Add the time that the body takes."""
    start = time.perf_counter()
    try:
        yield
    finally:
        spent_s[what] += time.perf_counter() - start


def timed_fsync(descriptor: int, fsync: Callable[[int], None] = os.fsync) -> None:
    with noted("fsync"):
        fsync(descriptor)


class Forgetful:
    """A recorder that asks the world and keeps nothing."""

    def __init__(self, *given: Any) -> None:
        self._world: Callable[[Question], Answer] = given[3]

    def __call__(self, question: Question) -> Answer:
        return self._world(question)

    def together(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        return tuple(map(self._world, questions))

    @property
    def head(self) -> tuple[int, str]:
        """Length and digest of a journal without entries."""
        return 0, ""

    def finish(self) -> None:
        """There is nothing to compare."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to close."""


def played_s(kind: type, runs: Path, url: str) -> float:
    """Wall seconds of a run with this kind of recorder."""
    setattr(play_stream, "Recorder", kind)  # noqa: B010 - the seam that is timed
    run = sealed(runs, url, 1, GAMES, PLIES)
    start = time.perf_counter()
    play(run)
    return time.perf_counter() - start


def main() -> None:
    disk = sys.argv[1] if len(sys.argv) > 1 else "."
    setattr(os, "fsync", timed_fsync)  # noqa: B010 - the seam that is timed
    rounds = []
    with (
        tempfile.TemporaryDirectory(dir=disk) as on_disk,
        tempfile.TemporaryDirectory(dir=TMPFS) as in_memory,
        instant_server() as url,
    ):
        for _ in range(ROUNDS):
            spent_s.update(append=0.0, fsync=0.0)
            real = played_s(Timed, Path(on_disk), url)
            append, fsync = spent_s.values()
            tmpfs, nothing = played_s(Recorder, Path(in_memory), url), played_s(Forgetful, Path(on_disk), url)
            rounds.append((real, append, fsync, tmpfs, nothing, (append + fsync) / real))
    real, append, fsync, tmpfs, nothing, share = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{GAMES} games of up to {PLIES} plies, one call at a time; wall ms:")
    print(f"  on disk {real * 1000:.0f}, of which append {append * 1000:.0f} and fsync {fsync * 1000:.0f}")
    print(f"  on tmpfs {tmpfs * 1000:.0f}   without a journal {nothing * 1000:.0f}")
    print(f"share of append and fsync {share:.1%} (bar {BAR:.0%}); on disk / without a journal {real / nothing:.2f}")


if __name__ == "__main__":
    main()
