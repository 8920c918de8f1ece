"""The ledger of one verification: numbered steps, what each came to, and every finding, located."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum, StrEnum

import msgspec

from ..reading import HostileBundle, show_name

FINDINGS_MAX = 1000


class Number(IntEnum):
    """The steps. They are taken in this order, but that what 12 and 13 look at is read before."""

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
    CHANCE = 13


class Status(StrEnum):
    """What a step came to."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    NOT_CHECKED = "not_checked"
    NOT_APPLICABLE = "not_applicable"


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong: the step's number, the place, what should be there and what is."""

    step: int
    place: str
    expected: str
    found: str


class Step(msgspec.Struct):
    """One numbered step, its status, and a short remark."""

    number: int
    name: str
    status: Status = Status.NOT_CHECKED
    remark: str = ""


class StepFailed(Exception):
    """A step failed, so that later ones cannot be taken."""


class Ledger:
    """Steps and findings. At most FINDINGS_MAX findings are kept; a step fails however many stand before its own."""

    def __init__(self) -> None:
        self.steps = [Step(number, number.name.lower()) for number in Number]
        self.findings: list[Finding] = []
        self._failed: set[int] = set()

    @contextmanager
    def step(self, number: Number) -> Iterator[None]:
        """Take a step: it passes if nothing was found. Raises StepFailed if something was."""
        try:
            yield
        except HostileBundle as error:
            self.add(number, error.place, error.expected, error.found)
        except OSError as error:
            self.add(number, show_name(str(error.filename or "bundle")), "a readable file", str(error.strerror))
        failed = number in self._failed
        self._of(number).status = Status.FAIL if failed else Status.PASS
        if failed:
            self._explain(number)
            raise StepFailed

    def skip(self, number: Number, status: Status, remark: str) -> None:
        """Say that a step was not taken, and why."""
        step = self._of(number)
        step.status, step.remark = status, remark

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

    @property
    def passed(self) -> bool:
        """Whether every step passed or does not apply."""
        return all(step.status in (Status.PASS, Status.NOT_APPLICABLE) for step in self.steps)

    def _of(self, number: Number) -> Step:
        return self.steps[number - 1]

    def _explain(self, failed: Number) -> None:
        for number in self._failed:
            self.steps[number - 1].status = Status.FAIL
        for step in self.steps:
            if step.status is Status.NOT_CHECKED:
                step.remark = f"step {int(failed)} failed"
