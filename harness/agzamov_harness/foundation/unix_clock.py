"""The clock of a run: nanoseconds of the Unix clock that never go back."""

import time

_AHEAD_NS = time.time_ns() - time.monotonic_ns()
"""From the monotonic clock to the Unix clock, as it was when this process began."""


def unix_ns() -> int:
    """Nanoseconds since 1970: differences are durations, since no correction of the machine's clock enters them."""
    return time.monotonic_ns() + _AHEAD_NS
