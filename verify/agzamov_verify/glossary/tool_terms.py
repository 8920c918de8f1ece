"""Terms of tools and of retrieval: questions, answers in prompts, checks."""

from typing import Final

from .term import Term

# fmt: off

TOOLS: Final = (
    Term("tools",
         "An augmentation: before each decision of seat A an engine examines the moves that it names (chess), or a "
         "calculator tells equity and pot odds (hold'em). Also step 16: their recorded answers are made again.",
         "docs/tools.md", ("tool", "tool answers")),
    Term("offers",
         "The engine's tools that a model may call with use: model: evaluate_position (the value of the position), "
         "compare_moves (moves that it names) and best_lines (the best moves, each by a search of its own).",
         "docs/tools.md", ("evaluate_position", "compare_moves", "best_lines", "lines_max")),
    Term("candidates",
         "The moves that a seat names in chess, to be examined by its tool before it moves.",
         "docs/tools.md", ("candidate", "candidate moves")),
    Term("calculator",
         "The tool of hold'em: equity against one random hand, in the full stack or by a model's call against the "
         "strongest hands that the seat gives its opponent, counted in full or on a sample that the seed draws; and "
         "the equity that a call needs.",
         "docs/tools.md", ("showdowns", "comparisons_max")),
    Term("novice",
         "A scripted player that computes nothing and plays by its tool's answer, or by a passage of its documents: "
         "the positive control of tools, of retrieval and of the full stack.",
         "docs/tools.md", ("scripted novice",)),
    Term("retrieval",
         "An augmentation: before each decision of seat A the passages of a document set that fit its situation are "
         "found and told. They follow from documents and journal, so verification finds them again.",
         "docs/rag.md", ("rag", "documents", "passages", "passage")),
    Term("document set",
         "A folder of plain text that comes with the verifier, cut into passages; its digests are sealed with the "
         "plan.",
         "docs/rag.md", ("basics", "passages_max")),
    Term("full stack",
         "An augmentation: a memory, a tool and documents together. What is recalled of the opponent stands in the "
         "prompt in which seat A says what its tool is to examine.",
         "docs/full-stack.md", ("full", "orchestration", "parts of a system")),
    Term("interaction",
         "The delta of the full stack less the sum of those of memory, tools and documents alone, start by start: "
         "above 0 the parts help each other (hypothesis H4).",
         "docs/full-stack.md", ("synergy",)),
    Term("BM25",
         "The ranking of passages by the words that they share with a search: rare words count more, long "
         "passages less.",
         "docs/rag.md", ("ranking of passages",)),
    Term("embeddings",
         "The ranking of passages by likeness in meaning: texts are vectors of a sentence encoder, shipped with the "
         "documents as whole numbers, and a score is a sum of their products.",
         "docs/rag.md", ("retriever", "vectors")),
)
