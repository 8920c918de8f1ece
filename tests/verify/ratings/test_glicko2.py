"""Glicko-2 against Glickman's worked example, against scipy's root finder, and in the corners of a match."""

import decimal
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from agzamov_verify.scoring.inference.ratings import (
    NEWCOMER,
    Game,
    Glicko,
    GlickoRule,
    Result,
    glicko2_match,
    glicko2_pool,
    rate_period,
)

TAU = Decimal("0.5")
SCALE = 173.7178
PLAYER = Glicko(Decimal(1500), Decimal(200), Decimal("0.06"))
RESULTS = [
    Result(Glicko(Decimal(1400), Decimal(30), Decimal("0.06")), 2),
    Result(Glicko(Decimal(1550), Decimal(100), Decimal("0.06")), 0),
    Result(Glicko(Decimal(1700), Decimal(300), Decimal("0.06")), 0),
]
halfpoints = st.lists(st.integers(0, 2), max_size=30)


def published(player: Glicko) -> tuple[float, float, float]:
    """A player as Glickman prints one: mu and phi to four digits, then the rating and its deviation from those."""
    mu = round((float(player.rating) - 1500) / SCALE, 4)
    phi = round(float(player.deviation) / SCALE, 4)
    return round(mu * SCALE + 1500, 2), round(phi * SCALE, 2), float(player.volatility)


def test_the_worked_example_has_its_published_digits() -> None:
    rating, deviation, volatility = published(rate_period(PLAYER, RESULTS, TAU))
    assert (rating, deviation) == (1464.06, 151.52)
    assert volatility == pytest.approx(0.05999, abs=1e-5)


def test_a_lost_game_counted_as_drawn_is_another_rating() -> None:
    wrong = [RESULTS[0], RESULTS[1]._replace(halfpoints=1), RESULTS[2]]
    assert published(rate_period(PLAYER, wrong, TAU))[0] > 1464.06 + 20


def test_the_same_games_one_to_a_period_are_another_rating() -> None:
    player = PLAYER
    for result in RESULTS:
        player = rate_period(player, [result], TAU)
    assert float(player.rating) == pytest.approx(1463.79, abs=0.005)
    assert float(player.deviation) == pytest.approx(151.87, abs=0.005)


@pytest.mark.parametrize("constant", ["0.3", "0.5", "1.2"])
@pytest.mark.parametrize("points", [(2, 2, 2), (2, 0, 0), (0, 0, 0), (1, 1, 1)])
def test_the_volatility_is_the_root_that_scipy_finds(points: tuple[int, int, int], constant: str) -> None:
    results = [result._replace(halfpoints=one) for result, one in zip(RESULTS, points, strict=True)]
    tau, phi = float(constant), 200 / SCALE
    variance = surplus = 0.0
    for opponent, half in results:
        g = 1 / math.sqrt(1 + 3 * (float(opponent.deviation) / SCALE / math.pi) ** 2)
        expected = 1 / (1 + math.exp(g * (float(opponent.rating) - 1500) / SCALE))
        variance += g * g * expected * (1 - expected)
        surplus += g * (half / 2 - expected)
    v, delta, a = 1 / variance, surplus / variance, math.log(0.06**2)

    def f(x: float) -> float:
        grown = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - grown) / (2 * grown**2) - (x - a) / tau**2

    sigma = math.exp(brentq(f, a - 5, a + 5, xtol=1e-14) / 2)
    found = rate_period(PLAYER, results, Decimal(constant))
    assert float(found.volatility) == pytest.approx(sigma, rel=1e-9)
    new_phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + 1 / v)
    assert float(found.deviation) == pytest.approx(new_phi * SCALE, rel=1e-9)
    assert float(found.rating) == pytest.approx(1500 + SCALE * new_phi**2 * surplus, rel=1e-9)


def test_who_does_not_play_keeps_the_rating_and_loses_certainty() -> None:
    idle = rate_period(PLAYER, [], TAU)
    assert (idle.rating, idle.volatility) == (PLAYER.rating, PLAYER.volatility)
    assert float(idle.deviation) == pytest.approx(math.hypot(200, 0.06 * SCALE), rel=1e-12)
    courses = glicko2_pool([[Game("a", "b", 2)], [Game("a", "c", 1)]], GlickoRule())
    assert [point.results for point in courses["b"]] == [0, 1, 2]
    assert courses["b"][2].rating == courses["b"][1].rating
    assert float(courses["b"][2].deviation) > float(courses["b"][1].deviation)


@given(halfpoints, st.randoms())
def test_the_order_inside_a_period_does_not_matter(points: list[int], order: st.DrawFn) -> None:
    shuffled = list(points)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    rule = GlickoRule(period_results=30)
    assert glicko2_match(points, rule) == glicko2_match(shuffled, rule)


def test_with_one_game_to_a_period_the_order_of_games_makes_the_rating() -> None:
    points = [2] * 20 + [0] * 20
    one_game, ordered = GlickoRule(period_results=1), GlickoRule(period_results=40)
    first, last = (glicko2_match(order, one_game).a[-1].rating for order in (points, points[::-1]))
    assert float(last) - float(first) > 50, "the same twenty wins and twenty losses"
    assert (
        glicko2_match(points, ordered).a[-1].rating
        == glicko2_match(points[::-1], ordered).a[-1].rating
        == "1500.000000"
    )


@given(halfpoints, st.sampled_from([1, 7, 20]))
def test_two_newcomers_mirror_each_other_and_se_is_the_deviation(points: list[int], size: int) -> None:
    match = glicko2_match(points, GlickoRule(period_results=size))
    assert len(match.a) == 1 + -(-len(points) // size)
    for a, b in zip(match.a, match.b, strict=True):
        assert float(a.rating) + float(b.rating) == pytest.approx(3000, abs=2e-6)
        assert a.deviation == b.deviation
        assert float(a.high) - float(a.low) == pytest.approx(2 * float(a.deviation), abs=3e-6)
    assert match.a[-1].results == len(points)


def test_an_anchored_opponent_stays_where_it_is() -> None:
    anchor = Glicko(Decimal(1500), Decimal(0), Decimal("0.06"))
    match = glicko2_match([2, 1, 0, 2, 2, 1] * 10, GlickoRule(), anchor)
    assert {point.rating for point in match.b} == {"1500.000000"}
    assert float(match.a[-1].rating) > 1500


def test_a_match_without_games_is_a_newcomer_and_one_of_wins_alone_stays_finite() -> None:
    empty = glicko2_match([], GlickoRule())
    assert [point.rating for point in empty.a] == ["1500.000000"]
    assert empty.a[0].deviation == "350.000000"
    won = glicko2_match([2] * 500, GlickoRule()).a[-1]
    assert 2000 < float(won.rating) < 4000


def test_the_callers_decimal_context_does_not_matter() -> None:
    points = [2, 0, 1, 1, 2] * 8
    expected = glicko2_match(points, GlickoRule())
    with decimal.localcontext() as context:
        context.prec, context.rounding = 5, decimal.ROUND_UP
        assert glicko2_match(points, GlickoRule()) == expected
    assert rate_period(NEWCOMER, RESULTS, TAU) != NEWCOMER
