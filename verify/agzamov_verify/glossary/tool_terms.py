"""Terms of tools: what is asked of them, what is told, and how their answers are checked."""

from typing import Final

from .term import Term

# fmt: off

TOOLS: Final = (
    Term("tools",
         "An augmentation: before each decision of seat A an engine examines the moves that it names (chess), or a "
         "calculator tells equity and pot odds (hold'em). Also step 16: their recorded answers are made again.",
         "docs/tools.md", ("tool", "tool answers")),
    Term("candidates",
         "The moves that a seat names in chess, to be examined by its tool before it moves.",
         "docs/tools.md", ("candidate", "candidate moves")),
    Term("calculator",
         "The tool of hold'em: equity against one random hand, counted in full or on a sample that the seed draws, and "
         "the equity that a call needs.",
         "docs/tools.md", ("showdowns", "comparisons_max")),
    Term("novice",
         "A scripted player that computes nothing and plays by its tool's answer: the positive control of tools.",
         "docs/tools.md", ("scripted novice",)),
)
