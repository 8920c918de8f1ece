"""What a match shows of learning: false alarms at constant strength, real curves, recovery, and what is scored."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import msgspec
import numpy as np
import pytest
from scipy import stats

from agzamov_verify.scoring.inference import draws_by_numpy
from agzamov_verify.scoring.inference.draws_by_numpy import random_orders
from agzamov_verify.scoring.learning.course import Course, course_of, drop_p, trend_either_way, trend_p
from agzamov_verify.scoring.learning.curve import fitted, risings, tau_grid
from agzamov_verify.scoring.learning.outcome import (
    LearningOutcome,
    LearningRule,
    Reach,
    RecoveryVerdict,
    TrendTest,
    TrendVerdict,
    corrected_trends,
    learning,
    recoveries,
    tau_ratio,
    trend_test,
)
from agzamov_verify.scoring.units.score_constants import load_score_constants
from verify.learning.simulated import Match, chess_match, detections, poker_match

SEED = bytes(range(32))
CHESS, POKER = (load_score_constants("agz-0.1").learning.rules[game] for game in ("chess960", "holdem"))
LEARNER = chess_match(500, 0.35, 0.4, 0.4, 60)
SAME = chess_match(500, 0.35)


def chess(play: Match, seed: int, resamples: int = 200) -> LearningOutcome:
    return learning(Course(play(np.random.default_rng(seed))), CHESS, SEED, resamples)


# --- the null ------------------------------------------------------------------------------------


def by_pairings(values: Sequence[int], alternative: str) -> float:
    """The p of the correlation of values with their order, by scipy's permutation test."""
    found = stats.permutation_test(
        (values,),
        lambda y: float(np.corrcoef(np.arange(len(values)), y)[0, 1]),
        permutation_type="pairings",
        alternative=alternative,
        n_resamples=9999,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def test_every_order_comes_about_equally_often() -> None:
    seen = [tuple(int(one) for one in row) for rows in random_orders(4, SEED, 12_000) for row in rows]
    counts = [seen.count(order) for order in permutations(range(4))]
    assert sum(counts) == 12_000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_p_is_about_scipys_permutation_test_of_a_correlation() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    line = np.array([range(12)], dtype=np.int64)
    expected = by_pairings(values, "greater")
    assert float(trend_p(values, line, SEED, 9999)) == pytest.approx(expected, abs=0.012)


def test_p_of_a_drop_is_about_the_share_of_all_splits() -> None:
    before, after = [5, 7, 6, 9, 8], [4, 6, 5, 3, 7]
    expected = stats.permutation_test(
        (before, after), lambda x, y: np.mean(x) - np.mean(y), alternative="greater", n_resamples=np.inf
    ).pvalue
    assert float(drop_p(before, after, SEED, 9999)) == pytest.approx(expected, abs=0.012)


@pytest.mark.parametrize("keys", [1, 30, 100_000])
def test_the_null_does_not_depend_on_how_much_is_drawn_at_a_time(keys: int, monkeypatch: pytest.MonkeyPatch) -> None:
    line = np.array([range(9)], dtype=np.int64)
    expected = trend_p(list(range(9)), line, SEED, 200)
    monkeypatch.setattr(draws_by_numpy, "_CHUNK_KEYS", keys)
    assert trend_p(list(range(9)), line, SEED, 200) == expected == Fraction(1, 201)


def test_a_match_too_long_for_exact_sums_has_a_verdict_and_no_curve() -> None:
    found = learning(Course([0, 0, 1, 2] * 12_000), CHESS, SEED, 10)
    assert (found.verdict, found.curve, found.p, found.tau) == (TrendVerdict.TOO_MANY_RESULTS, None, None, None)


def test_values_that_would_not_add_up_exactly_are_refused() -> None:
    with pytest.raises(ValueError, match="too many for exact sums"):
        fitted([2**40] * 50 + [0] * 50, 100, 1)
    with pytest.raises(ValueError, match="take fewer or smaller units"):
        trend_p([2**62, 0], [[-1, 1]], SEED, 10)


# --- false alarms and power ----------------------------------------------------------------------

CONSTANT = {
    "even chess": (chess_match(200, 0.35), 2),
    "mostly drawn chess": (chess_match(200, 0.7), 2),
    "decisive chess": (chess_match(200, 0.0), 2),
    "lopsided chess with a strong first move": (chess_match(200, 0.2, 0.75, white=0.15), 2),
    "poker": (poker_match(6000), 100),
    "poker with a winner": (poker_match(6000, 25), 100),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_at_constant_strength_learning_is_seen_in_at_most_5_percent(name: str) -> None:
    play, unit = CONSTANT[name]
    found = detections(play, unit, 200, 199, seed=3)
    assert stats.binomtest(found, 200, 0.05, "greater").pvalue > 0.001, f"{found} of 200"


def test_a_detector_that_forgets_the_grids_many_chances_would_be_caught() -> None:
    """The defect: each tau tested by itself at 5 %. It sees learning far too often."""
    rng, found, shapes = np.random.default_rng(3), 0, risings(100, 2, tau_grid(200, 2))
    for match in range(200):
        values = chess_match(200, 0.35)(rng)
        pairs = [values[at] + values[at + 1] for at in range(0, 200, 2)]
        found += any(trend_p(pairs, [shapes[row]], match.to_bytes(4, "big"), 99) * 20 <= 1 for row in (0, 15, 30, -1))
    assert stats.binomtest(found, 200, 0.05, "greater").pvalue < 0.001, f"{found} of 200"


@pytest.mark.parametrize(("gain", "low", "high"), [(0.15, 0.4, 0.7), (0.3, 0.95, 1.0)])
def test_real_curves_are_seen_as_often_as_planned(gain: float, low: float, high: float) -> None:
    found = detections(chess_match(500, 0.35, 0.5, gain, 60), 2, 100, 199, seed=4)
    assert low <= found / 100 <= high


# --- outcomes ------------------------------------------------------------------------------------


def test_a_learner_has_a_tau_near_the_truth() -> None:
    found = chess(LEARNER, 1)
    assert found.verdict is TrendVerdict.LEARNED
    assert found.curve is not None
    assert found.tau == found.curve.to_95_of_plateau
    assert found.curve.tau_ci is not None
    assert float(found.curve.tau_ci.low) < 60 < float(found.curve.tau_ci.high)
    true = 60 * math.log(0.4 / (0.05 * 0.8))
    assert found.tau == pytest.approx(true, rel=0.5)


def test_a_gain_of_less_than_5_percent_that_is_no_noise_needs_no_game() -> None:
    """Speed is row 7 of Table 4, and how much was gained are rows 5 and 6; undetected, the same gain scores nothing."""
    level = 19 + np.minimum(np.arange(500), 200) / 250
    values = [int(one) for one in np.round(level * 10)]
    found = learning(Course(values), CHESS, SEED, 200)
    assert found.verdict is TrendVerdict.LEARNED
    assert found.curve is not None
    assert 0 < float(found.curve.gain.decimal) < 0.05 * float(found.curve.plateau.decimal)
    assert found.tau == 0
    rng = np.random.default_rng(1)
    noisy = learning(Course([int(one) for one in rng.permutation(values)]), CHESS, SEED, 200)
    assert noisy.tau is None


def test_constant_strength_has_the_words_tau_but_none_that_scores() -> None:
    found = chess(SAME, 2)
    assert found.verdict is TrendVerdict.NO_CONVERGENCE_DETECTED
    assert found.words.tau is not None
    assert found.curve is not None
    assert found.tau is None


def test_who_unlearns_has_declined_and_has_no_tau() -> None:
    """The defect: a trend that is looked for upwards alone calls a memory that misleads "no convergence"."""
    values = LEARNER(np.random.default_rng(1))[::-1]
    found = learning(Course(values), CHESS, SEED, 40)
    assert found.verdict is TrendVerdict.DECLINED
    assert found.p is not None
    assert found.p.exact == "1/5000"
    assert (found.curve, found.tau) == (None, None)
    assert found.change is not None
    assert found.change.value is not None
    assert found.change.ci is not None
    pairs = np.array(values).reshape(250, 2).sum(axis=1) / 4
    assert float(found.change.value.decimal) == pytest.approx(pairs[125:].mean() - pairs[:125].mean(), abs=1e-6)
    assert found.change.n == (125, 125)
    assert float(found.change.ci.high) < 0


def test_a_course_and_its_mirror_image_have_one_p() -> None:
    values = LEARNER(np.random.default_rng(1))
    up, down = (learning(Course(some), CHESS, SEED, 40) for some in (values, [2 - value for value in values]))
    assert up.p == down.p
    assert (up.verdict, down.verdict) == (TrendVerdict.LEARNED, TrendVerdict.DECLINED)


def test_two_sided_p_is_about_scipys_permutation_test() -> None:
    values = [8, 3, 5, 5, 6, 2, 9, 5, 1, 4, 1, 3]
    line = np.array([range(-11, 12, 2)], dtype=np.int64)
    expected = by_pairings(values, "two-sided")
    found = trend_either_way(values, line, SEED, 9999)
    assert float(found.p) == pytest.approx(expected, abs=0.012)
    assert not found.rises
    assert trend_either_way([9 - value for value in values], line, SEED, 9999) == (found.p, True)


def test_halves_of_fewer_units_than_the_least_have_no_change() -> None:
    assert learning(Course([2, 0] * 19), CHESS, SEED, 40).change is None
    assert learning(Course([2, 0] * 20), CHESS, SEED, 40).change is not None


# --- families ------------------------------------------------------------------------------------


def test_a_verdict_follows_the_corrected_p() -> None:
    """The defect: of 26 matches each tested at 5 %, one is false in 74 % of runs; p = 0.04 alone is not enough."""
    alone = TrendTest(TrendVerdict.LEARNED, Fraction(4, 100), Fraction(4, 100), rises=True)
    flat = TrendTest(TrendVerdict.NO_CONVERGENCE_DETECTED, Fraction(1, 2), Fraction(1, 2), rises=False)
    strong = TrendTest(TrendVerdict.DECLINED, Fraction(1, 1000), Fraction(1, 1000), rises=False)
    short = TrendTest(TrendVerdict.TOO_FEW_RESULTS, None, None, rises=False)
    found = corrected_trends([alone, short, flat, strong], [CHESS] * 4)
    assert [test.p_corrected for test in found] == [Fraction(8, 100), None, Fraction(1, 2), Fraction(3, 1000)]
    assert [test.verdict for test in found] == [
        TrendVerdict.NO_CONVERGENCE_DETECTED,
        TrendVerdict.TOO_FEW_RESULTS,
        TrendVerdict.NO_CONVERGENCE_DETECTED,
        TrendVerdict.DECLINED,
    ]
    assert [test.p for test in found] == [Fraction(4, 100), None, Fraction(1, 2), Fraction(1, 1000)]


def test_26_matches_of_constant_strength_have_one_false_verdict_in_at_most_5_percent_of_runs() -> None:
    """Oracle: p of a permutation test is uniform; of 4,000 runs uncorrected 74 % have one."""
    rng = np.random.default_rng(8)
    raw = corrected = 0
    for _ in range(2000):
        tests = [trend(Fraction(int(p), 5000)) for p in rng.integers(1, 5001, 26)]
        raw += any(test.verdict is TrendVerdict.LEARNED for test in tests)
        corrected += any(test.verdict is TrendVerdict.LEARNED for test in corrected_trends(tests, [CHESS] * 26))
    assert raw / 2000 == pytest.approx(1 - 0.95**26, abs=0.03)
    assert stats.binomtest(corrected, 2000, 0.05, "greater").pvalue > 0.001, corrected


def trend(p: Fraction) -> TrendTest:
    verdict = TrendVerdict.LEARNED if p <= Fraction(CHESS.level) else TrendVerdict.NO_CONVERGENCE_DETECTED
    return TrendTest(verdict, p, p, rises=True)


@pytest.mark.parametrize("points", [0, 1, 2])
def test_a_match_of_equal_results_shows_no_convergence(points: int) -> None:
    found = learning(Course([points] * 500), CHESS, SEED, 40)
    assert (found.verdict, found.curve, found.tau) == (TrendVerdict.NO_CONVERGENCE_DETECTED, None, None)
    assert found.p is not None
    assert found.p.exact == "1/1"
    assert found.tau is None


@pytest.mark.parametrize("games", [0, 1, 19])
def test_fewer_than_ten_pairs_are_too_few(games: int) -> None:
    found = (
        learning(Course([2, 0] * 9 + [1]), CHESS, SEED, 40)
        if games == 19
        else learning(Course([2] * games), CHESS, SEED, 40)
    )
    assert (found.verdict, found.p, found.curve, found.tau) == (TrendVerdict.TOO_FEW_RESULTS, None, None, None)


def test_results_that_fill_no_unit_are_left_out_of_the_fit() -> None:
    values = LEARNER(np.random.default_rng(1))
    whole, one_more = (learning(Course(some), CHESS, SEED, 40) for some in (values, [*values, 0]))
    assert whole.curve == one_more.curve
    assert (whole.results, one_more.results) == (500, 501)


def test_poker_is_scored_by_the_gain_since_its_zero_means_nothing() -> None:
    values = poker_match(10_000, -300, 250, 1000)(np.random.default_rng(2))
    found = learning(Course(values), POKER, SEED, 200)
    assert (found.verdict, found.reach) == (TrendVerdict.LEARNED, Reach.GAIN)
    assert found.curve is not None
    assert found.curve.to_95_of_plateau is None
    assert found.tau == found.curve.to_95_of_gain == math.ceil(found.curve.tau * math.log(20))
    shifted = learning(Course([value + 1000 for value in values]), POKER, SEED, 200)
    assert shifted.tau == found.tau
    assert shifted.p == found.p


def test_an_outcome_is_the_same_again_and_survives_being_written_down() -> None:
    first, second = chess(LEARNER, 1), chess(LEARNER, 1)
    assert first == second
    assert msgspec.json.decode(msgspec.json.encode(first), type=LearningOutcome) == first


def test_another_seed_is_another_null() -> None:
    values = SAME(np.random.default_rng(2))
    assert len({learning(Course(values), CHESS, bytes([at] * 32), 40).p for at in range(4)}) > 1


def test_the_ratio_of_the_two_games_needs_learning_in_both() -> None:
    values = poker_match(10_000, 0, 250, 1000)(np.random.default_rng(2))
    poker, learner, same = learning(Course(values), POKER, SEED, 40), chess(LEARNER, 1, 40), chess(SAME, 2, 40)
    assert poker.curve is not None
    assert learner.curve is not None
    assert poker.words.tau is not None
    assert learner.words.tau is not None
    both = tau_ratio(poker, learner)
    assert both.fitted is not None
    assert both.words is not None
    assert Fraction(both.fitted.exact) == Fraction(poker.curve.tau, learner.curve.tau)
    assert Fraction(both.words.exact) == Fraction(poker.words.tau, learner.words.tau)
    assert tau_ratio(poker, same).fitted is None


# --- recovery ------------------------------------------------------------------------------------


def shifted(seed: int, low: float) -> list[int]:
    """300 games at 0.75, then a fall to `low` and a recovery with a time constant of 40 games."""
    rng = np.random.default_rng(seed)
    return chess_match(300, 0.3, 0.75)(rng) + chess_match(200, 0.3, low, 0.75 - low, 40)(rng)


def test_a_fall_and_a_recovery_are_seen_and_counted_from_the_shift() -> None:
    (found,) = recoveries(Course(shifted(1, 0.15)), [300], CHESS, SEED, 200)
    assert (found.shift_after, found.results, found.verdict) == (300, 200, RecoveryVerdict.RECOVERED)
    assert found.words.baseline.decimal.startswith("0.7")
    assert found.tau == found.words.tau
    assert found.tau is not None
    assert 50 < found.tau <= 200
    assert found.curve.verdict is TrendVerdict.LEARNED


def test_without_a_fall_there_is_nothing_to_recover_from() -> None:
    (found,) = recoveries(Course(shifted(1, 0.75)), [300], CHESS, SEED, 40)
    assert found.verdict is RecoveryVerdict.NO_DROP_DETECTED
    assert found.words.tau is not None
    assert found.tau is None


def test_a_fall_without_a_way_back_is_not_recovered() -> None:
    rng = np.random.default_rng(5)
    values = chess_match(300, 0.3, 0.8)(rng) + chess_match(200, 0.3, 0.2)(rng)
    (found,) = recoveries(Course(values), [300], CHESS, SEED, 40)
    assert (found.verdict, found.tau) == (RecoveryVerdict.NOT_RECOVERED, None)
    assert found.drop is not None
    assert found.drop.value is not None
    assert found.drop.ci is not None
    assert 0.4 < float(found.drop.ci.low) < float(found.drop.value.decimal) < float(found.drop.ci.high) < 0.8
    assert found.drop.n == (25, 25)
    before, after = (np.array(some).reshape(25, 2).sum(axis=1) / 4 for some in (values[250:300], values[300:350]))
    assert float(found.drop.value.decimal) == pytest.approx(before.mean() - after.mean(), abs=1e-6)
    assert found.drop.mde is not None
    error = (before.var(ddof=1) / 25 + after.var(ddof=1) / 25) ** 0.5
    assert float(found.drop.mde.decimal) == pytest.approx(2.8 * error, rel=0.05)


def test_each_of_several_shifts_is_measured_until_the_next() -> None:
    found = recoveries(Course([2, 1] * 250), [100, 300], CHESS, SEED, 40)
    assert [(one.shift_after, one.results) for one in found] == [(100, 200), (300, 200)]
    assert recoveries(Course([2, 1] * 250), [], CHESS, SEED, 40) == ()


@pytest.mark.parametrize("shift", [0, 20, 480, 500])
def test_a_shift_too_near_the_start_or_the_end_is_named(shift: int) -> None:
    (found,) = recoveries(Course([2, 1] * 250), [shift], CHESS, SEED, 40)
    assert (found.verdict, found.drop, found.p_drop) == (RecoveryVerdict.TOO_FEW_RESULTS, None, None)


# --- careers -------------------------------------------------------------------------------------


def careers(seed: int, play: Match, offset_sd: float = 0.0, count: int = 5) -> Course:
    """Careers of one player; a store adds a whole number of its own to every game of its career."""
    rng = np.random.default_rng(seed)
    drawn = [[value + round(20 * offset_sd * store) for value in play(rng)] for store in rng.normal(size=count)]
    return course_of(drawn)


def rule_of(course: Course) -> LearningRule:
    """The rule for sums over careers."""
    window = msgspec.structs.replace(CHESS.window, units=CHESS.window.units * len(course.careers))
    return msgspec.structs.replace(CHESS, window=window)


def test_a_trend_over_careers_is_scipys_t_of_their_contrasts() -> None:
    course = careers(1, chess_match(100, 0.3, 0.4, 0.4, 30))
    shape = np.array(risings(50, 2, tau_grid(100, 2))).sum(axis=0)
    contrasts = [float(np.array(career).reshape(50, 2).sum(axis=1) @ shape) for career in course.careers]
    found = trend_test(course, rule_of(course), SEED)
    assert float(found.p or 0) == pytest.approx(stats.ttest_1samp(contrasts, 0).pvalue, rel=1e-5)
    assert (found.verdict, found.rises) == (TrendVerdict.LEARNED, True)
    falling = course_of([[2 - value for value in career] for career in course.careers])
    assert trend_test(falling, rule_of(falling), SEED).verdict is TrendVerdict.DECLINED


def test_what_a_store_adds_to_all_games_of_its_career_is_no_trend() -> None:
    same = chess_match(60, 0.35)
    ps = [trend_test(careers(seed, same, 0.5), rule_of(careers(seed, same)), SEED).p or 0 for seed in range(200)]
    assert sum(p < Fraction(1, 20) for p in ps) <= 20  # 10 are expected; P(more than 20) is below 0.2 %


def test_the_change_over_careers_is_students_interval_of_their_differences() -> None:
    course = careers(3, chess_match(100, 0.3, 0.4, 0.4, 30))
    found = learning(course, rule_of(course), SEED, 40)
    halves = [np.array(career).reshape(2, 50).mean(axis=1) / 2 for career in course.careers]
    differences = [float(late - early) for early, late in halves]
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    assert found.change is not None
    assert (found.change.over, found.change.n) == ("careers", (5,))
    assert found.change.ci is not None
    assert [float(found.change.ci.low), float(found.change.ci.high)] == pytest.approx([low, high], abs=1e-5)
    assert found.curve is not None
    assert found.curve.tau_ci is None, "its units depend on each other"
    assert float(found.curve.plateau.decimal) < 1, "points of one game, not of five"


def test_within_one_career_nothing_is_tested() -> None:
    course = course_of([chess_match(500, 0.35, 0.4, 0.4, 60)(np.random.default_rng(1))])
    found = learning(course, CHESS, SEED, 40)
    assert (found.verdict, found.p, found.tau, found.change) == (TrendVerdict.ONE_CAREER, None, None, None)
    (shifted_,) = recoveries(course, [300], CHESS, SEED, 40)
    assert (shifted_.verdict, shifted_.p_drop) == (RecoveryVerdict.ONE_CAREER, None)


def test_a_drop_over_careers_is_scipys_one_sided_t() -> None:
    high, low = chess_match(60, 0.8), chess_match(60, 0.2)
    rng = np.random.default_rng(4)
    course = course_of([[*high(rng), *low(rng)] for _ in range(5)])
    (found,) = recoveries(course, [60], rule_of(course), SEED, 40)
    size = CHESS.baseline_results
    drops = [sum(career[60 - size : 60]) - sum(career[60 : 60 + size]) for career in course.careers]
    assert found.p_drop is not None
    assert float(found.p_drop.decimal) == pytest.approx(
        stats.ttest_1samp(drops, 0, alternative="greater").pvalue, abs=1e-5
    )
    assert found.drop is not None
    assert found.drop.value is not None
    assert float(found.drop.value.decimal) == pytest.approx(np.mean(drops) / size / 2, abs=1e-5)
