"""The shape of a document: which fields stand at which of its places. So a type may get a field that older ones lack.

A place is the path of a struct, keys of mappings and items of lists as `*`, the tag of a tagged struct after a colon:

    {"": ["engine", "format", "plan", …], "plan.seats.*:gguf": ["kind", "model", …], …}
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import inspect

KINDS_KEPT: Final = 1024
"""Types of structs whose fields are kept in memory."""
Shape: TypeAlias = Mapping[str, tuple[str, ...]]


RELEASED: Final = "released"
"""The attribute of a figure that a release made wrong, with the figure as that release made it: documents of released
protocols never change, so they keep that one."""


class OutsideShape(ValueError):
    """A value holds something for which the document has no field. `place` and the words say what."""

    def __init__(self, place: str, found: str) -> None:
        super().__init__(f"{place}: {found}" if place else found)


def spelled(value: object, shape: Shape, place: str = "", *, wished: bool = True, corrected: bool = False) -> Any:
    """A value as plain JSON, in the fields of the shape. `corrected`: not as RELEASED has it.

    A field that is UNSET is left out, and one that the shape lacks. Where the document is `wished` by a person it must
    then hold its default, or OutsideShape is raised: a wish is never dropped. A figure that an older document did not
    have is.
    """

    def below(inner: object, at: str) -> Any:
        return spelled(inner, shape, at, wished=wished, corrected=corrected)

    if isinstance(value, msgspec.Struct):
        kept = value if corrected else getattr(value, RELEASED, value)
        return _struct(kept, shape, place, below, wished=wished)
    if isinstance(value, Mapping):
        return {_key(key): below(inner, _below(place, "*")) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [below(inner, _below(place, "*")) for inner in value]
    return msgspec.to_builtins(value)


def _struct(
    value: msgspec.Struct, shape: Shape, place: str, below: Callable[[object, str], Any], *, wished: bool
) -> dict[str, Any]:
    config, made = value.__struct_config__, dict[str, Any]()
    if config.tag is not None:
        made[str(config.tag_field)] = config.tag
    at = _tagged(place, config.tag)
    if at not in shape:
        raise OutsideShape(place, f"expected what this format knows, found {config.tag or type(value).__name__}")
    for field in _fields(type(value)):
        inner = getattr(value, field.name)
        if inner is msgspec.UNSET:
            continue
        if field.encode_name in shape[at]:
            if not (config.omit_defaults and _is_default(field, inner)):
                made[field.encode_name] = below(inner, _below(at, field.encode_name))
        elif wished and not _is_default(field, inner):
            raise OutsideShape(_below(place, field.encode_name), "expected nothing, this format has no such field")
    return made


@lru_cache(maxsize=KINDS_KEPT)
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _is_default(field: msgspec.structs.FieldInfo, value: object) -> bool:
    if field.default_factory is not msgspec.NODEFAULT:
        return bool(value == field.default_factory())
    return field.default is not msgspec.NODEFAULT and bool(value == field.default)


def _key(key: object) -> str:
    return str(key.value if isinstance(key, Enum) else key)


def _tagged(place: str, tag: object) -> str:
    return place if tag is None else f"{place}:{tag}"


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def shape_of(kind: type) -> dict[str, tuple[str, ...]]:
    """The shape that documents of a type have today."""
    return dict(sorted(_places(inspect.type_info(kind), "")))


def _places(kind: inspect.Type, place: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(kind, inspect.Metadata):
        yield from _places(kind.type, place)
    elif isinstance(kind, inspect.UnionType):
        for one in kind.types:
            yield from _places(one, place)
    elif isinstance(kind, inspect.StructType):
        at = _tagged(place, kind.tag)
        yield at, tuple(sorted(field.encode_name for field in kind.fields))
        for field in kind.fields:
            yield from _places(field.type, _below(at, field.encode_name))
    elif isinstance(kind, inspect.DictType):
        yield from _places(kind.value_type, _below(place, "*"))
    elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
        yield from _places(kind.item_type, _below(place, "*"))
    elif isinstance(kind, inspect.TupleType):
        for one in kind.item_types:
            yield from _places(one, _below(place, "*"))
