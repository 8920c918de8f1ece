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

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import ceil, factorial, prod
from typing import Final, NamedTuple

import msgspec

from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..table.game import Block
from ..table.planted import PlantedNorm, Role
from .inference.equal_pairs import Shares, shares_of
from .inference.exact import Figure, figure
from .inference.permutation import Group, permutation_p
from .inference.significance import holm
from .planted_replies import Noted, PlantedCount, UsedRow, asked_again, counts_of, decision_of, noted_of, used_of

PLANTED: Final = "planted"
RESOLUTION: Final = 4
"""So many permutations for each test of the run and each part of the level: the least corrected p is half of it."""


class Compared(StrEnum):
    """What two equal prompts differ in."""

    PHASE = "phase"
    ARM = "arm"
    TIME = "time"
    ROLE = "role"


class ExchangeabilityTest(msgspec.Struct, frozen=True):
    """One test. `replies` to `prompts` that occurred under more than one label.

    `labels`: the two that agree least with one another beside themselves, the number of replies of each, and the shares
    of equal pairs; a share is None where there is no such pair. `close_pairs`: the number of prompts asked twice close
    together. `can_tell`: labels can be exchanged in so many ways that the level can be reached. `is_told`: the
    difference is named at the head.
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
    can_tell: bool
    is_told: bool


class PlantedAnalysis(msgspec.Struct, frozen=True):
    """All that planted questions say of a run."""

    asked: tuple[PlantedCount, ...]
    tests: tuple[ExchangeabilityTest, ...]
    used: tuple[UsedRow, ...]


def planted_analysis(
    plan: Plan, blocks: Mapping[str, Sequence[Block]], seeds: Callable[[str], bytes]
) -> PlantedAnalysis:
    """The analysis of all planted questions. `blocks`: by match. `seeds`: of named draws."""
    matches = [match for match in plan.matches if match.id in blocks]
    noted = [one for match in matches for one in noted_of(match, plan.seats, blocks[match.id])]
    return PlantedAnalysis(
        tuple(row for match in matches for row in counts_of(match, blocks[match.id])),
        tuple(exchangeability(noted, load_protocol(plan.protocol).planted, seeds)),
        tuple(used_of(noted)),
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
    """One test of the run: game and player, the names of its seats, its replies, and the name of its draws."""

    player: tuple[str, str]
    seat: str
    family: _Family
    name: str


def exchangeability(
    noted: Iterable[Noted], norm: PlantedNorm, seeds: Callable[[str], bytes]
) -> Iterator[ExchangeabilityTest]:
    """The tests of all games and players, with p corrected for their number."""
    by_player = defaultdict[tuple[str, str], list[Noted]](list)
    for one in noted:
        by_player[one.arm.game, one.arm.keys[one.seat_index]].append(one)
    tested = [
        _Tested(player, _names(own), family, "/".join(("exchangeability", *player, str(number))))
        for player, own in by_player.items()
        for number, family in enumerate(_families(own))
        if family.mixed
    ]
    permutations = ceil(RESOLUTION * len(tested) / Fraction(norm.level))
    ps = [permutation_p(_coded(one.family), seeds(one.name), permutations) for one in tested]
    close = {player: _close(own) for player, own in by_player.items()}
    # p is twice a share of exchanges, and corrected for all tests.
    ways = ceil(2 * len(tested) / Fraction(norm.level))
    for test, p, corrected in zip(tested, ps, holm(ps), strict=True):
        can_tell = _exchanges(test.family.mixed, ways) >= ways
        yield _test(test, close[test.player], (p, corrected), norm, can_tell=can_tell)


def _exchanges(groups: Iterable[Sequence[tuple[str, str]]], enough: int) -> int:
    """In how many ways labels can be exchanged within groups, once it is enough: n! / (n_1! n_2! ...) of each."""
    ways = 1
    for replies in groups:
        ways *= factorial(len(replies)) // prod(
            factorial(count) for count in Counter(label for label, _ in replies).values()
        )
        if ways >= enough:
            break
    return ways


def _names(own: Iterable[Noted]) -> str:
    """The names that a plan has for one player."""
    return ", ".join(dict.fromkeys(one.arm.seats[one.seat_index] for one in own))


def _families(own: Sequence[Noted]) -> Iterator[_Family]:
    first = [one for one in own if not one.reply.copy and one.reply.role is not Role.AGAIN and one.reply.is_bare]
    yield _family(Compared.PHASE, first, lambda one: (one.group,), lambda one: f"Phase {one.arm.phase}")
    arms = dict.fromkeys(one.arm for one in first)
    for draws in dict.fromkeys(arm.draws for arm in arms):
        if sum(arm.draws == draws for arm in arms) > 1:
            compared = (one for one in first if one.arm.draws == draws)
            yield _family(Compared.ARM, compared, lambda one: (one.group,), lambda one: one.arm.id)
    yield _family(Compared.TIME, first, lambda one: (one.arm.id, one.group), lambda one: one.half)
    yield _by_role(own)


def _by_role(own: Iterable[Noted]) -> _Family:
    """Whether a decision, or its second copy, is the same as the first copy: a group for each arm."""
    groups = defaultdict[tuple[object, ...], list[tuple[str, str]]](list)
    counted = copied = decisions = 0
    for decision, first, second in asked_again(own).values():
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


def _close(own: Iterable[Noted]) -> tuple[int, int]:
    """Of the prompts that were asked twice close together, how many got equal replies; and their number."""
    equal = pairs = 0
    first: dict[tuple[object, ...], str] = {}
    for one in own:
        place = *decision_of(one), one.reply.prompt
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
    tested: _Tested, close_pairs: tuple[int, int], ps: tuple[Fraction, Fraction], norm: PlantedNorm, *, can_tell: bool
) -> ExchangeabilityTest:
    family, (equal, pairs), (p, p_corrected) = tested.family, close_pairs, ps
    close = Fraction(equal, pairs) if pairs else None
    of_prompts = max(shares_of(family.mixed), key=lambda one: one.drop(close)), len(family.mixed)
    shares, prompts = family.shares or of_prompts
    replies = sum(shares.replies) if family.shares else sum(map(len, family.mixed))
    is_great = 100 * shares.drop(close) >= norm.difference_percent_min
    return ExchangeabilityTest(
        tested.player[0],
        tested.seat,
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
        can_tell,
        p_corrected <= Fraction(norm.level) and is_great,
    )
