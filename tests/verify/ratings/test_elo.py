"""Elo against the formula of the texts in floating point, and against FIDE's table of expected scores."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agzamov_verify.scoring.inference.exact import high_precision, places
from agzamov_verify.scoring.inference.ratings import (
    EloRule,
    Game,
    GlickoRule,
    NotOfTwo,
    _expected,
    _play,
    elo_match,
    glicko2_match,
    hand_halfpoints,
    match_games,
    with_and_without,
)
from agzamov_verify.scoring.units.score_constants import load_score_constants

names = st.sampled_from("abcd")
games = st.lists(
    st.tuples(names, names, st.integers(0, 2)).filter(lambda one: one[0] != one[1]).map(lambda one: Game(*one)),
    max_size=60,
)


def by_the_texts(played: list[Game], k: int, start: int) -> dict[str, float]:
    """E(A) = 1 / (1 + 10^((R_B - R_A) / 400)), R'_A = R_A + K x (S_A - E(A)), for both."""
    ratings: dict[str, float] = {}
    for game in played:
        a, b = ratings.get(game.first, start), ratings.get(game.second, start)
        score = game.halfpoints / 2
        ratings[game.first] = a + k * (score - 1 / (1 + 10 ** ((b - a) / 400)))
        ratings[game.second] = b + k * ((1 - score) - 1 / (1 + 10 ** ((a - b) / 400)))
    return ratings


CHESS, POKER = (load_score_constants("agz-0.1").ratings.elo[game] for game in ("chess960", "holdem"))


def elo_pool(played: list[Game], rule: EloRule) -> dict[str, str]:
    """Ratings of all players after the games in order."""
    ratings: dict[str, Decimal] = {}
    with high_precision():
        for game in played:
            _play(ratings, game, rule)
    return {name: places(rating) for name, rating in ratings.items()}


def test_the_rules_are_the_texts() -> None:
    assert (CHESS.k, POKER.k) == (32, 16)


@given(games, st.sampled_from([CHESS, POKER, EloRule(32, 1200)]))
def test_ratings_are_the_texts_formula(played: list[Game], rule: EloRule) -> None:
    found = {name: float(rating) for name, rating in elo_pool(played, rule).items()}
    assert found == pytest.approx(by_the_texts(played, rule.k, rule.start), abs=1e-6)


@pytest.mark.parametrize(("lead", "expected"), [(0, "0.50"), (50, "0.57"), (100, "0.64"), (200, "0.76"), (400, "0.91")])
def test_what_is_expected_follows_fides_table_of_expected_scores(lead: int, expected: str) -> None:
    """FIDE Handbook B.02, 8.1.2, which tabulates the normal curve; the logistic one is within a hundredth."""
    assert float(_expected(Decimal(lead))) == pytest.approx(float(expected), abs=0.012)


def test_a_newcomers_first_win_over_a_newcomer_is_half_of_k() -> None:
    assert elo_pool([Game("x", "y", 2)], CHESS) == {"x": "1516.000000", "y": "1484.000000"}


@given(st.lists(st.integers(0, 2), max_size=40), st.integers(1, 9))
def test_a_course_has_a_point_every_so_often_and_one_at_the_end(points: list[int], every: int) -> None:
    match = elo_match(points, CHESS, every)
    assert [point.results for point in match.trajectory] == sorted(
        {*range(every, len(points) + 1, every), *([len(points)] if points else [])}
    )
    whole = elo_match(points, CHESS)
    assert set(match.trajectory) <= set(whole.trajectory)
    pool = elo_pool(match_games(points, 2), CHESS)
    assert (match.a, match.b) == (pool.get("a", "1500.000000"), pool.get("b", "1500.000000"))
    assert float(match.a) + float(match.b) == pytest.approx(3000, abs=2e-6)


def test_elo_depends_on_the_order_of_games() -> None:
    assert float(elo_match([0] * 20 + [2] * 20, CHESS).a) > 1500 + 100
    assert float(elo_match([2] * 20 + [0] * 20, CHESS).a) < 1500 - 100


def test_results_decided_by_the_harness_can_be_left_out() -> None:
    points, by_play = [2, 0, 1, 2, 2], [True, False, True, True, False]
    both = with_and_without(lambda some: elo_match(some, CHESS), points, by_play)
    assert both.everything == elo_match(points, CHESS)
    assert both.by_play == elo_match([2, 1, 2], CHESS)
    assert both.left_out == 2
    assert both.by_play != both.everything


def test_a_mark_for_each_result_is_needed() -> None:
    with pytest.raises(ValueError, match="zip"):
        with_and_without(lambda some: elo_match(some, CHESS), [2, 0], [True])


def test_a_hand_is_won_with_more_than_no_chips() -> None:
    assert hand_halfpoints([5, 0, -1, 10_000]) == [2, 1, 0, 2]


@pytest.mark.parametrize("seats", [1, 3, 9])
def test_a_rating_of_a_table_that_is_not_of_two_is_refused(seats: int) -> None:
    told = f"^ratings: expected a table of 2 seats, found {seats}; Elo and Glicko-2 are of two$"
    with pytest.raises(NotOfTwo, match=told):
        elo_match([2, 0], CHESS, seats=seats)
    with pytest.raises(NotOfTwo, match=told):
        glicko2_match([2, 0], GlickoRule(), seats=seats)
    assert elo_match([2, 0], CHESS, seats=2) == elo_match([2, 0], CHESS)
