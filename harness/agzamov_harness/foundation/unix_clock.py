"""The clock of a run: nanoseconds of the Unix clock that never go back."""

import time
from typing import Final

STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux's clock that goes on while the machine is suspended: CLOCK_MONOTONIC stands still, and a laptop that slept told
hours too early from then on when it had called. Elsewhere the monotonic clock."""


def _ahead_ns() -> int:
    """From the steady clock to the Unix clock, as it is now."""
    return time.time_ns() - time.clock_gettime_ns(STEADY)


_AHEAD_NS: Final = _ahead_ns()


def unix_ns() -> int:
    """Nanoseconds since 1970: differences are durations, since no correction of the machine's clock enters them."""
    return time.clock_gettime_ns(STEADY) + _AHEAD_NS
