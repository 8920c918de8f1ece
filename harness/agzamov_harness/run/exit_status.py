"""Exit of a command: a signal stops it cleanly, an exception of ours becomes one line and the documented exit code."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from agzamov_verify.commands.command_line import as_typed
from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.script import Divergence
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.engines.uci_engine import EngineFault
from agzamov_verify.plan.manifest import ManifestError

from ..ports import PortFault
from .signing_keys import KeyFault
from .stop import Stop, Stopped

EXIT_FAILED, EXIT_USAGE, EXIT_STOPPED = 1, 2, 4


class HarnessEnded(Exception):
    """A harness in its container ended with the exit code `code`, for a reason that no resuming mends."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def signals(stop: Stop, resume: str, grace_s: float) -> Iterator[None]:
    """SIGTERM and SIGINT stop the run after the calls in flight, or after `grace_s`; again: at once."""

    def leave() -> None:
        click.echo(as_typed(f"error: {stop.reason}, what was in flight was dropped; {resume}"), err=True)
        os._exit(EXIT_STOPPED)

    patience = threading.Timer(grace_s, leave)
    patience.daemon = True

    def ask(number: int, _: object) -> None:
        if stop.reason:
            leave()
        stop.request(f"stopped by {signal.Signals(number).name}")
        patience.start()

    before = {number: signal.signal(number, ask) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
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
    except (Stopped, PortFault) as error:
        fail(str(error), EXIT_STOPPED)
    except (BrokenJournal, Divergence) as error:
        fail(f"{error}; the journal was changed since it was recorded: start a new run", EXIT_FAILED)
    except HarnessEnded as error:
        fail(str(error), error.code)
    except OSError as error:
        fail(os_error_words(error), EXIT_USAGE)


def os_error_words(error: OSError) -> str:
    """Error message of the system, after the name of the file."""
    return f"{error.filename or 'disk'}: {error.strerror or error}"


def fail(message: str, code: int) -> NoReturn:
    """Print an error and exit."""
    for line in as_typed(message).splitlines():
        click.echo(f"error: {printable(line)}", err=True)
    sys.exit(code)
