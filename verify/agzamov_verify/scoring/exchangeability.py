"""Exchangeability: were equal prompts answered alike, whenever and in whatever arm they were asked?

Replies to byte-identical prompts (`table/planted`), reduced to their declared actions, are grouped by prompt. Whoever
answers them honestly answers each by one distribution, so a group's replies cannot depend on

    phase    the phase in which they were asked
    arm      the arm, among those that are compared with one another
    time     the first or second half of a career, or of a match without careers
    role     whether they were a decision that counts, or the same prompt planted later

Each is tested by permutations within groups (`inference/permutation`), for each seat of a model and each game; all
tests of a run are one family (Holm 1979). The shares beside a test are of equal pairs:

    between    a reply of the one label with a reply of the other
    within     two replies of one label
    close      the same prompt asked twice close together, by the same seat in the same stream

Copies asked close together depend on each other, so only the first stands in a test. For the role, of a decision and
two copies later, it is asked whether the decision or the second copy departs more often from the first copy, which
lies between them at equal distances: so what a server keeps for a while looks the same on both sides. A difference is
told if the corrected p is at most `level` of the protocol and `between` lies at least `difference_percent_min` points
below the greatest share of equal pairs within one of both labels: a server that drifts a little is not named.

What no such test can see: a server that answers by the prompt alone (plays well only where a memory's text stands in
it), and one that keeps each prompt with its first answer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import Final, NamedTuple, Self

import msgspec

from ..experiment.matches import Match
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..table.decision import Tally, added
from ..table.game import Block
from ..table.planted import NO_DECISION, PlantedNorm, PlantedReply, Role
from .inference.equal_pairs import Shares, shares_of
from .inference.exact import Figure, figure
from .inference.permutation import Group, permutation_p
from .inference.significance import holm

EARLY: Final = "first half"
LATE: Final = "second half"
PLANTED: Final = "planted"
RESOLUTION: Final = 4
"""So many permutations for each test of the run and each part of the level: the least corrected p is half of it."""
COPIES: Final = 2
"""A decision is asked again so many times."""


class Compared(StrEnum):
    """What two equal prompts differ in."""

    PHASE = "phase"
    ARM = "arm"
    TIME = "time"
    ROLE = "role"


class PlantedCount(msgspec.Struct, frozen=True):
    """Planted questions of one seat in one match, and what they cost: they stand in no other figure of it."""

    match: str
    seat: str
    seat_index: int
    common: int
    again: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int


class ExchangeabilityTest(msgspec.Struct, frozen=True):
    """One test. `replies` to `prompts` that occurred under more than one label.

    `labels`: the two that agree least with one another beside themselves, the number of replies of each, and the shares
    of equal pairs; a share is None where there is no such pair. `close_pairs`: the number of prompts asked twice close
    together. `is_told`: the difference is named at the head.
    """

    game: str
    seat: str
    compared: Compared
    replies: int
    prompts: int
    labels: tuple[str, ...]
    label_replies: tuple[int, ...]
    equal_between: Figure
    equal_within: tuple[Figure | None, ...]
    equal_close: Figure | None
    close_pairs: int
    p: Figure
    p_corrected: Figure
    is_told: bool


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


class PlantedAnalysis(msgspec.Struct, frozen=True):
    """All that planted questions say of a run."""

    asked: tuple[PlantedCount, ...]
    tests: tuple[ExchangeabilityTest, ...]
    used: tuple[UsedRow, ...]


class PlayedArm(NamedTuple):
    """A match as its replies are told apart by it. `length`: results of a career, or of the match without careers."""

    id: str
    game: str
    phase: int
    draws: str
    seats: tuple[str, ...]
    length: int

    @classmethod
    def of(cls, match: Match) -> Self:
        """A match of a plan."""
        length = match.stream_results if match.careers else match.planned
        return cls(match.id, match.game, int(match.phase), match.draws, tuple(match.seats), length)


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
    def prompt(self) -> str:
        """The prompt, apart for what was asked with another seed each time: the decisions of the game."""
        return f"{self.reply.prompt} counted" if self.is_counted else self.reply.prompt

    @property
    def half(self) -> str:
        """The half of the career, or of a match without, in which it was asked."""
        return LATE if 2 * (self.reply.result % self.arm.length) >= self.arm.length else EARLY


def planted_analysis(
    plan: Plan, blocks: Mapping[str, Sequence[Block]], seeds: Callable[[str], bytes]
) -> PlantedAnalysis:
    """The analysis of all planted questions. `blocks`: by match. `seeds`: of named draws."""
    matches = [match for match in plan.matches if match.id in blocks]
    noted = [one for match in matches for one in _noted(match, blocks[match.id])]
    return PlantedAnalysis(
        tuple(row for match in matches for row in _counts(match, blocks[match.id])),
        tuple(exchangeability(noted, load_protocol(plan.protocol).planted, seeds)),
        tuple(_used(noted)),
    )


def _noted(match: Match, blocks: Sequence[Block]) -> Iterator[Noted]:
    arm = PlayedArm.of(match)
    for stream, block in enumerate(blocks):
        for seat_index, planted in block.planted.items():
            yield from (Noted(arm, seat_index, stream, reply) for reply in planted.replies)


def planted_tally(seat_index: int, blocks: Iterable[Block]) -> Tally:
    """Calls and tokens of a seat's planted questions."""
    return added([[block.planted[seat_index].tally] for block in blocks if seat_index in block.planted], 1)[0]


def _counts(match: Match, blocks: Sequence[Block]) -> Iterator[PlantedCount]:
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
            tally.prompt_tokens,
            tally.cached_tokens,
            tally.completion_tokens,
        )


# --- the tests ------------------------------------------------------------------------------------


class _Family(NamedTuple):
    """Replies of one test by group: of each its label and its action.

    `shares`: where the groups are not of equal prompts, with the number of prompts.
    """

    compared: Compared
    groups: Mapping[tuple[object, ...], Sequence[tuple[str, str]]]
    shares: tuple[Shares, int] | None = None

    @property
    def mixed(self) -> list[Sequence[tuple[str, str]]]:
        """The groups with more than one label, in an order that no reply decides."""
        by_prompt = sorted(self.groups.items(), key=lambda item: tuple(map(str, item[0])))
        return [replies for _, replies in by_prompt if len({label for label, _ in replies}) > 1]


class _Tested(NamedTuple):
    """One test of the run: game and seat, its replies, and the name of its draws."""

    player: tuple[str, str]
    family: _Family
    name: str


def exchangeability(
    noted: Iterable[Noted], norm: PlantedNorm, seeds: Callable[[str], bytes]
) -> Iterator[ExchangeabilityTest]:
    """The tests of all games and seats, with p corrected for their number."""
    by_player = defaultdict[tuple[str, str], list[Noted]](list)
    for one in noted:
        by_player[one.arm.game, one.arm.seats[one.seat_index]].append(one)
    tested = [
        _Tested(player, family, "/".join(("exchangeability", *player, str(number))))
        for player, own in by_player.items()
        for number, family in enumerate(_families(own))
        if family.mixed
    ]
    permutations = ceil(RESOLUTION * len(tested) / Fraction(norm.level))
    ps = [permutation_p(_coded(one.family), seeds(one.name), permutations) for one in tested]
    close = {player: _close(own) for player, own in by_player.items()}
    for test, p, corrected in zip(tested, ps, holm(ps), strict=True):
        yield _test(test, close[test.player], p, corrected, norm)


def _families(own: Sequence[Noted]) -> Iterator[_Family]:
    first = [one for one in own if not one.reply.copy and one.reply.role is not Role.AGAIN and one.reply.is_bare]
    yield _family(Compared.PHASE, first, lambda one: (one.prompt,), lambda one: f"Phase {one.arm.phase}")
    arms = dict.fromkeys(one.arm for one in first)
    for draws in dict.fromkeys(arm.draws for arm in arms):
        if sum(arm.draws == draws for arm in arms) > 1:
            compared = (one for one in first if one.arm.draws == draws)
            yield _family(Compared.ARM, compared, lambda one: (one.prompt,), lambda one: one.arm.id)
    yield _family(Compared.TIME, first, lambda one: (one.arm.id, one.prompt), lambda one: one.half)
    yield _by_role(own)


def _by_role(own: Iterable[Noted]) -> _Family:
    """Whether a decision, or its second copy, is the same as the first copy: a group for each arm."""
    groups = defaultdict[tuple[object, ...], list[tuple[str, str]]](list)
    counted = copied = decisions = 0
    for decision, first, second in _asked_again(own).values():
        if decision.reply.is_bare and not second.reply.is_early:
            equal = [one.reply.action == first.reply.action for one in (decision, second)]
            groups[decision.arm.id, decision.seat_index] += zip(
                (Role.COUNTED.value, PLANTED), map(str, equal), strict=True
            )
            decisions, counted, copied = decisions + 1, counted + equal[0], copied + equal[1]
    if not decisions:
        return _Family(Compared.ROLE, groups)
    shares = Fraction(counted, decisions), (None, Fraction(copied, decisions))
    labelled = Shares((Role.COUNTED.value, PLANTED), (decisions, 2 * decisions), *shares)
    return _Family(Compared.ROLE, groups, (labelled, decisions))


def _family(
    compared: Compared,
    noted: Iterable[Noted],
    group: Callable[[Noted], tuple[object, ...]],
    label: Callable[[Noted], str],
) -> _Family:
    groups = defaultdict[tuple[object, ...], list[tuple[str, str]]](list)
    for one in noted:
        groups[group(one)].append((label(one), one.reply.action))
    return _Family(compared, groups)


def _decision(one: Noted) -> tuple[object, ...]:
    return one.arm.id, one.seat_index, one.stream, one.reply.decision


def _asked_again(own: Iterable[Noted]) -> dict[tuple[object, ...], list[Noted]]:
    """Each decision that was asked again: its own reply, and the two bare ones in their order."""
    found = defaultdict[tuple[object, ...], list[Noted]](list)
    for one in own:
        if one.reply.decision != NO_DECISION:
            found[_decision(one)].append(one)
    return {decision: replies for decision, replies in found.items() if len(replies) == 1 + COPIES}


def _close(own: Iterable[Noted]) -> tuple[int, int]:
    """Of the prompts that were asked twice close together, how many got equal replies; and their number."""
    equal = pairs = 0
    first: dict[tuple[object, ...], str] = {}
    for one in own:
        place = *_decision(one), one.reply.prompt
        if one.reply.role is not Role.COMMON:
            continue
        if one.reply.copy:
            pairs += 1
            equal += first.get(place) == one.reply.action
        else:
            first[place] = one.reply.action
    return equal, pairs


def _coded(family: _Family) -> list[Group]:
    """The groups in small numbers."""
    names = sorted({label for replies in family.mixed for label, _ in replies})
    coded = []
    for replies in family.mixed:
        actions = sorted({action for _, action in replies})
        coded.append(
            Group(
                tuple(actions.index(action) for _, action in replies), tuple(names.index(label) for label, _ in replies)
            )
        )
    return coded


def _test(
    tested: _Tested, close_pairs: tuple[int, int], p: Fraction, p_corrected: Fraction, norm: PlantedNorm
) -> ExchangeabilityTest:
    family, (equal, pairs) = tested.family, close_pairs
    close = Fraction(equal, pairs) if pairs else None
    of_prompts = max(shares_of(family.mixed), key=lambda one: one.drop(close)), len(family.mixed)
    shares, prompts = family.shares or of_prompts
    replies = sum(shares.replies) if family.shares else sum(map(len, family.mixed))
    is_great = 100 * shares.drop(close) >= norm.difference_percent_min
    return ExchangeabilityTest(
        *tested.player,
        family.compared,
        replies,
        prompts,
        shares.labels,
        shares.replies,
        figure(shares.between),
        tuple(None if share is None else figure(share) for share in shares.within),
        None if close is None else figure(close),
        pairs,
        figure(p),
        figure(p_corrected),
        p_corrected <= Fraction(norm.level) and is_great,
    )


# --- decisions with and without an augmentation ---------------------------------------------------


def _used(noted: Iterable[Noted]) -> Iterator[UsedRow]:
    """One row for each seat with an augmentation, of whose decisions some were asked again."""
    rows = defaultdict[tuple[str, str, int], list[Sequence[str]]](list)
    for replies in _asked_again(noted).values():
        own = replies[0]
        if not own.reply.is_bare:
            place = own.arm.id, own.arm.seats[own.seat_index], own.seat_index
            rows[place].append([one.reply.action for one in replies])
    for place, decisions in rows.items():
        n = len(decisions)
        changed = sum(action != first for action, first, _ in decisions)
        differ = sum(one != other for _, one, other in decisions)
        yield UsedRow(*place, n, figure(Fraction(changed, n)), figure(Fraction(differ, n)))
