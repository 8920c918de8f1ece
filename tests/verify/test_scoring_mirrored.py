"""Mirrored decks: a session and its mirror are one unit, of intervals, spread, wins, p and the course of play."""

import statistics
from collections.abc import Callable
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from scipy import stats

from agzamov_verify.core import canon
from agzamov_verify.games.holdem.cell import poker_cell
from agzamov_verify.games.holdem.hand_script import HandRecord, PokerRules
from agzamov_verify.games.holdem.match_counts import PokerResult, poker_result
from agzamov_verify.games.holdem.rules import HandEnd
from agzamov_verify.scoring.inference.estimate import Estimate
from agzamov_verify.scoring.inference.intervals import Bootstrap, Resamples
from agzamov_verify.scoring.units.cells import CellKey
from agzamov_verify.table.decision import Tally
from calibration.plain_samples import mean_estimate
from verify.agzamov.generator import evidence
from verify.learning.simulated import detections

ALONE, MIRRORED = PokerRules(session_hands=2), PokerRules(session_hands=2, mirrored=True)
MEAN, CARDS, PLAY = 30, 300, 100
"""Chips of a session: the mean, the SD of what the decks give and its mirror takes, and the SD of the rest."""


def records(sessions: list[int]) -> list[HandRecord]:
    """A match of these sessions, each of two hands of which seat A wins all chips in the first."""
    nets = [net for chips in sessions for net in (chips, 0)]
    return [HandRecord("h", HandEnd.FOLD, net, (0, 0)) for net in nets]


def match(rng: np.random.Generator, pairs: int) -> list[int]:
    cards = rng.normal(0, CARDS, pairs)
    chips = np.concatenate([cards, -cards]) + rng.normal(MEAN, PLAY, 2 * pairs)
    return [int(one) for one in np.round(chips)]


def winrate(hands: list[HandRecord], rules: PokerRules, seed: bytes, resamples: int) -> Estimate:
    """The winrate as the analysis estimates it, by percentiles."""
    units = poker_cell(CellKey("m", "holdem", 1), hands, 0, (Tally(), Tally()), "", rules).measured()
    return mean_estimate(units.values, units.scale, Resamples(seed, resamples, Bootstrap.PERCENTILE))


def covered(rules: PokerRules, matches: int) -> tuple[float, float]:
    """How often the interval holds the true winrate, and its mean width in standard errors of the winrate."""
    rng, held, widths = np.random.default_rng(4), 0, []
    for number in range(matches):
        found = winrate(records(match(rng, 30)), rules, number.to_bytes(32, "big"), 400).ci
        assert found
        held += float(found.low) <= MEAN / 2 <= float(found.high)
        widths.append(float(found.high) - float(found.low))
    return held / matches, statistics.mean(widths) / (PLAY / 2 / 60**0.5)


def test_the_interval_of_mirrored_pairs_holds_the_truth_as_often_as_it_says_and_is_no_wider() -> None:
    """A percentile bootstrap of 30 units holds it in about 94 % of cases; 3.9 standard errors is its width."""
    held, width = covered(MIRRORED, 400)
    assert stats.binomtest(round(held * 400), 400, 0.94).pvalue > 0.001, held
    assert width == pytest.approx(3.8, abs=0.2)


def test_sessions_counted_apart_would_be_three_times_as_wide_and_hold_it_always() -> None:
    """The defect: the variance of the decks, which cancels, is taken for a doubt about the winrate."""
    held, width = covered(ALONE, 100)
    assert held == 1
    assert width > 3 * 3.8


def test_spread_and_wins_are_of_pairs_by_hand() -> None:
    first, again = [500, -400, 300, -200, 90, 10], [-480, 430, -310, 250, -60, -30]
    found = poker_result(records(first + again), MIRRORED, 0)
    estimate = winrate(records(first + again), MIRRORED, bytes(32), 100)
    both = [one + other for one, other in zip(first, again, strict=True)]
    assert (found.hands, found.sessions, found.mirrored_pairs, found.units) == (24, 12, 6, 6)
    assert estimate.sd
    assert float(estimate.sd[0].decimal) == pytest.approx(statistics.stdev(both) / 4, abs=1e-6)
    assert found.sessions_won == sum(one > 0 for one in both) == 4
    assert found.bb_per_100 == Fraction(sum(both), 24)
    assert estimate.value
    assert Fraction(estimate.value.exact) == Fraction(sum(both), 24)


def test_a_result_without_mirrors_is_written_as_it_always_was() -> None:
    alone, mirrored = (poker_result(records([10, -20, 30, 40]), rules, 0) for rules in (ALONE, MIRRORED))
    names = [set(msgspec.json.decode(canon.dumps(one))) for one in (alone, mirrored)]
    assert names[1] - names[0] == {"mirrored_pairs"}
    assert all(canon.loads_as(canon.dumps(one), PokerResult) == one for one in (alone, mirrored))
    assert (ALONE.unit_hands, MIRRORED.unit_hands) == (2, 4)


# --- the course of play --------------------------------------------------------------------------


def course_of(*, mirrored: bool) -> Callable[[np.random.Generator], list[int]]:
    """Matches of constant strength on decks played twice, as learning takes their results."""

    def play(rng: np.random.Generator) -> list[int]:
        rules = PokerRules(session_hands=2, mirrored=mirrored)
        cell = poker_cell(CellKey("m", "holdem", 1), records(match(rng, 20)), 0, (Tally(), Tally()), "", rules)
        return cell.course

    return play


@pytest.mark.slow
def test_decks_that_come_back_are_not_taken_for_learning() -> None:
    found = detections(course_of(mirrored=True), 2, 2_000, 199, seed=6)
    assert stats.binomtest(found, 2_000, 0.05, "greater").pvalue > 0.001, f"{found} of 2000"


@pytest.mark.slow
def test_in_the_order_of_play_they_would_be() -> None:
    """The defect: what the cards give early they take late, so trends are seen too often."""
    found = detections(course_of(mirrored=False), 2, 2_000, 199, seed=6)
    assert stats.binomtest(found, 2_000, 0.05, "greater").pvalue < 0.001, f"{found} of 2000"


def test_performance_of_a_hand_and_its_mirror_is_still_in_bb_per_100() -> None:
    chips = [40] * 1_200
    cells = [
        poker_cell(CellKey("m", "holdem", 1), records(chips), 0, (Tally(), Tally()), "", PokerRules(mirrored=two))
        for two in (False, True)
    ]
    some = evidence(cells)
    plateaus = [some.learned(cell).words.plateau for cell in cells]
    assert [one.decimal for one in plateaus if one] == ["20.000000"] * 2
    assert [some.learned(cell).results for cell in cells] == [2_400, 1_200]
