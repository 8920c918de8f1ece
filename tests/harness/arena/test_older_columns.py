"""The columns of older arenas: by the formulas of their methodology, with what they leave open."""

import pytest

from agzamov_harness.arena.arena_table import ArenaTable, arena_table
from agzamov_harness.arena.game_fits import fitted
from agzamov_harness.arena.older_columns import older_ratings
from agzamov_harness.arena.older_words import order_cells, tier_cells
from agzamov_harness.arena.table_text import table_text
from agzamov_verify.scoring.arena_ratings.results_table import pair_results
from harness.arena.arena_worlds import chess_world, collected_world
from harness.arena.test_pairings import played

NAMES = ["best", "middle", "worst"]
SHARE = {("best", "middle"): 10, ("best", "worst"): 10, ("middle", "worst"): 8}


@pytest.fixture(scope="module")
def found() -> ArenaTable:
    """`extra` has no game of draughts."""
    games = {
        "chess": chess_world(SHARE, [*NAMES, "extra"]),
        "draughts": chess_world(SHARE, NAMES, name="draughts"),
    }
    return arena_table(collected_world(games))


def test_elo_is_that_of_the_formula_game_by_game() -> None:
    """From 1200, K = 32: 1216 and 1184; then 32 (1 - 1 / (1 + 10^(32/400))) = 17.4702 back."""
    first, second, idle = older_ratings(pair_results(3, [0, 1], [1, 0], [2, 2], [0, 1]))
    assert first is not None
    assert second is not None
    assert (first.elo, second.elo) == (1198.53, 1201.47)
    assert idle is None


def test_another_order_of_the_same_games_moves_elo_and_no_order_moves_one_game() -> None:
    one = older_ratings(pair_results(2, [0], [1], [2], [0]))[0]
    two = older_ratings(pair_results(2, [0, 0], [1, 1], [2, 0], [0, 1]))[0]
    assert one is not None
    assert two is not None
    assert one.elo_order_sd == 0.0
    assert two.elo_order_sd == pytest.approx(1.47, abs=0.02)  # 1198.53 or 1201.47, as often


def test_a_player_without_a_game_in_each_game_has_no_tier(found: ArenaTable) -> None:
    tiers = {row.player: row.tier for row in found.rows}
    assert tiers["extra"] is None
    assert all(tiers[name] is not None for name in NAMES)
    assert ("extra", "-", "-", "-", "-", "-") in list(tier_cells(found))


def test_a_tier_is_provisional_unless_it_holds_the_whole_interval(found: ArenaTable) -> None:
    cells = {name: words for name, _, _, words, _, _ in tier_cells(found)}
    for row in found.rows:
        if tier := row.tier:
            assert 0 < tier.share <= 1
            assert tier.order_sd is not None
            assert cells[row.player].endswith("provisional") == tier.is_provisional
    best, worst = (next(row.tier for row in found.rows if row.player == name) for name in ("best", "worst"))
    assert best is not None
    assert worst is not None
    assert (best.high, best.is_provisional) == (None, True)  # no upper end is known, and tiers are above
    assert (worst.tier, worst.is_provisional) == ("D", False)


def test_the_table_prints_them_apart_from_the_ranks(found: ArenaTable) -> None:
    text = table_text(found)
    assert text.index("Older columns") > text.index("what it is")
    assert "the ranks are not made of these columns" in text
    assert "Elo in order" in text
    assert all(len(line) <= 110 for line in text.splitlines())
    assert {row[0] for row in order_cells(found.games[1])} == set(NAMES)


def test_a_session_of_hands_is_one_result() -> None:
    hands = [
        played(("one", "two"), (300, -300)),
        played(("two", "one"), (100, -100), number=0),
        played(("one", "two"), (-50, 50), number=1),
        played(("one", "two"), (0, 0), number=2),
    ]
    fit = fitted("holdem", hands, ["one", "two"])
    assert not isinstance(fit, str)
    assert fit.pairs is not None
    assert fit.pairs.outcome.tolist() == [2, 0, 1]


@pytest.mark.parametrize(("periods", "is_known"), [(2, True), (10, False)])
def test_glicko_2_that_runs_away_is_left_out(periods: int, is_known: bool) -> None:
    """Two players who win a period of twenty games each in turn: after ten no expectation has any variance left."""
    outcomes = [2 * (number // 20 % 2) for number in range(20 * periods)]
    count = len(outcomes)
    for one in older_ratings(pair_results(2, [0] * count, [1] * count, outcomes, list(range(count)))):
        assert one is not None
        assert (one.glicko2 is not None) == (one.glicko2_deviation is not None) == is_known
