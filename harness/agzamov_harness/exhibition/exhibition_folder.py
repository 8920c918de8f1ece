"""Tells the folder of an exhibition from that of a run: both are sealed alike."""

import shlex
from typing import Final

from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.table.exhibition import PROGRAM

from ..run.recorder import JOURNAL_SUFFIX
from ..run.run_folder import RunDirectory

ASKED: Final = f'"to":"{PROGRAM}"'.encode()
"""In each question to the program, as its line of a journal spells it; within an answer its quotes are escaped."""


def require_no_exhibition(directory: RunDirectory) -> None:
    """Raises ManifestError where a chess program conducts what was played in a folder."""
    if PROGRAM in directory.manifest.plan.seats:  # no exhibition is made of such a plan
        return
    for path in sorted(directory.journal.glob(f"*/*{JOURNAL_SUFFIX}")):
        with path.open("rb") as lines:
            if any(ASKED in line for line in lines):
                raise ManifestError(
                    f"{directory.path}: expected a run, found an exhibition, in which a chess program asks for the"
                    f" moves; write it down with: agzamov uci {shlex.quote(str(directory.path))}"
                )
