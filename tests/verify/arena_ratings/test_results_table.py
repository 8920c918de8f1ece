"""Columns of results: one good case of each kind, and one defect at a time."""

from typing import Any

import numpy as np
import pytest

from agzamov_verify.scoring.arena_ratings.davidson import fit_davidson
from agzamov_verify.scoring.arena_ratings.plackett_luce import fit_plackett_luce
from agzamov_verify.scoring.arena_ratings.results_table import (
    ROLES_MAX,
    SEATS_MAX,
    PairResults,
    TableResults,
    TeamResults,
    distinct,
    pair_results,
    played_out,
    rows_of,
)
from agzamov_verify.scoring.arena_ratings.teams import fit_teams

from .made_up_tables import changed


def whole(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def pairs() -> PairResults:
    return pair_results(3, [0, 1, 2], [1, 2, 0], [0, 1, 2], [0, 0, 1])


def tables() -> TableResults:
    columns = whole(0, 0, 1, 1, 1), whole(0, 2, 1, 0, 2), whole(1, 2, 1, 1, 3)
    return TableResults(3, *columns, np.array([2.5, -2.5, 3, 0, -3]), whole(0, 1, 0, 1, 9), whole(7, 7, 8, 8, 8))


def teams() -> TeamResults:
    columns = whole(0, 0, 0, 1, 1), whole(0, 1, 2, 1, 0), whole(0, 0, 1, 0, 1), whole(0, 1, 2, 0, ROLES_MAX - 1)
    return TeamResults(3, *columns, np.array([True, True, True, False, False]), whole(5, 5, 5, 6, 6))


def test_sound_columns_are_taken() -> None:
    assert [len(pairs().first), len(tables().table), len(teams().table)] == [3, 5, 5]


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ({"first": whole(0, 1)}, "one length"),
        ({"first": whole(0, 1, 3)}, "first player from 0 to 2, found 0 to 3"),
        ({"first": whole(0, 1, -1)}, "first player from 0 to 2, found -1 to 1"),
        ({"second": whole(1, 2, 3)}, "second player from 0 to 2"),
        ({"second": whole(1, 2, -1)}, "second player from 0 to 2"),
        ({"outcome": whole(0, 1, 3)}, "outcome from 0 to 2"),
        ({"outcome": whole(0, -1, 2)}, "outcome from 0 to 2"),
        ({"count": whole(1, 0, 1)}, "count of 1 or more, found 0 to 1"),
        ({"second": whole(1, 1, 0)}, "one against itself"),
        ({"outcome": np.array([0.0, 0.5, 2.0])}, "outcome as a column of int64"),
        ({"outcome": np.array([0, 1, 2], dtype=np.uint8)}, "outcome as a column of int64"),
        ({"cluster": [0, 0, 1]}, "cluster as a column of int64"),
        ({"cluster": np.zeros((3, 1), dtype=np.int64)}, "cluster as a column of int64"),
        ({"decided_by_harness": whole(0, 0, 1)}, "decided_by_harness as a column of bool"),
        ({"players": 2}, "from 0 to 1"),
    ],
)
def test_games_of_two_with_one_defect_are_refused(defect: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        changed(pairs(), **defect)


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ({"rank": whole(1, 2, 1, 1)}, "one length"),
        ({"player": whole(0, 3, 1, 0, 2)}, "player from 0 to 2"),
        ({"player": whole(0, -1, 1, 0, 2)}, "player from 0 to 2"),
        ({"seat": whole(0, 1, 0, 1, SEATS_MAX)}, "seat from 0 to 9"),
        ({"seat": whole(0, 1, 0, 1, -1)}, "seat from 0 to 9"),
        ({"chips": np.array([2.5, -2.5, 3, np.nan, -3])}, "chips that are numbers"),
        ({"chips": np.array([2.5, -2.5, 3, np.inf, -3])}, "chips that are numbers"),
        ({"chips": whole(2, -2, 3, 0, -3)}, "chips as a column of float64"),
        ({"table": whole(0, 2, 1, 1, 1)}, "players at a table from 2 to 10, found 1 to 3"),
        ({"player": whole(0, 0, 1, 0, 2)}, "each player once"),
        ({"seat": whole(0, 0, 0, 1, 9)}, "each seat once"),
        ({"cluster": whole(7, 8, 8, 8, 8)}, "one cluster in all rows"),
    ],
)
def test_tables_with_one_defect_are_refused(defect: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        changed(tables(), **defect)


def test_a_table_of_eleven_is_refused() -> None:
    eleven = np.arange(11)
    with pytest.raises(ValueError, match="players at a table from 2 to 10"):
        TableResults(11, 0 * eleven, eleven, eleven, np.zeros(11), eleven % 10, 0 * eleven)


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ({"won": np.ones(4, dtype=np.bool_)}, "one length"),
        ({"player": whole(0, 1, 3, 1, 0)}, "player from 0 to 2"),
        ({"team": whole(0, 0, 2, 0, 1)}, "team from 0 to 1"),
        ({"team": whole(0, 0, -1, 0, 1)}, "team from 0 to 1"),
        ({"role": whole(0, 1, 2, 0, -1)}, "role from 0 to 99"),
        ({"role": whole(0, 1, 2, 0, ROLES_MAX)}, "role from 0 to 99"),
        ({"won": whole(1, 1, 1, 0, 0)}, "won as a column of bool"),
        ({"team": whole(0, 0, 0, 0, 1)}, "both teams"),
        ({"team": whole(1, 1, 1, 0, 1)}, "both teams"),
        ({"won": np.array([True, False, True, False, False])}, "one outcome of a table"),
        ({"cluster": whole(5, 6, 5, 6, 6)}, "one cluster in all rows"),
    ],
)
def test_teams_with_one_defect_are_refused(defect: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        changed(teams(), **defect)


def test_games_that_the_harness_decided_can_be_left_out() -> None:
    kept = played_out(changed(pairs(), decided_by_harness=np.array([False, True, False])))
    assert kept.first.tolist() == [0, 2]


def test_digests_are_as_many_as_games_and_name_one_outcome_and_way_of_ending() -> None:
    twice = pair_results(2, [0, 0], [1, 1], [2, 2], [0, 1])
    assert len(distinct(twice, ["a", "b"]).first) == 2
    assert distinct(twice, ["a", "a"]).first.tolist() == [0]
    with pytest.raises(ValueError, match="expected 2 digests, found 1"):
        distinct(twice, ["a"])
    with pytest.raises(ValueError, match="one outcome"):
        distinct(changed(twice, decided_by_harness=np.array([True, False])), ["a", "a"])


def test_results_of_fewer_than_two_clusters_are_no_ratings() -> None:
    for rows in ([], [2, 3, 4]):
        keep = np.array(rows, dtype=np.int64)
        with pytest.raises(ValueError, match=f"at least 2 clusters, found {int(bool(rows))}"):
            fit_plackett_luce(rows_of(tables(), keep))
    with pytest.raises(ValueError, match="at least 2 clusters, found 0"):
        fit_davidson(rows_of(pairs(), whole()))
    with pytest.raises(ValueError, match="at least 2 clusters, found 0"):
        fit_teams(rows_of(teams(), whole()))
