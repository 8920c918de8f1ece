"""When each arm was played, and how far two arms were played at the same time. Attested: the clock is the submitter's.

Arms that are compared (`Match.draws`) are laid on one line of time. It is cut into parts with equally many of their
calls, so that a pause between two executions of a run takes no room: SLICES of them, or one for two units of the arm
that has the fewest, since arms that take turns unit by unit meet within a few units and not within one. The overlap of
two arms is the share that their distributions over the parts have in common (the overlapping coefficient; Weitzman
1970):

    overlap = sum over the parts of min(share of one arm's calls, share of the other's)

1 where they were played at the same times, 0 where one was over before the other began.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from ..experiment.matches import Arm, Match

SLICES: Final = 24


class ArmTimes(msgspec.Struct, frozen=True):
    """Seconds of the Unix clock of a match's first and last call, and the number of its calls in each part."""

    first_s: int
    last_s: int
    calls: tuple[int, ...]


class ComparedTimes(msgspec.Struct, frozen=True):
    """The times of matches that are compared, by their ids. `begins_s`: the first second of each part."""

    begins_s: tuple[int, ...]
    matches: dict[str, ArmTimes]


def compared_times(
    matches: Iterable[Match], seconds: Mapping[str, Counter[int]], units: Callable[[Match], int]
) -> Iterator[ComparedTimes]:
    """The times of the arms that are compared. `seconds`: by match, the number of calls in each second of the clock.

    `units`: the number of statistical units that a match has in the plan.
    Calls without a second are not there; matches of one label that is alone are compared with nothing.
    """
    matches = tuple(matches)
    arms = Counter(match.draws for match in matches)
    groups: dict[str, dict[str, Counter[int]]] = {}
    fewest: dict[str, int] = {}
    for match in matches:
        if seconds.get(match.id):
            groups.setdefault(match.draws, {})[match.id] = seconds[match.id]
            fewest[match.draws] = min(units(match), fewest.get(match.draws, 2 * SLICES))
    for draws, group in groups.items():
        if arms[draws] > 1:
            begins = _parts(together(group.values()), max(1, min(SLICES, fewest[draws] // 2)))
            times = {name: ArmTimes(min(own), max(own), _counted(own, begins)) for name, own in group.items()}
            yield ComparedTimes(begins, times)


def together(counts: Iterable[Counter[int]]) -> Counter[int]:
    """The sum of some counts."""
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return total


def _parts(seconds: Counter[int], parts: int) -> tuple[int, ...]:
    """The first second of each part; parts that one busy second would fill alone are one."""
    total, before, begins = seconds.total(), 0, list[int]()
    for second in sorted(seconds):
        if before * parts >= len(begins) * total:
            begins.append(second)
        before += seconds[second]
    return tuple(begins)


def _counted(seconds: Counter[int], begins: Sequence[int]) -> tuple[int, ...]:
    calls, part = [0] * len(begins), 0
    for second in sorted(seconds):
        while part + 1 < len(begins) and second >= begins[part + 1]:
            part += 1
        calls[part] += seconds[second]
    return tuple(calls)


def overlap(one: ArmTimes, other: ArmTimes) -> Fraction:
    """The share of two compared arms' calls that were made at the same times, 0 to 1."""
    totals = sum(one.calls), sum(other.calls)
    shares = zip(one.calls, other.calls, strict=True)
    return sum((min(Fraction(a, totals[0]), Fraction(b, totals[1])) for a, b in shares), Fraction(0))


def overlaps(matches: Iterable[Match], times: Iterable[ComparedTimes]) -> Iterator[tuple[Match, Match, Fraction]]:
    """Each arm with an augmentation, the naked arm of its label of draws and augmentation, and their overlap."""
    by_id = {match.id: match for match in matches}
    for compared in times:
        known = [by_id[name] for name in compared.matches if name in by_id]
        for match in known:
            control = next((one for one in known if is_control(one, match)), None)
            if control:
                yield match, control, overlap(compared.matches[match.id], compared.matches[control.id])


def is_control(control: Match, match: Match) -> bool:
    """Whether a match is the naked arm that another one is compared with."""
    same = control.condition.augmentation is match.condition.augmentation
    return same and control.condition.arm is Arm.NAKED and match.condition.arm is not Arm.NAKED
