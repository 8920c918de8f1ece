"""Sealing: a plan in YAML becomes a sealed manifest. Every error is one line with the key's path."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core.dice import Dice
from agzamov_verify.engines.uci_engine import EngineFault, UciEngine
from agzamov_verify.plan.manifest import (
    FORMAT,
    MANIFEST_BYTES_MAX,
    EnginePin,
    ImagePin,
    Manifest,
    ManifestError,
    ModelPin,
    Plan,
    prompt_digests,
)
from agzamov_verify.plan.plan_problems import needs_engine
from agzamov_verify.protocols.norms import load_protocol, protocol_sha256

SECRET_BYTES = 32
NONCE_BYTES = 16
SEEDS_MAX = 2_000
"""Seeds that are drawn for a run whose draws have to be accepted: some seconds."""
PIN_HASH_MIB = 1
SEALED_BYTES_MAX = MANIFEST_BYTES_MAX - 2**16
"""Bytes of a manifest without what is pinned last, memory servers, for which there is room."""


class Images(msgspec.Struct, frozen=True):
    """The container images of a run by the part they play, and the engine inside the one that holds it."""

    pins: dict[str, ImagePin]
    engine: EnginePin | None


NO_IMAGES = Images({}, None)


def seal(
    plan: Plan,
    submitter_key_id: str,
    engine: Path | None,
    secret: bytes | None = None,
    images: Images = NO_IMAGES,
    models: Mapping[str, ModelPin] = MappingProxyType({}),
) -> tuple[Manifest, bytes]:
    """The sealed manifest and its secret, which stays private until the run is packed.

    Raises EngineFault where the plan needs an engine and neither a path nor an image gives one, and ManifestError where
    the plan is too large.
    """
    secret = secret or secrets.token_bytes(SECRET_BYTES)
    pinned = images.engine or (pin_engine(engine, plan.protocol) if needs_engine(plan) else None)
    manifest = Manifest(
        FORMAT,
        plan,
        protocol_sha256(plan.protocol),
        prompt_digests(plan.protocol, plan.systems.values(), plan.games),
        pinned if needs_engine(plan) else None,
        submitter_key_id,
        hashlib.sha256(secret).hexdigest(),
        secrets.token_hex(NONCE_BYTES),
        images.pins,
        dict(models),
    )
    size = len(manifest.bytes)
    if size > SEALED_BYTES_MAX:
        raise ManifestError(
            f"expected a plan of at most {SEALED_BYTES_MAX:,} bytes with its adapters and documents, found {size:,}"
        )
    return manifest, secret


def with_accepted_seed(manifest: Manifest, secret: bytes, accepts: Callable[[Dice], bool]) -> Manifest:
    """The manifest with the first of new nonces whose draws are accepted, of `SEEDS_MAX`; else the last of them.

    The draws of a seed that waits for a beacon are not known yet: it stays as it is.
    """
    if manifest.plan.seed.origin == "beacon":
        return manifest
    for _ in range(SEEDS_MAX):
        if accepts(seed_dice(manifest, secret)):
            break
        manifest = msgspec.structs.replace(manifest, nonce=secrets.token_hex(NONCE_BYTES))
    return manifest


def pin_engine(path: Path | None, protocol: str) -> EnginePin:
    """Pin of the protocol's engine here: its name, its net, its binary. Raises EngineFault for none or another one."""
    if path is None:
        raise EngineFault("the plan adjudicates by engine; install one, on Debian 12: apt-get install stockfish")
    norm = load_protocol(protocol).engine
    with UciEngine(path, PIN_HASH_MIB) as engine:
        engine.require(norm.name, norm.net_sha256)
    return EnginePin(norm.name, norm.net_sha256, hashlib.sha256(path.read_bytes()).hexdigest())
