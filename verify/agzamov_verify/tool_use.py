"""Use of a tool: its asker, its limits at each decision of its seat, and whether it is a placebo.

The law: a tool is asked about nothing but what its seat may know. In the placebo arm it is asked the same at the same
moments, and the prompt gets an answer of the same form, drawn from the seed, in place of its own.
"""

from typing import Final

import msgspec

from .questions import TOOL

COMPARE, BEST_LINES, EVALUATE = "compare_moves", "best_lines", "evaluate_position"
"""Names of the engine's tools, to a model and on its server."""
LINES_MOST: Final = 10
"""Of best lines in one call, whatever a plan says."""


class ToolUse(msgspec.Struct, frozen=True):
    """Limits of a tool at one decision. `is_placebo`: a drawn answer is told. `to`: its name in a journal.

    `calls_max`: calls that the seat's model may make; 0: the harness asks, once. `candidates_max`: moves of chess that
    it examines in a call, `lines_max`: best moves that it finds in one, with `nodes` each. `comparisons_max`: showdowns
    of hold'em that it compares. `is_steered`: what it examines is chosen in the light of what is recalled of the
    opponent, in the full stack. `offers`: the names of the engine's tools that a model may call.
    """

    calls_max: int
    candidates_max: int
    comparisons_max: int
    nodes: int
    is_placebo: bool
    is_steered: bool = False
    lines_max: int = 0
    offers: tuple[str, ...] = ()
    to: str = TOOL

    @property
    def moves_max(self) -> int:
        """Moves that the engine may search at one time it is asked, each with `nodes`."""
        return max(self.candidates_max, self.lines_max if BEST_LINES in self.offers else 0)
