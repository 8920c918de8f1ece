"""Exit of the commands that show something of a bundle, where it is broken or holds no such game."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

import click

from .checks.check_log import CheckLog, StepFailed
from .display.report import finding_line
from .journal import BrokenJournal
from .replayed_game import NoSuchGame
from .script import Divergence
from .untrusted_input import HostileBundle, show_name

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2


@contextmanager
def faults_told(log: CheckLog) -> Iterator[None]:
    """Run the body; a fault of the bundle or of the request ends the program with one line and its exit code."""
    try:
        yield
    except StepFailed:
        fail(finding_line(log.findings[0]), EXIT_FAILED)
    except (HostileBundle, BrokenJournal, Divergence) as error:
        fail(show_name(str(error)), EXIT_FAILED)
    except NoSuchGame as error:
        fail(str(error), EXIT_USAGE)


def fail(message: str, code: int) -> NoReturn:
    """End the program with an error line."""
    click.echo(f"error: {message}", err=True)
    sys.exit(code)
