"""What the benches of whole commands share: the time of work that child processes do."""

import os
import time
from collections.abc import Callable
from typing import NamedTuple


class Took(NamedTuple):
    """Seconds by the clock and of CPU."""

    clock_s: float
    cpu_s: float

    def __str__(self) -> str:
        return f"{self.clock_s:.1f} s by the clock, {self.cpu_s:.1f} s of CPU"


def children_cpu_s() -> float:
    """CPU seconds, of users and of the system, of all child processes that have ended."""
    spent = os.times()
    return spent.children_user + spent.children_system


def timed(work: Callable[[], object]) -> Took:
    """What work takes that is done by child processes and by none that is there already."""
    clock_s, cpu_s = time.monotonic(), children_cpu_s()
    work()
    return Took(time.monotonic() - clock_s, children_cpu_s() - cpu_s)
