"""Win rates by least squares: seats, few decks, who met whom; Elo of an edge by session length."""

from math import inf, log, nan

import numpy as np
import pytest
from scipy.stats import norm

from agzamov_verify.scoring.arena_ratings.chips import bb_per_100, elo_strengths, fit_win_rates
from agzamov_verify.scoring.arena_ratings.connection import Connection
from agzamov_verify.scoring.arena_ratings.rating_scale import ELO_PER_LOGIT, GameRating
from agzamov_verify.scoring.arena_ratings.results_table import TableResults, rows_of

from .made_up_tables import changed, table_results


def rates_of(mu: list[float], covariance: np.ndarray | None = None) -> GameRating:
    players = len(mu)
    spread = np.eye(players) if covariance is None else covariance
    everybody = Connection(np.zeros(players, dtype=np.int64), *np.zeros((2, players), dtype=np.bool_))
    return GameRating(np.array(mu), spread, everybody)


@pytest.mark.parametrize(("hands", "elo"), [(1, 6), (100, 62), (1_000, 199), (10_000, 750)])
def test_an_edge_of_20_at_an_sd_of_90_is_worth_more_in_longer_sessions(hands: int, elo: int) -> None:
    """SD of 90 bb/100 in 100 hands is 900 by the hand. Sessions of so many hands, as hundreds of another spread."""
    strengths = elo_strengths(rates_of([20, 0, -20]), 900 * (100 / hands) ** 0.5).strengths
    assert round(ELO_PER_LOGIT * (strengths[0] - strengths[1])) == elo


def test_covariance_is_carried_over_by_the_slope() -> None:
    covariance = np.array([[30.0, 5, 1], [5, 20, -3], [1, -3, 10]])
    mu, step = np.array([25.0, 3, -28]), 1e-4

    def logits(at: np.ndarray) -> np.ndarray:
        chance = norm.cdf(at * 10 / 900)
        return np.log(chance / (1 - chance))

    slopes = np.diag((logits(mu + step) - logits(mu - step)) / (2 * step))
    centre = np.eye(3) - 1 / 3
    found = elo_strengths(rates_of(mu.tolist(), covariance), 900)
    assert found.strengths == pytest.approx(centre @ logits(mu))
    assert found.covariance == pytest.approx(centre @ slopes @ covariance @ slopes @ centre)


def test_a_win_rate_beyond_all_measure_has_a_finite_rating() -> None:
    found = elo_strengths(rates_of([1e9, 0, -1e9]), 900)
    assert np.isfinite(found.strengths).all()
    assert found.strengths[0] == pytest.approx(-norm.logsf(35))


@pytest.mark.parametrize("deviation", [0, -900, nan, inf])
def test_a_spread_that_is_none_is_refused(deviation: float) -> None:
    with pytest.raises(ValueError, match="standard deviation"):
        elo_strengths(rates_of([1, -1]), deviation)


def test_chips_become_big_blinds_a_hundred_hands() -> None:
    assert bb_per_100(np.array([150.0, -75.0]), 50, np.array([100, 30])) == pytest.approx([3, -5])


def test_who_sits_in_one_seat_only_cannot_be_told_from_it() -> None:
    """Two players who never change seats: what the first wins is theirs, 30 a table, not shared with the seat."""
    tables = np.repeat(np.arange(20), 2)
    sides = np.tile(np.arange(2), 20)
    chips = np.where(sides == 0, 1.0, -1.0) * np.repeat([20.0, 40.0], 20)
    fit = fit_win_rates(TableResults(2, tables, sides, 1 - sides, chips, sides, tables))
    assert fit.rating.strengths == pytest.approx([15, -15])
    assert fit.seat_effects == pytest.approx([0, 0])
    swapped = np.where(tables % 2, 1 - sides, sides)
    fit = fit_win_rates(TableResults(2, tables, swapped, 1 - sides, chips, sides, tables))
    assert fit.seat_effects == pytest.approx([30, -30])
    assert fit.rating.strengths == pytest.approx([0, 0], abs=1e-9)


def test_a_fit_without_anything_left_over_is_not_certain() -> None:
    table, player = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    chips = np.array([30.0, -30.0, -10.0, 10.0])
    fit = fit_win_rates(TableResults(2, table, player, player, chips, np.array([0, 1, 0, 1]), table))
    assert fit.rating.strengths == pytest.approx([10, -10])
    assert (np.diag(fit.rating.covariance) > 50).all()


def test_of_few_decks_the_information_speaks() -> None:
    few = fit_win_rates(table_results(decks=8))
    assert (np.diag(few.rating.covariance) >= np.diag(few.information_covariance) - 1e-9).all()


def test_who_never_met_has_another_mean() -> None:
    results = table_results(m=3, seated=2, decks=40)
    apart = changed(results, players=7, player=np.where(results.table >= 40, results.player + 3, results.player))
    fit = fit_win_rates(apart)
    assert fit.rating.connection.part.tolist() == [0, 0, 0, 3, 3, 3, -1]
    assert fit.rating.strengths[:3].sum() == pytest.approx(0, abs=1e-9)
    assert fit.rating.strengths[3:6].sum() == pytest.approx(0, abs=1e-9)
    assert np.isnan(fit.rating.strengths[6])
    assert fit.rating.covariance[:3, 3:6] == pytest.approx(0, abs=0.02 * fit.rating.covariance[0, 0])


def test_rows_in_another_order_and_renamed_players_change_nothing() -> None:
    results, rng = table_results(), np.random.default_rng(4)
    names = rng.permutation(6)
    mixed = rows_of(results, rng.permutation(len(results.table)))
    one, two = fit_win_rates(results), fit_win_rates(changed(mixed, player=names[mixed.player]))
    assert two.rating.strengths[names] == pytest.approx(one.rating.strengths, abs=1e-8)
    assert two.rating.covariance[np.ix_(names, names)] == pytest.approx(one.rating.covariance, abs=1e-7)
    assert two.seat_effects == pytest.approx(one.seat_effects, abs=1e-8)


def test_strengths_of_a_better_player_by_the_formula() -> None:
    """ln(P / (1 - P)) with P = Phi(20 / 90)."""
    chance = float(norm.cdf(20 / 90))
    strengths = elo_strengths(rates_of([20, 0, -20]), 900).strengths
    assert strengths[0] == pytest.approx(log(chance / (1 - chance)))
