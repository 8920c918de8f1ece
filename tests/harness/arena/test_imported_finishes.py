"""Orders of finish of imported episodes of three and more, beside the fit of their pairs."""

from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import minimize

from agzamov_harness.arena.game_arena_episodes import read_episodes
from agzamov_harness.arena.imported_table import ImportedGame, imported_bytes, imported_table
from agzamov_harness.cli import main

from .test_imported_results import episode, written

MODELS = ("alpha", "beta", "delta", "gamma")
ELO = 400 / log(10)


def poker(names: list[str], rewards: list[Any], number: int) -> dict[str, Any]:
    return episode(names, rewards, number, name="open_spiel_repeated_poker")


def tables(count: int = 40) -> list[dict[str, Any]]:
    """Tables of four in rotating seats, who win chips by their place in MODELS and luck."""
    rng, told = np.random.default_rng(3), []
    for number in range(count):
        names = list(np.roll(MODELS, number))
        luck = rng.gumbel(size=4) - 0.6 * np.array([MODELS.index(name) for name in names])
        told.append(poker(names, [round(100 * float(one), 2) for one in luck], number))
    return told


def by_hand(told: list[dict[str, Any]]) -> dict[str, float]:
    """Plackett and Luce's likelihood with seats and ghost games, by a general optimiser."""

    def cost(at: Any) -> float:
        theta, seats = at[:4], np.append(at[4:], -at[4:].sum())
        total = sum((np.logaddexp(0, part) + np.logaddexp(0, -part)).sum() / 2 for part in (theta, seats))
        for one in told:
            order = np.argsort(-np.array(one["rewards"]))
            worth = np.array([theta[MODELS.index(one["info"]["TeamNames"][at])] + seats[at] for at in order])
            total -= sum(worth[place] - np.logaddexp.reduce(worth[place:]) for place in range(3))
        return float(total)

    theta = minimize(cost, np.zeros(7), tol=1e-10).x[:4]
    return {name: 1200 + ELO * float(value - theta.mean()) for name, value in zip(MODELS, theta, strict=True)}


def game_of(folder: Path) -> ImportedGame:
    (game,) = imported_table(read_episodes(folder)).games
    return game


def test_ratings_by_finish_are_those_of_a_general_optimiser_beside_those_of_pairs(tmp_path: Path) -> None:
    told = tables()
    game = game_of(written(tmp_path, *told))
    assert (game.tables, game.results, game.clusters) == (40, 240, 40)
    found = {row.player: row.rating_by_finish.elo for row in game.rows if row.rating_by_finish}
    assert found == pytest.approx(by_hand(told), abs=0.02)
    assert all(row.rating and row.rating_by_finish != row.rating for row in game.rows)
    best = next(row for row in game.rows if row.player == "alpha")
    assert best.rating_by_finish
    assert best.rating_by_finish.best_rank == 1


def test_players_with_one_reward_tie(tmp_path: Path) -> None:
    told = [poker(list(MODELS), [3, 1, 1, 0], 1), poker(list(MODELS)[::-1], [2, 5, 0, 2], 2)]
    found = read_episodes(written(tmp_path, *told))
    assert [ranks for _, ranks, _ in found.games["repeated_poker"].tables] == [(0, 1, 1, 3), (1, 0, 3, 1)]


@pytest.mark.parametrize(
    ("names", "rewards"),
    [
        (list(MODELS), [1, 1, 0, 0]),  # two teams
        (["alpha", "beta"], [1, -1]),
        (["alpha", "alpha", "beta", "gamma"], [4, 3, 2, 1]),
        ([f"m{number}" for number in range(11)], list(range(11))),
    ],
)
def test_what_is_no_order_of_finish_is_rated_by_pairs_alone(
    names: list[str], rewards: list[int], tmp_path: Path
) -> None:
    game = game_of(written(tmp_path, *(poker(names, rewards, number) for number in range(3))))
    assert game.tables == 0
    assert all(row.rating_by_finish is None for row in game.rows)


def test_who_failed_is_last(tmp_path: Path) -> None:
    found = read_episodes(written(tmp_path, poker(list(MODELS), [None, 5, -5, 0], 1)))
    assert found.games["repeated_poker"].tables[0][1] == (3, 0, 2, 1)


def test_a_single_table_says_why_it_is_not_rated(tmp_path: Path) -> None:
    game = game_of(written(tmp_path, poker(list(MODELS), [4, 3, 2, 1], 1)))
    assert game.tables == 1
    assert "cluster" in game.not_by_finish


def test_the_order_of_episodes_changes_nothing_and_the_screen_has_both_tables(tmp_path: Path) -> None:
    told = tables(12)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = written(tmp_path / "one", *told), written(tmp_path / "two", *told[::-1])
    games = [imported_table(read_episodes(place)).games for place in (one, two)]
    assert games[0] == games[1]
    assert b"rating_by_finish" in imported_bytes(imported_table(read_episodes(one)))
    said = CliRunner().invoke(main, ["arena", "rank", str(one), "--from", "episodes"]).output
    assert "By the order of finish at 12 tables of three and more (Plackett and Luce)" in said
    assert said.count("alpha") == 2


def test_finishes_of_one_cluster_are_one(tmp_path: Path) -> None:
    """Sit-and-gos with the same cards counted as independent tables once they were written as episodes."""
    told = tables(20)
    alone = read_episodes(written(tmp_path, *told)).games["repeated_poker"]
    for number, one in enumerate(told):
        one["info"]["Agzamov"] = {"cluster": f"run/match/{number // 2}"}
    paired = read_episodes(written(tmp_path, *told)).games["repeated_poker"]
    order = np.arange(len(MODELS))
    assert [len(set(game.finishes(order).cluster.tolist())) for game in (alone, paired)] == [20, 10]
    assert [len(set(game.cluster)) for game in (alone, paired)] == [20, 10]
