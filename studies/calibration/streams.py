"""Tests, intervals and power on simulated outcome streams of known truth: chess pairs and poker sessions.

Worlds and their draws: simulated_matches. Matches and sizes: stream_matches. Power: stream_power. A case is a kind of
check and a size; it draws from a seed of its own, so cases run in any order and side by side.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from agzamov_verify.scoring.inference.intervals import Resamples
from agzamov_verify.scoring.inference.means import contrast_t, one_sample_t, paired_t, welch_t
from agzamov_verify.scoring.inference.pentanomial import sign_flip_test
from agzamov_verify.scoring.inference.power import critical_count
from agzamov_verify.scoring.inference.proportions import binomial_p
from agzamov_verify.scoring.inference.samples import moments
from agzamov_verify.scoring.inference.sequential_test import Reason, SequentialPlan, Stop, decide
from agzamov_verify.scoring.inference.significance import Alternative, Significance, outcome
from agzamov_verify.scoring.learning.course import trend_p
from agzamov_verify.scoring.learning.curve import risings, tau_grid
from agzamov_verify.scoring.units.score_constants import CHESS

from .error_rates import IntervalRule, Rate, Sample, Test, World, coverage, matches, rate_of, rejections, true_mean
from .finding import BANDS, FIVE, HELD, Band, Finding, at_most, fails_by_chance, of_rate, percent
from .plain_samples import interval_of, paired_estimate
from .stream_matches import MATCHES, Match, Size, with_shared_draws
from .stream_power import power_of_a_delta, power_of_a_match

ONE_EACH = Fraction(1)
SYNERGY = (1, -1, -1, -1, 2)  # full, memory, tools, RAG, naked: delta of the stack less the deltas of its parts
WATCHED_CHESS = SequentialPlan(Decimal("0.05"), 0, 4, 2, Alternative.TWO_SIDED, None, 10**6)
WATCHED_POKER = SequentialPlan(Decimal("0.05"), -40_000, 40_000, 0, Alternative.TWO_SIDED, None, 10**6)


@dataclass(frozen=True)
class Case:
    """One kind of check at one size."""

    kind: str
    match: Match


def cases() -> tuple[Case, ...]:
    """Every case of the suite, the slow ones first."""
    return tuple(Case(kind, match) for kind in KINDS for match in MATCHES)


def findings(case: Case, size: Size, seed: str) -> list[Finding]:
    """What one case found; nothing where the kind does not apply to the size."""
    own = hashlib.sha256(f"{seed}/{case.kind}/{case.match}".encode()).digest()
    return list(KINDS[case.kind](case.match, size, own))


# --- tests ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """A test, and the worlds in which its null hypothesis is true; `count` matches, if not as many as for all tests.

    A cautious test may err less often than alpha, by its nature.
    """

    name: str
    test: Test
    worlds: Sequence[World]
    match: Match
    cautious: bool = False
    count: int = 0


def type_i(trial: Trial, size: Size, seed: bytes) -> Iterator[Finding]:
    """How often a test rejects a null hypothesis that is true, at each alpha."""
    count = trial.count or size.tests
    rates = rejections(trial.test, trial.worlds, trial.match.results, size.alphas, count, seed)
    for alpha, rate in zip(size.alphas, rates, strict=True):
        band = at_most(alpha) if trial.cautious or not _can_tell(alpha, count) else BANDS[alpha]
        yield of_rate(f"type I at {float(alpha):.0%}, {trial.name}, {trial.match}", rate, band)


def one_match(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """Student's t: is one match's mean its null value?"""

    def test(sample: Sample, _: bytes) -> Significance:
        return one_sample_t(sample[0], Fraction(match.null), Alternative.TWO_SIDED)

    return type_i(Trial("one match, t", test, [match.world], match), size, seed)


def delta_on_the_same_starts(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """H1 and H2: one-sided t of a real arm less its control, pair by pair."""

    def test(sample: Sample, _: bytes) -> Significance:
        return paired_t(*with_shared_draws(match.game, sample), Alternative.GREATER)

    return type_i(Trial("delta on the same starts, t", test, [match.world] * 3, match), size, seed)


def delta_of_two_samples(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """H1 to H3 where starts differ: Welch's t."""

    def test(sample: Sample, _: bytes) -> Significance:
        return welch_t(sample[0], sample[1], Alternative.GREATER)

    return type_i(Trial("delta of two samples, Welch", test, [match.world] * 2, match), size, seed)


def synergy(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """H4: a contrast of five samples."""

    def test(sample: Sample, _: bytes) -> Significance:
        return contrast_t([moments(arm) for arm in sample], [Fraction(w) for w in SYNERGY], Alternative.GREATER)

    return type_i(Trial("synergy of five samples, contrast t", test, [match.world] * 5, match), size, seed)


def course(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """H5 and learning: does the difference of two courses have a trend? Exact by permutation, so never too often."""
    units = match.results // match.unit_results
    if units < 20:
        return iter(())
    rising = risings(units, match.unit_results, tau_grid(match.results, match.unit_results))

    def test(sample: Sample, own: bytes) -> Significance:
        values = [one - other for one, other in zip(*sample, strict=True)]
        p = trend_p(values, rising, own, size.permutations)
        return outcome("trend-permutation", Alternative.GREATER, (units,), p)

    return type_i(
        Trial("course, trend by permutation", test, [match.world] * 2, match, count=size.slow_tests), size, seed
    )


def symmetry(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """Phase 1 self-play: sign flips, exact. Small samples leave few p-values, so there it is cautious."""

    def test(sample: Sample, own: bytes) -> Significance:
        return sign_flip_test([value - match.null for value in sample[0]], Alternative.TWO_SIDED, own)

    name, cautious = "self-play symmetry, sign flips", match.results <= 100
    return type_i(Trial(name, test, [match.world], match, cautious, size.symmetries), size, seed)


def gate(match: Match, size: Size, _: bytes) -> Iterator[Finding]:
    """Phase 0 and the paper's win rate: the exact one-sided binomial test, whose rate of errors can be computed."""
    if match.game != CHESS:
        return
    n = match.results
    for alpha in size.alphas:
        critical = critical_count(n, alpha, Fraction(1, 2))
        share = binomial_p(critical, n, Alternative.GREATER) if critical <= n else Fraction(0)
        name = f"type I at {float(alpha):.0%}, wins, exact binomial, {match}"
        band = BANDS[alpha]
        wanted = f"{percent(band.low)} to {percent(band.high)}"
        yield Finding(name, percent(share), "exact", wanted, band.low <= share <= band.high, 0.0)


def looking(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """A match without an effect, looked at after every unit: how often does the sequential plan find one?"""
    plan = WATCHED_CHESS if match.game == CHESS else WATCHED_POKER
    rate = stopped(plan, [match.world], match, size.powers, seed)
    name = f"type I at 5%, sequential plan, looked at after every unit, {match}"
    yield of_rate(name, rate, Band(Fraction(0), FIVE, None))


def stopped(plan: SequentialPlan, worlds: Sequence[World], match: Match, count: int, seed: bytes) -> Rate:
    """The share of matches in which the plan stops for an effect."""
    hits = 0
    for sample in matches(worlds, match.results, count, seed):
        decision = decide(sample[0], plan)
        hits += isinstance(decision, Stop) and decision.reason in (Reason.ABOVE, Reason.BELOW)
    return rate_of(hits, count)


# --- intervals -----------------------------------------------------------------------------------


def held(
    name: str, bounds: IntervalRule, truth: Fraction, worlds: Sequence[World], match: Match, size: Size, seed: bytes
) -> Iterator[Finding]:
    """How often an interval holds the truth."""
    rate = coverage(bounds, truth, worlds, match.results, size.intervals, seed)
    yield of_rate(f"95% interval, {name}, {match}", rate, BANDS[HELD])


def interval_of_a_match(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """The published bootstrap interval of one match."""
    return held(
        "one match",
        lambda sample, own: interval_of([sample[0]], [ONE_EACH], match.scale, _how(match, size, own)),
        true_mean(match.world),
        [match.world],
        match,
        size,
        seed,
    )


def interval_of_a_delta(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """The published interval of a delta on the same starts."""
    return held(
        "delta on the same starts",
        lambda sample, own: (
            paired_estimate(*with_shared_draws(match.game, sample), match.scale, _how(match, size, own)).ci
        ),
        Fraction(0),
        [match.world] * 3,
        match,
        size,
        seed,
    )


def interval_of_two_samples(match: Match, size: Size, seed: bytes) -> Iterator[Finding]:
    """The published interval of a delta of two samples."""
    return held(
        "delta of two samples",
        lambda sample, own: interval_of(sample, [ONE_EACH, -ONE_EACH], match.scale, _how(match, size, own)),
        Fraction(0),
        [match.world] * 2,
        match,
        size,
        seed,
    )


# --- parts ---------------------------------------------------------------------------------------


def _how(match: Match, size: Size, seed: bytes) -> Resamples:
    return Resamples(seed, size.resamples, match.method)


def _can_tell(alpha: Fraction, count: int) -> bool:
    """Whether a sound test leaves the band with probability below 0.1 %; else only its upper end is looked at."""
    return fails_by_chance(BANDS[alpha], count) < 0.001


KINDS: Final[dict[str, Callable[[Match, Size, bytes], Iterator[Finding]]]] = {
    "interval of a match": interval_of_a_match,
    "interval of a delta": interval_of_a_delta,
    "interval of two samples": interval_of_two_samples,
    "course": course,
    "symmetry": symmetry,
    "synergy": synergy,
    "delta of two samples": delta_of_two_samples,
    "delta on the same starts": delta_on_the_same_starts,
    "one match": one_match,
    "power of a match": power_of_a_match,
    "power of a delta": power_of_a_delta,
    "looking": looking,
    "gate": gate,
}
