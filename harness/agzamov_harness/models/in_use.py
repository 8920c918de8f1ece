"""Which model servers a run in progress is asking: nothing may be pulled there meanwhile."""

from pathlib import Path
from urllib.parse import urlsplit

from agzamov_verify.manifest import ManifestError
from agzamov_verify.seats import OllamaSeat

from .. import rundir
from .faults import ModelFault

LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}


def refuse_in_use(runs: Path, base_url: str) -> None:
    """Raises ModelFault where a run below `runs` is being played with a model of this server."""
    for lock in sorted(runs.glob(f"*/{rundir.LOCK}")):
        try:
            directory = rundir.load(lock.parent)
        except ManifestError:
            continue  # no run of this version, so none that this version is playing
        seats = directory.manifest.plan.playing.values()
        uses = any(isinstance(seat, OllamaSeat) and _same_server(seat.base_url, base_url) for seat in seats)
        if uses and _is_held(directory):
            raise ModelFault(f"{base_url}: the run in {lock.parent} is asking this server; pull when it has ended")


def _is_held(directory: rundir.RunDirectory) -> bool:
    try:
        with directory.locked():
            return False
    except ManifestError:
        return True


def _same_server(one: str, two: str) -> bool:
    return _place(one) == _place(two)


def _place(url: str) -> tuple[str, int | None]:
    address = urlsplit(url)
    host = address.hostname or ""
    return "loopback" if host in LOOPBACK else host, address.port
