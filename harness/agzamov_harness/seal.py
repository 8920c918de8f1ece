"""Sealing: a plan in YAML becomes a sealed manifest. Every error is one line with the key's path."""

import hashlib
import secrets
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from agzamov_verify import canon
from agzamov_verify.document_shape import OutsideShape, spelled
from agzamov_verify.games.prompts import prompt_digests
from agzamov_verify.manifest import (
    FORMAT,
    MANIFEST_BYTES_MAX,
    EnginePin,
    ImagePin,
    Manifest,
    ManifestError,
    ModelPin,
    Plan,
    located,
)
from agzamov_verify.plan_problems import needs_engine, problems
from agzamov_verify.protocol import load_protocol, protocol_sha256
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.schema import plan_schema
from agzamov_verify.stockfish import EngineFault, UciEngine

from .checked_yaml import YAML_SUFFIXES, load_yaml, read_limited, require_schema
from .memory.plan_adapters import with_adapters
from .plan_documents import with_documents

PLAN = "plan"
SECRET_BYTES = 32
NONCE_BYTES = 16
PIN_HASH_MIB = 1
SEALED_BYTES_MAX = MANIFEST_BYTES_MAX - 2**16
"""Bytes of a manifest without what is pinned last, memory servers, for which there is room."""

DECIMAL_KEYS = frozenset(
    {"temperature", "top_p", "input_usd", "cached_usd", "output_usd", "cost_usd_max", "alpha", "of_interest"}
)


class Images(msgspec.Struct, frozen=True):
    """The container images of a run by the part they play, and the engine inside the one that holds it."""

    pins: dict[str, ImagePin]
    engine: EnginePin | None


NO_IMAGES = Images({}, None)


class PlanFile(NamedTuple):
    """A plan that is to be sealed, and the folder of its file, from which the paths in it are meant."""

    plan: Plan
    folder: Path


def read_plan(path: Path) -> Plan:
    """The plan in a YAML file, checked. Raises ManifestError with the file and the key's path in each line."""
    text = read_limited(path)
    try:
        return plan_from_yaml(text, path.parent)
    except ManifestError as error:
        lines = str(error).splitlines()
        if path.suffix not in YAML_SUFFIXES:
            lines = [f"expected a plan in YAML, begin from one in manifests/; {lines[0]}"]
        raise ManifestError("\n".join(f"{path}: {line}" for line in lines)) from error


def plan_from_yaml(text: bytes, folder: Path) -> Plan:
    """The plan that YAML text in a folder spells, checked, with the adapters and the documents that it names.

    Raises ManifestError with the key's path.
    """
    return plan_from(with_documents(with_adapters(load_yaml(text, PLAN), folder), folder))


def plan_from(wished: object) -> Plan:
    """A plan from plain values. Raises ManifestError."""
    wished = _decimals_as_text(wished)
    require_schema(wished, plan_schema(), PLAN)
    try:
        plan = msgspec.convert(wished, Plan)
        canon.dumps(plan)
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    except canon.NotCanonical as error:
        raise ManifestError(str(error).removeprefix("$.")) from error
    if wrong := dict.fromkeys(map(str, problems(plan))):
        raise ManifestError("\n".join(wrong))
    try:
        spelled(plan, PROTOCOLS[plan.protocol].formats.manifest, PLAN)
    except OutsideShape as error:
        raise ManifestError(f"{str(error).removeprefix('plan.')} ({plan.protocol})") from error
    return plan


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
        prompt_digests(plan.protocol, plan.systems.values()),
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


def pin_engine(path: Path | None, protocol: str) -> EnginePin:
    """Pin of the protocol's engine here: its name, its net, its binary. Raises EngineFault for none or another one."""
    if path is None:
        raise EngineFault("the plan adjudicates by engine; install one, on Debian 12: apt-get install stockfish")
    norm = load_protocol(protocol).engine
    with UciEngine(path, PIN_HASH_MIB) as engine:
        engine.require(norm.name, norm.net_sha256)
    return EnginePin(norm.name, norm.net_sha256, hashlib.sha256(path.read_bytes()).hexdigest())


def _decimals_as_text(value: Any, key: str = "") -> Any:
    """A person may write `temperature: 0`; a sealed decimal is text."""
    if isinstance(value, dict):
        return {name: _decimals_as_text(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_decimals_as_text(inner) for inner in value]
    return str(value) if key in DECIMAL_KEYS and type(value) is int else value
