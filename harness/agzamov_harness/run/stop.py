"""A request to stop a run, from a signal, a budget or a fault; and the end of a run that can be resumed."""

from threading import Event


class Stopped(Exception):
    """The run stopped before its end and can be resumed; the message gives the reason."""


class Stop:
    """A request to stop, from a signal, a budget or a fault, with its reason."""

    def __init__(self) -> None:
        self._event = Event()
        self.reason = ""

    @property
    def is_requested(self) -> bool:
        """Whether the run is to stop."""
        return self._event.is_set()

    def request(self, reason: str) -> None:
        """Ask every stream to stop before its next question. The first reason is kept."""
        self.reason = self.reason or reason
        self._event.set()

    def wait(self, seconds: float) -> None:
        """Sleep, unless or until a stop is requested. Raises Stopped."""
        self._event.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises Stopped once a stop was requested."""
        if self._event.is_set():
            raise Stopped(self.reason)
