"""Strengths and clustered covariances against statsmodels: logistic regression and least squares."""

import numpy as np
import pytest
import statsmodels.api as sm

from agzamov_verify.scoring.arena_ratings.chips import fit_win_rates
from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.results_table import rows_of
from agzamov_verify.scoring.arena_ratings.teams import fit_teams

from .made_up_tables import changed, games_of_two, table_results, team_results
from .test_teams import listed_by_hand


def clustered(cluster: np.ndarray) -> dict[str, object]:
    return {"cov_type": "cluster", "cov_kwds": {"groups": cluster, "use_correction": False}}


def test_without_draws_covariance_is_that_of_clustered_logistic_regression() -> None:
    """With many games the ghosts weigh little: statsmodels has none."""
    results = games_of_two(m=4, starts=2_000, draws=0.0)
    design = np.zeros((len(results.first), 4))
    for player in range(3):
        design[:, player] = (results.first == player).astype(float) - (results.second == player)
    design[:, 3] = 1.0
    oracle = sm.Logit(results.outcome == 2, design).fit(disp=0, **clustered(results.cluster))
    whole = np.zeros((4, 4))
    whole[:3, :3] = oracle.cov_params()[:3, :3]
    centre = np.eye(4) - 0.25
    fit = fit_davidson(results)
    assert fit.draw_parameter == 0
    assert fit.rating.strengths == pytest.approx(centre @ np.append(oracle.params[:3], 0), abs=2e-3)
    assert fit.rating.covariance == pytest.approx(centre @ whole @ centre, rel=0.01, abs=1e-6)


def test_win_rates_are_those_of_clustered_least_squares() -> None:
    results, m, seats = table_results(), 6, 4
    design = np.zeros((len(results.table), m - 1 + seats - 1))
    for row, own in enumerate(zip(results.table, results.player, results.seat, strict=True)):
        at = np.zeros(m)
        for player in results.player[results.table == own[0]]:
            at[player] = 1.0 if player == own[1] else -1 / 3
        # The last player's rate, and the last seat's term, are minus the sum of the others'.
        sat = np.eye(seats)[own[2]]
        design[row] = np.concatenate((at[:-1] - at[-1], sat[:-1] - sat[-1]))
    oracle = sm.OLS(results.chips, design).fit()
    back = np.vstack((np.eye(m - 1), -np.ones(m - 1)))
    fit = fit_win_rates(results)
    assert fit.rating.strengths == pytest.approx(back @ oracle.params[:5])
    assert fit.seat_effects[:3] == pytest.approx(oracle.params[5:])
    without = [
        sm.OLS(results.chips[kept], design[kept]).fit().params[:5]
        for deck in range(40)
        for kept in [results.cluster != deck]
    ]
    moved = (np.array(without) - oracle.params[:5]) @ back.T
    assert fit.rating.covariance == pytest.approx(moved.T @ moved * 39 / 40, rel=1e-4, abs=1e-5)


def test_of_many_decks_the_jackknife_is_the_sandwich_of_statsmodels() -> None:
    results = table_results(m=3, seated=3, decks=600)
    design = np.stack([1.5 * ((results.player == one).astype(float) - 1 / 3) for one in (0, 1)], axis=1)
    design -= np.stack([1.5 * ((results.player == 2).astype(float) - 1 / 3)] * 2, axis=1)
    seats = np.stack([(results.seat == one).astype(float) - (results.seat == 2) for one in (0, 1)], axis=1)
    oracle = sm.OLS(results.chips, np.concatenate((design, seats), axis=1)).fit(**clustered(results.cluster))
    fit = fit_win_rates(results)
    assert fit.rating.strengths[:2] == pytest.approx(oracle.params[:2])
    assert fit.rating.covariance[:2, :2] == pytest.approx(oracle.cov_params()[:2, :2], rel=0.03)


def test_information_of_tables_of_two_is_that_of_one_row_a_table() -> None:
    """The other row says the same again with the other sign."""
    results = table_results(m=4, seated=2)
    one, other = results.player.reshape(-1, 2).T
    players = np.eye(4)[one] - np.eye(4)[other]
    design = np.column_stack((players[:, :3], np.ones(len(one))))
    oracle = sm.OLS(results.chips[::2], design).fit()
    whole = np.zeros((4, 4))
    whole[:3, :3] = oracle.cov_params()[:3, :3]
    centre = np.eye(4) - 0.25
    assert fit_win_rates(results).information_covariance == pytest.approx(centre @ whole @ centre)


def test_sides_of_teams_are_those_of_clustered_logistic_regression() -> None:
    """Without ghosts the level of each side is part of the set-up: the last player of each is left out. The same games
    100 times over in the same clusters leave the clustered covariance as it is, and nothing of the ghosts."""
    results, m, times = team_results(m=7, tables=300), 7, 100
    rows = np.tile(np.arange(len(results.table)), times)
    many = rows_of(results, rows)
    many = changed(many, table=many.table + 300 * (np.arange(len(rows)) // len(results.table)))
    design, won, cluster = listed_by_hand(results, [])
    kept = [place for place in range(2 * m + 1) if place not in (m - 1, 2 * m - 1)]
    oracle = sm.Logit(won, design[:, kept]).fit(disp=0, **clustered(cluster))
    fit, centre = fit_teams(many), np.eye(m) - 1 / m
    for side, places in ((fit.first_side, slice(0, m - 1)), (fit.second_side, slice(m - 1, 2 * m - 2))):
        whole = np.zeros((m, m))
        whole[:-1, :-1] = oracle.cov_params()[places, places]
        assert side.strengths == pytest.approx(centre @ np.append(oracle.params[places], 0), abs=0.05)
        assert side.covariance == pytest.approx(centre @ whole @ centre * 150 / 149, rel=0.03, abs=0.03)
