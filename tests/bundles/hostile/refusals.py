"""How a hostile bundle must be met: one located finding, in little time, and no traceback."""

import time
from pathlib import Path

from click.testing import CliRunner

from agzamov_verify import cli, report
from agzamov_verify.checks import Verdict
from bundles.workshop import check, failed_steps, told

SECONDS_MAX = 10


def refused(path: Path, step: int, place: str = "") -> Verdict:
    """The verdict on a bundle that must fail at `step`, at a place that holds `place`."""
    started = time.monotonic()
    verdict = check(path)
    assert time.monotonic() - started < SECONDS_MAX
    assert failed_steps(verdict) == [step], told(verdict)
    assert place in verdict.findings[0].place, told(verdict)
    assert is_plain(report.text(verdict))
    assert is_plain(report.json(verdict).decode())
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
