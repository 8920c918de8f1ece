"""The checks of a memory system before it is used in a run: canaries are stored, searched and exported.

A server that starts and lists its tools proves nothing: real servers acknowledged forty entries and kept one, refused
nine notes of ten as duplicates, searched with random vectors, and were never empty again. Every check speaks to the
server through the port of a run, whose rules are checked with it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ..ports import PortFault
from ..servers.server_process import ENDED, NO_ANSWER, NOT_MCP
from .adapter_file import DeclaredSystem
from .canary_checks import CHECKS, NOTES, QUERIES, ConformanceCheck, reason_not_to
from .canary_session import Candidate, CheckFailed
from .launch import Setup, why_not_here
from .server_limits import MemoryFault

SILENT = (ENDED, NO_ANSWER, NOT_MCP)
"""Of a server that answers no more: it would not answer other checks either."""


class ConformanceFinding(msgspec.Struct, frozen=True):
    """Outcome of one check; `expected` and `found` where it did not go well, and then what to do."""

    check: str
    outcome: Literal["ok", "FAILED", "warning", "not checked"]
    about: str
    expected: str = ""
    found: str = ""
    advice: str = ""

    @property
    def line(self) -> str:
        start = f"{self.outcome:<12}{self.check:<16}"
        if self.outcome == "ok" or not self.found:
            return start + self.about
        wrong = f"expected {self.expected}, found {self.found}" if self.expected else self.found
        return f"{start}{wrong}; {self.advice}" if self.advice else start + wrong


def check_system(setup: Setup, log: Path) -> Iterator[ConformanceFinding]:
    """Findings of every check, as they are made. One that needs a check that failed, or a server that answers, is not
    made.
    """
    candidate, causes, hung = Candidate(setup, log), dict[str, str](), ""
    try:
        for check in CHECKS:
            cause = hung or next((causes[name] for name in check.needs if name in causes), "")
            reason = f"{cause} failed, on which it depends" if cause else reason_not_to(check, setup)
            if reason:
                yield ConformanceFinding(check.name, "not checked", check.about, found=reason)
            else:
                finding = _finding(check, candidate)
                yield finding
                cause = check.name if finding.outcome == "FAILED" else ""
                hung = check.name if finding.found.startswith(SILENT) else ""
            if cause:
                causes[check.name] = cause
    finally:
        candidate.drop()


def _finding(check: ConformanceCheck, candidate: Candidate) -> ConformanceFinding:
    wrong: Literal["FAILED", "warning"] = "warning" if check.only_warns else "FAILED"
    try:
        check.run(candidate)
    except (CheckFailed, MemoryFault) as error:
        if isinstance(error, MemoryFault):
            candidate.drop()
        advice = check.advice if check.only_warns else error.advice or check.advice
        return ConformanceFinding(check.name, wrong, check.about, error.expected, error.found, advice)
    except PortFault as error:
        candidate.drop()
        return ConformanceFinding(check.name, wrong, check.about, "", str(error), check.advice)
    return ConformanceFinding(check.name, "ok", check.about)


def coinciding(setup: Setup, others: Sequence[DeclaredSystem], folder: Path) -> Iterator[ConformanceFinding]:
    """A warning for each other system that gives the same entries in the same order for every query.

    One that cannot be started here is not compared. Raises PortFault for the system itself.
    """
    own = retrieved(setup, folder / "fingerprint.log")
    for other in others:
        if other.name == setup.system.name:
            continue
        if missing := why_not_here(other, setup.installed):
            yield ConformanceFinding("fingerprint", "not checked", ABOUT_FINGERPRINT, found=f"{other.name}: {missing}")
            continue
        try:
            same = retrieved(Setup(other, limits=setup.limits), folder / f"{other.name}.log") == own
        except PortFault as error:
            yield ConformanceFinding("fingerprint", "not checked", ABOUT_FINGERPRINT, found=f"{other.name}: {error}")
            continue
        if same:
            found = f"the same entries as {other.name}, in the same order, for all of {len(QUERIES)} queries"
            advice = "two columns of a matrix with both would measure noise"
            yield ConformanceFinding("fingerprint", "warning", ABOUT_FINGERPRINT, found=found, advice=advice)


ABOUT_FINGERPRINT = "no built-in system gives the same for the same queries"


def retrieved(setup: Setup, log: Path) -> list[tuple[str, ...]]:
    """Texts that a fresh server gives for each query, after some notes. Raises PortFault."""
    candidate = Candidate(setup, log)
    try:
        candidate.session.remember(NOTES)
        return [candidate.session.search(query, 3) for query in QUERIES]
    finally:
        candidate.drop()
