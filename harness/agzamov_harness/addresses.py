"""Addresses of a run's model servers where they differ from those in its sealed plan.

A self-hosted server may move to another port or machine. The sealed manifest stays as it is; the address that is used
stands in notes/addresses.json and goes into the bundle, attested. One that was given is kept until another is given.

    {"executions":[{"model":"http://127.0.0.1:8001/v1"}],"format":"agz-addresses-1"}
"""

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from agzamov_verify import canon
from agzamov_verify.addresses import keeps_secrets
from agzamov_verify.manifest import ManifestError

from .rundir import ADDRESSES, RunDirectory

ADDRESS = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(/[A-Za-z0-9._/-]*)?")
"""As a plan's own base_url: without user, query or fragment."""


class Addresses(msgspec.Struct, frozen=True):
    """notes/addresses.json: one entry for each time that the run was played at other addresses than the sealed ones."""

    executions: tuple[dict[str, str], ...] = ()
    format: Literal["agz-addresses-1"] = "agz-addresses-1"


def note_addresses(directory: RunDirectory, addresses: Mapping[str, str]) -> dict[str, str]:
    """The addresses to use, by seat: those given now, else those given last; noted. Raises ManifestError."""
    plan = directory.manifest.plan
    if addresses and plan.isolation != "process":
        raise ManifestError("--base-url: expected a run with isolation: process; a container's network is sealed")
    for name, base_url in addresses.items():
        seat = plan.playing.get(name)
        if seat is None or seat.server_url is None:
            raise ManifestError(f"--base-url {name}: expected a seat with a model server, found no such seat")
        if not ADDRESS.fullmatch(base_url):
            raise ManifestError(f"--base-url {name}: expected http:// or https:// without user, query or fragment")
        if seat.key_variable and not keeps_secrets(base_url):
            raise ManifestError(f"--base-url {name}: expected https:// or this machine's own address for a key")
    before = _read(directory)
    used = {**addresses_before(directory), **addresses}
    if used:
        path = directory.notes / ADDRESSES
        path.write_bytes(canon.dumps(Addresses((*before.executions, used))))
    return used


def addresses_before(directory: RunDirectory) -> dict[str, str]:
    """The addresses that were used last, by seat. Raises ManifestError."""
    executions = _read(directory).executions
    return executions[-1] if executions else {}


def _read(directory: RunDirectory) -> Addresses:
    path = directory.notes / ADDRESSES
    try:
        return canon.loads_as(path.read_bytes(), Addresses)
    except FileNotFoundError:
        return Addresses()
    except canon.NotCanonical as error:
        raise ManifestError(f"{path}: expected the addresses of earlier executions: {error}") from error
