"""What a match shows of learning: false alarms at constant strength, real curves, recovery, and what is scored."""

import math
from fractions import Fraction
from itertools import permutations

import msgspec
import numpy as np
import pytest
from scipy import stats

from agzamov_verify.scoring.agzamov.norm import load_score_norm
from agzamov_verify.scoring.learning import null
from agzamov_verify.scoring.learning.basis import risings, tau_grid
from agzamov_verify.scoring.learning.curve import fitted
from agzamov_verify.scoring.learning.null import drop_p, orders, trend_p
from agzamov_verify.scoring.learning.outcome import (
    LearningOutcome,
    Reach,
    RecoveryVerdict,
    Verdict,
    learning,
    recoveries,
    tau_ratio,
)
from verify.learning.simulated import Match, chess_match, detections, poker_match

SEED = bytes(range(32))
CHESS, POKER = (load_score_norm("agz-0.1").learning.rules[game] for game in ("chess960", "holdem"))
LEARNER = chess_match(500, 0.35, 0.4, 0.4, 60)
SAME = chess_match(500, 0.35)


def chess(play: Match, seed: int, resamples: int = 200) -> LearningOutcome:
    return learning(play(np.random.default_rng(seed)), CHESS, SEED, resamples)


# --- the null ------------------------------------------------------------------------------------


def test_every_order_comes_about_equally_often() -> None:
    seen = [tuple(int(one) for one in row) for rows in orders(4, SEED, 12_000) for row in rows]
    counts = [seen.count(order) for order in permutations(range(4))]
    assert sum(counts) == 12_000
    assert stats.chisquare(counts).pvalue > 1e-4


def test_p_is_about_scipys_permutation_test_of_a_correlation() -> None:
    values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    line = np.array([range(12)], dtype=np.int64)
    expected = stats.permutation_test(
        (values,),
        lambda y: float(np.corrcoef(np.arange(12), y)[0, 1]),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=9999,
        rng=np.random.default_rng(1),
    ).pvalue
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
    monkeypatch.setattr(null, "_CHUNK_KEYS", keys)
    assert trend_p(list(range(9)), line, SEED, 200) == expected == Fraction(1, 201)


def test_a_match_too_long_for_exact_sums_has_a_verdict_and_no_curve() -> None:
    found = learning([0, 0, 1, 2] * 12_000, CHESS, SEED, 10)
    assert (found.verdict, found.curve, found.p, found.tau) == (Verdict.TOO_MANY_RESULTS, None, None, None)


def test_values_that_would_not_add_up_exactly_are_refused() -> None:
    with pytest.raises(ValueError, match="too many for exact sums"):
        fitted([2**40] * 50 + [0] * 50, 100, 1, SEED, 40)
    with pytest.raises(ValueError, match="take fewer or smaller units"):
        trend_p([2**62, 0], np.array([[-1, 1]], dtype=np.int64), SEED, 10)


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
        found += any(trend_p(pairs, shapes[[row]], match.to_bytes(4, "big"), 99) * 20 <= 1 for row in (0, 15, 30, -1))
    assert stats.binomtest(found, 200, 0.05, "greater").pvalue < 0.001, f"{found} of 200"


@pytest.mark.parametrize(("gain", "low", "high"), [(0.15, 0.4, 0.7), (0.3, 0.95, 1.0)])
def test_real_curves_are_seen_as_often_as_planned(gain: float, low: float, high: float) -> None:
    found = detections(chess_match(500, 0.35, 0.5, gain, 60), 2, 100, 199, seed=4)
    assert low <= found / 100 <= high


# --- outcomes ------------------------------------------------------------------------------------


def test_a_learner_has_a_tau_near_the_truth_and_a_sub_score() -> None:
    found = chess(LEARNER, 1)
    assert found.verdict is Verdict.LEARNED
    assert found.curve is not None
    assert found.tau == found.curve.to_95_of_plateau
    assert found.tau_ci is not None
    assert float(found.tau_ci.low) < found.tau < float(found.tau_ci.high)
    true = 60 * math.log(0.4 / (0.05 * 0.8))
    assert found.tau == pytest.approx(true, rel=0.5)
    assert found.subscore(Fraction(500)) == 1 - Fraction(found.tau, 500)
    assert found.subscore(Fraction(found.tau - 1)) == 0, "never below zero"


def test_a_gain_of_less_than_5_percent_that_is_no_noise_needs_no_game_and_has_the_whole_sub_score() -> None:
    """Speed is row 7 of Table 4, and how much was gained are rows 5 and 6; undetected, the same gain scores nothing."""
    level = 19 + np.minimum(np.arange(500), 200) / 250
    values = [int(one) for one in np.round(level * 10)]
    found = learning(values, CHESS, SEED, 200)
    assert found.verdict is Verdict.LEARNED
    assert found.curve is not None
    assert 0 < float(found.curve.gain.decimal) < 0.05 * float(found.curve.plateau.decimal)
    assert (found.tau, found.subscore(Fraction(500))) == (0, 1)
    assert found.tau_ci is not None
    assert found.tau_ci.low == "0.000000"
    assert float(found.tau_ci.high) < 5
    rng = np.random.default_rng(1)
    noisy = learning([int(one) for one in rng.permutation(values)], CHESS, SEED, 200)
    assert (noisy.tau, noisy.tau_ci, noisy.subscore(Fraction(500))) == (None, None, 0)


def test_constant_strength_has_the_words_tau_but_none_that_scores() -> None:
    found = chess(SAME, 2)
    assert found.verdict is Verdict.NO_CONVERGENCE_DETECTED
    assert found.words.tau is not None
    assert found.curve is not None
    assert (found.tau, found.subscore(Fraction(500))) == (None, 0)


def test_who_unlearns_has_not_learned() -> None:
    values = LEARNER(np.random.default_rng(1))[::-1]
    found = learning(values, CHESS, SEED, 40)
    assert found.verdict is Verdict.NO_CONVERGENCE_DETECTED
    assert found.p is not None
    assert Fraction(found.p.exact) > Fraction(1, 2)


@pytest.mark.parametrize("points", [0, 1, 2])
def test_a_match_of_equal_results_shows_no_convergence(points: int) -> None:
    found = learning([points] * 500, CHESS, SEED, 40)
    assert (found.verdict, found.curve, found.tau) == (Verdict.NO_CONVERGENCE_DETECTED, None, None)
    assert found.p is not None
    assert found.p.exact == "1/1"
    assert found.subscore(Fraction(500)) == 0


@pytest.mark.parametrize("games", [0, 1, 19])
def test_fewer_than_ten_pairs_are_too_few(games: int) -> None:
    found = learning([2, 0] * 9 + [1], CHESS, SEED, 40) if games == 19 else learning([2] * games, CHESS, SEED, 40)
    assert (found.verdict, found.p, found.curve, found.tau) == (Verdict.TOO_FEW_RESULTS, None, None, None)


def test_results_that_fill_no_unit_are_left_out_of_the_fit() -> None:
    values = LEARNER(np.random.default_rng(1))
    whole, one_more = (learning(some, CHESS, SEED, 40) for some in (values, [*values, 0]))
    assert whole.curve == one_more.curve
    assert (whole.results, one_more.results) == (500, 501)


def test_poker_is_scored_by_the_gain_since_its_zero_means_nothing() -> None:
    values = poker_match(10_000, -300, 250, 1000)(np.random.default_rng(2))
    found = learning(values, POKER, SEED, 200)
    assert (found.verdict, found.reach) == (Verdict.LEARNED, Reach.GAIN)
    assert found.curve is not None
    assert found.curve.to_95_of_plateau is None
    assert found.tau == found.curve.to_95_of_gain == math.ceil(found.curve.tau * math.log(20))
    shifted = learning([value + 1000 for value in values], POKER, SEED, 200)
    assert shifted.tau == found.tau
    assert shifted.p == found.p


def test_an_outcome_is_the_same_again_and_survives_being_written_down() -> None:
    first, second = chess(LEARNER, 1), chess(LEARNER, 1)
    assert first == second
    assert msgspec.json.decode(msgspec.json.encode(first), type=LearningOutcome) == first


def test_another_seed_is_another_null() -> None:
    values = SAME(np.random.default_rng(2))
    assert len({learning(values, CHESS, bytes([at] * 32), 40).p for at in range(4)}) > 1


def test_the_ratio_of_the_two_games_needs_learning_in_both() -> None:
    values = poker_match(10_000, 0, 250, 1000)(np.random.default_rng(2))
    poker, learner, same = learning(values, POKER, SEED, 40), chess(LEARNER, 1, 40), chess(SAME, 2, 40)
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
    assert tau_ratio(poker, same).fitted_ci is None


def test_the_interval_of_the_ratio_is_that_of_two_independent_logarithms() -> None:
    """Oracle: quotients of draws whose logarithms are normal with the constants' intervals; within a tenth."""
    values = poker_match(10_000, 0, 250, 1000)(np.random.default_rng(2))
    poker, learner = learning(values, POKER, SEED, 400), chess(LEARNER, 1, 400)
    ratio, rng, drawn = tau_ratio(poker, learner), np.random.default_rng(8), []
    assert poker.curve is not None
    assert learner.curve is not None
    for curve in (poker.curve, learner.curve):
        low, at, high = (math.log(float(one)) for one in (curve.tau_ci.low, curve.tau, curve.tau_ci.high))
        z = rng.standard_normal(100_000)
        drawn.append(at + np.where(z < 0, z * (at - low), z * (high - at)) / 1.96)
    expected = np.quantile(np.exp(drawn[0] - drawn[1]), [0.025, 0.975])
    assert ratio.fitted_ci is not None
    assert [float(ratio.fitted_ci.low), float(ratio.fitted_ci.high)] == pytest.approx(list(expected), rel=0.1)


# --- recovery ------------------------------------------------------------------------------------


def shifted(seed: int, low: float) -> list[int]:
    """300 games at 0.75, then a fall to `low` and a recovery with a time constant of 40 games."""
    rng = np.random.default_rng(seed)
    return chess_match(300, 0.3, 0.75)(rng) + chess_match(200, 0.3, low, 0.75 - low, 40)(rng)


def test_a_fall_and_a_recovery_are_seen_and_counted_from_the_shift() -> None:
    (found,) = recoveries(shifted(1, 0.15), [300], CHESS, SEED, 200)
    assert (found.shift_after, found.results, found.verdict) == (300, 200, RecoveryVerdict.RECOVERED)
    assert found.words.baseline.decimal.startswith("0.7")
    assert found.tau == found.words.tau
    assert found.tau is not None
    assert 50 < found.tau <= 200
    assert found.curve.verdict is Verdict.LEARNED


def test_without_a_fall_there_is_nothing_to_recover_from() -> None:
    (found,) = recoveries(shifted(1, 0.75), [300], CHESS, SEED, 40)
    assert found.verdict is RecoveryVerdict.NO_DROP_DETECTED
    assert found.words.tau is not None
    assert found.tau is None


def test_a_fall_without_a_way_back_is_not_recovered() -> None:
    rng = np.random.default_rng(5)
    values = chess_match(300, 0.3, 0.8)(rng) + chess_match(200, 0.3, 0.2)(rng)
    (found,) = recoveries(values, [300], CHESS, SEED, 40)
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
    found = recoveries([2, 1] * 250, [100, 300], CHESS, SEED, 40)
    assert [(one.shift_after, one.results) for one in found] == [(100, 200), (300, 200)]
    assert recoveries([2, 1] * 250, [], CHESS, SEED, 40) == ()


@pytest.mark.parametrize("shift", [0, 20, 480, 500])
def test_a_shift_too_near_the_start_or_the_end_is_named(shift: int) -> None:
    (found,) = recoveries([2, 1] * 250, [shift], CHESS, SEED, 40)
    assert (found.verdict, found.drop, found.p_drop) == (RecoveryVerdict.TOO_FEW_RESULTS, None, None)
