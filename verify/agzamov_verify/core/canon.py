"""Canonical JSON, profile agz-json-1: one value has exactly one byte string.

RFC 8785 restricted to ASCII keys, integers |n| < 2^53, no floats (decimals are strings, exact
rationals are "num/den"), depth <= 8, no duplicate keys, UTF-8 without BOM. Reading encodes again
and must give the same bytes, so duplicate keys, other spellings of a number and stray white space
are all refused by one rule.

    {"a":[1,"é"],"b":null}
"""

import hashlib
from typing import TypeAlias, TypeVar

import msgspec

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"

T = TypeVar("T")

INTEGER_MAX = 2**53 - 1
DEPTH_MAX = 8

_encoder = msgspec.json.Encoder(order="sorted")


class NotCanonical(ValueError):
    """The bytes or the value are outside agz-json-1; the message says where."""


def dumps(value: object) -> bytes:
    """Canonical bytes of `value`, which may be plain JSON or a msgspec Struct.

    Raises NotCanonical for a float, an integer beyond 2^53 - 1, a non-ASCII key or depth > 8.
    """
    return _dumps(value, DEPTH_MAX)


def loads(data: bytes) -> Json:
    """The value that `data` spells. Raises NotCanonical unless `data` is its canonical form."""
    try:
        value: Json = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotCanonical(f"expected JSON, found {error}") from error
    _refuse_outside_profile(value, "$", DEPTH_MAX)
    again = _encode(value)
    if again != data:
        raise NotCanonical(f"not in canonical form from byte {first_difference(again, data)} on")
    return value


def loads_as(data: bytes, kind: type[T]) -> T:
    """The value of a Struct type that `data` spells canonically. Raises NotCanonical.

    The type is checked while reading, so a hostile document takes no more memory than a good one.
    """
    try:
        value = msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotCanonical(str(error)) from error
    again = dumps(value)
    if again != data:
        raise NotCanonical(f"not in canonical form from byte {first_difference(again, data)} on")
    return value


def ascii_text(value: object) -> str:
    """The canonical text with every character beyond printable ASCII as \\uXXXX: the same JSON, safe for a terminal.

    Of a document, or of an answer to a program that has whole documents in it: up to 16 levels.
    """
    return "".join(c if " " <= c <= "~" else _escaped(c) for c in _dumps(value, 2 * DEPTH_MAX).decode())


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def digest(value: object) -> str:
    """SHA-256 of the canonical bytes, 64 hexadecimal digits."""
    return hashlib.sha256(dumps(value)).hexdigest()


def first_difference(left: bytes, right: bytes) -> int:
    """Offset in bytes of the first place where the two differ."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((offset for offset, (a, b) in pairs if a != b), min(len(left), len(right)))


def _dumps(value: object, depth_max: int) -> bytes:
    try:
        builtins = msgspec.to_builtins(value)
    except RecursionError as error:
        raise NotCanonical(f"$: expected at most {depth_max} levels, found many more") from error
    _refuse_outside_profile(builtins, "$", depth_max)
    return _encode(value)


def _encode(value: object) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError as error:
        raise NotCanonical("expected Unicode text, found a lone surrogate") from error


def _refuse_outside_profile(value: object, place: str, depth_left: int) -> None:
    if isinstance(value, float):
        raise NotCanonical(f"{place}: expected no float, found {value!r}; write it as a string")
    if isinstance(value, int) and abs(value) > INTEGER_MAX:
        raise NotCanonical(f"{place}: expected |n| <= 2^53 - 1, found a larger integer")
    if not isinstance(value, dict | list | tuple):
        return
    if not depth_left:
        raise NotCanonical(f"{place}: expected at most {DEPTH_MAX} levels, found more")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise NotCanonical(f"{place}: expected ASCII keys, found {key!r}")
            _refuse_outside_profile(inner, f"{place}.{key}", depth_left - 1)
    else:
        for index, inner in enumerate(value):
            _refuse_outside_profile(inner, f"{place}[{index}]", depth_left - 1)
