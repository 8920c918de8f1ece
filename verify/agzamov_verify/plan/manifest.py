"""The manifest: the promise of a run, sealed before it starts.

A person writes a `Plan` (YAML). Sealing adds the facts that pin it and makes a `Manifest`, whose
canonical JSON holds every default explicitly: a sealed manifest that leaves a field out does not
encode back to its own bytes and is refused. `run_id` is the first 16 hexadecimal digits of the
SHA-256 of those bytes, and stands in every journal entry.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, Union

import msgspec
from msgspec import Meta

from ..core import canon
from ..core.limits import ERROR_MESSAGE_CHARACTERS_MAX
from ..core.seat_letters import tool_name
from ..experiment.analysis_plan import AnalysisPlan
from ..experiment.matches import Match, NakedPrompt, plays_again
from ..experiment.people_settings import PeopleSettings
from ..experiment.plan_fields import END, Count, DecimalText, Line, Name, Part, Sha256
from ..memory.native_tools import TOOLS_MAX, NativeTool
from ..protocols import CURRENT, PROTOCOLS, ProtocolVersion
from ..protocols.document_shape import OutsideShape, spelled
from ..protocols.norms import load_protocol
from ..seats import AnySeat, Seat
from ..systems import AnySystem, System
from ..table import decision, prompt_lines
from ..table.game import Game
from ..table.game_tool import ToolUse
from ..table.registry import GAMES

if TYPE_CHECKING:  # the types that depend on which games and protocols there are
    AnyMatch: TypeAlias = Match
    GameRules = Part
    ProtocolId: TypeAlias = str
else:
    ProtocolId = Literal[tuple(PROTOCOLS)]
    AnyMatch = Union[tuple(game.match for game in GAMES.values())]  # noqa: UP007 - made from a list
    GameRules = msgspec.defstruct(
        "GameRules",
        [(name, *game.plan_key()) for name, game in GAMES.items()],
        bases=(Part,),
        frozen=True,
        kw_only=True,
    )

FORMAT: Literal["agz-manifest-1"] = "agz-manifest-1"
MANIFEST_BYTES_MAX = 2**20


class Engine(Part, frozen=True):
    """The adjudicating engine's search: hash in MiB, nodes for each position. One thread always.

    The bounds keep a hostile bundle from costing its verifier days.
    """

    hash_mib: Annotated[int, Meta(ge=1, le=256)] = load_protocol(CURRENT).engine.hash_mib
    nodes: Annotated[int, Meta(ge=1, le=1_000_000)] = load_protocol(CURRENT).engine.nodes


SeasonValue: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9._:/-]{0,64}" + END,
        description="up to 64 letters, digits and the characters - . _ : /",
    ),
]


class Seed(Part, frozen=True):
    """The origin of the seed's salt: this run alone, a season's value, or a beacon's round (quicknet/24000000)."""

    origin: Literal["self", "season", "beacon"] = "self"
    value: SeasonValue = ""


class Price(Part, frozen=True):
    """US dollars for a million tokens of each sort."""

    input_usd: DecimalText = "0"
    cached_usd: DecimalText = "0"
    output_usd: DecimalText = "0"


class Budget(Part, frozen=True):
    """The cost at which a run stops cleanly; 0 means no limit."""

    cost_usd_max: DecimalText = "0"


class StopWhen(Part, frozen=True):
    """The run stops cleanly once a model's seat has made `after` decisions and this share had unusable answers."""

    errors_percent: Annotated[int, Meta(ge=1, le=100)] = 50
    after: Count = 50


class Quality(Part, frozen=True):
    """The engine's judgement of every move of its games before the bundle is packed, at this many nodes; 0: none."""

    nodes: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class Repeat(NamedTuple):
    """A seat that is measured again, and the temperature at which."""

    seat: str
    temperature: str


class Plan(GameRules, frozen=True, dict=True):
    """A plan, as a person writes it. The rules of each game stand below the game's name.

    `naked_prompt`: whether a seat that has a memory in some match has its frame in all matches of that game. `people`:
    of a study with people, whose protocol alone has it.
    """

    title: Line
    seats: dict[Name, AnySeat]
    matches: tuple[AnyMatch, ...]
    protocol: ProtocolId = CURRENT
    isolation: Literal["process", "container"] = "process"
    naked_prompt: NakedPrompt = NakedPrompt.FRAMED
    seed: Seed = Seed()
    engine: Engine = Engine()
    systems: dict[Name, AnySystem] = msgspec.field(default_factory=dict)
    prices: dict[Name, Price] = msgspec.field(default_factory=dict)
    budget: Budget = Budget()
    stop_when: StopWhen | msgspec.UnsetType = msgspec.UNSET
    people: PeopleSettings | msgspec.UnsetType = msgspec.UNSET
    analysis: AnalysisPlan = AnalysisPlan()
    quality: Quality = Quality()

    @property
    def playing(self) -> dict[str, Seat]:
        """The seats that some match names."""
        names = {name for match in self.matches for name in match.seats}
        return {name: seat for name, seat in self.seats.items() if name in names}

    @property
    def systems_played(self) -> tuple[str, ...]:
        """The systems that some match names, in the order of the matches, each with the parts that it is made of."""
        named = [name for match in self.matches for name in match.systems if name in self.systems]
        return tuple(dict.fromkeys(name for whole in named for name in (whole, *self.parts_of(whole))))

    def parts_of(self, name: str) -> dict[str, AnySystem]:
        """The systems by name that a system is made of; of one without parts itself, of an unknown one none."""
        system = self.systems.get(name)
        names = [name] if system is None or not system.parts else [*system.parts]
        return {part: self.systems[part] for part in names if part in self.systems}

    @property
    def memory_matches(self) -> list[AnyMatch]:
        """The matches in which a seat has a memory."""
        return [match for match in self.matches if any(self.memories_of(match))]

    def memories_of(self, match: Match) -> tuple[str, ...]:
        """The names of the systems that keep the stores of the seats of a match, in their order; empty where none."""
        parts = (self.parts_of(name).items() for name in match.systems)
        return tuple(next((name for name, system in some if system.keeps_store), "") for some in parts)

    @property
    def tool_matches(self) -> list[AnyMatch]:
        """The matches in which a seat has a tool."""
        return [match for match in self.matches if any(self.tools_of(match))]

    def tools_of(self, match: Match) -> tuple[ToolUse | None, ...]:
        """How each seat of a match uses its tool, in their order; None for a seat without one."""
        return tuple(self.tool_of(match, seat_index) for seat_index in range(len(match.table)))

    def tool_of(self, match: Match, seat_index: int) -> ToolUse | None:
        """Use of the tool by the seat at `seat_index` in a match; None where it has none."""
        condition = match.conditions[seat_index]
        name, parts = condition.system, self.parts_of(condition.system)
        use = next((use for system in parts.values() if (use := system.tool(condition.arm))), None)
        return msgspec.structs.replace(use, is_steered=name not in parts, to=tool_name(seat_index)) if use else None

    def looked_at(self, match: Match) -> tuple[int, ...]:
        """The seats of a match whose results are counted, by their index: the first, or all where the phase says so.

        Of seats that are one player under one condition, the first alone: the others say the same again.
        """
        rule, table = PROTOCOLS[self.protocol].phases.get(match.phase), match.table
        looked_at = table if rule and rule.every_seat else table[:1]
        return tuple(table.index(at) for at in dict.fromkeys(looked_at))

    @property
    def ways_of_use(self) -> dict[str, list[str]]:
        """By kind the ways in which the systems are used that some match names; a plan that can be run has one each."""
        played = [self.systems[name] for name in self.systems_played]
        kinds = sorted({system.kind for system in played if system.way_of_use})
        return {kind: sorted({system.way_of_use for system in played if system.kind == kind}) for kind in kinds}

    @cached_property
    def repeats(self) -> dict[str, Repeat]:
        """The seats that repeat another seat at temperature 0, for the robustness check, by name."""
        playing = self.playing
        found: dict[str, Repeat] = {}
        for name, seat in playing.items():  # each with each other one, so it is kept: a manifest may name thousands
            for base, other in playing.items():
                if (temperature := seat.repeats_at(other)) and plays_again(self.matches, name, base):
                    found.setdefault(name, Repeat(base, temperature))
        return found

    @property
    def games(self) -> Mapping[str, Game]:
        """The games that some match is of, by name."""
        names = {match.game for match in self.matches}
        return {name: game for name, game in GAMES.items() if name in names}

    def rules_of(self, game: str) -> Any:
        """The rules of a game by its name: a value of `Game.rules`."""
        rules = getattr(self, game)
        return GAMES[game].rules() if rules is msgspec.UNSET else rules


class EnginePin(Part, frozen=True):
    """The engine that was there when the manifest was sealed."""

    name: Line
    net_sha256: Sha256
    binary_sha256: Sha256


class ImagePin(Part, frozen=True):
    """The container image of one part: see docs/formats/image.md for the four digests."""

    config_digest: Sha256
    manifest_digest: Sha256
    tree_digest: Sha256
    diff_ids: Annotated[tuple[Sha256, ...], Meta(min_length=1, max_length=128)]


class ModelPin(Part, frozen=True):
    """The weights that a local model's seat plays with: the GGUF file's digest, or that of Ollama's manifest file."""

    sha256: Sha256
    size_bytes: Annotated[int, Meta(ge=1, lt=2**53)]


PROGRAM_FILES_MAX = 256
PROGRAM_PATH_CHARACTERS_MAX = 200
ProgramPath: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=PROGRAM_PATH_CHARACTERS_MAX, pattern=r"^[^\x00-\x1f\x7f-\x9f]*" + END)
]


class MemoryPin(Part, frozen=True):
    """The server of a memory system: its own name and version, and digests of its adapter and its tool list.

    The adapter's is that of its canonical JSON, which the plan holds where the server is from outside. `native`: its
    own tools that a model is offered, with `use: native`. `files`: digests of the files beside the adapter that its
    program is made of, by their paths from there; none of one that comes with Agzamov.
    """

    adapter_sha256: Sha256
    tools_sha256: Sha256
    name: Line
    version: Line
    native: Annotated[tuple[NativeTool, ...], Meta(max_length=TOOLS_MAX)] = ()
    files: Annotated[dict[ProgramPath, Sha256], Meta(max_length=PROGRAM_FILES_MAX)] = msgspec.field(
        default_factory=dict
    )


class Manifest(Part, frozen=True, dict=True):
    """A sealed plan. `images` by the part they play, `models` by seat, `memories` by system."""

    format: Literal["agz-manifest-1"]
    plan: Plan
    protocol_sha256: Sha256
    prompts_sha256: dict[Annotated[str, Meta(pattern="^[a-z0-9_/]{1,64}" + END)], Sha256]
    engine: EnginePin | None
    submitter_key_id: Sha256
    secret_commit: Sha256
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{32}" + END)]
    images: dict[Name, ImagePin] = msgspec.field(default_factory=dict)
    models: dict[Name, ModelPin] = msgspec.field(default_factory=dict)
    memories: dict[Name, MemoryPin] = msgspec.field(default_factory=dict)

    @cached_property
    def bytes(self) -> bytes:
        """The canonical form that is hashed and stored, in the fields of the plan's protocol. Raises ManifestError."""
        version = PROTOCOLS[self.plan.protocol]
        try:
            return canon.dumps(version.downgrade(spelled(self, version.formats.manifest)))
        except OutsideShape as error:
            raise ManifestError(f"{error} ({version.id})") from error

    @cached_property
    def run_id(self) -> str:
        return hashlib.sha256(self.bytes).hexdigest()[:16]


class ManifestError(ValueError):
    """A manifest is at fault; the message names the key's path."""


def load_manifest(data: bytes) -> Manifest:
    """A sealed manifest from its canonical bytes. Raises ManifestError."""
    if len(data) > MANIFEST_BYTES_MAX:
        raise ManifestError(f"expected at most {MANIFEST_BYTES_MAX} bytes, found {len(data)}")
    try:
        document: Any = canon.loads(data)
        version = _version_of(document)
        manifest = msgspec.convert(_upgraded(document, version), Manifest)
    except canon.NotCanonical as error:
        raise ManifestError(str(error)) from error
    except msgspec.ValidationError as error:
        raise ManifestError(located(error)) from error
    if manifest.bytes != data:
        raise ManifestError(_unlike(document, canon.loads(manifest.bytes), version.id))
    return manifest


def _upgraded(document: Any, version: ProtocolVersion) -> Any:
    """The document as the types of today have it. Raises ManifestError for one that its protocol cannot read."""
    try:
        return version.upgrade(document)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ManifestError(f"expected a manifest of {version.id}, found one without {_capped(str(error))}") from error


def _version_of(document: Any) -> ProtocolVersion:
    """The protocol version that a sealed manifest names. Raises ManifestError."""
    plan = document.get("plan") if isinstance(document, dict) else None
    found = plan.get("protocol") if isinstance(plan, dict) else None
    if not isinstance(found, str) or found not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise ManifestError(f"plan.protocol: expected one that this version of the program knows ({known})")
    return PROTOCOLS[found]


def _unlike(document: Any, spelled_out: Any, protocol: str, place: str = "") -> str:
    """The first difference between a manifest and the fields that its protocol has, in words."""
    if isinstance(document, dict) and isinstance(spelled_out, dict):
        for name in sorted(document.keys() | spelled_out.keys()):
            at = f"{place}.{name}" if place else name
            if name not in spelled_out:
                return f"{_capped(at)}: expected nothing, {protocol} has no such field"
            if name not in document:
                return f"{at}: expected every field to be written out, found this one left to a default"
            if document[name] != spelled_out[name]:
                return _unlike(document[name], spelled_out[name], protocol, at)
    if isinstance(document, list) and isinstance(spelled_out, list):
        for index, (item, other) in enumerate(zip(document, spelled_out, strict=True)):
            if item != other:
                return _unlike(item, other, protocol, f"{place}[{index}]")
    return f"{place}: expected the one spelling of its value"


def located(error: msgspec.ValidationError) -> str:
    """msgspec's message with the key's path in front: "plan.matches[0].games: expected int".

    The message quotes the input, so its parts are capped, and cut at the last " - at `": a key may hold those words.
    """
    what, _, place = str(error).rpartition(" - at `")
    path = place.removeprefix("key` in `").removesuffix("`")
    if not path.startswith("$"):
        return _capped(str(error))
    return f"{_capped(path[1:].removeprefix('.')) or 'manifest'}: {_capped(what)}"


def _capped(text: str) -> str:
    return text[:1].lower() + text[1:ERROR_MESSAGE_CHARACTERS_MAX]


def prompt_digests(protocol: str, systems: Iterable[System] = (), played: Iterable[str] = ()) -> dict[str, str]:
    """Template name to SHA-256 of its UTF-8 text; of shipped data, of their file.

    `systems`: those of the plan. `played`: its games, whose texts are among them also where a game is
    `sealed_where_played`. Of the texts that come with the verifier only those that the protocol names: the
    others were added after it.
    """
    version, systems = PROTOCOLS[protocol], tuple(systems)
    of_plan = (name for system in systems for name in system.templates.keys() - system.shipped_templates().keys())
    names = frozenset((*version.formats.prompts, *of_plan))
    games = [name for name in version.games if name in (*played,) or not GAMES[name].sealed_where_played]
    return {name: digest for name, digest in all_digests(games, systems).items() if name in names}


def all_digests(games: Iterable[str], systems: Iterable[System]) -> dict[str, str]:
    """The digests of all texts that these games and systems have today, by name in alphabetical order."""
    systems, played = tuple(systems), {name: GAMES[name] for name in games}
    texts = decision.TEMPLATES | prompt_lines.TEMPLATES
    for system in systems:
        texts |= system.templates
    for game in played.values():
        texts |= game.templates
        texts |= game.tool_templates if any(system.asks_tool for system in systems) else {}
        texts |= {f"pattern/{name}": text for name, text in game.patterns.items()}
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    for game in played.values():
        digests |= game.data_sha256
    return dict(sorted(digests.items()))
