"""A digest of what a run measured, as its bundle holds it: the same when the run is packed again, on any machine.

Of one sealed run there may be several bundles. Leaderboards and arenas tell by it whether they hold the same record.
"""

import hashlib
from typing import Any, Final

import msgspec

from agzamov_verify.bundle import (
    CALLS_FILE,
    CALLS_FOLDER,
    ENVIRONMENT_BYTES_MAX,
    ENVIRONMENT_FILE,
    EXECUTIONS_FILE,
    LOGS_FOLDER,
    NOTES_FOLDER,
    QUALITY_FOLDER,
    checksum_lines,
)
from agzamov_verify.checks.opened_bundle import Signed
from agzamov_verify.core.untrusted_input import HostileBundle, read_small

FILES: Final = (EXECUTIONS_FILE, CALLS_FILE)
FOLDERS: Final = (CALLS_FOLDER, LOGS_FOLDER, NOTES_FOLDER, QUALITY_FOLDER)
OF_THE_RUN: Final = ("container_engine", "containers", "endpoints", "executions", "isolation", "sealed_by")
"""Keys of data/environment.json that tell of the run. The others may tell of the program and machine that packed it."""


def measured_sha256(signed: Signed) -> str:
    """SHA-256 over the root of the journals, the environment of the run, and the lines of sha256sum of FILES, FOLDERS.

    Those are the log of executions, the calls and their sums, the logs of containers, the notes, and the engine's
    answers about moves. Figures are left out, since they are computed.
    """
    written = {name: digest for name, digest in signed.digests.items() if name in FILES or name.startswith(FOLDERS)}
    root = signed.statement.predicate.journal.root
    parts = (root.encode(), _environment(signed), checksum_lines(written))
    return hashlib.sha256(b"\n".join(parts)).hexdigest()


def _environment(signed: Signed) -> bytes:
    """What data/environment.json says of the run; all of it where it cannot be read."""
    try:
        data = read_small(signed.source, ENVIRONMENT_FILE, ENVIRONMENT_BYTES_MAX)
    except HostileBundle:
        return b""
    try:
        told: dict[str, Any] = msgspec.json.decode(data, type=dict)
        return msgspec.json.encode({key: told.get(key) for key in OF_THE_RUN}, order="deterministic")
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):  # UTF-8 is a ValueError
        return data
