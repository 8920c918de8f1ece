"""The log of one verification: numbered steps with their outcomes, and every finding with its place."""

import errno
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from enum import IntEnum, StrEnum
from typing import NoReturn

import msgspec

from ..core.untrusted_input import HostileBundle, show_name

FINDINGS_MAX = 1000
EXHAUSTED = frozenset({errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOSPC})
"""Error numbers of an operating system that is out of resources: no fault of a bundle."""

A_BUG = "the verifier's own words for it; this is a bug of the verifier, please report it with the bundle"


class Number(IntEnum):
    """The steps, in their order; some inputs of steps 12 and 13 are read earlier."""

    NAMES = 1
    PAYLOAD = 2
    SIGNATURE = 3
    MANIFEST = 4
    SEED = 5
    JOURNAL = 6
    REPLAY = 7
    GATE = 8
    ENGINE = 9
    RESULTS = 10
    CLAIMS = 11
    QUALITY = 12
    SEATS = 13
    EXECUTIONS = 14
    MEMORY = 15
    TOOLS = 16


class Status(StrEnum):
    """Outcome of a step."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    NOT_CHECKED = "not_checked"
    NOT_APPLICABLE = "not_applicable"


class Finding(msgspec.Struct, frozen=True):
    """A defect: the step's number, the place, expected, found."""

    step: int
    place: str
    expected: str
    found: str


class Step(msgspec.Struct):
    """One numbered step, its status, and a short remark.

    `for_engine`: of a step that was not checked for want of an engine alone, what the engine has to be asked again.
    """

    number: int
    name: str
    status: Status = Status.NOT_CHECKED
    remark: str = ""
    for_engine: str = ""


class StepFailed(Exception):
    """A step failed or could not be taken, so that later ones cannot be taken."""


class CouldNotCheck(Exception):
    """This machine, or the limits on its use, do not suffice. The message names the missing resource.

    `for_engine`: what the engine had to be asked again, where an engine is all that is missing.
    """

    def __init__(self, why: str, for_engine: str = "") -> None:
        super().__init__(why)
        self.for_engine = for_engine


class CheckLog:
    """Steps and findings. At most FINDINGS_MAX findings are kept; a step fails even if its own are not."""

    def __init__(self) -> None:
        self.steps = [Step(number, number.name.lower()) for number in Number]
        self.findings: list[Finding] = []
        self._failed: set[int] = set()

    @contextmanager
    def step(self, number: Number) -> Iterator[None]:
        """Take a step: it passes if nothing was found. Raises StepFailed if something was."""
        with self.taking(number):
            yield
        self._of(number).status = Status.PASS

    @contextmanager
    def taking(self, number: Number) -> Iterator[None]:
        """Do some of a step's work. Whatever is raised becomes the step's outcome. Raises StepFailed if that is bad.

        A bad bundle never raises: what nobody foresaw is a finding, with its type and message. What says that this
        machine had too little memory or time is no finding.
        """
        try:
            yield
        except StepFailed:
            raise
        except HostileBundle as error:
            self.add(number, error.place, error.expected, error.found)
        except OSError as error:
            if error.errno in EXHAUSTED:
                self._give_up(number, str(error.strerror))
            self.add(number, show_name(str(error.filename or "bundle")), "a readable file", str(error.strerror))
        except MemoryError:
            self._give_up(number, "out of memory; give it more with --memory-max")
        except BrokenExecutor:
            self._give_up(number, "a worker process was ended from outside, maybe for want of memory")
        except CouldNotCheck as error:
            self._give_up(number, str(error))
        except Exception as error:  # noqa: BLE001 - the last resort: whoever reads the verdict must see it
            self.add(number, "verifier", A_BUG, f"{type(error).__name__}: {error}"[:500])
        if number in self._failed:
            self._of(number).status = Status.FAIL
            self._explain(number, "failed")
            raise StepFailed

    def skip(self, number: Number, status: Status, remark: str, for_engine: str = "") -> None:
        """Record that a step was not taken, with the reason."""
        step = self._of(number)
        step.status, step.remark, step.for_engine = status, remark, for_engine

    def remark(self, number: Number, text: str) -> None:
        self._of(number).remark = text

    def add(self, number: int, place: str, expected: str, found: str) -> None:
        self._failed.add(number)
        if len(self.findings) < FINDINGS_MAX:
            self.findings.append(Finding(number, place, expected, found))

    def take(self, findings: Iterable[Finding]) -> None:
        """Add findings that were made elsewhere."""
        for finding in findings:
            self.add(finding.step, finding.place, finding.expected, finding.found)

    def same(self, number: Number, place: str, expected: str, found: str) -> None:
        """Add a finding unless the two are equal."""
        if expected != found:
            self.add(number, place, expected, found)

    def has_failed(self, number: Number) -> bool:
        """True if something was found that fails a step."""
        return number in self._failed

    @property
    def passed(self) -> bool:
        """True if every step passed or does not apply."""
        return all(step.status in (Status.PASS, Status.NOT_APPLICABLE) for step in self.steps)

    def _of(self, number: Number) -> Step:
        return self.steps[number - 1]

    def _give_up(self, number: Number, why: str) -> NoReturn:
        """Record that a step could not be taken. Raises StepFailed."""
        self._explain(number, "could not be taken")
        if number not in self._failed:
            self.skip(number, Status.NOT_CHECKED, why)
        raise StepFailed from None

    def _explain(self, last: Number, outcome: str) -> None:
        for number in self._failed:
            self.steps[number - 1].status = Status.FAIL
        for step in self.steps:
            if step.status is Status.NOT_CHECKED and not step.remark:
                step.remark = f"step {int(last)} {outcome}"
