"""Listens to a harness in its container until it ends."""

from collections.abc import Callable
from threading import Thread

from ..progress import Counts, Watcher
from .engine import Attached
from .talk import LINE_BYTES_MAX, Bye, Hello, heard

STDOUT = 1
ERROR_BYTES_MAX = 2**16
ERROR_MARK = "error: "


class Hearing:
    """What the harness has said so far. `on_bye` is called when everything is played, while it still runs."""

    def __init__(self, attached: Attached, watcher: Watcher | None, on_bye: Callable[[], None]) -> None:
        self.environment: dict[str, str | int] = {}
        self._attached, self._watcher, self._on_bye = attached, watcher, on_bye
        self._errors = b""
        self._line = b""
        self._thread = Thread(target=self._listen, name="hearing", daemon=True)
        self._thread.start()

    def ended_after(self, seconds: float) -> bool:
        """Wait up to so long for the harness's last word."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def complaint(self) -> str:
        """What it said was wrong, without the word "error"."""
        lines = self._errors.decode("utf-8", "replace").splitlines()
        told = [line.removeprefix(ERROR_MARK) for line in lines if line.startswith(ERROR_MARK)]
        return "\n".join(told or lines[-1:])

    def _listen(self) -> None:
        for stream, data in self._attached.chunks():
            if stream == STDOUT:
                self._take(data)
            else:
                self._errors = (self._errors + data)[-ERROR_BYTES_MAX:]

    def _take(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[:LINE_BYTES_MAX]
        for line in lines:
            match heard(line):
                case Hello(environment):
                    self.environment = environment
                case Counts() as counts:
                    if self._watcher:
                        self._watcher.update(counts)
                case Bye():
                    self._on_bye()
                case None:
                    pass
