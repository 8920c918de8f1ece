"""The manifest: what a run promises before it starts.

A person writes a `Plan` (YAML). Sealing adds the facts that pin it and makes a `Manifest`, whose
canonical JSON holds every default explicitly: a sealed manifest that leaves a field out does not
encode back to its own bytes and is refused. `run_id` is the first 16 hexadecimal digits of the
SHA-256 of those bytes, and stands in every journal entry.
"""

import hashlib
import re
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from . import canon
from .games.chess960.script import ChessRules
from .games.holdem.script import PokerRules
from .games.patterns import Pattern

FORMAT: Literal["agz-manifest-1"] = "agz-manifest-1"
MANIFEST_BYTES_MAX = 2**20

Count: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
# In Python "$" alone would let a line feed follow; ECMA 262, which JSON Schema speaks, reads this the same.
_END = r"$(?!\n)"
DecimalText: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})?" + _END,
        extra_json_schema={"format": "decimal-text"},
        description="a decimal number of up to nine digits before and after the point",
    ),
]
Sha256: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}" + _END)]
Name: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[a-z][a-z0-9_]{0,31}" + _END,
        description="a name of up to 32 small letters, digits and underscores, with a letter first",
    ),
]
Line: TypeAlias = Annotated[
    str,
    Meta(
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f-\x9f]*" + _END,
        description="one line of text without control characters",
    ),
]
Briefing: TypeAlias = Annotated[str, Meta(max_length=20_000)]
Url: TypeAlias = Annotated[
    str,
    Meta(
        max_length=500,
        pattern=r"^(https?://[A-Za-z0-9.\[\]:_-]+(/[A-Za-z0-9._/-]*)?)?" + _END,
        description="an address that starts with http:// or https://, without user, query or fragment",
    ),
]
EnvironmentName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^([A-Z][A-Z0-9_]{0,63})?" + _END,
        description="the name of an environment variable in capitals, never the key itself",
    ),
]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a manifest: frozen, and an unknown key is an error."""


class _Seat(_Part, frozen=True, tag_field="kind"):
    """What every seat has: rules of behaviour for its system prompt, and facts for its user prompt."""

    patterns: tuple[Pattern, ...] = ()
    briefing: Briefing = ""


class RandomSeat(_Seat, frozen=True, tag="random"):
    """Plays uniformly random legal actions."""


class ReferenceSeat(_Seat, frozen=True, tag="reference"):
    """The scripted reference player: reads the prompt, answers in a model's format."""


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


Seat: TypeAlias = RandomSeat | ReferenceSeat | StockfishSeat | EndpointSeat


class _Match(_Part, frozen=True, tag_field="game"):
    """Two seats that meet: `a` is the one that is measured."""

    a: Name
    b: Name
    phase: Literal[0, 1]
    condition: Literal["naked"] = "naked"

    @property
    def game(self) -> str:
        """The game's name, which is the tag."""
        return str(self.__struct_config__.tag)

    @property
    def id(self) -> str:
        """The name of the match in a run."""
        return f"p{self.phase}-{self.game}-{self.condition}-{self.a}"


class ChessMatch(_Match, frozen=True, tag="chess960"):
    """Chess960 games in start pairs; `block_games` of them share a stream."""

    games: Count = 500
    block_games: Count = 2


class PokerMatch(_Match, frozen=True, tag="holdem"):
    """Hold'em hands in sessions; `block_hands` of them share a stream."""

    hands: Count = 10_000
    block_hands: Count = 100


Match: TypeAlias = ChessMatch | PokerMatch


class Engine(_Part, frozen=True):
    """The adjudicating engine's search: hash in MiB, nodes for each position. One thread always.

    The bounds keep a hostile bundle from costing its verifier days.
    """

    hash_mib: Annotated[int, Meta(ge=1, le=256)] = 16
    nodes: Annotated[int, Meta(ge=1, le=1_000_000)] = 50_000


class Seed(_Part, frozen=True):
    """Where the salt of the seed comes from: this run alone, or a value published for a season."""

    origin: Literal["self", "season"] = "self"
    value: Line = ""


class Price(_Part, frozen=True):
    """US dollars for a million tokens of each sort."""

    input_usd: DecimalText = "0"
    cached_usd: DecimalText = "0"
    output_usd: DecimalText = "0"


class Budget(_Part, frozen=True):
    """Where a run stops cleanly; 0 means no limit."""

    cost_usd_max: DecimalText = "0"


class Plan(_Part, frozen=True):
    """What a person writes."""

    title: Line
    seats: dict[Name, Seat]
    matches: tuple[Match, ...]
    protocol: Literal["agz-0.1"] = "agz-0.1"
    isolation: Literal["process"] = "process"
    seed: Seed = Seed()
    engine: Engine = Engine()
    chess960: ChessRules = ChessRules()
    holdem: PokerRules = PokerRules()
    prices: dict[Name, Price] = {}
    budget: Budget = Budget()

    @property
    def playing(self) -> dict[str, Seat]:
        """The seats that some match names."""
        names = {name for match in self.matches for name in (match.a, match.b)}
        return {name: seat for name, seat in self.seats.items() if name in names}


class EnginePin(_Part, frozen=True):
    """Which engine was there when the manifest was sealed."""

    name: Line
    net_sha256: Sha256
    binary_sha256: Sha256


class Manifest(_Part, frozen=True):
    """A sealed plan."""

    format: Literal["agz-manifest-1"]
    plan: Plan
    protocol_sha256: Sha256
    prompts_sha256: dict[Annotated[str, Meta(pattern="^[a-z0-9_/]{1,64}" + _END)], Sha256]
    engine: EnginePin | None
    submitter_key_id: Sha256
    secret_commit: Sha256
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{32}" + _END)]

    @property
    def bytes(self) -> bytes:
        """The canonical form that is hashed and stored."""
        return canon.dumps(self)

    @property
    def run_id(self) -> str:
        return hashlib.sha256(self.bytes).hexdigest()[:16]


class ManifestError(ValueError):
    """A manifest is at fault; the message names the key's path."""


def load_manifest(data: bytes) -> Manifest:
    """A sealed manifest from its canonical bytes. Raises ManifestError."""
    if len(data) > MANIFEST_BYTES_MAX:
        raise ManifestError(f"expected at most {MANIFEST_BYTES_MAX} bytes, found {len(data)}")
    try:
        canon.loads(data)
        manifest = msgspec.json.decode(data, type=Manifest)
    except canon.NotCanonical as error:
        raise ManifestError(str(error)) from error
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    if manifest.bytes != data:
        raise ManifestError("expected every field to be written out, found one left to a default")
    return manifest


def located(error: msgspec.ValidationError) -> str:
    """msgspec's message with the key's path in front: "plan.matches[0].games: expected int"."""
    text = str(error)
    found = re.search(r" - at `(?:key in )?\$\.?(.*)`$", text)
    if not found:
        return text[:1].lower() + text[1:]
    what = text[: found.start()]
    return f"{found.group(1) or 'manifest'}: {what[:1].lower()}{what[1:]}"
