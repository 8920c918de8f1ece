"""The vocabulary of the experiment: phases and their rules, conditions, shifts and matches.

The manifest, the streams, the cells of a score and the hypotheses share these types, so that a label given in a plan
is the label that a hypothesis reads (paper sections 3.4, 4.2 and 4.3).
"""

from enum import IntEnum, StrEnum
from typing import Final

from .games.patterns import Pattern
from .plan_types import Count, CountOrNone, Name, NameOrNone, Part

SIDES: Final = "abcdefgh"
"""Keys of the seats of a match, the measured one first."""


class Phase(IntEnum):
    """Phases of the protocol (paper section 4.2)."""

    SANITY = 0
    BASELINE = 1
    ASYMMETRIC = 2
    ARMS_RACE = 3
    HUMAN = 4
    STRESS = 5


class Augmentation(StrEnum):
    """Augmentation of the agent beyond the prompt (paper Table 2)."""

    NAKED = "naked"
    MEMORY = "memory"
    TOOLS = "tools"
    RAG = "rag"
    FULL = "full"


class Arm(StrEnum):
    """The three experimental conditions of a sub-phase (paper section 4.3)."""

    NAKED = "naked"
    PLACEBO = "placebo"
    REAL = "real"


class Trait(StrEnum):
    """Trait of an augmentation system, declared before the run."""

    SEMANTIC = "semantic"
    FULL_TEXT = "full_text"
    GRAPH = "graph"
    TEMPORAL = "temporal"
    UNIFORM = "uniform"
    NOISY = "noisy"


class Condition(Part, frozen=True, order=True):
    """Condition of a seat: the augmentation under study, the arm of the experiment, and the augmentation system.

    The control of an augmentation is its naked arm, without a system. `system` is a name of the plan's `systems`.
    """

    augmentation: Augmentation = Augmentation.NAKED
    arm: Arm = Arm.NAKED
    system: NameOrNone = ""

    @property
    def label(self) -> str:
        """The name of the condition in the id of a match, of small letters, digits and underscores."""
        if self.augmentation is Augmentation.NAKED:
            return self.augmentation.value
        return "_".join(filter(None, (self.augmentation.value, self.arm.value, self.system)))


class Shift(Part, frozen=True):
    """A forced change of seat B's strategy: after so many games or hands it keeps these patterns, not its own."""

    after: Count
    patterns: tuple[Pattern, ...] = ()


class Match(Part, frozen=True, tag_field="game"):
    """Seats that meet in one game: `a` is the one that is measured. The subclasses are in the folders of the games.

    `condition` is seat A's. `b_condition`: seat B's in Phase 3, where both have a system.

    `careers`: the results are as many equal consecutive parts, each played in order from fresh stores of the seats'
    systems. What a store holds makes the results of a career depend on each other, so careers are what is repeated
    independently: the unit of inference. 0 where nothing lasts from one game to the next.
    """

    a: Name
    b: Name
    phase: Phase
    careers: CountOrNone = 0
    condition: Condition = Condition()
    b_condition: Condition = Condition()
    shifts: tuple[Shift, ...] = ()

    @property
    def game(self) -> str:
        """The game's name, which is the tag."""
        return str(self.__struct_config__.tag)

    @property
    def seats(self) -> tuple[str, ...]:
        """The participants, the measured one first."""
        return (self.a, self.b)

    @property
    def part(self) -> str:
        """The class of positions that the match is played from; empty where it is played from starts."""
        return ""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the participants, in the order of `seats`."""
        others = (Condition() for _ in self.seats[2:])
        return (self.condition, self.b_condition, *others)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the participants' systems, in the order of `seats`: empty for a seat without one."""
        return tuple(condition.system for condition in self.conditions)

    @property
    def id(self) -> str:
        """The name of the match in a run; a match after Phase 0 that is no self-play names its opponents too.

        Seat B's condition is no part of it: all arms of a sub-phase meet the same one.
        """
        others = [name for name in self.seats[1:] if name != self.a] if self.phase else []
        part = (self.part,) if self.part else ()
        return "-".join((f"p{self.phase}", self.game, self.condition.label, *part, self.a, *others))

    @property
    def planned(self) -> int:
        """Number of results (games or hands) that are planned."""
        raise NotImplementedError

    @property
    def block_results(self) -> int:
        """Number of results that share a stream where the match has no careers."""
        raise NotImplementedError

    @property
    def stream_results(self) -> int:
        """Number of results that share a stream: those of a block, or of a career."""
        return self.planned // self.careers if self.careers else self.block_results

    @property
    def draws(self) -> str:
        """The label of the match's hidden draws: its identity without its condition.

        Decks that two matches shared would reveal an opponent's cards to a model that plays in both.
        """
        part = (self.part,) if self.part else ()
        return "/".join((f"p{self.phase}", self.game, *part, *self.seats))
