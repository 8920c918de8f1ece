"""Use of a tool: who asks it, how much it may work at each decision of its seat, and whether its answer is told.

The law: a tool is asked what its seat may know, nothing else. In the placebo arm it is asked the same at the same
moments, and an answer of the same form, drawn from the seed, is told in the place of its own.
"""

import msgspec

from .questions import TOOL


class ToolUse(msgspec.Struct, frozen=True):
    """Limits of a tool at one decision. `is_placebo`: a drawn answer is told. `to`: whose it is (`questions.TOOLS`).

    `calls_max`: calls that the seat's model may make; 0: the harness asks, once. `candidates_max`: moves of chess that
    it examines in a call, with `nodes` each. `comparisons_max`: showdowns of hold'em that it compares. `is_steered`:
    what it examines is chosen in the light of what is recalled of the opponent, in the full stack.
    """

    calls_max: int
    candidates_max: int
    comparisons_max: int
    nodes: int
    is_placebo: bool
    is_steered: bool = False
    to: str = TOOL
