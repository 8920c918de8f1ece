"""Permission to send an API key to a host: asked once of the user, and stored in the user's own folder.

A plan is somebody's file. It may name any variable and any address, so without this question a stranger's plan could
send a cloud's secret to its own server.

    {"allowed":[{"host":"api.example.com","variable":"EXAMPLE_API_KEY"}],"format":"agz-allowed-keys-1"}
"""

import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

import click
import msgspec

from agzamov_verify import canon
from agzamov_verify.addresses import host_of
from agzamov_verify.manifest import ManifestError, Plan

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
    path = (folder or Path(click.get_app_dir("agzamov"))) / FILE
    keys_known = _read(path)
    new = [pair for pair in needed if pair not in keys_known.allowed]
    for pair in new:
        if allowed_now.get(pair.variable) != pair.host and not _agreed(pair):
            option = f"--allow-key {pair.variable}={pair.host}"
            raise ManifestError(
                f"api_key_env: the plan sends the key in {pair.variable} to {pair.host}, which you have not allowed; if"
                f" you trust the plan with it, add {option} (once; it is remembered in {path})"
            )
    if new:
        with suppress(OSError):  # leave that cannot be remembered still holds for this command
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(canon.dumps(AllowedKeys(tuple(sorted({*keys_known.allowed, *new})))))


def _agreed(pair: Allowed) -> bool:
    """The person's answer; no where nobody can be asked."""
    if not _on_a_terminal():
        return False
    question = f"This plan sends the key in {pair.variable} to {pair.host}, which you have not allowed before. Send it?"
    return click.confirm(question, default=False, err=True)


def _on_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _read(path: Path) -> AllowedKeys:
    try:
        return canon.loads_as(path.read_bytes(), AllowedKeys)
    except OSError:
        return AllowedKeys()  # what cannot be read allows nothing
    except canon.NotCanonical as error:
        raise ManifestError(f"{path}: expected the keys that were allowed; remove the file: {error}") from error
