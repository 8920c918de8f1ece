"""Replies that equal prompts were given in a run, where each was asked, and what planted questions cost.

Of an augmented seat's decisions some are asked again without the augmentation: how often it changed what was declared.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, Self

import msgspec

from ..experiment.matches import Match
from ..plan.planted_spots import planted_key
from ..seats.seat import Seat
from ..table.decision import Tally, added
from ..table.declared import FaultKind
from ..table.game import Block
from ..table.planted import NO_DECISION, PlantedReply, Role
from .inference.exact import Figure, figure
from .inference.power import critical_count

EARLY: Final = "first half"
LATE: Final = "second half"
UNREAD: Final = frozenset(kind.value for kind in FaultKind)
"""Reduced replies that declare no action."""
RATE_PARTS: Final = 1_000
"""A rate is rounded to a fraction of at most so many parts: exact sums of its powers stay short."""
COPIES: Final = 2
"""A decision is asked again so many times."""


class PlantedCount(msgspec.Struct, frozen=True):
    """Planted questions of one seat in one match, and what they cost: they stand in no other figure of it.

    `unread`: replies that declare no action that can be read; `decisions_unread`: first attempts of its `decisions`
    that do not.
    """

    match: str
    seat: str
    seat_index: int
    common: int
    again: int
    unread: int
    decisions: int
    decisions_unread: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


class UsedRow(msgspec.Struct, frozen=True):
    """Decisions of an augmented seat that were asked again without the augmentation, twice.

    `changed`: the share of first bare replies that declare another action than the decision did. `baseline`: the share
    of second ones that declare another than the first. What the augmentation changes is the first beyond the second.
    """

    match: str
    seat: str
    seat_index: int
    decisions: int
    changed: Figure
    baseline: Figure


class PlayedArm(NamedTuple):
    """A match as its replies are told apart by it. `length`: results of a career, or of the match without careers.

    `keys`: of each seat, what decides its replies.
    """

    id: str
    game: str
    phase: int
    draws: str
    seats: tuple[str, ...]
    keys: tuple[str, ...]
    length: int

    @classmethod
    def of(cls, match: Match, seats: Mapping[str, Seat]) -> Self:
        """A match of a plan with these seats."""
        length = match.stream_results if match.careers else match.planned
        keys = tuple(planted_key(name, seats[name]) for name in match.seats)
        return cls(match.id, match.game, int(match.phase), match.draws, tuple(match.seats), keys, length)


class Noted(NamedTuple):
    """A reply with where it was asked. `stream`: the number of its stream in the match."""

    arm: PlayedArm
    seat_index: int
    stream: int
    reply: PlantedReply

    @property
    def is_counted(self) -> bool:
        """True for a decision of the game itself."""
        return self.reply.role is Role.COUNTED

    @property
    def group(self) -> str:
        """Its prompt, apart for what was asked with another seed each time: the decisions of the game."""
        return f"{self.reply.prompt} counted" if self.is_counted else self.reply.prompt

    @property
    def half(self) -> str:
        """The half of the career, or of a match without, in which it was asked."""
        return LATE if 2 * (self.reply.result % self.arm.length) >= self.arm.length else EARLY


def noted_of(match: Match, seats: Mapping[str, Seat], blocks: Sequence[Block]) -> Iterator[Noted]:
    """The replies of a match that are compared."""
    arm = PlayedArm.of(match, seats)
    for stream, block in enumerate(blocks):
        for seat_index, planted in block.planted.items():
            yield from (Noted(arm, seat_index, stream, reply) for reply in planted.replies)


def planted_tally(seat_index: int, blocks: Iterable[Block]) -> Tally:
    """Calls and tokens of a seat's planted questions."""
    return added([[block.planted[seat_index].tally] for block in blocks if seat_index in block.planted], 1)[0]


def counts_of(match: Match, blocks: Sequence[Block]) -> Iterator[PlantedCount]:
    """The planted questions of each seat of a match."""
    for seat_index in sorted({index for block in blocks for index in block.planted}):
        own = [block.planted[seat_index] for block in blocks if seat_index in block.planted]
        roles = [reply.role for planted in own for reply in planted.replies]
        tally = planted_tally(seat_index, blocks)
        yield PlantedCount(
            match.id,
            match.seats[seat_index],
            seat_index,
            roles.count(Role.COMMON),
            roles.count(Role.AGAIN),
            sum(
                reply.action in UNREAD for planted in own for reply in planted.replies if reply.role is not Role.COUNTED
            ),
            sum(block.tallies[seat_index].decisions for block in blocks),
            sum(block.tallies[seat_index].unread for block in blocks),
            tally.prompt_tokens,
            tally.cached_tokens,
            tally.completion_tokens,
        )


def is_more_often(count: int, n: int, other_count: int, other_n: int, level: Fraction) -> bool:
    """Whether P(X >= count) is below a level for X binomial with n trials at the rate of the others (exact test).

    The others are many, so their rate is taken for known, and for 1 % at least.
    """
    rate = max(Fraction(1, 100), Fraction(other_count, max(1, other_n)).limit_denominator(RATE_PARTS))
    return rate < 1 and count >= critical_count(n, level, rate)


def decision_of(one: Noted) -> tuple[object, ...]:
    """The place in the run of the decision that a reply is of."""
    return one.arm.id, one.seat_index, one.stream, one.reply.decision


def asked_again(own: Iterable[Noted]) -> dict[tuple[object, ...], list[Noted]]:
    """Each decision that was asked again: its own reply, and the two bare ones in their order."""
    found = defaultdict[tuple[object, ...], list[Noted]](list)
    for one in own:
        if one.reply.decision != NO_DECISION:
            found[decision_of(one)].append(one)
    return {decision: replies for decision, replies in found.items() if len(replies) == 1 + COPIES}


def used_of(noted: Iterable[Noted]) -> Iterator[UsedRow]:
    """One row for each seat with an augmentation, of whose decisions some were asked again."""
    rows = defaultdict[tuple[str, str, int], list[Sequence[str]]](list)
    for replies in asked_again(noted).values():
        own = replies[0]
        if not own.reply.is_bare:
            place = own.arm.id, own.arm.seats[own.seat_index], own.seat_index
            rows[place].append([one.reply.action for one in replies])
    for place, decisions in rows.items():
        n = len(decisions)
        changed = sum(action != first for action, first, _ in decisions)
        differ = sum(one != other for _, one, other in decisions)
        yield UsedRow(*place, n, figure(Fraction(changed, n)), figure(Fraction(differ, n)))
