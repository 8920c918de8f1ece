"""A memory: an MCP server that keeps a seat's notes of earlier games, and is searched before each decision."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, ClassVar, Final, Self, TypeAlias

import msgspec
from msgspec import Meta

from ..core.dice import Stream
from ..core.did_you_mean import did_you_mean
from ..experiment.matches import OTHER_TEXT, Arm, Augmentation, Trait
from ..experiment.plan_fields import END, CountOrNone, Problem
from ..memory import tool_calls
from ..memory.built_in_servers import SERVERS, Server
from ..memory.career_memory import CareerMemory, SearchLimits, ServerUse
from ..memory.declared_server import (
    ADAPTER_CHARACTERS_MAX,
    TRAITS_OF_QUERY,
    NoAdapter,
    declared_in,
    names_a_file,
    server_of,
    shipped_problem,
)
from ..memory.filler import FILLER_TEMPLATES, Filler
from ..memory.given_text import GivenRule
from ..memory.model_memory import ModelMemory, NativeMemory
from ..memory.native_tools import NATIVE_TEMPLATES, Effect, NativeTool
from ..memory.placebo import Donor, Placebo, PlaceboRule, RandomOfOwn, Shuffle
from ..memory.tool_effects import BUILT_IN_TOOLS, effects_of
from .system import System

ServerName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9._~/-]{1,200}" + END,
        description="a name, or the path of an adapter's file, of up to 200 letters, digits and . _ ~ / -",
    ),
]
AdapterText: TypeAlias = Annotated[str, Meta(max_length=ADAPTER_CHARACTERS_MAX)]


IN_PLACE: Final[Mapping[PlaceboRule, str]] = MappingProxyType(
    {
        PlaceboRule.DONOR: "",
        PlaceboRule.SHUFFLE: "; placebo shuffle: the words of the entries found, in a drawn order",
        PlaceboRule.RANDOM_OF_OWN: "; placebo random_of_own: entries drawn from all that were stored",
    }
)


class Use(StrEnum):
    """Way of use of a memory: who stores and searches.

    `harness`: one observation is stored after each contest, and a search is made before each decision.
    `model`: the model stores and searches by calls of two tools, the same for every model and server.
    `native`: the model calls the server's own tools, as many of them as its adapter lets it.
    """

    HARNESS = "harness"
    MODEL = "model"
    NATIVE = "native"


class MemorySystem(System, frozen=True, tag="memory"):
    """A memory server and how much of it reaches a prompt.

    `server`: its name in the table of servers; or, of one from outside, the path of its adapter's file from the plan's
    folder, or the name of an adapter that comes with the harness. `adapter`: the adapter of one from outside, as
    canonical JSON: whoever reads a plan's file puts it there.
    `use`: the way of use. `calls_max`: so many tool calls a model may make before each decision, and after each
    contest. `hits_max`, `bytes_max`: of one search. `half_life_games`: age in games at which an entry counts half, 0
    for none. `noise_percent`: share of the entries found that the server damages.
    `placebo`: what is told in the placebo arm in the place of the entries found. `donor`: notes of strangers, played
    for this career. `shuffle`: the words of all of them in a drawn order. `random_of_own`: as many entries,
    drawn from all that were stored. Any but `donor` departs from the protocol.
    `stale_after`: in the stale arm, the contest of a career after which nothing more is stored; 0 for the protocol's
    share of the career.
    """

    server: ServerName = "full_text"
    adapter: AdapterText = ""
    use: Use = Use.HARNESS
    calls_max: Annotated[int, Meta(ge=0, le=20)] = 0
    hits_max: Annotated[int, Meta(ge=1, le=100)] = 10
    bytes_max: Annotated[int, Meta(ge=100, le=50_000)] = 4_000
    half_life_games: Annotated[int, Meta(ge=0, le=10_000)] = 0
    noise_percent: Annotated[int, Meta(ge=0, le=100)] = 0
    placebo: PlaceboRule = PlaceboRule.DONOR
    stale_after: CountOrNone = 0

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.MEMORY})
    arms: ClassVar[frozenset[Arm]] = frozenset(Arm) - {Arm.NAKED}
    keeps_store: ClassVar[bool] = True

    @property
    def limits(self) -> SearchLimits:
        """Limits of one search."""
        return SearchLimits(self.hits_max, self.bytes_max)

    @property
    def serving(self) -> Server | None:
        """Facts about its server, known or declared; None where a plan cannot be run."""
        return server_of(self.server, self.adapter)

    @property
    def models_url(self) -> str:
        return self.serving.models_url if self.serving else ""

    @property
    def server_named(self) -> str:
        return self.server

    @property
    def given(self) -> GivenRule:
        """The rule for what a search of its server gives of an entry."""
        return self._server.given_natively if self.offers_native_tools else self._server.given

    @property
    def is_from_outside(self) -> bool:
        """True if its server is spoken to by an adapter that the plan holds."""
        return bool(self.adapter)

    def words(self, games: Iterable[str]) -> str:  # noqa: ARG002 - alike in all
        server = self._server
        aged = f", entries count half after {self.half_life_games:,} games" if self.half_life_games else ""
        noise = (
            f", {self.noise_percent} % of the entries found are DAMAGED by declaration" if self.noise_percent else ""
        )
        limits = f"at most {self.told_at_most}"
        uses = {
            Use.HARNESS: f"{limits} in each prompt, one observation stored after each game or session",
            Use.MODEL: f"at most {self.calls_max} calls before each decision and after each contest, {limits} a search",
            Use.NATIVE: f"at most {self.calls_max} calls of the server's own tools before each decision and after each "
            f"contest, {limits} a result",
        }
        used = f"{uses[self.use]}{IN_PLACE[self.placebo]}"
        return f"memory {self.server} ({server.words}{aged}{noise}); way of use {self.use}: {used}"

    @property
    def told_at_most(self) -> str:
        if self.offers_native_tools and not self._server.takes_limit:
            return f"{self.bytes_max:,} bytes"
        return f"{self.hits_max} entries and {self.bytes_max:,} bytes"

    @property
    def attested(self) -> str:
        return "; ".join(self._attested_parts())

    def _attested_parts(self) -> Iterator[str]:
        server, outside = self._server, self.is_from_outside
        if outside:
            yield "that its server, from outside, gave the recorded answers, and what its adapter declares of it"
        elif not server.recomputed:
            yield "which of the stored entries its server gave"
        if outside and server.rewrites:
            made = "the text of each entry that the server made of others"
            yield made if server.is_traced else "every text that the server gave: none is compared with what was stored"
        if server.models_url:
            yield f"what the models at {server.models_url} told its server"
        if outside and not server.exports:
            yield "what its server held besides the entries that it gave"
        if self.offers_native_tools:
            yield "what a tool says with an error"
        if outside and self.offers_native_tools:
            yield "what its tools say beside the entries, their descriptions, and which of them store or search"

    @property
    def way_of_use(self) -> str:
        return self.use.value

    @property
    def contests_stored(self) -> int:
        return self.stale_after

    @property
    def needs_tool_calls(self) -> bool:
        return self.use in (Use.MODEL, Use.NATIVE)

    def small(self) -> Self:
        small = msgspec.structs.replace(self, use=Use.HARNESS, calls_max=0, stale_after=0)
        stand_in = self.serving.stand_in if self.serving else ""
        if not stand_in:
            return small
        small = msgspec.structs.replace(small, server=stand_in, half_life_games=0)
        return msgspec.structs.replace(small, traits=tuple(one for one in self.traits if one in small.traits_known))

    @property
    def offers_native_tools(self) -> bool:
        return self.use is Use.NATIVE

    @property
    def known_tools(self) -> tuple[NativeTool, ...]:
        return BUILT_IN_TOOLS if self.offers_native_tools and not self.is_from_outside else ()

    @property
    def native_effects(self) -> Mapping[str, tuple[Effect, str]]:
        return effects_of(self.server, self.adapter) if self.offers_native_tools else {}

    @property
    def templates(self) -> Mapping[str, str]:
        match self.use:
            case Use.HARNESS:
                return FILLER_TEMPLATES
            case Use.MODEL:
                return {**tool_calls.TEMPLATES, **FILLER_TEMPLATES}
            case Use.NATIVE:
                return NATIVE_TEMPLATES

    @classmethod
    def shipped_templates(cls) -> Mapping[str, str]:
        return {**tool_calls.TEMPLATES, **NATIVE_TEMPLATES, **FILLER_TEMPLATES}

    @property
    def image_part(self) -> str:
        return self.serving.image_part if self.serving else ""

    @property
    def needs_process(self) -> bool:
        return self.serving is not None and not self.serving.image_part

    @property
    def traits_known(self) -> frozenset[Trait]:
        server = self.serving
        if server is None:
            return frozenset()
        return server.traits | ({Trait.TEMPORAL} if self.half_life_games else server.without_half_life)

    def trait_reason(self, beyond: Sequence[Trait]) -> str:
        declared = declared_in(self.adapter) if self.is_from_outside else NoAdapter("")
        if isinstance(declared, NoAdapter):
            return ""
        by_query = frozenset().union(*TRAITS_OF_QUERY.values())
        keys = [f"traits.query: {declared.traits.query}"] if by_query & set(beyond) else []
        keys += [f"traits.clock: {declared.traits.clock}"] if {Trait.TEMPORAL, Trait.UNIFORM} & set(beyond) else []
        return f"; its adapter has {' and '.join(keys)}, which allows {_listed(self.traits_known)}"

    def problems(self, arm: Arm) -> Iterator[Problem]:
        server = self.serving
        yield from self._adapter_problems()
        if server is None:
            return
        yield from super().problems(arm)
        if arm is Arm.PLACEBO and server.rewrites:
            message = f"expected a server that keeps its entries, found {self.server}: a placebo stands for whole ones"
            yield Problem("server", message)
        if self.half_life_games and not server.ages:
            yield Problem("half_life_games", f"expected 0: {self.server} does not rank entries by age")
        if bool(self.noise_percent) != server.damages:
            share = "1 to 100, the share that it damages" if server.damages else f"0: {self.server} damages nothing"
            yield Problem("noise_percent", f"expected {share}, found {self.noise_percent}")

        yield from self._use_problems(server, arm)

    def departures(self, name: str) -> Iterator[str]:
        if self.placebo is not PlaceboRule.DONOR:
            required = "a donor's notes required, which tell nothing of the opponent"
            yield f"system {name} has the placebo {self.placebo.value}, {required}"
        if self.serving and not self.serving.is_traced:
            yield (
                f"system {name} may give what was never stored (traits.rewrites: always), where stored entries or what"
                " names its sources is required: what it gives is unverified"
            )

    def _adapter_problems(self) -> Iterator[Problem]:
        """Reasons why the server is none that can be measured."""
        if not self.adapter:
            if self.server not in SERVERS:
                others = "or the adapter of a server from outside: FILE.yaml, or a name of `agzamov memory list`"
                near = did_you_mean(self.server, SERVERS)
                yield Problem("server", f"expected one of {', '.join(SERVERS)}, {others}; found {self.server}{near}")
            return
        declared = declared_in(self.adapter)
        if self.server in SERVERS:
            advice = "for one from outside write `server: FILE.yaml`, its adapter's file, in the place of both keys"
            yield Problem("adapter", f"expected none: the server {self.server} is built in; {advice}")
        elif isinstance(declared, NoAdapter):
            yield Problem("adapter", f"expected an adapter as canonical JSON, found another text ({declared.reason})")
        elif not names_a_file(self.server) and (problem := shipped_problem(self.server, self.adapter)):
            yield Problem("adapter", problem)
        elif declared.systems:
            yield Problem("adapter", "expected the adapter of one system, without the key systems")
        elif declared.traits.rewrites == "described":
            message = "expected never, end_game or always as traits.rewrites, found described: it must be known before"
            yield Problem("adapter", f"{message} the run")
        elif declared.traits.rewrites == "end_game" and not declared.exports:
            yield Problem("adapter", "expected an export where traits.rewrites is end_game, which names what was made")

    def _use_problems(self, server: Server, arm: Arm) -> Iterator[Problem]:
        if self.needs_tool_calls and not self.calls_max:
            yield Problem("calls_max", "expected 1 to 20, the calls that a model may make before each decision")
        if not self.needs_tool_calls and self.calls_max:
            yield Problem("calls_max", f"expected 0 with use {self.use}: no model calls a tool")
        if self.needs_tool_calls and server.rewrites:
            what = (
                "rewrites its entries" if self.is_from_outside else "adds up the observations that the harness stores"
            )
            yield Problem("use", f"expected harness: {self.server} {what}")
        if self.offers_native_tools and arm in OTHER_TEXT:
            message = f"expected harness or model in the {arm} arm: no {arm} stands in a server's own words"
            yield Problem("use", message)
        if self.offers_native_tools and arm is Arm.STALE:
            message = "expected harness or model in the stale arm: a model is told what its server's own tools say"
            yield Problem("use", message)

    def career_memory(
        self,
        arm: Arm,
        donor: Donor,
        order: Stream,
        offered: Sequence[NativeTool],
        to: str,
        stores_until: int | None = None,
    ) -> CareerMemory | None:
        placebo = self._placebo(donor, order) if arm is Arm.PLACEBO else None
        placebo = Filler(order) if arm is Arm.FILLER else placebo
        server = ServerUse(self._server.rewrites, self._server.exports, self.given)
        if self.use is Use.NATIVE and offered:
            return NativeMemory(self.limits, self.calls_max, offered, server=server, to=to)
        if self.needs_tool_calls:  # before its server is sealed, a memory by native tools counts for one of two tools
            return ModelMemory(self.limits, self.calls_max, placebo, server=server, to=to, stores_until=stores_until)
        return CareerMemory(self.limits, placebo, server=server, to=to, stores_until=stores_until)

    def _placebo(self, donor: Donor, order: Stream) -> Placebo:
        match self.placebo:
            case PlaceboRule.DONOR:
                return donor
            case PlaceboRule.SHUFFLE:
                return Shuffle(order)
            case PlaceboRule.RANDOM_OF_OWN:
                return RandomOfOwn(self.bytes_max, order)

    @property
    def _server(self) -> Server:
        """Its server, in a plan that can be run."""
        assert self.serving
        return self.serving


def _listed(traits: Iterable[Trait]) -> str:
    return ", ".join(sorted(traits)) or "none"
