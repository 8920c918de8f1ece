"""Network access of a run beyond its own containers: exactly the endpoints of its hosted seats, through the proxy.

`egress/` in the run's folder holds the proxy's configuration, its allow-list, its hosts file, and the certificates to
trust where the person who runs it names others than the image's (SSL_CERT_FILE, as every client here reads it). The
harness's container can read all of it and change none; the proxy's container sees the first three.

allow   one extended regular expression for each endpoint, matched against the whole address that a request names:
        ^api\\.example:443$        for https: a CONNECT to this host and port, and no other request
        ^http://10\\.0\\.0\\.5:8000/  for http, a server of this machine or its network: requests to it, no CONNECT
hosts   the addresses of the hosts' names, asked for once when an execution begins. The proxy can ask for no name, so
        what a name's owner answers later changes nothing.
"""

import ipaddress
import os
import re
import shutil
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.seats.model_seat import HOST_NAME

from ..ports import PortFault
from ..run.execution_record import OutsideServer
from ..run.run_folder import EGRESS, RunDirectory
from . import container_paths

CONFIGURATION, ALLOW, HOSTS, CERTIFICATES = "tinyproxy.conf", "allow", "hosts", "certificates.pem"
SEEN_BY_PROXY = {
    CONFIGURATION: container_paths.SOCKET_DIR / CONFIGURATION,
    ALLOW: container_paths.SOCKET_DIR / ALLOW,
    HOSTS: container_paths.HOSTS,
}
CERTIFICATES_VARIABLE = "SSL_CERT_FILE"
PORT_OF = {"https": 443, "http": 80}
CLIENTS_MAX = 1024
NO_CONNECT = 0  # tinyproxy's word for: no CONNECT to any port
IN_PATTERNS = re.compile(r"([.\[\]])")

Resolve: TypeAlias = Callable[[str], Sequence[str]]
"""The IPv4 addresses of a name. Raises OSError."""


class Destination(NamedTuple):
    """Scheme, host and port of a hosted seat's server."""

    scheme: str
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self._authority}"

    @property
    def pattern(self) -> str:
        """The line of the allow-list that lets requests to it through, and nothing else."""
        if self.scheme == "https":
            return f"^{_escaped(self._authority)}$"
        bare = f"^http://{_escaped(self._host)}"
        port = f"(:{self.port})?" if self.port == PORT_OF["http"] else f":{self.port}"
        return f"{bare}{port}/"

    @property
    def _host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def _authority(self) -> str:
        return f"{self._host}:{self.port}"


def destinations(manifest: Manifest) -> tuple[Destination, ...]:
    """Servers of the hosted seats that play, sorted and without duplicates."""
    seats = manifest.plan.playing.values()
    addresses = [urlsplit(seat.server_url or "") for seat in seats if seat.is_hosted]
    return tuple(
        sorted({Destination(url.scheme, url.hostname or "", url.port or PORT_OF[url.scheme]) for url in addresses})
    )


def keys(manifest: Manifest, environment: Mapping[str, str]) -> dict[str, str]:
    """The keys of the hosted seats that play, by variable. Raises PortFault for one that is not there."""
    by_variable = {}
    for name, seat in manifest.plan.playing.items():
        if seat.key_variable:
            by_variable[seat.key_variable] = environment.get(seat.key_variable, "").strip()
            if not by_variable[seat.key_variable]:
                raise PortFault(f"seat {name}: the environment variable {seat.key_variable} holds no key; set it")
    return by_variable


def addresses_of(name: str) -> list[str]:
    """The IPv4 addresses that this machine's resolver knows of a name. Raises OSError."""
    rows = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
    return sorted({str(row[4][0]) for row in rows})


def write(
    directory: RunDirectory, host_address: Callable[[], str], resolve: Resolve = addresses_of
) -> tuple[OutsideServer, ...]:
    """Write the folder of a run that has hosted seats; where they are served, with the addresses that were found.

    `host_address` is this machine's as a container reaches it. Raises PortFault for a name without an address or with
    one that it must not have, and for certificates that cannot be read.
    """
    allowed = destinations(directory.manifest)
    if not allowed:
        return ()
    endpoints = tuple(
        OutsideServer(destination.url, located(destination, host_address, resolve)) for destination in allowed
    )
    folder = directory.path / EGRESS
    folder.mkdir(exist_ok=True)
    (folder / ALLOW).write_text("".join(f"{destination.pattern}\n" for destination in allowed))
    (folder / HOSTS).write_text(_hosts(allowed, endpoints))
    (folder / CONFIGURATION).write_text(_configuration(allowed))
    _copy_certificates(folder / CERTIFICATES)
    return endpoints


def located(destination: Destination, host_address: Callable[[], str], resolve: Resolve) -> tuple[str, ...]:
    """The addresses of a destination. Raises PortFault for none, and for one that its scheme does not allow.

    An address that the plan writes itself is taken as it is, since whoever wrote the plan meant it, except that http
    stays on this machine and its network. A name is somebody else's word: of https it must lead to the internet, of
    http to this machine or its network, and never to loopback or link-local addresses (a cloud's metadata).
    """
    if destination.host == HOST_NAME:
        return (host_address(),)
    literal = _literal(destination.host)
    if literal:
        if destination.scheme == "http" and literal.is_global:
            raise PortFault(f"{destination.url}: expected https:// for an address of the internet, found http://")
        return (str(literal),)
    try:
        addresses = tuple(resolve(destination.host))
    except OSError as error:
        raise PortFault(f"{destination.url}: expected a host name that this machine can resolve: {error}") from error
    if not addresses:
        raise PortFault(f"{destination.url}: expected an IPv4 address of this name, found none")
    for address in addresses:
        _require_allowed(destination, address)
    return addresses


def certificates(run: Path) -> str:
    """Path of the caller's own certificates in the harness's container; empty if there are none."""
    exists = (run / EGRESS / CERTIFICATES).exists()
    return str(container_paths.RUN / EGRESS / CERTIFICATES) if exists else ""


def _require_allowed(destination: Destination, text: str) -> None:
    address = ipaddress.IPv4Address(text)
    never = address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified
    if destination.scheme == "https" and (never or not address.is_global):
        expected = "a public address (to reach a server of your own network, write its address into base_url)"
        raise PortFault(f"{destination.url}: expected {expected}, found {text}")
    if destination.scheme == "http" and (never or address.is_global):
        expected = f"a private address behind http:// (this machine is http://{HOST_NAME}; the internet needs https://)"
        raise PortFault(f"{destination.url}: expected {expected}, found {text}")


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _hosts(allowed: Sequence[Destination], endpoints: Sequence[OutsideServer]) -> str:
    lines = ["127.0.0.1 localhost"]
    for destination, endpoint in zip(allowed, endpoints, strict=True):
        if not _literal(destination.host):
            lines += [f"{address} {destination.host}" for address in endpoint.addresses]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _configuration(allowed: Sequence[Destination]) -> str:
    ports = sorted({destination.port for destination in allowed if destination.scheme == "https"}) or [NO_CONNECT]
    lines = [
        f"Port {container_paths.PROXY_PORT}",
        "Timeout 86400",  # the harness has its own; the proxy must not cut a long thought off
        f"MaxClients {CLIENTS_MAX}",
        "LogLevel Connect",
        "DisableViaHeader Yes",
        *(f"ConnectPort {port}" for port in ports),
        f'Filter "{container_paths.SOCKET_DIR / ALLOW}"',
        "FilterDefaultDeny Yes",
        "FilterExtended On",
        "FilterURLs On",  # the host alone would let any request through, and any listed host on any listed port
        "FilterCaseSensitive Off",
    ]
    return "".join(f"{line}\n" for line in lines)


def _escaped(text: str) -> str:
    """Text of an address in an extended regular expression."""
    return IN_PATTERNS.sub(r"\\\1", text)


def _copy_certificates(target: Path) -> None:
    target.unlink(missing_ok=True)
    certificates_path = os.environ.get(CERTIFICATES_VARIABLE)
    if certificates_path:
        try:
            shutil.copyfile(certificates_path, target)
        except OSError as error:
            raise PortFault(f"{CERTIFICATES_VARIABLE}: {certificates_path}: {error.strerror}") from error
