"""tau and recovery tau by the paper's words: by hand, by another implementation, and how they reward noise."""

from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.scoring.learning.paper_tau import WindowRule, recovery_by_words, smoothed, tau_by_words
from agzamov_verify.scoring.units.score_constants import load_score_constants

PLAIN = WindowRule(4, 1, 2)
RULES = load_score_constants("agz-0.1").learning.rules
CHESS_WINDOW, POKER_WINDOW = (RULES[game].window for game in ("chess960", "holdem"))
values = st.lists(st.integers(-50, 50), max_size=60)
rules = st.builds(WindowRule, st.integers(1, 12), st.integers(1, 30), st.just(1))


def test_the_baseline_and_the_window_are_the_drafts_fifty_games_and_five_hundred_hands() -> None:
    assert (CHESS_WINDOW.window_results, POKER_WINDOW.window_results) == (50, 500)
    assert [RULES[game].baseline_results for game in ("chess960", "holdem")] == [50, 500]


def test_tau_is_the_first_window_within_95_percent_of_the_best() -> None:
    found = tau_by_words([0, 0, 0, 2, 2, 2, 2, 2, 2, 2], PLAIN)
    assert found.plateau is not None
    assert (found.plateau.decimal, found.tau) == ("1.000000", 7)


def test_one_lost_game_more_moves_tau() -> None:
    assert tau_by_words([0, 0, 0, 2, 2, 0, 2, 2, 2, 2], PLAIN).tau == 10


@given(values, rules)
def test_the_smoothed_window_is_the_drafts_in_exact_fractions(results: list[int], rule: WindowRule) -> None:
    window, alpha, level = rule.window_results, Fraction(2, rule.span_results + 1), None
    expected = []
    for end in range(window, len(results) + 1):
        mean = Fraction(sum(results[end - window : end]), window)
        level = mean if level is None else level + alpha * (mean - level)
        expected.append(level)
    found = [Fraction(one, window * 2**32) for one in smoothed(results, rule)]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert abs(one - other) < Fraction(1, 10**6)


@pytest.mark.parametrize(("games", "said"), [(100, 50), (200, 93), (500, 206)])
def test_at_constant_strength_the_words_give_a_tau_that_is_only_the_matchs_length(games: int, said: int) -> None:
    """DESIGN section 5 says 50, 93 and 206; medians of windows of 20 decisive games are within a tenth of that."""
    rng, rule = np.random.default_rng(1), WindowRule(20, 1, 2)
    taus = [tau_by_words([int(one) for one in rng.choice([0, 2], games)], rule).tau for _ in range(800)]
    assert None not in taus
    assert median(tau for tau in taus if tau) == pytest.approx(said, rel=0.1)


def test_a_player_who_loses_every_game_has_the_best_tau_there_is() -> None:
    assert tau_by_words([0] * 500, CHESS_WINDOW).tau == CHESS_WINDOW.window_results
    assert tau_by_words([2] * 500, CHESS_WINDOW).tau == CHESS_WINDOW.window_results


def test_nothing_reaches_95_percent_of_a_plateau_below_zero() -> None:
    found = tau_by_words([-100] * 600, POKER_WINDOW)
    assert found.plateau is not None
    assert (found.plateau.decimal, found.tau) == ("-100.000000", None)


@pytest.mark.parametrize("results", [[], [2], [2] * 49])
def test_less_than_a_window_is_no_tau(results: list[int]) -> None:
    found = tau_by_words(results, CHESS_WINDOW)
    assert (found.results, found.plateau, found.tau) == (len(results), None, None)


def test_recovery_is_counted_from_the_shift_in_windows_after_it() -> None:
    before, after = [2, 1, 2, 1], [0, 0, 1, 1, 2, 2, 2]
    found = recovery_by_words(before, after, PLAIN)
    assert (found.baseline.decimal, found.tau) == ("0.750000", 6)
    assert recovery_by_words(before, [0, 0, 1, 1, 2, 1, 1], PLAIN).tau is None


@pytest.mark.parametrize(("level", "tau"), [(95, 4), (94, None)])
def test_within_five_percent_is_five_percent_below(level: int, tau: int | None) -> None:
    rule = WindowRule(4, 1, 1)
    assert recovery_by_words([100] * 4, [level] * 4, rule).tau == tau
    assert recovery_by_words([-100] * 4, [-200 + level] * 4, rule).tau == tau, "of a losing baseline too"
