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
from .analysis_plan import AnalysisPlan
from .games.chess960.script import ChessRules
from .games.holdem.script import PokerRules
from .seats import END, Count, DecimalText, HouseSeat, Line, LocalModelSeat, Name, Part, Seat, Sha256

FORMAT: Literal["agz-manifest-2"] = "agz-manifest-2"
ADDED_IN_2 = (
    ("images",),
    ("models",),
    ("plan", "analysis"),
    ("plan", "holdem", "mirrored"),
    ("plan", "quality"),
)
MANIFEST_BYTES_MAX = 2**20


class _Match(Part, frozen=True, tag_field="game"):
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
        """The name of the match in a run; a match after Phase 0 that is no self-play names its opponent too."""
        opponent = f"-{self.b}" if self.phase and self.a != self.b else ""
        return f"p{self.phase}-{self.game}-{self.condition}-{self.a}{opponent}"


class ChessMatch(_Match, frozen=True, tag="chess960"):
    """Chess960 games in start pairs; `block_games` of them share a stream."""

    games: Count = 500
    block_games: Count = 2


class PokerMatch(_Match, frozen=True, tag="holdem"):
    """Hold'em hands in sessions; `block_hands` of them share a stream."""

    hands: Count = 10_000
    block_hands: Count = 100


Match: TypeAlias = ChessMatch | PokerMatch


class Engine(Part, frozen=True):
    """The adjudicating engine's search: hash in MiB, nodes for each position. One thread always.

    The bounds keep a hostile bundle from costing its verifier days.
    """

    hash_mib: Annotated[int, Meta(ge=1, le=256)] = 16
    nodes: Annotated[int, Meta(ge=1, le=1_000_000)] = 50_000


class Seed(Part, frozen=True):
    """Where the salt of the seed comes from: this run alone, or a value published for a season."""

    origin: Literal["self", "season"] = "self"
    value: Line = ""


class Price(Part, frozen=True):
    """US dollars for a million tokens of each sort."""

    input_usd: DecimalText = "0"
    cached_usd: DecimalText = "0"
    output_usd: DecimalText = "0"


class Budget(Part, frozen=True):
    """Where a run stops cleanly; 0 means no limit."""

    cost_usd_max: DecimalText = "0"


class Quality(Part, frozen=True):
    """Whether the engine judges every chess move before the bundle is packed, at how many nodes; 0: not."""

    nodes: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class Plan(Part, frozen=True):
    """What a person writes."""

    title: Line
    seats: dict[Name, Seat]
    matches: tuple[Match, ...]
    protocol: Literal["agz-0.1"] = "agz-0.1"
    isolation: Literal["process", "container"] = "process"
    seed: Seed = Seed()
    engine: Engine = Engine()
    chess960: ChessRules = ChessRules()
    holdem: PokerRules = PokerRules()
    prices: dict[Name, Price] = msgspec.field(default_factory=dict)
    budget: Budget = Budget()
    analysis: AnalysisPlan = AnalysisPlan()
    quality: Quality = Quality()

    @property
    def playing(self) -> dict[str, Seat]:
        """The seats that some match names."""
        names = {name for match in self.matches for name in (match.a, match.b)}
        return {name: seat for name, seat in self.seats.items() if name in names}


class EnginePin(Part, frozen=True):
    """Which engine was there when the manifest was sealed."""

    name: Line
    net_sha256: Sha256
    binary_sha256: Sha256


class ImagePin(Part, frozen=True):
    """Which container image plays a part: see docs/formats/image.md for the four digests."""

    config_digest: Sha256
    manifest_digest: Sha256
    tree_digest: Sha256
    diff_ids: Annotated[tuple[Sha256, ...], Meta(min_length=1, max_length=128)]


class ModelPin(Part, frozen=True):
    """Which weights a local model's seat plays with: the GGUF file's digest, or that of Ollama's manifest file."""

    sha256: Sha256
    size_bytes: Annotated[int, Meta(ge=1, lt=2**53)]


class Manifest(Part, frozen=True):
    """A sealed plan. `images` by the part they play, `models` by seat."""

    format: Literal["agz-manifest-1", "agz-manifest-2"]
    plan: Plan
    protocol_sha256: Sha256
    prompts_sha256: dict[Annotated[str, Meta(pattern="^[a-z0-9_/]{1,64}" + END)], Sha256]
    engine: EnginePin | None
    submitter_key_id: Sha256
    secret_commit: Sha256
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{32}" + END)]
    images: dict[Name, ImagePin] = msgspec.field(default_factory=dict)
    models: dict[Name, ModelPin] = msgspec.field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        """The canonical form that is hashed and stored; what a format did not have yet is left out."""
        if self.format == FORMAT:
            return canon.dumps(self)
        plain = msgspec.to_builtins(self)
        for *parents, name in ADDED_IN_2:
            part = plain
            for parent in parents:
                part = part[parent]
            del part[name]
        return canon.dumps(plain)

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
    if manifest.format != FORMAT and _uses_format_2(manifest.plan):
        what = "containers, local models, the house or mirrored deals"
        raise ManifestError(f"format: expected {FORMAT} for {what}, found {manifest.format}")
    return manifest


def _uses_format_2(plan: Plan) -> bool:
    newer = any(isinstance(seat, LocalModelSeat | HouseSeat) for seat in plan.seats.values())
    return plan.isolation == "container" or plan.holdem.mirrored or newer


def located(error: msgspec.ValidationError) -> str:
    """msgspec's message with the key's path in front: "plan.matches[0].games: expected int"."""
    text = str(error)
    found = re.search(r" - at `(?:key in )?\$\.?(.*)`$", text)
    if not found:
        return text[:1].lower() + text[1:]
    what = text[: found.start()]
    return f"{found.group(1) or 'manifest'}: {what[:1].lower()}{what[1:]}"
