"""A tool: that of the game, asked before each decision of seat A."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias

import msgspec
from msgspec import Meta

from ..experiment.matches import Arm, Augmentation
from ..experiment.plan_fields import Problem
from ..protocols import CURRENT
from ..protocols.norms import Protocol, load_protocol
from ..table.game_tool import LINES_MOST, ToolUse
from ..table.registry import GAMES
from .system import System

COMPARISONS_LEAST: Final = 990
EngineTool: TypeAlias = Literal["evaluate_position", "compare_moves", "best_lines"]
ALL_TOOLS: Final[tuple[EngineTool, ...]] = ("evaluate_position", "compare_moves", "best_lines")


class ToolsSystem(System, frozen=True, tag="tools"):
    """The tool of each game, and how much it may work at one decision.

    `use`: the harness asks it, at a fixed point of each decision; or the model, by `calls_max` calls before each of
    its decisions. `candidates_max`: moves of chess that the engine examines each time, with `nodes` each: by default as
    many as the protocol gives an engine's score, and never fewer than its norm `tools.nodes_min`. `offers`: the
    engine's tools that a model may call; `lines_max`: best moves that it finds in one call, with `nodes` each. The
    harness compares the moves that the seat names, whatever models are offered. `comparisons_max`: showdowns of hold'em
    that the calculator compares; 990 are all on the river, 45,540 on the turn, 1,070,190 on the flop.
    """

    use: Literal["harness", "model"] = "harness"
    calls_max: Annotated[int, Meta(ge=0, le=20)] = 0
    offers: Annotated[tuple[EngineTool, ...], Meta(min_length=1)] = ALL_TOOLS
    candidates_max: Annotated[int, Meta(ge=1, le=10)] = 4
    lines_max: Annotated[int, Meta(ge=1, le=LINES_MOST)] = 3
    nodes: Annotated[int, Meta(ge=1, le=1_000_000)] = load_protocol(CURRENT).engine.nodes
    comparisons_max: Annotated[int, Meta(ge=COMPARISONS_LEAST, le=2_000_000)] = 5_000

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.TOOLS})
    asks_tool: ClassVar[bool] = True

    def words(self, games: Iterable[str]) -> str:
        asked = f"at most {self.calls_max} calls of" if self.needs_tool_calls else "one question to"
        use, tools = self._use(is_placebo=False), (GAMES[name].tool for name in games)
        asks = " or ".join(dict.fromkeys(tool.words(use) for tool in tools if tool))
        return f"tools, way of use {self.use}: before each decision {asked} {asks}"

    @property
    def image_part(self) -> str:
        return "tools"

    @property
    def way_of_use(self) -> str:
        return self.use

    @property
    def needs_tool_calls(self) -> bool:
        return self.use == "model"

    def small(self) -> Self:
        nodes = min(self.nodes, load_protocol(CURRENT).tools.nodes_min)
        comparisons = min(self.comparisons_max, COMPARISONS_LEAST)
        return msgspec.structs.replace(
            self, use="harness", calls_max=0, offers=ALL_TOOLS, nodes=nodes, comparisons_max=comparisons
        )

    def problems(self, arm: Arm) -> Iterator[Problem]:
        yield from super().problems(arm)
        if self.needs_tool_calls and not self.calls_max:
            yield Problem("calls_max", "expected 1 to 20, the calls that a model may make before each decision")
        if self.calls_max and not self.needs_tool_calls:
            yield Problem("calls_max", f"expected 0 with use {self.use}: no model calls a tool")
        if not self.needs_tool_calls and self.offers != ALL_TOOLS:
            yield Problem("offers", f"expected none with use {self.use}: no model calls a tool")
        if len(set(self.offers)) < len(self.offers):
            yield Problem("offers", f"expected each tool once, found {', '.join(self.offers)}")

    def norm_problems(self, norms: Protocol) -> Iterator[Problem]:
        least = norms.tools.nodes_min
        if self.nodes < least:
            found = f"found {self.nodes:,}: values of shorter searches are too rough to be told"
            yield Problem("nodes", f"expected {least:,} or more, the least of {norms.id}, {found}")

    def tool(self, arm: Arm) -> ToolUse | None:
        return self._use(is_placebo=arm is Arm.PLACEBO)

    def _use(self, *, is_placebo: bool) -> ToolUse:
        return ToolUse(
            self.calls_max,
            self.candidates_max,
            self.comparisons_max,
            self.nodes,
            is_placebo,
            lines_max=self.lines_max,
            offers=self.offers if self.needs_tool_calls else (),
        )
