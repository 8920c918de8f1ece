"""Permutation test within groups: do replies to equal prompts depend on a label (a phase, an arm, a time)?

If they do not, the labels of one group's replies can be exchanged without a change of their joint distribution,
whatever that is for the group's prompt (Fisher 1935; Good, Permutation Tests, 2nd ed., ch. 3). Two statistics over all
groups, with weights so that each group counts by its number of replies n, c_la of them with label l and action a:

    agreement    sum over groups of 1/n sum_la C(c_la, 2): equal pairs of one label, great where labels answer otherwise
    departures   max over labels of |S_l - E S_l|, S_l the sum over replies of the share of the group's others that
                 differ: great where one label departs now and then from what all the others answer. Not divided by its
                 deviation, since a label of few replies would reach any value by chance now and then

The first has power where every reply differs, the second where a few do, which a group alone cannot show. Each is
compared with the same permutations, which end early where a test cannot reject any more (Besag and Clifford 1991,
Biometrika 78:301), and p is twice the lesser of both (Bonferroni). Groups in which all replies are equal, or all
labels, say nothing under any permutation and are left out.
"""

import hashlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count
from struct import unpack
from typing import Final, NamedTuple

EXCEEDANCES: Final = 10
"""Once so many permutations reach each statistic, further ones are not needed."""
REPLIES_MAX: Final = 2_000
"""Groups beyond so many replies are left out, which bounds the work; so many show any difference that matters."""
REPLIES_MIN: Final = 400
WORK_MAX: Final = 20_000_000
"""Replies times permutations of one test, about ten seconds: fewer replies where many tests need many permutations."""
FINE: Final = 720_720
"""Weights are whole numbers: this over the size of a group."""
TIE: Final = 1.0
"""Sums are whole numbers, of which a mean has a part."""
WORD_BYTES: Final = 4
WORD_BITS: Final = 32


class Group(NamedTuple):
    """Replies to one prompt: the action of each, and its label, as small numbers."""

    actions: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def is_informative(self) -> bool:
        """True if some exchange of labels changes something."""
        return len(set(self.actions)) > 1 and len(set(self.labels)) > 1


class _Weighed(NamedTuple):
    """A group with what the statistics need of it. `departs`: of each reply, weighted; `kinds`: number of actions."""

    actions: tuple[int, ...]
    labels: list[int]
    departs: list[int]
    weight: int
    kinds: int


class _Statistics(NamedTuple):
    agreement: int
    departures: float


def permutation_p(groups: Sequence[Group], seed: bytes, permutations: int) -> Fraction:
    """The p of both statistics together; 1 where no group says anything. The order of `groups` follows no label.

    Of so many permutations at most; the least p is 2 / (permutations + 1).
    """
    weighed, replies = list[_Weighed](), 0
    replies_max = max(REPLIES_MIN, min(REPLIES_MAX, WORK_MAX // permutations))
    # Drawn with the seed: which groups are left out is not to be known from their prompts.
    for group in sorted(groups, key=_drawn(seed)):
        if group.is_informative and replies < replies_max:
            weighed.append(_weighed(group))
            replies += len(group.actions)
    if not weighed:
        return Fraction(1)
    means = _means(weighed)
    observed = _statistics(weighed, means)
    agreeing = departing = made = 0
    while made < permutations and min(agreeing, departing) < EXCEEDANCES:
        _shuffle(weighed, replies, seed + made.to_bytes(WORD_BYTES, "big"))
        permuted = _statistics(weighed, means)
        agreeing += permuted.agreement >= observed.agreement
        departing += permuted.departures >= observed.departures - TIE
        made += 1
    return min(Fraction(1), 2 * Fraction(min(agreeing, departing) + 1, made + 1))


def _drawn(seed: bytes) -> Callable[[Group], bytes]:
    """A sort key that puts groups in an order drawn with the seed, whatever is in them."""
    numbers = count()
    return lambda _: hashlib.sha256(seed + next(numbers).to_bytes(WORD_BYTES, "big")).digest()


def _weighed(group: Group) -> _Weighed:
    n, kinds = len(group.actions), max(group.actions) + 1
    counts = [group.actions.count(action) for action in range(kinds)]
    departs = [(n - counts[action]) * (FINE // (n - 1)) for action in group.actions]
    return _Weighed(group.actions, list(group.labels), departs, FINE // n, kinds)


def _means(groups: Sequence[_Weighed]) -> list[float]:
    """Mean of each label's sum of departures over all permutations within groups."""
    means = [0.0] * (1 + max(max(group.labels) for group in groups))
    for group in groups:
        mean = sum(group.departs) / len(group.departs)
        for label in group.labels:
            means[label] += mean
    return means


def _statistics(groups: Sequence[_Weighed], means: Sequence[float]) -> _Statistics:
    agreement, sums = 0, [0] * len(means)
    for actions, labels, departs, weight, kinds in groups:
        counts = [0] * (kinds * len(sums))
        pairs = 0
        for action, label, own in zip(actions, labels, departs, strict=True):
            place = label * kinds + action
            pairs += counts[place]
            counts[place] += 1
            sums[label] += own
        agreement += pairs * weight
    return _Statistics(agreement, max(abs(own - mean) for own, mean in zip(sums, means, strict=True)))


def _shuffle(groups: Sequence[_Weighed], replies: int, seed: bytes) -> None:
    """Exchange the labels of each group at random in their place (Knuth 3.4.2 P)."""
    words = iter(unpack(f">{replies}I", hashlib.shake_256(seed).digest(WORD_BYTES * replies)))
    for group in groups:
        labels = group.labels
        for last in range(len(labels) - 1, 0, -1):
            other = next(words) * (last + 1) >> WORD_BITS
            labels[last], labels[other] = labels[other], labels[last]
