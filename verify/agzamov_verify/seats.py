"""Seats: who sits at the table, as a plan names it. And the scalars and base that all parts of a plan share."""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .games.patterns import Pattern

Count: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
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
Sha256OrNone: TypeAlias = Annotated[str, Meta(pattern="^([0-9a-f]{64})?" + END)]
EnvironmentName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^([A-Z][A-Z0-9_]{0,63})?" + END,
        description="the name of an environment variable in capitals, never the key itself",
    ),
]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a manifest: frozen, and an unknown key is an error."""


class _Seat(Part, frozen=True, tag_field="kind"):
    """What every seat has: rules of behaviour for its system prompt, and facts for its user prompt."""

    patterns: tuple[Pattern, ...] = ()
    briefing: Briefing = ""


class RandomSeat(_Seat, frozen=True, tag="random"):
    """Plays uniformly random legal actions."""


class ReferenceSeat(_Seat, frozen=True, tag="reference"):
    """The scripted reference player: reads the prompt, answers in a model's format."""


class HouseSeat(_Seat, frozen=True, tag="house"):
    """The house: a scripted player whose mixed policy is published (docs/house.md). Hold'em only."""


class StockfishSeat(_Seat, frozen=True, tag="stockfish"):
    """Stockfish at a fixed node and skill limit. Chess only."""

    nodes: Count = 10_000
    skill: Annotated[int, Meta(ge=0, le=20)] = 20


class EndpointSeat(_Seat, frozen=True, tag="openai"):
    """A model behind an OpenAI-compatible chat endpoint. Only parameters in `accepts` are sent."""

    base_url: Url = ""
    model: Line = ""
    model_digest: Line = ""
    api_key_env: EnvironmentName = ""
    accepts: tuple[Literal["temperature", "seed", "max_tokens", "max_completion_tokens", "top_p"], ...] = (
        "temperature",
        "seed",
        "max_tokens",
    )
    temperature: DecimalText = "0"
    top_p: DecimalText = "1"
    tokens_max: Count = 1024
    timeout_s: Annotated[int, Meta(ge=1, le=86_400)] = 120
    attempts_max: Annotated[int, Meta(ge=1, le=100)] = 6
    concurrency: Annotated[int, Meta(ge=1, le=1024)] = 4
    requests_per_minute: Annotated[int, Meta(ge=0)] = 0


class Determinism(StrEnum):
    """What is asked of a local model server.

    `strict` pins the settings under which an answer is a function of its request alone (no flash attention, no
    unified key-value cache; docs/decisions/0011), and the run is refused unless a preflight measures it so.
    `measured` takes the server as it is and records what the preflight measured.
    """

    STRICT = "strict"
    MEASURED = "measured"


class _LocalModel(_Seat, frozen=True):
    """What the seats of local models share. Greedy or sampled by our own seed; the context is pinned."""

    context_tokens: Annotated[int, Meta(ge=256, le=2**20)] = 4096
    temperature: DecimalText = "0"
    top_p: DecimalText = "1"
    tokens_max: Count = 1024
    timeout_s: Annotated[int, Meta(ge=1, le=86_400)] = 120
    attempts_max: Annotated[int, Meta(ge=1, le=100)] = 6
    concurrency: Annotated[int, Meta(ge=1, le=64)] = 4
    threads: Annotated[int, Meta(ge=1, le=256)] = 1
    determinism: Determinism = Determinism.STRICT


class GgufSeat(_LocalModel, frozen=True, tag="gguf"):
    """Open weights in a GGUF file, served to this run alone by the pinned llama.cpp image.

    `weights` is a path from the plan's folder; `weights_sha256`, when given, must be the file's digest.
    """

    weights: Line = ""
    weights_sha256: Sha256OrNone = ""


class OllamaSeat(_LocalModel, frozen=True, tag="ollama"):
    """A model in an Ollama server, by name and by the SHA-256 of its manifest file (64 hex digits of /api/tags).

    `store` is the server's model folder, which is hashed before and after a run; empty where it cannot be read, and
    then the server's own word is all there is.
    """

    base_url: Url = "http://127.0.0.1:11434"
    model: Line = ""
    model_digest: Sha256OrNone = ""
    store: Line = ""


LocalModelSeat: TypeAlias = GgufSeat | OllamaSeat
Seat: TypeAlias = RandomSeat | ReferenceSeat | HouseSeat | StockfishSeat | EndpointSeat | GgufSeat | OllamaSeat


def weights_digest(seat: LocalModelSeat) -> str:
    """The SHA-256 that a plan demands of a local model, or "" where it takes what is there when it is sealed."""
    return seat.weights_sha256 if isinstance(seat, GgufSeat) else seat.model_digest
