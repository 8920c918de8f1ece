"""Limits on one verification's use of a machine, and what is left of them.

A bundle comes from anybody. It may ask for a million engine searches of a million nodes each, or hold a gigabyte of
journals. So everything that costs is counted before it is begun or watched while it goes on, and beyond a limit a step
is NOT CHECKED, with what was done of what: never PASS, and never FAIL for want of time.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from ..core.workers import CAN_FORK
from .check_log import CouldNotCheck


class VerificationLimits(msgspec.Struct, frozen=True):
    """Limits of one verification. The defaults are several times the cost of a normative bundle.

    `engine_nodes_max`: nodes that engines may search, in all. `time_s_max`: seconds on the clock. `memory_mib_max`:
    memory that each process may take beyond what it holds at the start, and the hash tables of all engines together.
    `seat_replies_max`: replies of reference players and of full-strength Stockfish seats, and answers of each tool, to
    compute again, of each.
    """

    engine_nodes_max: Annotated[int, Meta(ge=0)] = 20_000_000_000
    time_s_max: Annotated[int, Meta(ge=1)] = 7_200
    memory_mib_max: Annotated[int, Meta(ge=64)] = 2_048
    seat_replies_max: Annotated[int, Meta(ge=1)] = 1_000


TIMER_S_MAX: Final = 10**6
"""Eleven days: functions of the system that wait take no much longer time."""


class Budget:
    """The remainder of some limits. The clock runs from the start."""

    def __init__(self, limits: VerificationLimits) -> None:
        self.limits = limits
        self.nodes_left = limits.engine_nodes_max
        self.deadline_s = time.monotonic() + min(limits.time_s_max, TIMER_S_MAX)

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.deadline_s - time.monotonic())

    @property
    def is_over(self) -> bool:
        """True if there is no time left."""
        return time.monotonic() >= self.deadline_s

    @property
    def time_is_up(self) -> str:
        """The reason that a step was not finished, for its remark."""
        return f"time is up, --time-max {self.limits.time_s_max} seconds"

    def require_time(self) -> None:
        """Raises CouldNotCheck where no time is left."""
        if self.is_over:
            raise CouldNotCheck(self.time_is_up)

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within it, CouldNotCheck is raised as soon as time is up, between two instructions of the interpreter.

        For work that does not look at the clock itself. It needs the main thread and a POSIX system; elsewhere the
        work is not bounded. A timer of the caller's goes on afterwards.
        """
        if threading.current_thread() is not threading.main_thread() or not CAN_FORK:
            yield
            return
        is_within = True

        def end(*_: object) -> None:
            if is_within:
                raise CouldNotCheck(self.time_is_up)

        begun_s, before = time.monotonic(), signal.signal(signal.SIGALRM, end)
        seconds = max(self.seconds_left, 1e-6)  # 0 would mean never
        callers_s, interval_s = signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            is_within = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if callers_s:
                left_s = max(callers_s - (time.monotonic() - begun_s), 1e-6)
                signal.setitimer(signal.ITIMER_REAL, left_s, interval_s)

    def affordable(self, nodes_each: int) -> int:
        """Number of searches of `nodes_each` nodes that the engines may still do."""
        return self.nodes_left // nodes_each

    def engines(self, jobs: int, hash_mib: int) -> int:
        """Number of engines to run side by side. Raises CouldNotCheck where not even one has room for its hash."""
        room = self.limits.memory_mib_max // hash_mib
        if not room:
            expected = f"--memory-max {self.limits.memory_mib_max} MiB"
            raise CouldNotCheck(f"the engine was asked with {hash_mib} MiB of hash, more than {expected}")
        return max(1, min(jobs, room))
