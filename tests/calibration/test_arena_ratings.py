"""An arena's ratings keep their size, and the suite catches games of one start and ranks that are read off."""

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.rating_scale import GameRating, wald_intervals
from agzamov_verify.scoring.arena_ratings.results_table import Floats, Ints, PairResults, TableResults
from calibration import arena_ratings
from calibration.arena_ratings import SMALL, WORLDS, Games, Size, Starts, of_chips, of_games, of_ranks, played
from calibration.arena_tables import SEATED
from calibration.finding import Finding

SEED = "agzamov calibration 1"
SUITS = Games(Starts(5, player_sd=2), models=8)


def figure(finding: Finding) -> float:
    return float(finding.figure.removesuffix(" %"))


@pytest.mark.parametrize(
    "case", [str(WORLDS[1]), "ranks of groups", "ranks of equals", "separated", "tables", "win rates", "teams"]
)
def test_intervals_and_ranks_hold_the_truth(case: str) -> None:
    """In few repeats: no less than four simulation errors below their bands."""
    for found in arena_ratings.findings(case, SMALL, SEED):
        low = float(found.wanted.split(" %")[0])
        assert figure(found) >= low - 4 * float(found.error.strip("± %"))


def test_the_suite_catches_games_of_a_start_taken_for_independent() -> None:
    def independent(results: PairResults) -> GameRating:
        fit = fit_davidson(results)
        return GameRating(fit.rating.strengths, fit.information_covariance, fit.rating.connection)

    size = Size(games=40, ranks=0, separated=0, tables=0)
    sound, defect = (
        [figure(one) for one in of_games(SUITS, size, np.random.default_rng(1), rated)]
        for rated in (arena_ratings.clustered, independent)
    )
    assert min(sound) > 93
    assert max(defect) < 93


def test_the_suite_catches_ranks_by_intervals_that_do_not_overlap() -> None:
    """As on the page of LMArena: better is whose interval begins where another's ends."""

    def read_off(rating: GameRating) -> Ints:
        ends = [(one.low, one.high) for one in wald_intervals(rating) if one]
        low, high = np.array(ends, dtype=np.float64).T
        better = low[:, None] > high
        return np.stack((1 + better.sum(axis=0), len(low) - better.sum(axis=1)), axis=1)

    size = Size(games=0, ranks=60, separated=0, tables=0)
    (found,) = of_ranks(np.zeros(12), "12 equal models", size, np.random.default_rng(1), read_off)
    assert figure(found) < 90


def test_the_suite_catches_a_correction_whose_mean_is_not_0() -> None:
    def for_one(results: TableResults, luck: Floats) -> Floats:
        return luck + 200 * (results.player == 0) * (SEATED / (SEATED - 1))

    size = Size(games=0, ranks=0, separated=0, tables=30)
    sound, defect = (
        next(figure(one) for one in of_chips(size, np.random.default_rng(1), taken_off))
        for taken_off in (arena_ratings.by_the_cards, for_one)
    )
    assert sound > 90
    assert defect < sound - 3


def test_effects_of_starts_bring_true_strengths_nearer() -> None:
    theta = np.linspace(1, -1, 5)
    plain, with_effects = (arena_ratings.true_strengths(theta, one) for one in (Starts(1), Starts(1, side_sd=1)))
    assert plain == pytest.approx(theta, abs=1e-5)
    assert (np.abs(with_effects[[0, 4]]) < 0.97).all()
    many = fit_davidson(played(theta, Starts(20_000, side_sd=1), np.random.default_rng(1)))
    assert many.rating.strengths == pytest.approx(with_effects, abs=0.03)
