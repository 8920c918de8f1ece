"""Terms of augmentations: memories, tools and retrieval: what is asked, found and told, and how it is checked."""

from typing import Final

from .term import Term

# fmt: off

MEMORY: Final = (
    Term("memory",
         "An augmentation: a system that stores a note after each game of its seat, and gives notes for the seat's "
         "next decisions. Any seat may have one, of its own.",
         "docs/memory.md", ("memory system", "augmentation", "server")),
    Term("adapter",
         "A YAML file that says how a memory server is started, which of its tools are called, how their results are "
         "read, and what the system declares of itself (traits).",
         "docs/add-a-memory.md", ("traits", "from outside")),
    Term("entry",
         "One stored text, with a name (e00012), a kind and the game after which it was stored. What the harness "
         "stores is an observation; what a model stores is a note.",
         "docs/memory.md", ("entries", "note", "notes", "observation", "kind")),
    Term("found",
         "Entries that searches of a memory gave. A match of which no search ever found anything is warned of.",
         "docs/memory.md", ("hit", "hits", "search", "searches")),
    Term("dump",
         "Every live entry of a memory, as its server exports them at the end of a career.",
         "docs/memory.md", ("export",)),
    Term("audit",
         "Step 15: a memory was empty before its first game, gave only what was stored before, and its dump is what "
         "was stored.",
         "docs/memory.md", ("store audit",)),
    Term("lineage",
         "The degree to which a memory's answers can be traced to stored entries, in four tiers: A verbatim "
         "(each dump is as stored), B traced (each entry that the server made names its sources, or is a part of a "
         "stored one), C bounded (no export, but each text that it gave is a stored entry or a part of one; or no "
         "words could be compared, in a sealed image without a network), D unverified (words that could not be "
         "compared).",
         "docs/memory.md", ("lineage tier", "tiers", "verbatim", "traced", "unverified")),
    Term("donor",
         "The stranger of whom a placebo tells notes in the place of a memory's entries: another one in each career, "
         "played in the script from the sealed seed.",
         "docs/memory.md", ("donor notes", "donor's note")),
    Term("shuffle",
         "A placebo of a memory by the paper's words: the words of all entries found, in a drawn order over the same "
         "places.",
         "docs/memory.md", ("shuffled memory entries",)),
    Term("random_of_own",
         "A placebo of a memory: as many entries as were found, drawn from all that the career has stored so far.",
         "docs/memory.md"),
    Term("delivered",
         "Of the decisions of a seat with a memory, those with text of it in their prompt; in the placebo and filler "
         "arms, with the text in its place.",
         "docs/memory.md"),
    Term("used",
         "Of the decisions with a memory's text in their prompt, those that are others when it is taken out: computed "
         "of a drawn sample where the seat is scripted.",
         "docs/memory.md", ("others without it",)),
    Term("outcome",
         "Of a memory, the contests that ended otherwise than the same contest of the naked arm, which has the same "
         "start or decks: an association, to be compared with the placebo's and the filler's.",
         "docs/memory.md", ("ended otherwise",)),
    Term("filler",
         "The arm of a memory in which text of nothing in the game, a harbour's log, stands in the place of each entry "
         "found, as long to the byte: no memory, as many bytes. Real less filler is without what a longer prompt does "
         "by itself.",
         "docs/memory.md", ("no memory, as many tokens", "as many bytes")),
    Term("stale",
         "The arm of a memory that stores nothing more after a declared contest of a career, and is searched and told "
         "on. Real less stale is what going on learning is worth.",
         "docs/memory.md", ("stale memory", "stale_after", "less_stale")),
    Term("rewrites",
         "Whether a memory system may replace its entries by others that it makes of them, and when: never, or at the "
         "end of a game. What it makes is derived from the entries that it names.",
         "docs/add-a-memory.md", ("derived", "made from others")),
    Term("blank",
         "A check for knowledge that nobody stored: an empty memory, and a twin that is told no entry, are asked as a "
         "real one is.",
         "docs/add-a-memory.md", ("twin", "blank searches", "blank twin", "blank words")),
    Term("fingerprint",
         "What a memory system retrieves for fixed searches after fixed notes; two systems of one fingerprint would be "
         "two columns of the same.",
         "docs/add-a-memory.md"),
    Term("native",
         "A way of use: the model calls the memory server's own tools, those that its adapter names.",
         "docs/memory.md", ("own tools",)),
    Term("full_text",
         "The built-in memory that gives entries with the words of the search, the best first (BM25).",
         "docs/memory.md"),
    Term("semantic",
         "The built-in memory that gives the entries nearest in meaning (all-MiniLM-L6-v2); its packages are installed "
         "apart.",
         "docs/memory.md"),
    Term("graph",
         "The built-in memory that gives observations near the entities that the search names.",
         "docs/memory.md"),
    Term("file",
         "The built-in memory that searches the lines of a text file for words.",
         "docs/memory.md"),
    Term("recent",
         "The built-in memory that gives the last entries, whatever is asked.",
         "docs/memory.md"),
    Term("history",
         "The built-in memory that gives all entries in order, as many as fit.",
         "docs/memory.md"),
    Term("consolidator",
         "The built-in memory that adds up the counts of equal lines when a game ends.",
         "docs/memory.md"),
    Term("noisy",
         "The built-in memory that damages a declared share of the entries found (noise_percent).",
         "docs/memory.md", ("altered by declared noise", "noise_percent")),
    Term("half-life",
         "The number of games after which an entry counts half in the ranking of a search (half_life_games).",
         "docs/memory.md", ("half_life_games",)),
)


# fmt: off

TOOLS: Final = (
    Term("tools",
         "An augmentation: before each decision of its seat an engine examines the moves that the seat names "
         "(chess), or a calculator tells equity and pot odds (hold'em). Also step 16: their recorded answers are "
         "made again.",
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
         "An augmentation: before each decision of its seat the passages of a document set that fit the situation are "
         "found and told. They follow from documents and journal, so verification finds them again.",
         "docs/rag.md", ("rag", "documents", "passages", "passage")),
    Term("document set",
         "A folder of plain text that comes with the verifier, cut into passages; its digests are sealed with the "
         "plan.",
         "docs/rag.md", ("basics", "passages_max")),
    Term("full stack",
         "An augmentation: a memory, a tool and documents together. What is recalled of the opponent stands in the "
         "prompt in which its seat says what the tool is to examine.",
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
