"""How a hostile bundle must be met: one located finding, in little time, and no traceback."""

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from agzamov_verify import cli
from agzamov_verify.checks.steps import Verdict
from agzamov_verify.show.text import verdict_report
from bundles.bundle_factory import check, failed_steps, told

SECONDS_MAX = 120
MIB = 2**20
ESCAPE = "\x1b]0;owned\x07\x1b[2J\x1b[31m"
TRICKS = ESCAPE + "\x9b31m \N{RIGHT-TO-LEFT OVERRIDE}txt.exe \r \N{LINE SEPARATOR} \N{ZERO WIDTH SPACE}"


def refused(path: Path, step: int, place: str = "") -> Verdict:
    """The verdict on a bundle that must fail at `step`, at a place that holds `place`."""
    started = time.monotonic()
    verdict = check(path)
    assert time.monotonic() - started < SECONDS_MAX
    assert failed_steps(verdict) == [step], told(verdict)
    assert place in verdict.findings[0].place, told(verdict)
    assert is_plain(verdict_report.text(verdict))
    assert is_plain(verdict_report.json(verdict).decode())
    return verdict


def is_plain(text: str) -> bool:
    """Nothing that a terminal could act on."""
    return all(character == "\n" or character.isprintable() for character in text)


def shown(path: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and output of `show`, which must be a clean end and plain text."""
    ran = CliRunner().invoke(cli.main, ["show", str(path), *arguments])
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
    assert is_plain(ran.output)
    return ran.exit_code, ran.output


def measured(act: Callable[[], Any]) -> tuple[Any, int]:
    """What `act` gives, and the most memory that Python held meanwhile."""
    tracemalloc.start()
    try:
        return act(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
