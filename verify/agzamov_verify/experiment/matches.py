"""The vocabulary of the experiment: phases and their rules, conditions, shifts, matches and their positions.

The manifest, the streams, the cells of a score and the hypotheses share these types, so that a label given in a plan
is the label that a hypothesis reads (paper sections 3.4, 4.2 and 4.3).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum, StrEnum
from typing import Annotated, Final, Self

import msgspec
from msgspec import Meta

from ..core.seat_letters import SEATS_MAX
from .opponent_patterns import Pattern
from .plan_fields import Count, CountOrNone, Name, NameOrNone, Part

ID_CHARS_MAX: Final = 84
"""Of a match's id. A stream's journal is a file named after it, and a bundle's file name has at most 100 characters."""
DIGEST_CHARS: Final = 12
MEASURED: Final = 0
"""The index of the seat that a match is about: its condition is under study."""


class Phase(IntEnum):
    """Phases of the protocol (paper section 4.2), and the one phase of an arena, in which models meet each other."""

    SANITY = 0
    BASELINE = 1
    ASYMMETRIC = 2
    ARMS_RACE = 3
    HUMAN = 4
    STRESS = 5
    ARENA = 6


class Augmentation(StrEnum):
    """Augmentation of the agent beyond the prompt (paper Table 2)."""

    NAKED = "naked"
    MEMORY = "memory"
    TOOLS = "tools"
    RAG = "rag"
    FULL = "full"


class Arm(StrEnum):
    """The three experimental conditions of a sub-phase (paper section 4.3), and two more controls of a memory.

    `filler`: text of nothing in the game stands in the place of what is remembered, as long to the byte. `stale`: as
    `real`, but after a declared contest of a career nothing more is stored.
    """

    NAKED = "naked"
    FILLER = "filler"
    PLACEBO = "placebo"
    STALE = "stale"
    REAL = "real"


CONTROLS: Final = (Arm.FILLER, Arm.PLACEBO, Arm.STALE)
"""Arms that a real arm is compared with beside the naked one: each has the same system, with something taken away."""
OTHER_TEXT: Final = (Arm.FILLER, Arm.PLACEBO)
"""Arms of a memory in which other text stands in the place of the entries found."""


class NakedPrompt(StrEnum):
    """Prompt of the control of a memory.

    `framed`: it has the memory's frame, with the sentence that nothing is remembered, as every arm has it where nothing
    was learned yet. `bare`: it is the paper's, without the frame, and so are the other arms' until they learn.
    """

    FRAMED = "framed"
    BARE = "bare"


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
    """A forced change of the opponents' strategy: after so many games or hands they keep these patterns."""

    after: Count
    patterns: tuple[Pattern, ...] = ()


class SeatAt(Part, frozen=True, order=True):
    """A seat at a table: its name in the plan, and the condition under which it plays."""

    seat: Name
    condition: Condition = Condition()


class Match(Part, frozen=True, tag_field="game"):
    """Seats that meet in one game. The subclasses are in the folders of the games.

    A plan names the first two seats as `a` and `b`, with `condition` and `b_condition`, and those beyond them as
    `others`. Everything else reads `table`, which has all of them alike. The first seat is the one that is measured;
    a protocol may look at the others as well (`Plan.looked_at`).

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
    others: Annotated[tuple[SeatAt, ...], Meta(max_length=SEATS_MAX - 2)] = ()
    shifts: tuple[Shift, ...] = ()

    @property
    def game(self) -> str:
        """The game's name, which is the tag."""
        return str(self.__struct_config__.tag)

    @property
    def table(self) -> tuple[SeatAt, ...]:
        """The seats with their conditions, in the order of their letters; the measured one first."""
        return (SeatAt(self.a, self.condition), SeatAt(self.b, self.b_condition), *self.others)

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats, in the order of `table`."""
        return tuple(at.seat for at in self.table)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the seats, in the order of `table`."""
        return tuple(at.condition for at in self.table)

    @property
    def measured(self) -> str:
        """The name of the seat that the match is about."""
        return self.table[MEASURED].seat

    @property
    def opponents(self) -> tuple[SeatAt, ...]:
        """The other seats, in the order of `table`."""
        return others_of(self.table, MEASURED)

    @property
    def shifting(self) -> tuple[int, ...]:
        """The seats whose strategy `shifts` change, by their index: every opponent of the measured seat."""
        return tuple(index for index in range(len(self.table)) if index != MEASURED)

    @property
    def is_self_play(self) -> bool:
        """True if one seat has every chair of the table."""
        return len(set(self.seats)) == 1

    @property
    def part(self) -> str:
        """The class of positions that the match is played from; empty where it is played from starts."""
        return ""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the seats' systems, in the order of `table`: empty for a seat without one."""
        return tuple(condition.system for condition in self.conditions)

    def with_names(self, name: Callable[[str], str]) -> Self:
        """The match as a reader is told it: each seat has another name."""
        others = tuple(msgspec.structs.replace(at, seat=name(at.seat)) for at in self.others)
        return msgspec.structs.replace(self, a=name(self.a), b=name(self.b), others=others)

    def with_systems(self, names: Mapping[str, str]) -> Self:
        """The match whose seats have the systems of these names in the place of their own."""

        def renamed(condition: Condition) -> Condition:
            return msgspec.structs.replace(condition, system=names.get(condition.system, condition.system))

        others = tuple(SeatAt(at.seat, renamed(at.condition)) for at in self.others)
        conditions = renamed(self.condition), renamed(self.b_condition)
        return msgspec.structs.replace(self, condition=conditions[0], b_condition=conditions[1], others=others)

    @property
    def id(self) -> str:
        """The name of the match in a run: its phase, game, condition and seats.

        Of two seats the opponent stands in it but in Phase 0 and in self-play, and its condition does not: all arms of
        a sub-phase meet the same one. A larger table has all of its seats in it, in their order, each with its
        condition where that is not naked: no two such tables may share a name. Where that is too long for a file's
        name, a digest of it stands for the other seats.
        """
        opponents = [at.seat for at in self.opponents if self.phase and not self.is_self_play]
        if self.others:
            opponents = [".".join((at.seat, *_own_label(at.condition))) for at in self.opponents]
        part = (self.part,) if self.part else ()
        name = "-".join((f"p{self.phase}", self.game, self.condition.label, *part, self.measured, *opponents))
        if not self.others or len(name) <= ID_CHARS_MAX:
            return name
        digest = hashlib.sha256(name.encode()).hexdigest()[:DIGEST_CHARS]
        return "-".join((f"p{self.phase}", self.game, self.condition.label, *part, self.measured, digest))

    def careers_played(self, results: int) -> int:
        """Careers whose results depend on each other, of so many results: none where no seat has anything that lasts
        from game to game, and one where some were not played whole.
        """
        if all(condition.arm is Arm.NAKED for condition in self.conditions):
            return 0
        return self.careers if results == self.planned else min(1, self.careers)

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


def others_of(table: tuple[SeatAt, ...], seat_index: int) -> tuple[SeatAt, ...]:
    """The seats of a table but for one, in their order."""
    return table[:seat_index] + table[seat_index + 1 :]


def plays_again(matches: Sequence[Match], name: str, base: str) -> bool:
    """Whether a seat is measured in Phase 2 alone, and under nothing there that another is not: a repetition."""
    ours, theirs = (
        {(match.phase, match.game, match.condition) for match in matches if match.measured == seat}
        for seat in (name, base)
    )
    return ours <= theirs and all(phase == Phase.ASYMMETRIC for phase, _, _ in ours)


def seat_key(seat_index: int) -> str:
    """The key of a match that names a seat in a plan: a, b, others[0].seat …"""
    return ("a", "b")[seat_index] if seat_index < 2 else f"others[{seat_index - 2}].seat"


def condition_key(seat_index: int) -> str:
    """The key of a match that has a seat's condition in a plan."""
    return ("condition", "b_condition")[seat_index] if seat_index < 2 else f"others[{seat_index - 2}].condition"


def _own_label(condition: Condition) -> tuple[str, ...]:
    return () if condition.augmentation is Augmentation.NAKED else (condition.label,)


class PositionClass(StrEnum):
    """Class of a position: by how much worse one side stands, or a forced mate or won ending (`probe_positions`)."""

    EQUAL = "equal"
    SLIGHT = "slight"
    SEVERE = "severe"
    MATE = "mate"
    WON = "won"


UNEVEN: Final = (PositionClass.SLIGHT, PositionClass.SEVERE)
"""Classes in which one side stands worse and can hold out."""
