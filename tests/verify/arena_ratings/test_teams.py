"""Teams with roles: another maximiser of the same likelihood, what roles are told from, who is rated with whom."""

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.rating_scale import wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import TeamResults, rows_of
from agzamov_verify.scoring.arena_ratings.teams import fit_teams

from .made_up_tables import changed, team_results
from .other_maximiser import found_by_differences, ghost_games

VILLAGER, SEER, WOLF = 0, 1, 2


def listed_by_hand(results: TeamResults, roles: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One row a table: strengths as the first team and as the second, the set-up, these roles; won; cluster."""
    m, rows, won, clusters = results.players, [], [], []
    for table in np.unique(results.table):
        own = np.flatnonzero(results.table == table)
        at = np.zeros(2 * m + 1 + len(roles))
        at[2 * m] = 1
        for row in own:
            share = 1 / (results.team[own] == results.team[row]).sum()
            signed = -share if results.team[row] else share
            at[results.team[row] * m + results.player[row]] += signed
            if results.role[row] in roles:
                at[2 * m + 1 + roles.index(results.role[row])] += signed
        rows.append(at)
        won.append(results.won[own[0]])
        clusters.append(results.cluster[own[0]])
    return np.array(rows), np.array(won), np.unique(clusters, return_inverse=True)[1]


@pytest.mark.parametrize("seers", [True, False])
def test_fit_and_covariance_are_those_of_another_maximiser(seers: bool) -> None:
    results, m = team_results(m=7, tables=120, seers=seers), 7
    roles = [VILLAGER, SEER] if seers else []
    design, won, place = listed_by_hand(results, roles)
    free = np.arange(design.shape[1]) != 2 * m

    def of_clusters(at: np.ndarray) -> np.ndarray:
        x = design @ at
        return np.bincount(place, -np.log(1 + np.exp(np.where(won, -x, x))))

    other = found_by_differences(of_clusters, lambda at: ghost_games(at[free]), design.shape[1])
    fit, centre = fit_teams(results), np.eye(m) - 1 / m
    first, second = other.parameters[:m], other.parameters[m : 2 * m]
    assert fit.first_side.strengths == pytest.approx(centre @ first, abs=1e-5)
    assert fit.second_side.strengths == pytest.approx(centre @ second, abs=1e-5)
    assert fit.both.strengths == pytest.approx(centre @ (first + second) / 2, abs=1e-5)
    assert fit.set_up == pytest.approx(other.parameters[2 * m], abs=1e-5)
    assert fit.role_offsets[roles] == pytest.approx(other.parameters[2 * m + 1 :], abs=1e-5)
    assert fit.role_offsets[WOLF] == 0
    both = np.hstack((centre, centre)) / 2
    for rating, sums in (
        (fit.first_side, np.hstack((centre, 0 * centre))),
        (fit.second_side, np.hstack((0 * centre, centre))),
        (fit.both, both),
    ):
        wanted = sums @ other.covariance[: 2 * m, : 2 * m] @ sums.T
        assert rating.covariance == pytest.approx(wanted, rel=1e-3, abs=1e-5)


def test_a_role_that_a_whole_team_has_is_part_of_the_set_up() -> None:
    """Seven sevenths are not quite 1 in floating point, five fifths are."""
    rows = [(table, place, int(place >= 5 + 2 * (table % 2))) for table in range(30) for place in range(9)]
    table, place, team = np.array(rows, dtype=np.int64).T
    player = (place + table) % 9
    fit = fit_teams(TeamResults(9, table, player, team, team, table % 3 > 0, table))
    assert fit.role_offsets.tolist() == [0, 0]


def test_rows_in_another_order_renamed_players_and_tables_change_nothing() -> None:
    results, rng = team_results(seers=True), np.random.default_rng(6)
    names = rng.permutation(8)
    mixed = rows_of(results, rng.permutation(len(results.table)))
    one = fit_teams(results)
    two = fit_teams(changed(mixed, player=names[mixed.player], table=1_000 - mixed.table, cluster=-mixed.cluster))
    for side in ("first_side", "second_side", "both"):
        old, new = getattr(one, side), getattr(two, side)
        assert new.strengths[names] == pytest.approx(old.strengths, abs=1e-8)
        assert new.covariance[np.ix_(names, names)] == pytest.approx(old.covariance, abs=1e-8)
    assert two.role_offsets == pytest.approx(one.role_offsets, abs=1e-8)


def test_teams_renamed_and_their_results_turned_swap_the_sides() -> None:
    results = team_results()
    one, two = fit_teams(results), fit_teams(changed(results, team=1 - results.team, won=~results.won))
    assert two.first_side.strengths == pytest.approx(one.second_side.strengths, abs=1e-8)
    assert two.second_side.covariance == pytest.approx(one.first_side.covariance, abs=1e-8)
    assert two.both.strengths == pytest.approx(one.both.strengths, abs=1e-8)
    assert two.set_up == pytest.approx(-one.set_up, abs=1e-8)


def test_who_never_met_is_in_another_part_and_who_knows_one_side_has_no_headline() -> None:
    one = team_results(m=8, tables=60)
    apart = changed(one, players=18, player=np.where(one.table >= 30, one.player + 8, one.player))
    guests = np.where((apart.player == 0) & (apart.team == 0), 16, apart.player)
    fit = fit_teams(changed(apart, player=guests))
    assert fit.first_side.connection.part.tolist() == [-1] + [1] * 7 + [8] * 8 + [1, -1]
    assert fit.second_side.connection.part.tolist() == [0] * 8 + [8] * 8 + [-1, -1]
    assert fit.both.connection.part.tolist() == [-1] + [1] * 7 + [8] * 8 + [-1, -1]
    for rating in (fit.first_side, fit.second_side, fit.both):
        assert np.nansum(rating.strengths[:8]) + np.nan_to_num(rating.strengths[16]) == pytest.approx(0, abs=1e-9)
        assert rating.strengths[8:16].sum() == pytest.approx(0, abs=1e-9)


def test_a_team_that_always_wins_has_finite_figures_and_open_ends() -> None:
    results = team_results(tables=40)
    fit = fit_teams(changed(results, won=np.ones_like(results.won)))
    assert np.isfinite([fit.set_up, *fit.both.strengths]).all()
    village, wolves = wald_intervals(fit.first_side), wald_intervals(fit.second_side)
    assert all(one is not None and one.high is None and one.low is not None for one in village)
    assert all(one is not None and one.low is None and one.high is not None for one in wolves)


def test_of_few_tables_the_mean_of_both_sides_is_no_more_certain_than_its_information() -> None:
    """Eight tables that went as expected: their clusters alone tell of hardly any variance."""
    results = team_results(m=6, tables=16, seed=3)
    fit, many = fit_teams(results), fit_teams(changed(results, cluster=results.table))
    for rating in (fit.first_side, fit.second_side, fit.both):
        assert (np.diag(rating.covariance) > 0.3).all()
    assert (np.diag(fit.both.covariance) > 0.9 * np.diag(many.both.covariance)).all()
