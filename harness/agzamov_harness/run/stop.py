"""A request to stop a run, from a signal, a budget or a fault; and the end of a run that can be resumed."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from typing import Final

from agzamov_verify.seats import Seat

LIMIT_OF_THE_PLAN: Final = "the limit is sealed with the plan: to play more, change it there and start a new run"
"""End of the reason where a resumed run would stop again."""
PATIENCE_S: Final = 7
"""Seconds that a stop waits for whatever is no model's reply, and beyond the time that a reply may take."""


class Stopped(Exception):
    """The run stopped before its end and can be resumed; the message gives the reason."""


def go_on_words(run: Path) -> str:
    """The advice to go on with the run in a folder, at the end of an error."""
    return f"go on with: agzamov resume {shlex.quote(str(run))}"


class StoppedAsAsked(Stopped):
    """It stopped because its user or its plan said so: a signal, a spent budget, too many unusable answers."""


class CallsInFlight:
    """Counts the replies of models that are being waited for: entered for each. Thread-safe."""

    def __init__(self) -> None:
        self.number, self._lock = 0, Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.number += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.number -= 1


def reply_s_max(seats: Mapping[str, Seat]) -> int:
    """The longest time in seconds that a reply of these seats may take; 0 where no model is among them."""
    return max((getattr(seat, "timeout_s", 0) for seat in seats.values()), default=0)


class Stop:
    """A request to stop, from a signal, a budget or a fault, with its reason.

    `reply_s_max`: the longest time that a reply may take; 0 where no model plays. `in_flight`: replies that are waited
    for, where this process counts them.
    """

    def __init__(self) -> None:
        self._event = Event()
        self._as_asked = False
        self._leave: Callable[[], bool] | None = None
        self.reason = ""
        self.reply_s_max = 0
        self.in_flight: CallsInFlight | None = None

    @property
    def is_requested(self) -> bool:
        """Whether the run is to stop."""
        return self._event.is_set()

    @property
    def patience_s(self) -> int:
        """Seconds after which what is in flight is dropped."""
        return PATIENCE_S if self.in_flight and not self.in_flight.number else PATIENCE_S + self.reply_s_max

    @property
    def waiting(self) -> str:
        """What the stop is waiting for, in words; empty where no model's reply is in flight."""
        if not self.reply_s_max or (self.in_flight and not self.in_flight.number):
            return ""
        if not self.in_flight:
            return f"the replies in flight, up to {self.reply_s_max} s"
        replies = "1 reply" if self.in_flight.number == 1 else f"{self.in_flight.number} replies"
        return f"{replies}, up to {self.reply_s_max} s"

    def wait_for_replies_of(self, seats: Mapping[str, Seat]) -> None:
        """Have a stop wait as long as a reply of these seats may take."""
        self.reply_s_max = reply_s_max(seats)

    def request(self, reason: str, *, as_asked: bool = False) -> None:
        """Ask every stream to stop before its next question. The first reason is kept.

        `as_asked`: the user or the plan wants it, so it is no error.
        """
        if not self.reason:
            self.reason, self._as_asked = reason, as_asked
        self._event.set()

    @contextmanager
    def leaving(self, leave: Callable[[], bool]) -> Iterator[None]:
        """Have `leave` called before the process ends at once, as long as this lasts: see `leave`."""
        self._leave = leave
        try:
            yield
        finally:
            self._leave = None

    def leave(self) -> bool:
        """Get ready for the end of the process without what is in flight. False: it must not end yet."""
        return self._leave() if self._leave else True

    def wait(self, seconds: float) -> None:
        """Sleep, unless or until a stop is requested. Raises Stopped."""
        self._event.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises Stopped once a stop was requested."""
        if self._event.is_set():
            raise self.stopped(self.reason)

    def stopped(self, message: str) -> Stopped:
        """The exception for a run that stopped by this request."""
        return StoppedAsAsked(message) if self._as_asked else Stopped(message)
