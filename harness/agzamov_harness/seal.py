"""From the YAML that a person writes to a sealed manifest. Every fault is one line with the key's path."""

import hashlib
import secrets
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import yaml

from agzamov_verify.feasible import needs_engine, problems
from agzamov_verify.games.prompts import prompt_digests
from agzamov_verify.manifest import FORMAT, EnginePin, Manifest, ManifestError, Plan, located
from agzamov_verify.protocol import protocol_sha256
from agzamov_verify.schema import plan_schema
from agzamov_verify.stockfish import EngineFault, UciEngine

YAML_BYTES_MAX = 2**20
SECRET_BYTES = 32
NONCE_BYTES = 16
PIN_HASH_MIB = 1
DECIMAL_KEYS = frozenset({"temperature", "top_p", "input_usd", "cached_usd", "output_usd", "cost_usd_max"})


def read_plan(path: Path) -> Plan:
    """The plan in a YAML file, checked. Raises ManifestError with the key's path."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
    if len(text) > YAML_BYTES_MAX:
        raise ManifestError(f"{path}: expected at most {YAML_BYTES_MAX} bytes, found {len(text)}")
    return plan_from(_load_yaml(text))


def plan_from(wished: object) -> Plan:
    """A plan from plain values. Raises ManifestError."""
    _check_schema(wished)
    try:
        plan = msgspec.convert(_decimals_as_text(wished), Plan)
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    wrong = problems(plan)
    if wrong:
        raise ManifestError("\n".join(map(str, wrong)))
    return plan


def seal(plan: Plan, submitter_key_id: str, engine: Path | None, secret: bytes | None = None) -> tuple[Manifest, bytes]:
    """The sealed manifest and its secret, which stays private until the run is packed.

    Raises EngineFault where the plan needs an engine and none is given.
    """
    secret = secret or secrets.token_bytes(SECRET_BYTES)
    manifest = Manifest(
        FORMAT,
        plan,
        protocol_sha256(plan.protocol),
        prompt_digests(),
        pin_engine(engine) if needs_engine(plan) else None,
        submitter_key_id,
        hashlib.sha256(secret).hexdigest(),
        secrets.token_hex(NONCE_BYTES),
    )
    return manifest, secret


def pin_engine(path: Path | None) -> EnginePin:
    """What identifies an engine: its name, its net by its own export, its binary. Raises EngineFault."""
    if path is None:
        raise EngineFault("the plan adjudicates by engine; install one, on Debian 12: apt-get install stockfish")
    with UciEngine(path, PIN_HASH_MIB) as engine:
        net = engine.net_sha256()
        return EnginePin(engine.name, net, hashlib.sha256(path.read_bytes()).hexdigest())


def _decimals_as_text(value: Any, key: str = "") -> Any:
    """A person may write `temperature: 0`; a sealed decimal is text."""
    if isinstance(value, dict):
        return {name: _decimals_as_text(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list):
        return [_decimals_as_text(inner) for inner in value]
    return str(value) if key in DECIMAL_KEYS and type(value) is int else value


class _Loader(yaml.SafeLoader):
    """Safe YAML that keeps decimals as written, and refuses duplicate keys, anchors and aliases."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=event.start_mark)  # type: ignore[arg-type]
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the base's signature
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {name!r} stands twice", problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def _as_written(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    assert isinstance(node, yaml.ScalarNode)
    return loader.construct_scalar(node)


for _kind in ("float", "timestamp"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _as_written)


def _load_yaml(text: bytes) -> object:
    try:
        return yaml.load(text.decode("utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError as error:
        raise ManifestError(f"expected UTF-8, found another encoding at byte {error.start}") from error
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark
        place = f"line {where.line + 1} column {where.column + 1}" if where else "manifest"
        raise ManifestError(f"{place}: {error.problem}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ManifestError(f"expected YAML, found {str(error).splitlines()[0]}") from error


def _check_schema(wished: object) -> None:
    validator = jsonschema.Draft202012Validator(plan_schema())
    errors = sorted(validator.iter_errors(wished), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        raise ManifestError("\n".join(dict.fromkeys(_schema_line(error) for error in errors)))


def _schema_line(error: jsonschema.ValidationError) -> str:
    deepest = jsonschema.exceptions.best_match([error]) or error
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in deepest.absolute_path).lstrip(".")
    message = deepest.message
    if deepest.validator == "additionalProperties" and isinstance(deepest.schema, dict):
        properties: dict[str, Any] = deepest.schema.get("properties", {})
        unknown = sorted(set(map(str, deepest.instance)) - set(properties))  # type: ignore[arg-type]
        known = ", ".join(sorted(properties))
        message = f"unknown key {', '.join(map(repr, unknown))}; known keys are {known}"
    return f"{path or 'manifest'}: {message[:1].lower()}{message[1:]}"
