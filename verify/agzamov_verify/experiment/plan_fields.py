"""The scalars and the base class that all parts of a plan share, and a fault in a plan."""

from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

Count: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
CountOrNone: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
# In Python "$" alone would let a line feed follow; ECMA 262, which JSON Schema speaks, reads this the same.
END = r"$(?!\n)"
DecimalText: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?" + END,
        extra_json_schema={"format": "decimal-text"},
        description="a decimal number of up to nine digits before and after the point",
    ),
]
Sha256: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}" + END)]
Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[a-z][a-z0-9_]{0,31}" + END,
        description="a name of up to 32 small letters, digits and underscores, with a letter first",
    ),
]
Line: TypeAlias = Annotated[
    str,
    Meta(
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f-\x9f]*" + END,
        description="one line of text without control characters",
    ),
]
Briefing: TypeAlias = Annotated[str, Meta(max_length=20_000)]
Url: TypeAlias = Annotated[
    str,
    Meta(
        max_length=500,
        pattern=r"^(https?://[A-Za-z0-9.\[\]:_-]+(/[A-Za-z0-9._/-]*)?)?" + END,
        description="an address that starts with http:// or https://, without user, query or fragment",
    ),
]
Sha256OrNone: TypeAlias = Annotated[
    str, Meta(pattern="^([0-9a-f]{64})?" + END, description="a SHA-256: 64 digits of 0-9 and small a-f")
]
EnvironmentName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^([A-Z][A-Z0-9_]{0,63})?" + END,
        description="the name of an environment variable in capitals, never the key itself",
    ),
]


NameOrNone: TypeAlias = Annotated[str, Meta(pattern="^([a-z][a-z0-9_]{0,31})?" + END)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a manifest: frozen, and an unknown key is an error."""


class Problem(NamedTuple):
    """A fault in a plan, and its path."""

    path: str
    message: str

    def below(self, path: str) -> "Problem":
        """The same fault, its path continued from `path`."""
        return Problem(f"{path}.{self.path}" if self.path else path, self.message)

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"
