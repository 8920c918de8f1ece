"""The win rates of an arena's table: less what the cards gave, with the same mean and a narrower interval."""

from collections.abc import Sequence

import numpy as np
import pytest

from agzamov_harness.arena.arena_table import arena_table
from agzamov_harness.arena.game_fits import fitted
from agzamov_harness.arena.table_text import table_text, variates_words, win_rate_words
from agzamov_harness.arena.verified_bundles import GamePlayed
from agzamov_verify.scoring.arena_ratings.chips import fit_win_rates
from agzamov_verify.scoring.arena_ratings.results_table import table_results

from .arena_worlds import collected_world

NAMES = ("a", "b", "c")


def hands(*, with_luck: bool, sets: int = 60) -> list[GamePlayed]:
    """Duplicate sets of three; `a` wins 50 chips a hand (mu less the mean of the others); the cards give far more."""
    rng, found = np.random.default_rng(5), []
    for number in range(sets):
        for turn in range(3):
            seated = NAMES[turn:] + NAMES[:turn]
            luck = rng.normal(0, 1_500, 3) * (turn == 0)
            luck -= luck.mean()
            skill = np.array([50.0 if name == "a" else -25.0 for name in seated])
            chips = tuple(np.round(skill + luck + rng.normal(0, 10, 3)).astype(int).tolist())
            name = f"p6-holdem_ring-h{3 * number + turn:07d}"
            best = max(chips)
            won = tuple(1 if one == best else -1 for one in chips)
            given = tuple(luck.tolist()) if with_luck else ()
            unit = ("a" * 16, "p6-holdem_ring", number)
            found.append(GamePlayed("a" * 16, name, unit, seated, won, chips, name, False, (0, 1, 2), (), luck=given))
    return found


def rates(results: Sequence[GamePlayed]) -> list[float]:
    fit = fitted("holdem_ring", results, NAMES)
    assert not isinstance(fit, str)
    return [one.bb_per_100 for one in fit.win_rates if one]


def test_the_primary_figure_is_less_what_the_cards_gave() -> None:
    fit = fitted("holdem_ring", hands(with_luck=True), NAMES)
    assert not isinstance(fit, str)
    for one, wanted in zip(fit.win_rates, (100 / 3, -50 / 3, -50 / 3), strict=True):
        assert one
        assert one.bb_per_100 == pytest.approx(wanted, abs=3)
        assert one.half_width < one.raw_half_width / 20
        assert abs(one.raw - one.bb_per_100) < 3 * one.raw_half_width


def test_raw_win_rates_are_those_of_the_fit_of_raw_chips() -> None:
    results = hands(with_luck=True)
    rows = [
        (number, NAMES.index(name), 0, float(chips), seat, number // 3)
        for number, hand in enumerate(results)
        for seat, (name, chips) in enumerate(zip(hand.players, hand.outcomes, strict=True))
    ]
    fit = fitted("holdem_ring", results, NAMES)
    assert not isinstance(fit, str)
    oracle = fit_win_rates(table_results(3, rows)).rating.strengths
    assert [one.raw for one in fit.win_rates if one] == pytest.approx(oracle.round(2).tolist())


def test_a_game_without_control_variates_has_its_raw_figure() -> None:
    fit = fitted("holdem_ring", hands(with_luck=False), NAMES)
    assert not isinstance(fit, str)
    assert all(one and (one.bb_per_100, one.half_width) == (one.raw, one.raw_half_width) for one in fit.win_rates)
    assert rates(hands(with_luck=False)) != rates(hands(with_luck=True))


def test_the_table_says_what_the_variates_did() -> None:
    (game,) = arena_table(collected_world({"holdem_ring": hands(with_luck=True)})).games
    row = next(one for one in game.rows if one.player == "a")
    assert win_rate_words(row) == f"{row.bb_per_100:+.1f} ± {row.bb_half_width:.1f}"
    told = table_text(arena_table(collected_world({"holdem_ring": hands(with_luck=True)})))
    assert f"{row.bb_per_100:+.1f} +- {row.bb_half_width:.1f}" in told
    assert "whose mean is 0 whatever the players do" in variates_words(game)
    (plain,) = arena_table(collected_world({"holdem_ring": hands(with_luck=False)})).games
    assert variates_words(plain) == ""
