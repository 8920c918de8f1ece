"""The clock of a run: one that goes on while the machine is suspended, and is the Unix clock where nothing is."""

import time
from collections.abc import Callable

import pytest

from agzamov_harness.foundation import unix_clock

HOUR_NS = 3600 * 10**9


def test_a_run_tells_the_time_of_the_unix_clock() -> None:
    assert abs(unix_clock.unix_ns() - time.time_ns()) < 10 * 10**9


def test_the_time_after_a_suspension_is_the_unix_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLOCK_MONOTONIC stands still meanwhile: each later call was told an hour too early."""
    real: Callable[[int], int] = time.clock_gettime_ns
    slept = {time.CLOCK_REALTIME: HOUR_NS, time.CLOCK_BOOTTIME: HOUR_NS, time.CLOCK_MONOTONIC: 0}
    monkeypatch.setattr(time, "clock_gettime_ns", lambda clock: real(clock) + slept[clock])
    monkeypatch.setattr(time, "time_ns", lambda: real(time.CLOCK_REALTIME) + HOUR_NS)
    assert abs(unix_clock.unix_ns() - time.time_ns()) < 10 * 10**9
