"""Terms of a study with people (Phase 4)."""

from typing import Final

from .term import Term

# fmt: off

PEOPLE: Final = (
    Term("study with people",
         "Phase 4: people play against an engine alone (4a), a model that asks the engine (4b), and both with a memory "
         "(4c), in a drawn order, and are not told which it is.",
         "paper, section 4.5; docs/people-study.md", ("4a", "4b", "4c", "sub-phase")),
    Term("orchestration delta",
         "Points a game of a model that asks an engine, less those of the engine alone, against the same people (4b - "
         "4a).",
         "paper, equation 3", ("delta orchestration",)),
    Term("memory delta",
         "Points a game of model, engine and memory, less those of model and engine, against the same people (4c - "
         "4b).",
         "paper, equation 3", ("delta memory",)),
    Term("full delta",
         "Points a game of model, engine and memory, less those of the engine alone, against the same people (4c - "
         "4a): the sum of the other two.",
         "paper, equation 3", ("delta full",)),
    Term("interaction of engine and memory",
         "What a memory adds beside an engine, less what it adds without one: (4c - 4b) - (model_memory - model). "
         "Above 0 the two add more together than each alone.",
         "draft-H18; docs/decisions/0100", ("interaction (draft-H18)",)),
    Term("blinding index",
         "How well people could tell which arm they played: 1 if everybody could, 0 if nobody could or all guessed at "
         "random, below 0 if they took it for another arm.",
         "H. Bang, L. Ni and C. Davis, Assessment of blinding in clinical trials, 2004; docs/decisions/0099",
         ("how blind",)),
    Term("late answers",
         "Positions that people were shown later than the drawn time that is to hide the machine's speed, in each arm: "
         "where more of one arm are late, its speed may have told which it is.",
         "docs/people-study.md"),
    Term("intention to treat",
         "All games that were played count, also those of people who stopped before the end; what is missing is told, "
         "with the figure if all of it had gone one way or the other.",
         "docs/people-study.md"),
)
