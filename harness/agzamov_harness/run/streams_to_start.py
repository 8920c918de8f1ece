"""The streams of a run as their turns come: each is started when whoever gives the turns says so."""

from collections.abc import Iterator
from threading import Condition
from typing import Final

from agzamov_verify.table.game import StreamPlan

from .stop import Stop

LOOK_S: Final = 0.5
"""Whoever waits for a turn looks for a request to stop so often."""


class StreamsToStart:
    """A subclass puts streams into `_to_start` in its `_give`, holding `_changed`, which it notifies."""

    def __init__(self, number: int, stop: Stop) -> None:
        self._number, self._stop = number, stop
        self._changed = Condition()
        self._to_start: list[StreamPlan] = []

    def starting(self) -> Iterator[StreamPlan]:
        """The streams, each when it is to start; ends early where the run is to stop."""
        for _ in range(self._number):
            with self._changed:
                self._give()
                while not self._to_start:
                    if self._stop.is_requested:
                        return
                    self._changed.wait(LOOK_S)
                stream = self._to_start.pop(0)
            yield stream

    def _give(self) -> None:
        """Give the turns that can be given now."""
        raise NotImplementedError
