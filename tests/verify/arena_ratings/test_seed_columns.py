"""The arena's older columns: Elo and Glicko-2 in order, UAS and tiers, and how far another order moves them."""

from dataclasses import replace

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.bootstrap import resampled_strengths
from agzamov_verify.scoring.arena_ratings.connection import Connection
from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.rating_scale import ELO_MEAN, ELO_PER_LOGIT, GameRating
from agzamov_verify.scoring.arena_ratings.results_table import PairResults, pair_results, rows_of
from agzamov_verify.scoring.arena_ratings.seed_columns import (
    SEED_RULE,
    RatedGame,
    Tier,
    elo_in_order,
    glicko2_in_order,
    order_spread,
    tier_of,
    tiers,
    unified_apex_scores,
)
from agzamov_verify.scoring.inference.ratings import GlickoRule, elo_match, glicko2_match

SHUFFLES = 50


def league(m: int = 5, seed: int = 3, games: int = 200) -> PairResults:
    """Random pairings; the better player has the lower number, and player m - 1 no game."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, m - 1, games)
    second = (first + rng.integers(1, m - 1, games)) % (m - 1)
    outcome = np.clip(rng.integers(0, 3, games) + (first < second) - (first > second), 0, 2)
    return pair_results(m, first.tolist(), second.tolist(), outcome.tolist(), list(range(games)))


def renamed(results: PairResults, names: np.ndarray) -> PairResults:
    return replace(results, first=names[results.first], second=names[results.second])


def test_elo_of_three_games_by_hand() -> None:
    """1200 to 1216 and 1184; then 1200 beats 1216: E = 1 / (1 + 10^(16/400)) = 0.476990, gain 16.7363; then a draw."""
    elos = elo_in_order(pair_results(4, [0, 2, 1], [1, 0, 2], [2, 2, 1], [0, 1, 2]))
    # E(1) = 1 / (1 + 10^((1216.7363 - 1184) / 400)) = 0.453038, gain 32 x (1/2 - E) = 1.5028.
    assert elos[:3] == pytest.approx([1199.2637, 1185.5028, 1215.2335], abs=1e-3)
    assert np.isnan(elos[3])


def test_elo_of_two_players_is_that_of_exact_arithmetic() -> None:
    points = np.random.default_rng(8).integers(0, 3, 300).tolist()
    exact = elo_match(points, SEED_RULE, 300)
    found = elo_in_order(pair_results(2, [0] * 300, [1] * 300, points, list(range(300))))
    assert found == pytest.approx([float(exact.a), float(exact.b)], abs=1e-6)


def test_a_row_of_three_like_games_is_three_games() -> None:
    one = pair_results(2, [0, 1], [1, 0], [2, 1], [0, 1])
    many = pair_results(2, [0, 0, 0, 1], [1, 1, 1, 0], [2, 2, 2, 1], [0, 0, 0, 1])
    wide = replace(one, count=np.array([3, 1]))
    assert elo_in_order(wide).tolist() == elo_in_order(many).tolist()
    assert glicko2_in_order(wide) == glicko2_in_order(many)
    assert order_spread([wide], shuffles=SHUFFLES).elo.tolist() == order_spread([many], shuffles=SHUFFLES).elo.tolist()


def test_glicko_2_of_a_pool_of_two_is_that_of_a_match() -> None:
    points = [2, 2, 1, 0, 2, 0, 2]
    match = glicko2_match(points, GlickoRule(period_results=3))
    pool = pair_results(3, [0] * 7, [1] * 7, points, list(range(7)))
    assert glicko2_in_order(pool, GlickoRule(period_results=3)) == [match.a[-1], match.b[-1], None]


def test_a_period_of_glicko_2_has_twenty_games_of_a_player_on_average() -> None:
    results = league()
    by_rule = glicko2_in_order(results, GlickoRule(period_results=40))
    assert glicko2_in_order(results) == by_rule
    assert glicko2_in_order(results) != glicko2_in_order(results, GlickoRule(period_results=39))


def test_the_score_counts_what_is_above_1000_in_every_game() -> None:
    elos = np.array([[1500.0, 900.0, 1300.0], [1300.0, 1300.0, 1000.0], [1100.0, 1000.0, np.nan]])
    assert unified_apex_scores(elos)[:2] == pytest.approx([300, 100])
    assert np.isnan(unified_apex_scores(elos)[2])


@pytest.mark.parametrize(
    ("uas", "tier"),
    [(600, Tier.S), (599.99, Tier.A), (300, Tier.A), (200, Tier.B), (199.99, Tier.C), (130, Tier.C), (129.99, Tier.D)],
)
def test_tiers_begin_at_their_least_value(uas: float, tier: Tier) -> None:
    assert tier_of(uas) is tier


def game(elos: list[float], resampled: list[list[float]], above: int | None = None) -> RatedGame:
    """A rated game of one part by ratings; `above` has an open upper end, NaN is no game."""
    values, drawn = ((np.array(one) - ELO_MEAN) / ELO_PER_LOGIT for one in (elos, resampled))
    part = np.where(np.isnan(values), -1, 0)
    is_open = np.arange(len(elos)) == (-1 if above is None else above)
    connected = Connection(part, is_open, np.zeros(len(elos), dtype=np.bool_))
    return RatedGame(GameRating(values, np.eye(len(elos)), connected), drawn)


def test_a_tier_is_provisional_until_it_holds_the_whole_interval() -> None:
    """Of 40 resamples the least is the 2.5 % point: one of them in another tier is enough."""
    steady, moved = [1350.0] * 40, [1350.0] * 39 + [1299.0]
    rows = [list(row) for row in zip(steady, moved, strict=True)]
    one, other = tiers([game([1350.0, 1350.0], rows)])
    assert one is not None
    assert other is not None
    assert (one.tier, one.share, one.is_provisional) == (Tier.A, 1.0, False)
    assert (other.tier, other.share, other.is_provisional) == (Tier.A, 39 / 40, True)
    assert other.low == pytest.approx(299)
    assert other.high == pytest.approx(350)


def test_at_least_is_provisional_below_the_highest_tier() -> None:
    for rating, provisional in ((1350.0, True), (1650.0, False)):
        (found,) = tiers([game([rating], [[rating]] * 40, above=0)])
        assert found is not None
        assert found.high is None
        assert found.is_provisional is provisional


def test_a_player_without_a_game_in_one_of_two_games_has_no_tier() -> None:
    whole = game([1200.0, 1200.0], [[1200.0, 1200.0]] * 5)
    lacking = game([1200.0, np.nan], [[1200.0, np.nan]] * 5)
    found = tiers([whole, lacking])
    assert found[0] is not None
    assert found[0].tier is Tier.B
    assert found[1] is None


def test_games_of_unequal_rosters_or_resamples_have_no_tiers() -> None:
    one = game([1200.0, 1200.0], [[1200.0, 1200.0]] * 5)
    for other in (game([1200.0], [[1200.0]] * 5), game([1200.0, 1200.0], [[1200.0, 1200.0]] * 4)):
        with pytest.raises(ValueError, match="one roster"):
            tiers([one, other])
    with pytest.raises(ValueError, match="one roster"):
        tiers([])


def test_tiers_of_a_fit_follow_its_elo() -> None:
    results = league()
    fit = fit_davidson(results)
    found = tiers([RatedGame(fit.rating, resampled_strengths(results, fit, 40))])
    scores = [one.uas for one in found if one is not None]
    assert scores == pytest.approx(np.maximum(200 + ELO_PER_LOGIT * fit.rating.strengths[:4], 0).tolist())
    assert found[4] is None


def test_another_order_moves_two_players_of_one_win_each_as_by_hand() -> None:
    """Win then loss leaves the first 1.4694 below 1200, loss then win above: E = 1 / (1 + 10^(-32/400)) = 0.545922."""
    found = order_spread([pair_results(2, [0, 0], [1, 1], [2, 0], [0, 1])])
    expected = np.array([-1.0, 1.0]) * 32 * (1 / (1 + 10 ** (-32 / 400)) - 0.5)
    assert expected[1] == pytest.approx(1.4694, abs=1e-3)
    # Of 200 shuffles about half: the SD is that of a coin, and the same for both players.
    assert found.elo[0] == pytest.approx([expected[1]] * 2, rel=0.03)
    assert found.uas == pytest.approx(found.elo[0])


def test_games_of_one_result_have_no_other_order() -> None:
    found = order_spread([pair_results(3, [0] * 6, [1] * 6, [2] * 6, list(range(6)))], shuffles=SHUFFLES)
    assert found.elo[0, :2] == pytest.approx([0, 0], abs=1e-9)
    assert np.isnan(found.elo[0, 2])


def test_shuffles_depend_on_the_games_and_not_on_names_or_rows() -> None:
    results, rng = league(), np.random.default_rng(4)
    names = rng.permutation(results.players)
    other = renamed(rows_of(results, rng.permutation(len(results.first))), names)
    one, two = (order_spread([games, games], shuffles=SHUFFLES) for games in (results, other))
    assert two.elo[:, names] == pytest.approx(one.elo, nan_ok=True)
    assert two.uas[names] == pytest.approx(one.uas, nan_ok=True)


def test_shuffles_of_players_who_are_alike_do_not_depend_on_names() -> None:
    """Rock, paper and scissors: no player differs from another, but a swap of two is another world."""
    results = pair_results(3, [0, 1, 2] * 4, [1, 2, 0] * 4, [2] * 12, list(range(12)))
    for names in (np.array([1, 0, 2]), np.array([2, 1, 0]), np.array([1, 2, 0])):
        one, two = (order_spread([x], shuffles=SHUFFLES).elo[0] for x in (results, renamed(results, names)))
        assert sorted(two.tolist()) == pytest.approx(sorted(one.tolist()))
