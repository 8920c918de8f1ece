"""The calibration suite in a smaller form, and what it must catch: tests, intervals and plans with one defect each."""

from fractions import Fraction
from math import sqrt

import pytest
from msgspec.structs import replace

from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.inference.means import one_sample_t, welch_t
from agzamov_verify.scoring.inference.samples import Interval
from agzamov_verify.scoring.inference.significance import Alternative, Significance, outcome, untested
from agzamov_verify.scoring.sample_sizes import power_of
from agzamov_verify.scoring.units.score_constants import CHESS, POKER
from calibration import finding, stream_matches, stream_power, streams
from calibration.error_rates import Sample, matches, rate_of, rejections
from calibration.plain_samples import mean_estimate
from calibration.simulated_matches import ChessWorld

SEED = "calibration in the tests"
SIZE = stream_matches.SMALL
FEW_GAMES, GAMES, FEW_HANDS, HANDS = stream_matches.MATCHES
BIT = b"calibration in the tests"
EVEN = Significance("z", Alternative.TWO_SIDED, (1,), None, None, "1", "")
SURE = Significance("z", Alternative.TWO_SIDED, (1,), None, None, "0", "")

# Of each kind: the sizes that are looked at always, and those at full size alone.
SIZES: dict[str, tuple[tuple[stream_matches.Match, ...], tuple[stream_matches.Match, ...]]] = {
    "one match": ((FEW_GAMES, FEW_HANDS), (GAMES, HANDS)),
    "delta on the same starts": ((FEW_HANDS,), (FEW_GAMES,)),
    "delta of two samples": ((FEW_HANDS,), (GAMES,)),
    "synergy": ((FEW_GAMES,), ()),
    "course": ((HANDS,), ()),
    "symmetry": ((FEW_GAMES,), (GAMES, FEW_HANDS)),
    "gate": ((FEW_GAMES,), (GAMES,)),
    "looking": ((FEW_GAMES,), (HANDS,)),
    "interval of a match": ((FEW_GAMES, FEW_HANDS), ()),
    "interval of a delta": ((FEW_GAMES,), (FEW_HANDS,)),
    "interval of two samples": ((FEW_HANDS,), ()),
    "power of a match": ((HANDS,), (GAMES,)),
    "power of a delta": ((FEW_GAMES,), (FEW_HANDS,)),
}
SOUND = [
    pytest.param(streams.Case(kind, match), marks=mark, id=f"{kind}, {match}")
    for kind, parts in SIZES.items()
    for mark, matches_of in zip((pytest.mark.slow, pytest.mark.exhaustive), parts, strict=True)
    for match in matches_of
]


@pytest.mark.parametrize("case", SOUND)
def test_what_is_sound_passes(case: streams.Case) -> None:
    found = streams.findings(case, SIZE, SEED)
    assert found
    assert [one.line for one in found if not one.passed] == []


@pytest.mark.slow
def test_every_kind_has_a_case_at_every_size_and_draws_its_own_seed() -> None:
    assert len(streams.cases()) == len(streams.KINDS) * len(stream_matches.MATCHES)
    one, other = (streams.findings(streams.Case("one match", GAMES), SIZE, seed)[0] for seed in ("a", "b"))
    assert one.figure != other.figure
    again = streams.findings(streams.Case("one match", GAMES), SIZE, "a")[0]
    assert again == one


# --- what must be caught -------------------------------------------------------------------------


def caught(trial: streams.Trial) -> bool:
    return not all(one.passed for one in streams.type_i(trial, SIZE, BIT))


@pytest.mark.slow
def test_a_test_that_is_repeated_while_the_match_goes_on_is_caught() -> None:
    def peeking(sample: Sample, _: bytes) -> Significance:
        looks = [one_sample_t(sample[0][:n], Fraction(2), Alternative.TWO_SIDED) for n in range(50, 251, 50)]
        return next((look for look in looks if look.rejects(finding.FIVE)), looks[-1])

    assert caught(streams.Trial("peeking", peeking, [GAMES.world], GAMES, count=400))


def test_a_variance_that_takes_the_games_of_a_start_for_independent_is_caught() -> None:
    alike = ChessWorld(correlation=Fraction(1, 2))

    def by_games(sample: Sample, _: bytes) -> Significance:
        (pairs,) = sample
        per_game = 0.65  # squared half-points, of equal players who draw 35 games of 100
        z = sum(points - 2 for points in pairs) / sqrt(len(pairs) * 2 * per_game)
        return SURE if abs(z) > 1.96 else EVEN

    assert caught(streams.Trial("by games", by_games, [alike], GAMES))
    assert not caught(streams.Trial("by games", by_games, [ChessWorld()], GAMES))


@pytest.mark.slow
def test_arms_on_the_same_starts_that_are_compared_as_if_they_were_not_are_caught() -> None:
    def unpaired(sample: Sample, _: bytes) -> Significance:
        return welch_t(*stream_matches.with_shared_draws(CHESS, sample, every=2), Alternative.GREATER)

    assert caught(streams.Trial("unpaired", unpaired, [GAMES.world] * 3, GAMES))


def test_the_normal_distribution_in_place_of_students_is_caught_with_ten_sessions() -> None:
    def normal(sample: Sample, _: bytes) -> Significance:
        found = one_sample_t(sample[0], Fraction(0), Alternative.TWO_SIDED)
        return SURE if abs(float(found.statistic or 0)) > 1.96 else EVEN

    assert caught(streams.Trial("normal", normal, [FEW_HANDS.world], FEW_HANDS))


def test_a_test_that_never_rejects_is_caught() -> None:
    def asleep(sample: Sample, _: bytes) -> Significance:
        return untested("asleep", Alternative.TWO_SIDED, (len(sample[0]),), "not today")

    assert caught(streams.Trial("asleep", asleep, [GAMES.world], GAMES))


def test_a_test_at_twice_its_level_is_caught_though_it_is_called_cautious() -> None:
    def loose(sample: Sample, _: bytes) -> Significance:
        found = one_sample_t(sample[0], Fraction(2), Alternative.TWO_SIDED)
        return outcome("loose", Alternative.TWO_SIDED, found.n, (found.p_value or Fraction(1)) / 2)

    assert caught(streams.Trial("loose", loose, [GAMES.world], GAMES, cautious=True))


@pytest.mark.slow
def test_a_percentile_bootstrap_of_ten_sessions_is_caught() -> None:
    def percentile(sample: Sample, own: bytes) -> Interval | None:
        return mean_estimate(sample[0], FEW_HANDS.scale, Resamples(own, 1_000, Bootstrap.PERCENTILE)).ci

    (found,) = streams.held("percentile", percentile, Fraction(0), [FEW_HANDS.world], FEW_HANDS, SIZE, BIT)
    assert not found.passed


@pytest.mark.slow
def test_looking_without_a_plan_for_it_is_caught() -> None:
    hits = 0
    for sample in matches([GAMES.world], GAMES.results, 300, BIT):
        looks = (one_sample_t(sample[0][:n], Fraction(2), Alternative.TWO_SIDED) for n in range(10, 251, 10))
        hits += any(look.rejects(finding.FIVE) for look in looks)
    found = finding.of_rate("looking", rate_of(hits, 300), finding.Band(Fraction(0), finding.FIVE, None))
    assert not found.passed


def test_a_plan_that_promises_with_half_the_spread_is_caught() -> None:
    def test(sample: Sample, _: bytes) -> Significance:
        return one_sample_t(sample[0], Fraction(0), Alternative.TWO_SIDED)

    effect = Fraction(25_462, 1000)
    rate = rejections(test, [stream_power.with_effect(HANDS, effect)], HANDS.results, (finding.FIVE,), 1_000, BIT)[0]
    right = stream_power.scoring_of(HANDS, HANDS.world)
    promised = [
        Fraction(power_of(stream_power.design_of(HANDS, 1, replace(right, sd=right.sd / by)), float(effect)))
        for by in (1, 2)
    ]
    assert [finding.of_power("x", rate, one, stream_power.POWER_SLACK).passed for one in promised] == [True, False]


# --- bands ---------------------------------------------------------------------------------------


def test_a_sound_test_leaves_its_band_with_probability_below_one_in_a_thousand() -> None:
    full = stream_matches.FULL
    for nominal, count in (
        (finding.FIVE, full.tests),
        (finding.ONE, full.tests),
        (finding.FIVE, full.symmetries),
        (finding.ONE, full.slow_tests),
    ):
        assert finding.fails_by_chance(finding.BANDS[nominal], count) < 0.001
    assert finding.fails_by_chance(finding.BANDS[finding.HELD], full.intervals) < 0.001


def test_with_too_few_matches_a_band_is_only_an_upper_bound() -> None:
    assert finding.fails_by_chance(finding.BANDS[finding.ONE], stream_matches.FULL.symmetries) > 0.001
    (five, one) = streams.type_i(
        streams.Trial("t", lambda sample, _: EVEN, [GAMES.world], GAMES, count=stream_matches.FULL.symmetries),
        stream_matches.Size(100, 1, 1, 1, 1, 1, 1, (finding.FIVE, finding.ONE)),
        BIT,
    )
    assert (five.passed, one.passed) == (False, True)


def test_worlds_are_of_their_game() -> None:
    assert {match.game for match in stream_matches.MATCHES} == {CHESS, POKER}
    assert stream_power.scoring_of(HANDS, HANDS.world).sd == pytest.approx(90, abs=0.5)
