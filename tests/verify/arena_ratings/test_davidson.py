"""Davidson's model: another maximiser of the same likelihood, names and rows, players who won all."""

import numpy as np
import pytest
from scipy.optimize import minimize

from agzamov_verify.scoring.arena_ratings.bootstrap import resampled_strengths
from agzamov_verify.scoring.arena_ratings.davidson import Order, fit_davidson
from agzamov_verify.scoring.arena_ratings.headline import headline
from agzamov_verify.scoring.arena_ratings.profile import intervals
from agzamov_verify.scoring.arena_ratings.rating_scale import wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import WIN, PairResults, distinct, pair_results, rows_of
from agzamov_verify.scoring.arena_ratings.simultaneous_ranks import rank_sets, ranks_in_parts

from .made_up_tables import games_of_two


def test_strengths_are_those_of_another_maximiser() -> None:
    results = games_of_two()

    def loss(at: np.ndarray) -> float:
        x = at[results.first] - at[results.second] + at[5]
        logs = np.stack((-x / 2, np.full(len(x), at[6]), x / 2))
        chosen = logs[results.outcome, np.arange(len(x))] - np.log(np.exp(logs).sum(axis=0))
        ghosts = np.log(1 / (1 + np.exp(-at[:5]))) + np.log(1 / (1 + np.exp(at[:5])))
        return float(-chosen.sum() - ghosts.sum() / 2)

    best = minimize(loss, np.zeros(7), method="BFGS", options={"gtol": 1e-8}).x
    fit = fit_davidson(results)
    assert fit.rating.strengths == pytest.approx(best[:5] - best[:5].mean(), abs=1e-5)
    assert fit.order_effect == pytest.approx(best[5], abs=1e-5)
    assert np.log(fit.draw_parameter) == pytest.approx(best[6], abs=1e-5)


def test_rows_in_another_order_and_renamed_players_change_nothing() -> None:
    results, rng = games_of_two(), np.random.default_rng(5)
    names = rng.permutation(5)
    mixed = rows_of(results, rng.permutation(len(results.first)))
    other = PairResults(
        5,
        names[mixed.first],
        names[mixed.second],
        *(getattr(mixed, n) for n in ("outcome", "cluster", "count", "decided_by_harness")),
    )
    one, two = fit_davidson(results), fit_davidson(other)
    assert two.rating.strengths[names] == pytest.approx(one.rating.strengths, abs=1e-9)
    assert two.rating.covariance[np.ix_(names, names)] == pytest.approx(one.rating.covariance, abs=1e-9)
    assert (ranks_in_parts(two.rating)[names] == ranks_in_parts(one.rating)).all()
    drawn = resampled_strengths(results, one, 20), resampled_strengths(other, two, 20)
    assert drawn[1][:, names] == pytest.approx(drawn[0], abs=1e-6)


def test_resamples_spread_as_the_clustered_errors_say() -> None:
    results = games_of_two(starts=40)
    fit = fit_davidson(results)
    spread = resampled_strengths(results, fit, 400).std(axis=0)
    assert spread == pytest.approx(np.sqrt(np.diag(fit.rating.covariance)), rel=0.15)


def test_who_won_all_is_at_least_so_strong_and_who_never_met_is_in_another_part() -> None:
    first, second = [0, 1, 0, 2, 1, 2, 3, 4] * 3, [1, 0, 2, 0, 2, 1, 4, 3] * 3
    outcome = [2, 0, 2, 0, 1, 1, 2, 2] * 3
    fit = fit_davidson(pair_results(6, first, second, outcome, [row // 2 for row in range(24)]))
    best, _, _, _, last, nobody = intervals(fit)
    assert best is not None
    assert best.high is None
    assert best.low is not None
    assert best.low < best.rating
    assert last is not None
    assert nobody is None
    assert fit.rating.connection.part.tolist() == [0, 0, 0, 3, 3, -1]
    assert ranks_in_parts(fit.rating)[5].tolist() == [0, 0]


@pytest.mark.parametrize("outcome", [0, 1, 2])
def test_games_that_all_ended_alike_have_finite_ratings(outcome: int) -> None:
    fit = fit_davidson(pair_results(2, [0, 1, 0, 1], [1, 0, 1, 0], [outcome] * 4, [0, 0, 1, 1]), Order.MATTERS)
    assert fit.rating.strengths == pytest.approx([0, 0], abs=1e-8)
    assert (np.diag(fit.rating.covariance) > 0.1).all()


def test_identical_games_count_once_and_may_not_contradict() -> None:
    results = pair_results(2, [0, 0, 1], [1, 1, 0], [2, 2, 1], [5, 3, 5])
    once = distinct(results, ["a", "a", "a"])
    assert (once.cluster.tolist(), once.outcome.tolist()) == ([3, 5], [2, 1])
    with pytest.raises(ValueError, match="one outcome"):
        distinct(pair_results(2, [0, 0], [1, 1], [2, 1], [0, 1]), ["a", "a"])


def test_the_headline_weighs_games_equally_and_leaves_the_incomplete_out() -> None:
    many, few = games_of_two(starts=60), games_of_two(starts=10, seed=2)
    without = rows_of(few, (few.first != 4) & (few.second != 4))
    games = [fit_davidson(many).rating, fit_davidson(without).rating]
    found = headline(games)
    four = games[0].strengths[:4] - games[0].strengths[:4].mean()
    assert found.rating.strengths[:4] == pytest.approx((four + games[1].strengths[:4]) / 2)
    assert found.incomplete.tolist() == [False] * 4 + [True]
    assert np.isnan(found.rating.strengths[4])
    assert found.shares.sum() == pytest.approx(1)


def test_ranks_use_the_covariance_of_differences() -> None:
    """Errors in common tell nothing of a difference: sd of each 3, of the difference 1 and 4.2."""
    values = np.array([3.0, 0.0])
    assert rank_sets(values, np.array([[9.0, 8.5], [8.5, 9.0]])).tolist() == [[1, 1], [2, 2]]
    assert rank_sets(values, np.array([[9.0, 0.0], [0.0, 9.0]])).tolist() == [[1, 2], [1, 2]]


def test_an_interval_of_nearly_all_won_is_the_profile_and_reaches_further_up() -> None:
    """30 wins and 2 draws: a normal interval is as long down as up."""
    others = [(1, 2), (2, 1)] * 10
    first, second = [0, 1, 0, 2] * 8 + [a for a, _ in others], [1, 0, 2, 0] * 8 + [b for _, b in others]
    outcome = [2, 0, 2, 0] * 7 + [2, 0, 1, 1] + [0, 2, 2, 2, 1] * 4
    fit = fit_davidson(pair_results(3, first, second, outcome, [row // 2 for row in range(len(first))]))
    best, plain, _ = intervals(fit)
    assert best is not None
    assert best.high is not None
    assert best.low is not None
    assert best.high - best.rating > 1.2 * (best.rating - best.low)
    assert plain == wald_intervals(fit.rating)[1]


def test_where_one_player_always_moves_first_nobody_knows_which_of_the_two_it_was() -> None:
    """Both were 1200, from 1200 to 1200: the advantage of moving first, which had no ghost game, explained it all."""

    def played(first: list[int]) -> PairResults:
        rows, none = np.arange(len(first)), np.zeros(len(first), dtype=np.int64)
        outcome = np.where(rows < 70, WIN, 0)
        return PairResults(2, np.array(first), 1 - np.array(first), outcome, rows, none + 1, none.astype(bool))

    fit = fit_davidson(played([0] * 100))
    assert fit.model.is_confounded
    ends = [one for one in intervals(fit) if one]
    assert all(one.low is not None and one.low < 1100 and one.high is not None and one.high > 1300 for one in ends)
    assert not fit_davidson(played([0] * 100 + [1])).model.is_confounded, "one game with the other first"
