"""YAML of a person, read strictly and held to a schema. Every problem is one line with the key's path."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from agzamov_verify.core.did_you_mean import did_you_mean
from agzamov_verify.plan.manifest import ManifestError

from .files_below import opened_below
from .yaml_faults import COLON, yaml_fault

YAML_BYTES_MAX = 2**20
YAML_SUFFIXES = (".yaml", ".yml")
SHOWN_CHARACTERS_MAX = 60
WHOLE_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9]{0,15})")
SECRET_KEYS = ("api_key_env", "base_url")  # where a person may have put a key or a password: never repeated
TEXT_TAG = "tag:yaml.org,2002:str"
QUOTES = "put it in quotes if it is text"
QUOTED_DIGEST = "YAML reads digits alone as a number"
KINDS = {
    "object": "keys and values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "null": "nothing",
}
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} in the list",
    "maxItems": "at most {} in the list",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "maxProperties": "at most {} keys",
}


def read_limited(path: Path, folder: Path | None = None) -> bytes:
    """The bytes of a file of YAML, where a folder is given only of one below it. Raises ManifestError with its path."""
    try:
        with opened_below(path, folder) if folder else path.open("rb") as file:
            text = file.read(YAML_BYTES_MAX + 1)
    except OSError as error:
        raise ManifestError(f"{path}: {error.strerror}") from error
    if len(text) > YAML_BYTES_MAX:
        raise ManifestError(f"{path}: expected at most {YAML_BYTES_MAX} bytes, found more")
    return text


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
                shown_key = _shown(key.value) if isinstance(key, yaml.ScalarNode) else "a list or keys and values"
                raise _at(key.start_mark, f"expected text as a key, found {shown_key}; {QUOTES}")
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
    if re.fullmatch("[0-9]{64}", node.value):
        raise _at(node.start_mark, f"expected a digest in quotes, found 64 digits without: {QUOTED_DIGEST}")
    if not WHOLE_NUMBER.fullmatch(node.value):
        shown = _shown(node.value)
        raise _at(node.start_mark, f"expected a whole number of at most 16 decimal digits, found {shown}; {QUOTES}")
    return int(node.value)


for _kind, _constructor in (("float", _as_written), ("timestamp", _as_written), ("str", _text), ("int", _whole_number)):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _constructor)


def load_yaml(text: bytes, subject: str) -> object:
    """The plain values of a YAML text. `what`: its name in errors. Raises ManifestError."""
    try:
        return yaml.load(text.decode("utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except UnicodeDecodeError as error:
        raise ManifestError(f"byte {error.start}: expected UTF-8, found another encoding") from error
    except yaml.MarkedYAMLError as error:
        raise ManifestError(yaml_fault(text.decode("utf-8"), error, subject)) from error
    except yaml.reader.ReaderError as error:
        raise ManifestError(f"character {error.position + 1}: expected text, found a control character") from error
    except RecursionError as error:
        raise ManifestError(f"{subject}: expected a few levels of nesting, found hundreds") from error
    except (ValueError, OverflowError) as error:
        raise ManifestError(f"{subject}: expected escapes of valid characters, found an invalid one") from error


def require_schema(wished: object, schema: Mapping[str, Any], subject: str) -> None:
    """Hold plain values to a JSON Schema. Raises ManifestError with the key's path in each line."""
    validator = jsonschema.Draft202012Validator(schema)
    errors = sorted(validator.iter_errors(wished), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        raise ManifestError(
            "\n".join(dict.fromkeys(line for error in errors for line in _schema_lines(error, subject)))
        )


def _schema_lines(error: jsonschema.ValidationError, subject: str) -> Iterator[str]:
    """Lines describing a schema error: a missing or unknown key has a line of its own."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    value: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "required":
            missing = [key for key in schema["required"] if key not in value]
            yield from (f"{path}.{key}: {_missing(key, value)}".lstrip(".") for key in missing)
        case "additionalProperties":
            unknown = [key for key in value if key not in schema["properties"]]
            yield from (f"{path or subject}: {line}" for key in unknown if (line := _unknown(key, value[key], schema)))
        case _:
            shown = "something else" if path.endswith(SECRET_KEYS) else _shown(value)
            hint = f"; {QUOTES}" if schema.get("type") == "string" and isinstance(value, int) else ""
            if isinstance(value, str):
                hint += did_you_mean(value, _choices(error))
            yield f"{path or subject}: expected {_wanted(error)}, found {shown}{hint}"


def _choices(error: jsonschema.ValidationError) -> list[str]:
    """The values that a key may have, where they are a list; of several forms those of all."""
    if error.validator == "enum":
        allowed: Any = error.validator_value
        return list(map(str, allowed))
    return [choice for option in error.context or () for choice in _choices(option)]


def _missing(key: str, value: Mapping[str, Any]) -> str:
    """A key that is not there, or has no colon and space after it: "{kind random}" is a key without a value."""
    if any(inner is None and _without_colon(other, key) for other, inner in value.items()):
        return f"expected {COLON}, found no colon and space after {key}"
    return "expected this key, found nothing"


def _without_colon(written: str, key: str) -> bool:
    return written.startswith((f"{key} ", f"{key}:"))


def _unknown(key: str, value: object, schema: Mapping[str, Any]) -> str:
    """A key that is not known, with those that are; empty where `_missing` says it of a required one."""
    known = sorted(schema["properties"])
    run_on = next((word for word in known if value is None and _without_colon(key, word)), "")
    if run_on:
        is_required = run_on in schema.get("required", ())
        return "" if is_required else f"expected {COLON}, found no colon and space after {run_on}"
    hint = did_you_mean(key, known)
    return f"unknown key {_shown(key)}{hint}{'' if hint else ';'} known keys are {', '.join(known)}"


def _wanted(error: jsonschema.ValidationError) -> str:
    bound: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "type":
            is_entry = bound == "object" and error.absolute_path and schema.get("required")
            keys = f" such as {{{', '.join(f'{key}: ...' for key in schema['required'])}}}" if is_entry else ""
            return KINDS["string" if isinstance(bound, list) else bound] + keys
        case "enum":
            return " or ".join(map(str, bound)) if len(bound) < 3 else f"one of {', '.join(map(str, bound))}"
        case "pattern":
            return str(schema.get("description", f"a text of the form {bound}"))
        case "anyOf":
            return " or ".join(dict.fromkeys(_wanted(option) for option in error.context or ()))
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
