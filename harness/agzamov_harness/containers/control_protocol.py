"""Messages between a harness in its container and the command that supervises it, and the reader of what it prints.

One JSON value per line. From the harness, on standard output: Hello once, ProgressCounts at intervals, Bye when all is
played. To it, on standard input: Keys once, and the end of the input when that command has ended. Errors go to standard
error.
"""

from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ..run.progress import ProgressCounts, Watcher

if TYPE_CHECKING:  # the harness in its container has no use for the engine's client
    from .container_engine import Attached

LINE_BYTES_MAX = 2**16
STDOUT = 1
ERROR_BYTES_MAX = 2**16
ERROR_MARK, STOPPED_MARK = "error: ", "stopped"


class Hello(msgspec.Struct, frozen=True, tag="hello", tag_field="say"):
    """First message: facts about the machine as seen inside the container."""

    environment: dict[str, str | int]


class Bye(msgspec.Struct, frozen=True, tag="bye", tag_field="say"):
    """Message that everything is played and on disk."""


class Keys(msgspec.Struct, frozen=True):
    """The keys of hosted seats by variable, so that they stand in no container's configuration on the disk."""

    keys: dict[str, str]


HarnessMessage: TypeAlias = Hello | ProgressCounts | Bye

_message_decoder: msgspec.json.Decoder[HarnessMessage] = msgspec.json.Decoder(HarnessMessage)


def encoded(value: HarnessMessage | Keys) -> bytes:
    """The value as one line."""
    return msgspec.json.encode(value) + b"\n"


def message_in(line: bytes) -> HarnessMessage | None:
    """Decode a line of standard output; None if it is no message."""
    try:
        return _message_decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def keys_in(line: bytes) -> Keys:
    """The keys in the first line of standard input. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(line, type=Keys)


class OutputReader:
    """Reader of the harness's output. `on_bye` is called when everything is played, while it still runs.

    `on_error` receives what it prints to standard error, as it comes.
    """

    def __init__(
        self,
        attached: "Attached",
        watcher: Watcher | None,
        on_bye: Callable[[], None],
        on_error: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self.environment: dict[str, str | int] = {}
        self._attached, self._watcher, self._on_bye, self._on_error = attached, watcher, on_bye, on_error
        self._errors = b""
        self._line = b""
        self._thread = Thread(target=self._listen, name="output", daemon=True)
        self._thread.start()

    def ended_after(self, seconds: float) -> bool:
        """Wait for the harness to exit, at most so many seconds; True if it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def complaint(self) -> str:
        """Error lines of the harness, without the word "error"; if there are none, its last line."""
        errors = [line.removeprefix(ERROR_MARK) for line in self._lines if line.startswith(ERROR_MARK)]
        return "\n".join(errors or self._lines[-1:]).removeprefix(f"{STOPPED_MARK}: ")

    @property
    def stopped_as_asked(self) -> bool:
        """Whether the harness says that it stopped because its user or its plan wants it."""
        return self._lines[-1:] != [] and self._lines[-1].startswith(STOPPED_MARK)

    @property
    def _lines(self) -> list[str]:
        return self._errors.decode("utf-8", "replace").splitlines()

    def _listen(self) -> None:
        for stream, data in self._attached.chunks():
            if stream == STDOUT:
                self._take(data)
            else:
                self._errors = (self._errors + data)[-ERROR_BYTES_MAX:]
                self._on_error(data)

    def _take(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[:LINE_BYTES_MAX]
        for line in lines:
            match message_in(line):
                case Hello(environment):
                    self.environment = environment
                case ProgressCounts() as counts:
                    if self._watcher:
                        self._watcher.update(counts)
                case Bye():
                    self._on_bye()
                case None:
                    pass
