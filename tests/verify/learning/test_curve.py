"""The fitted curve against scipy's least squares and numpy, its intervals against simulated matches."""

import math
from itertools import pairwise

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq, curve_fit

from agzamov_verify.scoring.learning.curve import ONE, decays, fitted, interval_of_tau, risings, tau_grid
from verify.learning.simulated import chess_match

SEED = bytes(range(32))


def pairs(seed: int, games: int = 500, gain: float = 0.3, tau: float = 60.0) -> list[int]:
    values = chess_match(games, 0.35, 0.5, gain, tau)(np.random.default_rng(seed))
    return [values[at] + values[at + 1] for at in range(0, games, 2)]


# --- the basis -----------------------------------------------------------------------------------


@given(st.integers(2, 3000), st.sampled_from([1, 2, 100]))
def test_the_grid_rises_from_a_fiftieth_of_the_match_to_all_of_it(units: int, unit: int) -> None:
    results = units * unit
    grid = tau_grid(results, unit)
    assert grid[0] == max(unit, results // 50, 1)
    assert all(low < high <= max(low + 1, 1.1 * low) for low, high in pairwise(grid))
    assert grid[-1] <= max(results, grid[0]) < 1.1 * (grid[-1] + 1)


@pytest.mark.parametrize(("units", "unit"), [(250, 2), (100, 100), (30, 1)])
def test_a_decay_is_the_mean_exponential_of_its_unit(units: int, unit: int) -> None:
    grid = tau_grid(units * unit, unit)
    n = np.arange(units * unit).reshape(units, unit)
    for tau, row in zip(grid, decays(units, unit, grid), strict=True):
        assert np.array(row) / ONE == pytest.approx(np.exp(-n / tau).mean(axis=1), abs=1.01 / ONE)


def test_rising_curves_have_mean_zero_and_equal_size() -> None:
    rows = np.array(risings(250, 2, tau_grid(500, 2)), dtype=float)
    assert np.abs(rows.mean(axis=1)).max() < 1
    assert np.sqrt((rows**2).mean(axis=1)) == pytest.approx(ONE, abs=2)
    assert (np.diff(rows, axis=1) >= 0).all()


# --- the fit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_start_gain_and_plateau_are_numpys_least_squares_at_the_chosen_tau(seed: int) -> None:
    values = pairs(seed)
    found = fitted(values, 2, 2)
    shape = np.exp(-np.arange(500).reshape(250, 2) / found.tau).mean(axis=1)
    (plateau, minus_gain), *_ = np.linalg.lstsq(np.column_stack([np.ones(250), shape]), np.array(values) / 4)
    assert float(found.plateau.decimal) == pytest.approx(plateau, abs=2e-5)
    assert float(found.gain.decimal) == pytest.approx(-minus_gain, abs=5e-5)
    assert float(found.start.decimal) == pytest.approx(plateau + minus_gain, abs=5e-5)


@pytest.mark.parametrize("seed", range(4))
def test_tau_is_the_grids_nearest_to_scipys_curve_fit(seed: int) -> None:
    values = np.array(pairs(seed)) / 4
    n = np.arange(500).reshape(250, 2)

    def model(_: np.ndarray, plateau: float, gain: float, tau: float) -> np.ndarray:
        return plateau - gain * np.exp(-n / tau).mean(axis=1)

    (_, _, tau), _ = curve_fit(model, np.arange(250), values, p0=[0.7, 0.2, 60], maxfev=10_000)
    assert fitted(pairs(seed), 2, 2).tau == pytest.approx(min(max(tau, 10), 455), rel=0.08)


def test_explained_shares_are_scipys_squared_correlations() -> None:
    values = pairs(3)
    found = fitted(values, 2, 2)
    n = np.arange(250)
    shape = np.exp(-np.arange(500).reshape(250, 2) / found.tau).mean(axis=1)
    steps = [stats.pearsonr(n >= split, values).statistic for split in range(1, 250)]
    assert float(found.explained_exponential.decimal) == pytest.approx(
        stats.pearsonr(shape, values).statistic ** 2, abs=1e-5
    )
    assert float(found.explained_linear.decimal) == pytest.approx(stats.pearsonr(n, values).statistic ** 2, abs=1e-6)
    assert float(found.explained_step.decimal) == pytest.approx(max(*steps, 0) ** 2, abs=1e-6)


def test_95_percent_is_reached_where_the_curve_says() -> None:
    found = fitted(pairs(1), 2, 2)
    plateau, gain = float(found.plateau.decimal), float(found.gain.decimal)
    assert found.to_95_of_plateau is not None
    for games, missing in ((found.to_95_of_plateau, 0.05 * plateau), (found.to_95_of_gain, 0.05 * gain)):
        assert gain * math.exp(-games / found.tau) <= missing < gain * math.exp(-(games - 1) / found.tau)


def test_a_gain_below_5_percent_of_the_plateau_is_there_from_the_first_game() -> None:
    found = fitted([39] * 5 + [40] * 45, 10, 2)
    assert found.to_95_of_plateau == 0
    assert found.to_95_of_gain > 0


def test_towards_a_gain_of_5_percent_the_time_to_95_percent_falls_to_0_without_a_jump() -> None:
    """Whatever else a curve that starts within 5 % were given, a slightly steeper one would be thought the faster."""
    taus = []
    for low in (9_000, 9_300, 9_440, 9_470, 9_500, 9_800):
        shape = np.exp(-np.arange(500).reshape(50, 10) / 60).mean(axis=1)
        values = [round(10_000 - (10_000 - low) * float(one)) for one in shape]
        taus.append(fitted(values, 10, 1).to_95_of_plateau)
    assert taus == sorted(taus, reverse=True)  # type: ignore[type-var]
    assert taus[0] == pytest.approx(60 * math.log(2), abs=3)
    assert 0 < taus[3] < 6  # type: ignore[operator]
    assert taus[-2:] == [0, 0]


def test_a_plateau_below_zero_has_no_95_percent() -> None:
    found = fitted([-9000, -5000, -3000, -2000, -1500, -1200, -1100, -1050, -1000, -1000], 100, 1)
    assert found.to_95_of_plateau is None
    assert found.to_95_of_gain > 0


def test_the_gain_that_could_be_found_is_scipys_standard_error_times_the_noncentral_ts_distance() -> None:
    values = pairs(2)
    found = fitted(values, 2, 2)
    shape = np.exp(-np.arange(500).reshape(250, 2) / found.tau).mean(axis=1)
    error = stats.linregress(shape, np.array(values) / 4).stderr
    critical = stats.t.ppf(0.975, 248)
    away = brentq(lambda d: 1 - stats.nct.cdf(critical, 248, d) + stats.nct.cdf(-critical, 248, d) - 0.8, 0, 10)
    assert found.gain_mde is not None
    assert float(found.gain_mde.decimal) == pytest.approx(error * away, rel=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_tau_is_where_statsmodels_hc3_test_refuses_nothing(seed: int) -> None:
    values, grid = np.array(pairs(seed, gain=0.4)), tau_grid(500, 2)
    kept = []
    for tau, row in zip(grid, np.array(decays(250, 2, grid), dtype=float), strict=True):
        regressors = np.column_stack([np.ones(250), row, (2 * np.arange(250) + 1) * row])
        fit = sm.OLS(values, regressors / np.abs(regressors).max(axis=0)).fit(cov_type="HC3", use_t=True)
        if fit.pvalues[2] >= 0.05:
            kept.append(tau)
    found = interval_of_tau(values.tolist(), decays(250, 2, grid), grid)
    assert found is not None
    assert float(found.low) == (0 if kept[0] == grid[0] else kept[0])
    assert float(found.high) == (math.inf if kept[-1] == grid[-1] else kept[-1])


def test_of_four_units_no_time_constant_is_refused() -> None:
    assert fitted([1, 2, 4, 4], 2, 2).tau_ci is None
    assert fitted([1, 2, 4, 4, 3], 2, 2).tau_ci is not None


def test_the_curve_of_a_match_never_changes() -> None:
    found = fitted(pairs(1), 2, 2)
    assert (found.tau, found.plateau.exact, found.gain.exact) == (
        66,
        "21693963157273/26483749660088",
        "1198964473856/3310468707511",
    )
    assert found.tau_ci is not None
    assert (found.tau_ci.low, found.tau_ci.high) == ("0.000000", "113.000000")


@pytest.mark.slow
@pytest.mark.parametrize(("gain", "tau"), [(0.4, 60.0), (0.15, 10.0), (0.15, 150.0)])
def test_the_interval_of_tau_holds_the_truth_about_as_often_as_it_says(gain: float, tau: float) -> None:
    """Over all matches: it is given whether or not a trend was detected."""
    held = 0
    for seed in range(200):
        values = pairs(seed, gain=gain, tau=tau)
        found = interval_of_tau(values, decays(250, 2, tau_grid(500, 2)), tau_grid(500, 2))
        assert found is not None
        held += float(found.low) <= tau * 1.05 and float(found.high) >= tau / 1.05
    assert 0.92 <= held / 200 <= 1
