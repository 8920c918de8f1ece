"""The test of one strength a player, and the plane that its residual is drawn in."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2

from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson, leads
from agzamov_verify.scoring.arena_ratings.results_table import PairResults, pair_results, rows_of
from agzamov_verify.scoring.arena_ratings.transitivity import (
    cyclic_plane,
    residual_logits,
    signed_residuals,
    transitivity,
)

RESAMPLES = 199
ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
"""Row beats column at +1: paper (1) beats rock (0), scissors (2) beat paper, rock beats scissors."""


def world(theta: np.ndarray, cycle: np.ndarray, starts: int = 20, seed: int = 1) -> PairResults:
    """Both colours from so many starts of each pairing; a draw among equals in 3 of 10, moving first is worth 0.4."""
    rng, m = np.random.default_rng(seed), len(theta)
    pairs = [(i, j) for i in range(m) for j in range(i)]
    rows = [(*order, cluster) for cluster, two in enumerate(pairs * starts) for order in (two, two[::-1])]
    first, second, cluster = (list(column) for column in zip(*rows, strict=True))
    x = theta[first] - theta[second] + cycle[first, second] + 0.4
    weights = np.stack((np.exp(-x / 2), np.full(len(x), 0.86), np.exp(x / 2)))
    outcome = (rng.random(len(x)) > np.cumsum(weights / weights.sum(axis=0), axis=0)).sum(axis=0)
    return pair_results(m, first, second, outcome.tolist(), cluster)


def planted(logits: float, seed: int = 1) -> PairResults:
    """Six players, two of each kind; kinds beat each other in a circle, and each kind has a stronger player."""
    kinds = np.repeat(np.arange(3), 2)
    cycle = logits * ROCK_PAPER_SCISSORS[np.ix_(kinds, kinds)]
    return world(np.array([0.5, -0.5, 0.3, -0.6, 0.4, -0.1]), cycle, seed=seed)


def test_rock_paper_scissors_is_found_and_drawn() -> None:
    found = transitivity(fit_davidson(planted(1.0)), RESAMPLES)
    assert found.p == 1 / (RESAMPLES + 1)
    assert found.pairings == 15
    assert found.plane is not None
    assert found.plane.share > 0.8
    # Each kind in one direction, and each beats the next a third of a turn counterclockwise: rock, scissors, paper.
    degrees = np.degrees(np.arctan2(found.plane.places[:, 1], found.plane.places[:, 0]))
    rock, paper, scissors = np.exp(1j * np.radians(degrees)).reshape(3, 2).sum(axis=1)
    assert np.degrees(np.angle(scissors / rock)) == pytest.approx(120, abs=20)
    assert np.degrees(np.angle(paper / scissors)) == pytest.approx(120, abs=20)
    assert np.abs(np.array([rock, paper, scissors])) == pytest.approx([2, 2, 2], abs=0.2)


def test_a_transitive_world_is_neither_found_nor_drawn() -> None:
    found = transitivity(fit_davidson(planted(0.0)), RESAMPLES)
    assert found.p > 0.05
    assert found.plane is None


@pytest.mark.slow
def test_p_of_transitive_worlds_is_uniform() -> None:
    """Of 60 worlds 3 are expected below 5 %; 9 and more are so in 1 of 300, and half are below 50 %."""
    drawn = np.array([transitivity(fit_davidson(planted(0.0, seed)), 99).p for seed in range(60)])
    assert (drawn <= 0.05).sum() < 9
    assert 18 < (drawn <= 0.5).sum() < 42


@pytest.mark.slow
def test_a_circle_of_half_a_logit_is_found_in_most_arenas_of_twelve_players() -> None:
    """20 games a pairing: in 55 of 60 arenas, so in fewer than 22 of 30 hardly ever."""
    kinds = np.tile(np.arange(3), 4)
    cycle = 0.5 * ROCK_PAPER_SCISSORS[np.ix_(kinds, kinds)]
    worlds = [world(np.linspace(1, -1, 12), cycle, starts=10, seed=seed) for seed in range(30)]
    assert sum(transitivity(fit_davidson(one), 99).p <= 0.05 for one in worlds) >= 22


def test_the_statistic_of_many_games_is_chi_squared() -> None:
    """Four players, 6 pairings, 3 strengths fitted: the null has 3 degrees of freedom."""
    fit = fit_davidson(world(np.array([0.4, 0.1, -0.1, -0.4]), np.zeros((4, 4)), starts=200))
    found = transitivity(fit, 999)
    assert found.p == pytest.approx(chi2.sf(found.statistic, 3), abs=0.06)


def test_the_signed_residual_of_three_games_by_hand() -> None:
    """No draws and equal strengths, so 1/2 is expected; 2 of 3 points leave 1/2 too many, of variance 3/4."""
    fit = fit_davidson(pair_results(2, [0, 1, 0], [1, 0, 1], [2, 2, 2], [0, 1, 2]))
    level = replace(fit, parameters=np.array([0.0, 0.0, 0.0, -np.inf]))
    surplus, variance = signed_residuals(level.counts, level.parameters)
    assert surplus.tolist() == [[0, 0.5], [-0.5, 0]]
    assert variance.tolist() == [[0, 0.75], [0.75, 0]]


def test_the_variance_of_a_game_of_unequals_is_that_of_its_points() -> None:
    """3/4 expected, no draws: a win is 1/4 too many, of variance 3/16."""
    fit = fit_davidson(pair_results(2, [0, 1], [1, 0], [2, 0], [0, 1]))
    surplus, variance = signed_residuals(fit.counts, np.array([np.log(3), 0.0, 0.0, -np.inf]))
    assert surplus[0, 1] == pytest.approx(2 * 0.25)
    assert variance[0, 1] == pytest.approx(2 * 3 / 16)


def test_colours_cancel_in_the_signed_residual() -> None:
    """Who moves first always wins between 0 and 1, and never between 2 and 3: no residual of strength in either."""
    first, second = [0, 1, 2, 3] * 6, [1, 0, 3, 2] * 6
    fit = fit_davidson(pair_results(4, first, second, [2, 2, 0, 0] * 6, [row // 2 for row in range(24)]))
    assert fit.order_effect == pytest.approx(0, abs=1e-9)
    assert signed_residuals(fit.counts, fit.parameters)[0] == pytest.approx(np.zeros((4, 4)), abs=1e-9)


def test_residual_logits_are_what_the_ghost_game_allows() -> None:
    """All of 10 games won among equals, no draws: 10 s(-r) = s(r) - 1/2 with s(t) = 1 / (1 + e^-t), so s(r) = 21/22."""
    fit = fit_davidson(pair_results(3, [0] * 10, [1] * 10, [2] * 10, list(range(10))))
    level = np.array([0.0, 0.0, 0.0, 0.0, -np.inf])
    expected = np.zeros((3, 3))
    expected[0, 1], expected[1, 0] = np.log(21), -np.log(21)
    assert residual_logits(fit.counts, level) == pytest.approx(expected, abs=1e-9)


def test_residual_logits_complete_the_fit() -> None:
    fit = fit_davidson(planted(1.0))
    residual = residual_logits(fit.counts, fit.parameters)
    shifted = leads(fit.parameters) + residual
    up, nu = np.exp(shifted / 2), fit.draw_parameter
    won, drawn, lost = fit.counts
    surplus = (won - lost) / 2 - (won + drawn + lost) * (up - 1 / up) / (2 * (up + 1 / up + nu))
    assert surplus - surplus.T == pytest.approx(np.tanh(residual / 2) / 2, abs=1e-9)
    assert (residual == -residual.T).all()


def test_the_plane_of_a_pure_rotation_gives_it_back() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 7))
    rotation = np.outer(a, b) - np.outer(b, a)
    plane = cyclic_plane(rotation, np.arange(7))
    x, y = plane.places.T
    assert np.outer(x, y) - np.outer(y, x) == pytest.approx(rotation, abs=1e-9)
    assert plane.share == pytest.approx(1)
    furthest = int(np.hypot(x, y).argmax())
    assert (x[furthest] > 0, y[furthest]) == (True, pytest.approx(0, abs=1e-12))


def test_the_share_is_that_of_the_greater_of_two_rotations() -> None:
    """Turns of 3 and 1 in planes of their own: 9 of 10."""
    both = np.zeros((4, 4))
    both[0, 1], both[2, 3] = 3, 1
    plane = cyclic_plane(both - both.T, np.arange(4))
    assert plane.share == pytest.approx(0.9)
    assert plane.places[2:] == pytest.approx(np.zeros((2, 2)), abs=1e-12)
    assert plane.places[:2] == pytest.approx(np.array([[3**0.5, 0], [0, 3**0.5]]), abs=1e-12)


def test_nothing_left_over_is_drawn_as_nothing() -> None:
    plane = cyclic_plane(np.zeros((3, 3)), np.arange(3))
    assert (plane.share, plane.places.tolist()) == (0.0, [[0, 0]] * 3)


@pytest.mark.parametrize("logits", [0.0, 1.0])
def test_renamed_players_and_rows_in_another_order_change_names_alone(logits: float) -> None:
    results, rng = planted(logits), np.random.default_rng(6)
    names = rng.permutation(results.players)
    mixed = rows_of(results, rng.permutation(len(results.first)))
    other = replace(mixed, first=names[mixed.first], second=names[mixed.second])
    one, two = (transitivity(fit_davidson(games), RESAMPLES) for games in (results, other))
    assert two.p == one.p
    assert two.statistic == pytest.approx(one.statistic)
    assert two.residual[np.ix_(names, names)] == pytest.approx(one.residual, abs=1e-6)
    assert (one.plane is None) == (two.plane is None) == (logits == 0)
    if one.plane is not None and two.plane is not None:
        assert two.plane.places[names] == pytest.approx(one.plane.places, abs=1e-6)


def test_players_without_a_game_are_not_drawn() -> None:
    found = transitivity(fit_davidson(replace(planted(1.5), players=7)), RESAMPLES)
    assert found.plane is not None
    assert np.isnan(found.plane.places).all(axis=1).tolist() == [False] * 6 + [True]


@pytest.mark.parametrize("outcome", [0, 1, 2])
def test_games_that_all_ended_alike_leave_nothing_to_draw(outcome: int) -> None:
    fit = fit_davidson(pair_results(2, [0, 1, 0, 1], [1, 0, 1, 0], [outcome] * 4, [0, 0, 1, 1]))
    found = transitivity(fit, RESAMPLES)
    assert (found.p, found.plane) == (1, None)


def test_no_resample_is_no_test() -> None:
    with pytest.raises(ValueError, match="1 resample or more"):
        transitivity(fit_davidson(planted(0.0)), 0)
