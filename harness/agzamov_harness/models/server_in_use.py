"""Locks on Ollama servers in use by a run of this user on this machine: nothing may be loaded or pulled there.

A run holds a lock file for each of its servers, wherever the run's folder is. The file is the server's, not a model's:
two names may stand for the same weights, which a server loads once. A run of another user, or of another machine, is
not seen.
"""

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from agzamov_verify.addresses import is_loopback

from ..ports import ModelFault


@contextmanager
def server_asked(base_url: str) -> Iterator[None]:
    """Hold a server for a run. Raises ModelFault while it is being checked or pulled to."""
    what = "another command is loading a model there; start when it has ended"
    with _holding(base_url, fcntl.LOCK_SH, what):
        yield


@contextmanager
def server_alone(base_url: str) -> Iterator[None]:
    """Lock a server for work that would disturb a run. Raises ModelFault while a run is asking it."""
    what = "a run is asking this server, and would be disturbed; do it when the run has ended"
    with _holding(base_url, fcntl.LOCK_EX, what):
        yield


@contextmanager
def _holding(base_url: str, kind: int, refusal: str) -> Iterator[None]:
    with _lock_file(base_url).open("a") as lock:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ModelFault(f"{base_url}: {refusal}") from error
        yield


def _lock_file(base_url: str) -> Path:
    """One file for each server, by whatever name of this machine it is reached."""
    folder = Path(tempfile.gettempdir()) / f"agzamov-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise ModelFault(f"{folder}: expected a folder of this user, found another user's; remove it, or set TMPDIR")
    address = urlsplit(base_url)
    host = "loopback" if is_loopback(base_url) else address.hostname or ""
    port = address.port or (443 if address.scheme == "https" else 80)
    return folder / f"server-{re.sub('[^0-9A-Za-z.]', '_', host)}-{port}.lock"
