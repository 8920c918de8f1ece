"""The strength at which an engine scores one half: against statsmodels, scipy, exact curves and simulated people."""

from collections.abc import Sequence
from math import exp, inf, isclose, log

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import optimize, stats

from agzamov_harness.planning.half_score import CannotSay, Curve, Result, Why, fitted, half_score
from agzamov_verify.core.dice import Dice
from people.planted_studies import uniform

STRENGTHS = (log(10), log(60), log(360))
SLOPE = 0.8
"""Of the logit by a factor e of nodes: about 100 Elo for twice the nodes."""


def share(x: float, half: float, slope: float = SLOPE) -> float:
    return 1 / (1 + exp(-slope * (x - half)))


def simulated(
    seed: int, people: int = 8, games: int = 4, half: float = log(60), unlike: float = 1.0, draws: float = 0.2
) -> list[Result]:
    """Games of people whose own halves are spread evenly over `unlike` on both sides of `half`."""
    dice = Dice(seed.to_bytes(32, "big"))
    found = []
    for person in range(people):
        own = half + unlike * (2 * uniform(dice, f"{person}") - 1)
        for x in STRENGTHS:
            p = share(x, own)
            drawn = draws * 4 * p * (1 - p)
            for game in range(games):
                luck = uniform(dice, f"{person}/{x:.3f}/{game}")
                points = 1.0 if luck < p - drawn / 2 else 0.5 if luck < p + drawn / 2 else 0.0
                found.append(Result(f"p{person}", x, points))
    return found


def design(results: Sequence[Result], curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    x = np.array([one.x - curve.centre for one in results])
    return np.column_stack([np.ones_like(x), x]), np.array([one.points for one in results])


def matrix(curve: Curve, which: int) -> np.ndarray:
    one = curve.covariances[which]
    return np.array([[one.intercept, one.both], [one.both, one.slope]])


def test_a_planted_curve_is_recovered_exactly() -> None:
    results = [Result(f"p{n}", x, share(x, log(83), 1.1)) for n in range(4) for x in STRENGTHS]
    found = half_score(results)
    assert (found.x, found.curve.slope) == (pytest.approx(log(83)), pytest.approx(1.1))
    assert (found.low, found.high) == (pytest.approx(log(83), abs=1e-6), pytest.approx(log(83), abs=1e-6))


def test_the_curve_and_both_variances_are_those_of_statsmodels() -> None:
    results = simulated(1)
    curve = fitted(results)
    exog, points = design(results, curve)
    model = sm.GLM(points, exog, family=sm.families.Binomial())
    groups = np.unique([one.person for one in results], return_inverse=True)[1]
    clustered = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    people = len(set(groups))
    assert [curve.intercept, curve.slope] == pytest.approx(list(clustered.params))
    assert matrix(curve, 0) == pytest.approx(clustered.cov_params() * people / (people - 1), rel=1e-6)
    assert matrix(curve, 1) == pytest.approx(model.fit(scale="X2").cov_params(), rel=1e-6)
    assert curve.covariances[0].t == pytest.approx(stats.t.ppf(0.975, people - 1))
    assert curve.covariances[1].t == pytest.approx(stats.t.ppf(0.975, len(results) - 2))


def test_the_variance_of_people_who_met_unlike_strengths_is_that_of_leaving_each_out() -> None:
    results = [one for at, one in enumerate(simulated(2)) if at % 7 or one.x > 3]
    curve = fitted(results)
    exog, points = design(results, curve)
    full, steps = np.array([curve.intercept, curve.slope]), []
    people = sorted({one.person for one in results})
    for person in people:
        kept = np.array([one.person != person for one in results])
        p = 1 / (1 + np.exp(-exog[kept] @ full))
        bread = (exog[kept] * (p * (1 - p))[:, None]).T @ exog[kept]
        steps.append(np.linalg.solve(bread, exog[kept].T @ (points[kept] - p)))
        refitted = sm.GLM(points[kept], exog[kept], family=sm.families.Binomial()).fit().params
        assert full + steps[-1] == pytest.approx(refitted, abs=0.05)
    jackknife = sum(np.outer(step, step) for step in steps) * (len(people) - 1) / len(people)
    assert matrix(curve, 0) == pytest.approx(jackknife, rel=1e-6)


def test_the_interval_has_its_ends_where_fiellers_equation_is_zero() -> None:
    results = simulated(3, people=12)
    found, ends = half_score(results), []
    for which in (0, 1):
        covariance, t = matrix(found.curve, which), found.curve.covariances[which].t

        def fieller(x: float, covariance: np.ndarray = covariance, t: float = t) -> float:
            at = np.array([1.0, x - found.curve.centre])
            linear = float(at @ [found.curve.intercept, found.curve.slope])
            return linear**2 - t**2 * float(at @ covariance @ at)

        ends += [
            optimize.brentq(fieller, found.x - 20, found.x),
            optimize.brentq(fieller, found.x, found.x + 20),
        ]
    assert (found.low, found.high) == (pytest.approx(min(ends)), pytest.approx(max(ends)))


def test_people_who_agree_by_luck_have_an_interval_all_the_same() -> None:
    points = {STRENGTHS[0]: (0, 0, 0, 1), STRENGTHS[2]: (1, 1, 0, 1)}
    results = [Result(f"p{n}", x, float(one)) for n in range(6) for x, row in points.items() for one in row]
    found = half_score(results)
    assert found.curve.covariances[0].slope == pytest.approx(0, abs=1e-12)
    assert found.high - found.low > 0.5


def test_one_person_in_two_places_is_one_cluster() -> None:
    """The same games, as of four people or of eight who agree in pairs."""
    eight = [one for one in simulated(5, games=8) if one.person < "p4"]
    doubled = [*eight, *(one._replace(person=f"{one.person} again") for one in eight)]
    same = [*eight, *eight]
    apart, together = fitted(doubled), fitted(same)
    assert apart.slope == pytest.approx(together.slope)
    assert together.covariances[0].t > apart.covariances[0].t
    assert matrix(together, 0)[1, 1] > 1.5 * matrix(apart, 0)[1, 1]
    assert matrix(together, 0) == pytest.approx(matrix(fitted(eight), 0))


def table(*rows: tuple[float, Sequence[float]], people: int = 4) -> list[Result]:
    return [Result(f"p{n}", x, points) for n in range(people) for x, row in rows for points in row]


LOW, MIDDLE, HIGH = STRENGTHS
MIXED = (0, 1, 0.5, 0)


@pytest.mark.parametrize(
    ("why", "results"),
    [
        (Why.WON_ALL, table((LOW, (1, 1)), (HIGH, (1, 1)))),
        (Why.LOST_ALL, table((LOW, (0, 0)), (HIGH, (0, 0)))),
        (Why.ONE_STRENGTH, table((MIDDLE, MIXED))),
        (Why.FEW_PEOPLE, table((LOW, MIXED), (HIGH, (1, 1, 0, 1)), people=2)),
        (Why.FEW_GAMES, table((LOW, (0, 1)), (HIGH, (1,)), people=3)),
        (Why.SEPARATED, table((LOW, (0, 0)), (HIGH, (1, 1)))),
        (Why.SEPARATED, table((LOW, (0, 0)), (MIDDLE, MIXED), (HIGH, (1, 1)))),
        (Why.NO_RISE, table((LOW, (1, 1)), (HIGH, (0, 0)))),
        (Why.NO_RISE, table((LOW, MIXED), (HIGH, MIXED))),
        (Why.NO_RISE, table((LOW, (1, 1, 0, 1)), (HIGH, MIXED))),
        (Why.OUTSIDE, table((LOW, (0,) * 19 + (1,)), (MIDDLE, (0,) * 13 + (1,) * 7))),
        (Why.ONE_PERSON_ALONE, [*table((LOW, MIXED)), *table((HIGH, (1, 1, 0, 1)), people=1)]),
    ],
)
def test_results_that_do_not_say_it_are_refused(why: Why, results: list[Result]) -> None:
    with pytest.raises(CannotSay) as refused:
        half_score(results)
    assert refused.value.why is why


def test_an_interval_wider_than_what_was_played_is_refused() -> None:
    unlike = simulated(4, people=6, unlike=2.5)
    curve = fitted(unlike)
    low, high = curve.interval()
    assert LOW < curve.half < HIGH
    assert high - low > HIGH - LOW
    with pytest.raises(CannotSay) as refused:
        half_score(unlike)
    assert (refused.value.why, refused.value.x) == (Why.TOO_WIDE, (low, high))


def holds(seed: int, people: int, unlike: float) -> bool:
    """Whether the interval of the half holds the planted one; one without an end holds everything."""
    try:
        low, high = fitted(simulated(seed, people, unlike=unlike)).interval()
    except CannotSay:
        low, high = -inf, inf
    return low <= log(60) <= high


def test_the_interval_holds_the_planted_half_about_as_often_as_it_says() -> None:
    held = sum(holds(seed, 8, 1.0) for seed in range(150))
    assert stats.binomtest(held, 150, 0.95, alternative="less").pvalue > 0.01


@pytest.mark.exhaustive
@pytest.mark.parametrize("people", [4, 6, 8, 12])
@pytest.mark.parametrize("unlike", [0.0, 1.0, 2.0])
def test_the_interval_holds_the_planted_half_at_full_size(people: int, unlike: float) -> None:
    held = sum(holds(seed, people, unlike) for seed in range(1_000))
    assert held >= 930


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("people", "said_percent", "factor"), [(6, (78, 58, 37), 3.5), (8, (98, 89, 66), 3.1), (12, (100, 100, 96), 2.3)]
)
def test_the_page_says_how_often_so_many_people_are_enough(
    people: int, said_percent: tuple[int, ...], factor: float
) -> None:
    """Of docs/people-study.md: 100 Elo for twice the nodes, four games at 10 and at 360 nodes."""
    slope, pilots = log(10) / 4 / log(2), 400
    for elo, expected in zip((0, 100, 170), said_percent, strict=True):
        widths = []
        for seed in range(pilots):
            draws = np.random.default_rng((seed, people, elo))
            halves = log(60) + draws.normal(0, elo / 100 * log(2), people)
            results = []
            for number, own in enumerate(halves):
                for x in (log(10), log(360)):
                    p = share(x, own, slope)
                    half = 0.2 * 2 * p * (1 - p)
                    points = [1.0 if luck < p - half else 0.5 * (luck < p + half) for luck in draws.random(4)]
                    results += [Result(str(number), x, one) for one in points]
            try:
                found = half_score(results)
            except CannotSay:
                continue
            widths.append(found.high - found.low)
        assert 100 * len(widths) / pilots == pytest.approx(expected, abs=7)
        assert elo != 100 or exp(np.median(widths) / 2) == pytest.approx(factor, rel=0.1)


def test_the_expected_score_of_the_half_is_a_half() -> None:
    found = half_score(simulated(3, people=12))
    score, low, high = found.curve.score(found.x)
    assert isclose(score, 0.5)
    assert low < 0.5 < high
    assert low > found.curve.score(STRENGTHS[0])[0]
