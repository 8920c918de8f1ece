"""Access to a run's model servers: addresses that differ from the sealed plan's, and permission to send an API key.

The permission for a key and a host is asked once of the user, and stored in the user's own folder.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.seats.model_seat import host_of, keeps_secrets

from ..foundation.append_only import write_whole
from ..foundation.confirmation import confirmed
from ..foundation.owner_files import recalled, remembered
from ..foundation.owner_folder import owner_folder
from .run_folder import ADDRESSES, RunDirectory

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
    before = _read_addresses(directory)
    used = {**addresses_before(directory), **addresses}
    if used:
        path = directory.notes / ADDRESSES
        write_whole(path, canon.dumps(Addresses((*before.executions, used))))
    return used


def addresses_before(directory: RunDirectory) -> dict[str, str]:
    """The addresses that were used last, by seat. Raises ManifestError."""
    executions = _read_addresses(directory).executions
    return executions[-1] if executions else {}


def _read_addresses(directory: RunDirectory) -> Addresses:
    path = directory.notes / ADDRESSES
    try:
        return canon.loads_as(path.read_bytes(), Addresses)
    except FileNotFoundError:
        return Addresses()
    except canon.NotCanonical as error:
        raise ManifestError(f"{path}: expected the addresses of earlier executions: {error}") from error


FILE = "allowed-keys.json"


class Allowed(msgspec.Struct, frozen=True, order=True):
    """One variable, and the one host that its key may be sent to."""

    host: str
    variable: str


class AllowedKeys(msgspec.Struct, frozen=True):
    """The file."""

    allowed: tuple[Allowed, ...] = ()
    format: Literal["agz-allowed-keys-1"] = "agz-allowed-keys-1"


def keys_sent(plan: Plan, addresses: Mapping[str, str]) -> list[Allowed]:
    """Pairs of host and key that are used when `plan` is played; `addresses` replace those of the plan, by seat."""
    pairs = set()
    for name, seat in plan.playing.items():
        if seat.key_variable:
            pairs.add(Allowed(host_of(addresses.get(name, seat.server_url or "")), seat.key_variable))
    return sorted(pairs)


def require_allowed(needed: Iterable[Allowed], allowed_now: Mapping[str, str], folder: Path | None = None) -> None:
    """Raises ManifestError unless every pair is remembered, given now by an option, or agreed to at the terminal."""
    path = (folder or owner_folder()) / FILE
    keys_known = recalled(path, AllowedKeys, "the keys that were allowed")
    new = [pair for pair in needed if pair not in keys_known.allowed]
    for pair in new:
        if allowed_now.get(pair.variable) != pair.host and not _agreed(pair):
            option = f"--allow-key {pair.variable}={pair.host}"
            raise ManifestError(
                f"api_key_env: the plan sends the key in {pair.variable} to {pair.host}, which you have not allowed; if"
                f" you trust the plan with it, add {option} (once; it is remembered in {path})"
            )
    if new:
        remembered(path, AllowedKeys(tuple(sorted({*keys_known.allowed, *new}))))


def _agreed(pair: Allowed) -> bool:
    """The person's answer; no where nobody can be asked."""
    question = f"This plan sends the key in {pair.variable} to {pair.host}, which you have not allowed before. Send it?"
    return confirmed(question)
