"""What a harness in its container and the command that attends it say to each other: one JSON value a line.

From the harness, on standard output: Hello once, Counts now and then, Bye when all is played. To it, on standard input:
Keys once, and the end of the input when whoever attends it has gone. Errors go to standard error, as ever.
"""

from typing import TypeAlias

import msgspec

from ..progress import Counts

LINE_BYTES_MAX = 2**16


class Hello(msgspec.Struct, frozen=True, tag="hello", tag_field="say"):
    """What the machine says of itself inside the container."""

    environment: dict[str, str | int]


class Bye(msgspec.Struct, frozen=True, tag="bye", tag_field="say"):
    """Everything is played, and on disk."""


class Keys(msgspec.Struct, frozen=True):
    """The keys of hosted seats by variable, so that they stand in no container's configuration on the disk."""

    keys: dict[str, str]


Said: TypeAlias = Hello | Counts | Bye

_said: msgspec.json.Decoder[Said] = msgspec.json.Decoder(Said)


def encoded(value: Said | Keys) -> bytes:
    """The value as one line."""
    return msgspec.json.encode(value) + b"\n"


def heard(line: bytes) -> Said | None:
    """What a line of standard output says; None for anything else that was printed there."""
    try:
        return _said.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def keys_in(line: bytes) -> Keys:
    """The keys in the first line of standard input. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(line, type=Keys)
