"""From the YAML that a person writes to a sealed manifest. Every fault is one line with the key's path."""

import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jsonschema
import msgspec
import yaml

from agzamov_verify import canon
from agzamov_verify.feasible import needs_engine, problems
from agzamov_verify.games.prompts import prompt_digests
from agzamov_verify.manifest import FORMAT, EnginePin, ImagePin, Manifest, ManifestError, ModelPin, Plan, located
from agzamov_verify.protocol import load_protocol, protocol_sha256
from agzamov_verify.schema import plan_schema
from agzamov_verify.stockfish import EngineFault, UciEngine

YAML_BYTES_MAX = 2**20
SECRET_BYTES = 32
NONCE_BYTES = 16
PIN_HASH_MIB = 1
SHOWN_CHARACTERS_MAX = 60
DECIMAL_KEYS = frozenset(
    {"temperature", "top_p", "input_usd", "cached_usd", "output_usd", "cost_usd_max", "alpha", "of_interest"}
)
WHOLE_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]{0,15})")
SECRET_KEYS = ("api_key_env", "base_url")  # where a person may have put a key or a password: never repeated
TEXT_TAG = "tag:yaml.org,2002:str"
QUOTES = "put it in quotes if it is text"
KINDS = {
    "object": "keys and values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
}
BOUNDS = {"minimum": "at least {}", "maximum": "at most {}", "maxLength": "at most {} characters"}


class Images(msgspec.Struct, frozen=True):
    """The container images of a run by the part they play, and the engine inside the one that holds it."""

    pins: dict[str, ImagePin]
    engine: EnginePin | None


NO_IMAGES = Images({}, None)


def read_plan(path: Path) -> Plan:
    """The plan in a YAML file, checked. Raises ManifestError with the key's path."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
    if len(text) > YAML_BYTES_MAX:
        raise ManifestError(f"{path}: expected at most {YAML_BYTES_MAX} bytes, found {len(text)}")
    return plan_from_yaml(text)


def plan_from_yaml(text: bytes) -> Plan:
    """The plan that YAML text spells, checked. Raises ManifestError with the key's path."""
    return plan_from(_load_yaml(text))


def plan_from(wished: object) -> Plan:
    """A plan from plain values. Raises ManifestError."""
    wished = _decimals_as_text(wished)
    _check_schema(wished)
    try:
        plan = msgspec.convert(wished, Plan)
        canon.dumps(plan)
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    except canon.NotCanonical as error:
        raise ManifestError(str(error).removeprefix("$.")) from error
    wrong = problems(plan)
    if wrong:
        raise ManifestError("\n".join(map(str, wrong)))
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

    Raises EngineFault where the plan needs an engine and neither a path nor an image gives one.
    """
    secret = secret or secrets.token_bytes(SECRET_BYTES)
    pinned = images.engine or (pin_engine(engine, plan.protocol) if needs_engine(plan) else None)
    manifest = Manifest(
        FORMAT,
        plan,
        protocol_sha256(plan.protocol),
        prompt_digests(),
        pinned if needs_engine(plan) else None,
        submitter_key_id,
        hashlib.sha256(secret).hexdigest(),
        secrets.token_hex(NONCE_BYTES),
        images.pins,
        dict(models),
    )
    return manifest, secret


def pin_engine(path: Path | None, protocol: str) -> EnginePin:
    """What identifies the protocol's engine here: its name, its net, its binary. Raises EngineFault for another one."""
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


class _Loader(yaml.SafeLoader):
    """Safe YAML in which nothing is read otherwise than it looks.

    Decimals stay as written. Tags, anchors, aliases, merge keys, duplicate keys, keys that are no text, and whole
    numbers in another notation than plain decimal (010 is eight, 12:30 is 750) are refused.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _at(event.start_mark, "anchors and aliases are not allowed; write the values out")
        if getattr(event, "tag", None):
            raise _at(event.start_mark, "tags are not allowed; write the plain value")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the base's signature
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag != TEXT_TAG:
                found = _shown(key.value) if isinstance(key, yaml.ScalarNode) else "a list or keys and values"
                raise _at(key.start_mark, f"expected text as a key, found {found}; {QUOTES}")
            if key.value in seen:
                raise _at(key.start_mark, f"the key {_shown(key.value)} stands twice; keep one")
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _at(mark: Any, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)


def _as_written(_: yaml.SafeLoader, node: yaml.Node) -> str:
    assert isinstance(node, yaml.ScalarNode)
    return str(node.value)


def _text(_: yaml.SafeLoader, node: yaml.Node) -> str:
    assert isinstance(node, yaml.ScalarNode)
    if any("\ud800" <= character <= "\udfff" for character in node.value):
        raise _at(node.start_mark, "expected Unicode text, found half of a surrogate pair")
    return str(node.value)


def _whole_number(_: yaml.SafeLoader, node: yaml.Node) -> int:
    assert isinstance(node, yaml.ScalarNode)
    if not WHOLE_NUMBER.fullmatch(node.value):
        found = _shown(node.value)
        raise _at(node.start_mark, f"expected a whole number of at most 16 decimal digits, found {found}; {QUOTES}")
    return int(node.value)


for _kind, _constructor in (("float", _as_written), ("timestamp", _as_written), ("str", _text), ("int", _whole_number)):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _constructor)


def _load_yaml(text: bytes) -> object:
    try:
        return yaml.load(text.decode("utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError as error:
        raise ManifestError(f"byte {error.start}: expected UTF-8, found another encoding") from error
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark
        place = f"line {where.line + 1} column {where.column + 1}" if where else "plan"
        context = f"{error.context}: " if error.context else ""
        raise ManifestError(f"{place}: {context}{error.problem}") from error
    except yaml.reader.ReaderError as error:
        raise ManifestError(f"character {error.position + 1}: expected text, found a control character") from error
    except RecursionError as error:
        raise ManifestError("plan: expected a few levels, found hundreds") from error
    except (ValueError, OverflowError) as error:
        raise ManifestError("plan: expected escapes of characters that exist, found another") from error


def _check_schema(wished: object) -> None:
    validator = jsonschema.Draft202012Validator(plan_schema())
    errors = sorted(validator.iter_errors(wished), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        raise ManifestError("\n".join(dict.fromkeys(line for error in errors for line in _schema_lines(error))))


def _schema_lines(error: jsonschema.ValidationError) -> Iterator[str]:
    """What is wrong, in words: a missing or unknown key has a line of its own."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    found: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "required":
            missing = [key for key in schema["required"] if key not in found]
            yield from (f"{path}.{key}: expected this key, found nothing".lstrip(".") for key in missing)
        case "additionalProperties":
            known = ", ".join(sorted(schema["properties"]))
            unknown = [key for key in found if key not in schema["properties"]]
            yield from (f"{path or 'plan'}: unknown key {_shown(key)}; known keys are {known}" for key in unknown)
        case _:
            shown = "something else" if path.endswith(SECRET_KEYS) else _shown(found)
            hint = f"; {QUOTES}" if schema.get("type") == "string" and isinstance(found, int) else ""
            yield f"{path or 'plan'}: expected {_wanted(error)}, found {shown}{hint}"


def _wanted(error: jsonschema.ValidationError) -> str:
    bound: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "type":
            return KINDS["string" if isinstance(bound, list) else bound]
        case "enum":
            return " or ".join(map(str, bound)) if len(bound) < 3 else f"one of {', '.join(map(str, bound))}"
        case "pattern":
            return str(schema["description"])
        case kind:
            return BOUNDS[str(kind)].format(bound)


def _shown(value: object) -> str:
    """A value as a person wrote it, in ASCII: a look-alike letter shows."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str() if len(value) > SHOWN_CHARACTERS_MAX:
            return f"{value[:SHOWN_CHARACTERS_MAX]!a} and on, {len(value)} characters"
        case str():
            return ascii(value)
        case dict() | list():
            return KINDS["object" if isinstance(value, dict) else "array"]
        case _:
            return str(value)
