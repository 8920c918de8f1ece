"""Exit of a command: a signal stops it cleanly, an exception of ours becomes one line and the documented exit code."""

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

import click

from agzamov_verify.commands.command_line import as_typed
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.script import Divergence
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import ManifestError

from ..ports import PortFault
from .signing_keys import KeyFault
from .stop import Stop, Stopped, StoppedAsAsked

EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 1, 2, 4
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
ONE_SIGNAL_S: Final = 0.2
"""The same signal again so soon is still the first one: `timeout` sends it to the program and to its group."""


class HarnessEnded(Exception):
    """A harness in its container ended with the exit code `code`, for a reason that no resuming mends."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def signals(stop: Stop, resume: str) -> Iterator[None]:
    """SIGTERM and SIGINT stop the run after the calls in flight, or after `stop.patience_s`; again: at once."""
    signalled = dict[int, float]()
    timers = list[threading.Timer]()

    def leave() -> None:
        if stop.leave():
            with suppress(Exception):  # a signal may come in the middle of a line that is printed
                _say(f"{stop.reason}, what was in flight was dropped; {resume}")
            os._exit(EXIT_STOPPED)

    def ask(number: int, _: object) -> None:
        now_s = time.monotonic()
        last_s, signalled[number] = signalled.get(number), now_s
        if last_s is not None and now_s - last_s < ONE_SIGNAL_S:
            return
        if stop.reason:
            leave()
            return
        stop.request(f"stopped by {signal.Signals(number).name}", as_asked=True)
        if stop.waiting:
            again = "Ctrl-C again drops them" if number == signal.SIGINT else "the signal again drops them"
            with suppress(Exception):
                _say(f"stopping: waiting for {stop.waiting}; {again}")
        patience = threading.Timer(stop.patience_s, leave)
        patience.daemon = True
        timers.append(patience)
        patience.start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for patience in timers:
            patience.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def faults() -> Iterator[None]:
    """Turn our exceptions into one clear line and the documented exit code."""
    try:
        yield
    except (ManifestError, KeyFault, EngineFault) as error:
        fail(str(error), EXIT_USAGE)
    except StoppedAsAsked as error:
        message = str(error)
        _say(message if message.startswith("stopped") else f"stopped: {message}")
        sys.exit(EXIT_STOPPED)
    except (Stopped, PortFault) as error:
        fail(str(error), EXIT_STOPPED)
    except (BrokenJournal, Divergence) as error:
        fail(f"{error}; the journal was changed since it was recorded: start a new run", EXIT_FAILED)
    except HarnessEnded as error:
        fail(str(error), error.code)
    except BrokenPipeError:
        raise
    except OSError as error:
        fail(os_error_words(error), EXIT_USAGE)


def os_error_words(error: OSError) -> str:
    """Error message of the system, after the name of the file, or that of the disk where it is full."""
    words = error.strerror or str(error)
    where = error.filename or ("disk" if error.errno in DISK_FULL else "")
    return f"{where}: {words}" if where else words


def fail(message: str, code: int) -> NoReturn:
    """Print an error and exit."""
    _say(message, "error: ")
    sys.exit(code)


def _say(message: str, before: str = "") -> None:
    for line in as_typed(message).splitlines():
        click.echo(f"{before}{printable(line)}", err=True)
