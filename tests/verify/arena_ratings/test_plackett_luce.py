"""Finishing orders with ties: another maximiser of the same likelihood, Davidson's model at tables of two, limits."""

from itertools import combinations

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.plackett_luce import fit_plackett_luce
from agzamov_verify.scoring.arena_ratings.rating_scale import wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import TableResults, pair_results, rows_of

from .made_up_tables import changed, table_results
from .other_maximiser import Found, found_by_differences, ghost_games


def listed_by_hand(results: TableResults, seats: int, ties: list[int]) -> Found:
    """Every set of every stage written out; parameters: strengths, seats but the last, ln delta of each tie."""
    m, rows, chosen, starts, clusters = results.players, [], [], [], []
    for table in np.unique(results.table):
        left = np.flatnonzero(results.table == table).tolist()
        while len(left) > 1:
            least = min(results.rank[row] for row in left)
            next_ones = {row for row in left if results.rank[row] == least}
            starts.append(len(rows))
            clusters.append(results.cluster[left[0]])
            for size in [1, *ties]:
                for some in combinations(left, size):
                    if set(some) == next_ones:
                        chosen.append(len(rows))
                    at = np.zeros(m + seats + len(ties))
                    for row in some:
                        at[results.player[row]] += 1 / size
                        at[m + results.seat[row]] += 1 / size
                    if size > 1:
                        at[m + seats + ties.index(size)] = 1
                    rows.append(at)
            left = [row for row in left if row not in next_ones]
    design = np.array(rows)
    place = np.unique(clusters, return_inverse=True)[1]

    def whole(free: np.ndarray) -> np.ndarray:
        of_seats = free[m : m + seats - 1]
        return np.concatenate((free[:m], of_seats, [-of_seats.sum()], free[m + seats - 1 :]))

    def of_clusters(free: np.ndarray) -> np.ndarray:
        logs = design @ whole(free)
        return np.bincount(place, logs[chosen] - np.log(np.add.reduceat(np.exp(logs), starts)))

    return found_by_differences(
        of_clusters, lambda free: ghost_games(whole(free)[: m + seats]), m + seats - 1 + len(ties)
    )


@pytest.mark.parametrize("ties", [True, False])
def test_fit_and_covariance_are_those_of_another_maximiser(ties: bool) -> None:
    results = table_results(m=5, seated=4, decks=25, ties=ties)
    fit = fit_plackett_luce(results)
    sizes = list(fit.tie_parameters)
    assert bool(sizes) == ties
    other = listed_by_hand(results, 4, sizes)
    centre = np.eye(5) - 0.2
    assert fit.rating.strengths == pytest.approx(centre @ other.parameters[:5], abs=2e-5)
    assert fit.seat_effects[:3] == pytest.approx(other.parameters[5:8], abs=2e-5)
    assert fit.seat_effects.sum() == pytest.approx(0, abs=1e-9)
    assert np.log(list(fit.tie_parameters.values())) == pytest.approx(other.parameters[8:], abs=2e-5)
    assert fit.rating.covariance == pytest.approx(centre @ other.covariance[:5, :5] @ centre, rel=1e-3, abs=1e-5)
    assert fit.information_covariance == pytest.approx(centre @ other.own[:5, :5] @ centre, rel=1e-3, abs=1e-5)


def test_tables_of_two_are_games_with_draws() -> None:
    """Seats have ghost games and the order of moves has none: with many games that is little."""
    results = table_results(m=4, seated=2, decks=800)
    one, other = results.rank.reshape(-1, 2).T
    first, second = results.player.reshape(-1, 2).T.tolist()
    games = pair_results(4, first, second, (1 + np.sign(other - one)).tolist(), results.cluster[::2].tolist())
    fit, pairs = fit_plackett_luce(results), fit_davidson(games)
    assert fit.rating.strengths == pytest.approx(pairs.rating.strengths, abs=1e-4)
    assert fit.rating.covariance == pytest.approx(pairs.rating.covariance, rel=1e-3, abs=1e-7)
    assert fit.tie_parameters[2] == pytest.approx(pairs.draw_parameter, rel=1e-4)
    assert fit.seat_effects[0] - fit.seat_effects[1] == pytest.approx(pairs.order_effect, abs=1e-3)


def test_rows_in_another_order_renamed_players_and_other_numbers_of_ranks_change_nothing() -> None:
    results, rng = table_results(), np.random.default_rng(3)
    names = rng.permutation(6)
    mixed = rows_of(results, rng.permutation(len(results.table)))
    other = changed(mixed, player=names[mixed.player], rank=10 * mixed.rank - 7, table=900 - mixed.table)
    one, two = fit_plackett_luce(results), fit_plackett_luce(other)
    assert two.rating.strengths[names] == pytest.approx(one.rating.strengths, abs=1e-9)
    assert two.rating.covariance[np.ix_(names, names)] == pytest.approx(one.rating.covariance, abs=1e-9)
    assert two.seat_effects == pytest.approx(one.seat_effects, abs=1e-9)
    assert two.tie_parameters == pytest.approx(one.tie_parameters)


@pytest.mark.parametrize("seated", [2, 3])
def test_where_all_was_drawn_all_are_equal(seated: int) -> None:
    results = table_results(m=3, seated=seated, decks=15)
    fit = fit_plackett_luce(changed(results, rank=np.zeros_like(results.rank)))
    assert fit.rating.strengths == pytest.approx(np.zeros(3), abs=1e-8)
    assert fit.tie_parameters[seated] > 30
    assert (np.diag(fit.rating.covariance) >= 0.99 * np.diag(fit.information_covariance)).all()


def test_ties_that_were_never_avoided_have_a_limit_among_others_that_were() -> None:
    """At tables of three two always tie, for the first place or the last; at tables of two nobody does."""
    results = table_results(m=4, seated=3, decks=20, ties=False)
    first_two = fit_plackett_luce(changed(results, rank=np.minimum(results.rank, 1)))
    assert list(first_two.tie_parameters) == [2]
    assert first_two.tie_parameters[2] < 1e4
    assert np.isfinite(first_two.rating.covariance).all()
    both = fit_plackett_luce(changed(results, rank=np.where(results.table % 2, 0, np.maximum(results.rank, 1))))
    assert list(both.tie_parameters) == [2, 3]
    assert max(both.tie_parameters.values()) < 1e4


def test_who_always_finished_first_is_at_least_so_strong_and_who_never_sat_down_has_no_rating() -> None:
    results = table_results(m=4, seated=4, decks=12, ties=False)
    ahead = changed(results, players=5, rank=np.where(results.player == 2, -1, results.rank))
    fit = fit_plackett_luce(ahead)
    best = wald_intervals(fit.rating)[2]
    assert best is not None
    assert best.high is None
    assert best.low is not None
    assert best.rating == max(one.rating for one in wald_intervals(fit.rating) if one)
    assert wald_intervals(fit.rating)[4] is None
    assert np.isnan(fit.rating.strengths[4])
    assert fit.rating.covariance[2, 2] >= fit.information_covariance[2, 2]
