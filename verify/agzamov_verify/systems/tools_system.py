"""A tool: Stockfish in chess and an equity calculator in hold'em, asked before each decision of seat A."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from ..experiment import Arm, Augmentation
from ..tool_use import ToolUse
from .base import System


class ToolsSystem(System, frozen=True, tag="tools"):
    """The tool of each game, and how much it may work at one decision.

    `use`: the harness asks it, at a fixed point of each decision. `candidates_max`: moves of chess that the engine
    examines, as many calls of it, with `nodes` each. `comparisons_max`: showdowns of hold'em that the calculator
    compares; 990 are all on the river, 45,540 on the turn, 1,070,190 on the flop.
    """

    use: Literal["harness"] = "harness"
    candidates_max: Annotated[int, Meta(ge=1, le=10)] = 4
    nodes: Annotated[int, Meta(ge=1, le=1_000_000)] = 50_000
    comparisons_max: Annotated[int, Meta(ge=990, le=2_000_000)] = 5_000

    augmentations: ClassVar[frozenset[Augmentation]] = frozenset({Augmentation.TOOLS})
    asks_tool: ClassVar[bool] = True

    @property
    def words(self) -> str:
        return (
            f"tools, way of use {self.use}: before each decision in chess Stockfish examines up to"
            f" {self.candidates_max} moves that the seat names, with {self.nodes:,} nodes each; in hold'em a calculator"
            f" tells equity against one random hand, from up to {self.comparisons_max:,} showdowns, and pot odds"
        )

    def tool(self, arm: Arm) -> ToolUse | None:
        return ToolUse(self.candidates_max, self.comparisons_max, self.nodes, arm is Arm.PLACEBO)
