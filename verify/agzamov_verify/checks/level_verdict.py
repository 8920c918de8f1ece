"""What keeps a bundle from one level above V1, and what was found on the way."""

from typing import ClassVar

import msgspec

from .check_log import Finding


class LevelVerdict(msgspec.Struct):
    """Findings are wrong; what is missing nobody has given yet, with who would have to do what.

    `account`: what was found, in words. `step`: the number of the check in findings, after the sixteen of V1.
    """

    step: ClassVar[int]

    findings: list[Finding] = msgspec.field(default_factory=list)
    missing: list[str] = msgspec.field(default_factory=list)
    account: list[str] = msgspec.field(default_factory=list)

    @property
    def reached(self) -> bool:
        return not self.findings and not self.missing

    def same(self, place: str, expected: str, found: str) -> None:
        if expected != found:
            self.add(place, expected, found)

    def add(self, place: str, expected: str, found: str) -> None:
        self.findings.append(Finding(self.step, place, expected, found))
