"""How many calls a run has ahead, and how long they take: by what was planned, and more and more by what was seen."""

from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import msgspec

from agzamov_verify.core.limits import CALL_LINE_BYTES_MAX
from agzamov_verify.scoring.call_records import decode

from ..foundation.unix_clock import unix_ns
from ..run.recorder import CALLS_FILE, NANOSECONDS_PER_S
from .live_stream import LiveStream

PLAN_WEIGHT: Final = 4
"""The plan's forecast of a game counts as much as so many games that were played."""
RATE_OVER_S: Final = 600.0
CALLS_FOR_RATE_MIN: Final = 3
SECONDS_FOR_RATE_MIN: Final = 3.0


def calls_of_match(
    streams: Sequence[LiveStream], seats: Sequence[str], planned: Mapping[str, int], *, is_over: bool
) -> int:
    """The calls of some seats in a match once it is over, as far as can be said now. `planned`: the plan's forecast.

    calls of a stream = those it has, where it has ended; else the greater of those and its games x calls a game
    calls a game = (4 x the plan's + calls of games that are over) / (4 + games that are over)
    """
    games = sum(stream.plan.count for stream in streams)
    over = sum(stream.results for stream in streams)
    plan_calls = PLAN_WEIGHT * Fraction(sum(planned.get(seat, 0) for seat in seats), games)
    settled = sum(stream.settled.get(seat, 0) for stream in streams for seat in seats)
    calls_a_game = (plan_calls + settled) / (PLAN_WEIGHT + over)
    return sum(
        stream.counts.calls(seats)
        if is_over or not stream.is_open
        else max(stream.counts.calls(seats), round(calls_a_game * stream.plan.count))
        for stream in streams
    )


class Pace:
    """Calls a second over the last minutes."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def note(self, now: float, calls: int) -> None:
        """Note how many calls were made by now."""
        self._samples.append((now, calls))
        while self._samples[0][0] < now - RATE_OVER_S:
            self._samples.popleft()

    def left_s(self, calls_left: int) -> float | None:
        """Seconds for so many more calls; None until a few were seen."""
        if not self._samples:
            return None
        (then, before), (now, calls) = self._samples[0], self._samples[-1]
        if calls - before < CALLS_FOR_RATE_MIN or now - then < SECONDS_FOR_RATE_MIN:
            return None
        return calls_left * (now - then) / (calls - before)


def played_for_s(journal: Path) -> float:
    """Seconds since the first recorded call of a run; 0 where there is none."""
    seconds = [second for file in journal.glob(f"*/{CALLS_FILE}") if (second := _first_second(file))]
    return max(0.0, unix_ns() / NANOSECONDS_PER_S - min(seconds)) if seconds else 0.0


def _first_second(file: Path) -> int:
    """The second of the Unix clock of the first call in a stream's file of calls; 0 where it has none."""
    try:
        with file.open("rb") as calls:
            return decode(calls.readline(CALL_LINE_BYTES_MAX).removesuffix(b"\n")).at
    except (OSError, ValueError, msgspec.MsgspecError):
        return 0
