"""What a run with hosted seats may reach: the hosts and ports of its endpoints, by CONNECT through the proxy.

`egress/` in the run's folder holds the proxy's configuration, its allow-list, and the certificates to trust where the
person who runs it names others than the image's (SSL_CERT_FILE, as every client here reads it). The harness's container
can read all of it and change none; the proxy's container sees the first two.
"""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from agzamov_verify.manifest import Manifest
from agzamov_verify.seats import EndpointSeat

from ..ports import PortFault
from ..rundir import EGRESS, RunDirectory
from . import places

CONFIGURATION, ALLOW, CERTIFICATES = "tinyproxy.conf", "allow", "certificates.pem"
CERTIFICATES_VARIABLE = "SSL_CERT_FILE"
HTTPS_PORT = 443
CLIENTS_MAX = 1024


def endpoints(manifest: Manifest) -> tuple[tuple[str, int], ...]:
    """The host and port of each hosted seat that plays, sorted."""
    seats = manifest.plan.playing.values()
    addresses = [urlsplit(seat.base_url) for seat in seats if isinstance(seat, EndpointSeat)]
    return tuple(sorted({(address.hostname or "", address.port or HTTPS_PORT) for address in addresses}))


def keys(manifest: Manifest, environment: Mapping[str, str]) -> dict[str, str]:
    """The keys of the hosted seats that play, by variable. Raises PortFault for one that is not there."""
    found = {}
    for name, seat in manifest.plan.playing.items():
        if isinstance(seat, EndpointSeat) and seat.api_key_env:
            found[seat.api_key_env] = environment.get(seat.api_key_env, "").strip()
            if not found[seat.api_key_env]:
                raise PortFault(f"seat {name}: the environment variable {seat.api_key_env} holds no key; set it")
    return found


def write(directory: RunDirectory) -> None:
    """Write the folder of a run that has hosted seats. Raises PortFault for certificates that cannot be read."""
    allowed = endpoints(directory.manifest)
    if not allowed:
        return
    folder = directory.path / EGRESS
    folder.mkdir(exist_ok=True)
    (folder / ALLOW).write_text("".join(f"^{re.escape(host)}$\n" for host, _ in allowed))
    (folder / CONFIGURATION).write_text(_configuration({port for _, port in allowed}))
    _copy_certificates(folder / CERTIFICATES)


def certificates(run: Path) -> str:
    """Where the harness's container finds certificates of the caller's own; empty if there are none."""
    there = (run / EGRESS / CERTIFICATES).exists()
    return str(places.RUN / EGRESS / CERTIFICATES) if there else ""


def _configuration(ports: set[int]) -> str:
    lines = [
        f"Port {places.PROXY_PORT}",
        "Timeout 86400",  # the harness has its own; the proxy must not cut a long thought off
        f"MaxClients {CLIENTS_MAX}",
        "LogLevel Connect",
        "DisableViaHeader Yes",
        *(f"ConnectPort {port}" for port in sorted(ports)),
        f'Filter "{places.MEETING / ALLOW}"',
        "FilterDefaultDeny Yes",
        "FilterExtended On",
        "FilterURLs Off",
        "FilterCaseSensitive Off",
    ]
    return "".join(f"{line}\n" for line in lines)


def _copy_certificates(target: Path) -> None:
    target.unlink(missing_ok=True)
    named = os.environ.get(CERTIFICATES_VARIABLE)
    if named:
        try:
            shutil.copyfile(named, target)
        except OSError as error:
            raise PortFault(f"{CERTIFICATES_VARIABLE}: {named}: {error.strerror}") from error
