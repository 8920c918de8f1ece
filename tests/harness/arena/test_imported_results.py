"""Results that others published: read strictly, rated as two outside programs do, labelled as not verified."""

import hashlib
import json
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.optimize import minimize

from agzamov_harness.arena import imported_results, pair_tables
from agzamov_harness.arena.game_arena_episodes import read_episodes
from agzamov_harness.arena.game_fits import Rating
from agzamov_harness.arena.imported_table import ImportedTable, imported_bytes, imported_table
from agzamov_harness.arena.pair_tables import read_pairs
from agzamov_harness.cli import main
from agzamov_verify.plan.manifest import ManifestError

HEAD = "model_a,model_b,winner\n"
MODELS = ("claude-1", "gpt-4", "koala-13b", "vicuna-13b")
WON = {  # by the first of each two as model_a, as model_b; ties; by the second as model_a, as model_b
    ("claude-1", "gpt-4"): (9, 8, 6, 14, 13),
    ("claude-1", "koala-13b"): (17, 15, 5, 4, 5),
    ("claude-1", "vicuna-13b"): (12, 12, 7, 8, 6),
    ("gpt-4", "koala-13b"): (22, 19, 3, 2, 3),
    ("gpt-4", "vicuna-13b"): (16, 15, 4, 5, 5),
    ("koala-13b", "vicuna-13b"): (6, 7, 8, 13, 11),
}
ELO = 400 / log(10)


def battles() -> list[tuple[str, str, str]]:
    """A table like those that LMArena publishes."""
    rows = []
    for (one, other), (as_a, as_b, ties, other_a, other_b) in WON.items():
        rows += [(one, other, "model_a")] * as_a + [(other, one, "model_b")] * as_b
        rows += [(one, other, "tie"), (other, one, "tie (bothbad)")] * (ties // 2) + [(one, other, "both_bad")] * (
            ties % 2
        )
        rows += [(other, one, "model_a")] * other_a + [(one, other, "model_b")] * other_b
    return rows


def csv_of(rows: list[tuple[str, str, str]], folder: Path, name: str = "battles.csv") -> Path:
    path = folder / name
    path.write_text(HEAD + "".join(f"{','.join(row)}\n" for row in rows))
    return path


def table_of(path: Path) -> ImportedTable:
    return imported_table(read_pairs(path))


def ratings(table: ImportedTable) -> dict[str, float]:
    return {row.player: row.rating.elo for row in table.rows if row.rating}


def fitted_by_scipy(rows: list[tuple[str, str, str]]) -> dict[str, float]:
    """Davidson's likelihood with an order effect and the ghost games, by a general optimiser."""
    place = {name: number for number, name in enumerate(MODELS)}
    first, second = (np.array([place[row[side]] for row in rows]) for side in (0, 1))
    points = np.array([{"model_a": 1.0, "model_b": 0.0}.get(row[2], 0.5) for row in rows])

    def cost(at: Any) -> float:
        theta, eta, log_nu = at[:-2], at[-2], at[-1]
        x = theta[first] - theta[second] + eta
        total = np.logaddexp(np.logaddexp(x / 2, -x / 2), log_nu)
        terms = np.where(points == 0.5, log_nu, (points - 0.5) * x) - total
        ghosts = (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum() / 2
        return float(ghosts - terms.sum())

    theta = minimize(cost, np.zeros(len(MODELS) + 2), tol=1e-10).x[: len(MODELS)]
    return {name: 1200 + ELO * float(theta[place[name]] - theta.mean()) for name in MODELS}


def test_ratings_are_those_of_a_general_optimiser(tmp_path: Path) -> None:
    rows = battles()
    found, expected = ratings(table_of(csv_of(rows, tmp_path))), fitted_by_scipy(rows)
    assert found == pytest.approx(expected, abs=0.02)
    assert list(found) == ["gpt-4", "claude-1", "vicuna-13b", "koala-13b"]


@pytest.mark.slow
def test_without_ties_ratings_are_those_of_a_logistic_regression(tmp_path: Path) -> None:
    statsmodels: Any = pytest.importorskip("statsmodels.api")
    rows = [row for row in battles() if row[2].startswith("model")]
    m = len(MODELS)
    design = np.zeros((len(rows) + 2 * m, m + 1))
    for number, (first, second, _) in enumerate(rows):
        design[number, [MODELS.index(first), MODELS.index(second), m]] = 1, -1, 1
    design[len(rows) :, :m] = np.vstack((np.eye(m), np.eye(m)))  # the ghost games, half won
    won = [row[2] == "model_a" for row in rows] + [True] * m + [False] * m
    weights = [1.0] * len(rows) + [0.5] * (2 * m)
    family = statsmodels.families.Binomial()
    fit = statsmodels.GLM(np.array(won, dtype=float), design, family=family, freq_weights=np.array(weights)).fit()
    theta = fit.params[:m] - fit.params[:m].mean()
    table = table_of(csv_of(rows, tmp_path))
    assert ratings(table) == pytest.approx(
        {name: 1200 + ELO * t for name, t in zip(MODELS, theta, strict=True)}, abs=0.01
    )
    assert table.games[0].first_elo == pytest.approx(ELO * fit.params[m], abs=0.01)


def ranks(table: ImportedTable) -> list[tuple[str, int, int]]:
    return [(row.player, row.rating.best_rank, row.rating.worst_rank) for row in table.rows if row.rating]


def test_rank_sets_leave_open_what_the_battles_do(tmp_path: Path) -> None:
    rows = battles()
    told = [("gpt-4", 1, 1), ("claude-1", 2, 2), ("vicuna-13b", 3, 3), ("koala-13b", 4, 4)]
    assert ranks(table_of(csv_of(rows, tmp_path))) == told
    third = ranks(table_of(csv_of(rows[::3], tmp_path, "third.csv")))
    assert third[0] == ("gpt-4", 1, 3)
    assert third[-1] == ("koala-13b", 3, 4)


def test_the_order_of_rows_and_the_format_change_nothing(tmp_path: Path) -> None:
    rows = battles()
    path = tmp_path / "battles.jsonl"
    lines = [{"question_id": "q", "model_a": a, "model_b": b, "winner": won, "turn": 1} for a, b, won in rows[::-1]]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    as_csv, as_json = table_of(csv_of(rows, tmp_path)), table_of(path)
    assert (as_csv.rows, as_csv.games) == (as_json.rows, as_json.games)


def test_a_weight_is_so_many_like_results(tmp_path: Path) -> None:
    rows = battles()
    counts = {row: rows.count(row) for row in rows}
    path = tmp_path / "weighted.csv"
    path.write_text(
        "winner,weight,model_b,model_a\n" + "".join(f"{w},{n},{b},{a}\n" for (a, b, w), n in counts.items())
    )
    weighted = table_of(path)
    assert ratings(weighted) == ratings(table_of(csv_of(rows, tmp_path)))
    assert weighted.games[0].results == len(rows)


def test_dependent_rows_tell_less_than_independent_ones(tmp_path: Path) -> None:
    rows = [row for row in battles() for _ in range(3)]
    path = tmp_path / "clusters.csv"
    path.write_text(
        "model_a,model_b,winner,cluster\n" + "".join(f"{','.join(row)},{n // 3}\n" for n, row in enumerate(rows))
    )
    together, apart = table_of(path), table_of(csv_of(rows, tmp_path))
    assert ratings(together) == ratings(apart)
    widths = [
        row.rating.high - row.rating.low
        for table in (together, apart)
        for row in table.rows
        if row.rating and row.rating.high and row.rating.low
    ]
    assert sum(widths[:4]) == pytest.approx(3**0.5 * sum(widths[4:]), rel=0.02)


def test_a_game_that_was_played_alike_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "alike.csv"
    rows = [f"a,b,model_a,{n}\n" for n in (1, 1, 1, 2)] + ["b,a,model_a,3\n"]
    path.write_text("model_a,model_b,winner,moves_sha256\n" + "".join(rows))
    (game,) = table_of(path).games
    assert (game.results, game.distinct) == (5, 3)


def test_one_digest_with_two_outcomes_is_no_rating(tmp_path: Path) -> None:
    path = tmp_path / "alike.csv"
    path.write_text("model_a,model_b,winner,moves_sha256\na,b,model_a,1\na,b,model_b,1\n")
    (game,) = table_of(path).games
    assert "one outcome" in game.not_rated


def test_the_rating_by_play_lacks_the_forfeits(tmp_path: Path) -> None:
    path = tmp_path / "forfeits.csv"
    rows = ["a,b,model_a,1\n"] * 6 + ["a,b,model_a,0\n", "b,a,model_a,0\n"] * 3
    path.write_text("model_a,model_b,winner,forfeit\n" + "".join(rows))
    (game,) = table_of(path).games
    by_name = {row.player: row for row in game.rows}
    assert (by_name["b"].forfeits, by_name["a"].forfeits) == (6, 0)
    for row in game.rows:
        assert row.rating_by_play
        assert row.rating_by_play.elo == 1200
    assert by_name["a"].rating
    assert by_name["a"].rating.elo > 1220


def test_players_who_never_met_are_ranked_apart(tmp_path: Path) -> None:
    rows = [("a", "b", "model_a"), ("b", "a", "tie"), ("c", "d", "model_a"), ("d", "c", "tie")] * 5
    path = csv_of(rows, tmp_path)
    assert {row.player: row.rating.part for row in table_of(path).rows if row.rating} == {
        "a": 0,
        "b": 0,
        "c": 2,
        "d": 2,
    }
    told = " ".join(rank(path, "pairs").stdout.split())
    assert "Ranked apart, since they never met, not even through others: a, b; c, d." in told


def plain(rating: Rating | None) -> Rating:
    """A rating without who is behind it, which a game's own does not say."""
    assert rating
    return msgspec.structs.replace(rating, ahead_of=())


def test_a_game_that_few_play_takes_nobody_out_of_the_rating_over_games(tmp_path: Path) -> None:
    """The rule of an arena's own table: the rating over games is of those that more than half of the players play."""
    path = tmp_path / "games.csv"
    rows = [f"{first},{second},{won},chess" for first, second, won in battles()]
    rows += [f"claude-1,gpt-4,{won},go" for won in ("model_a", "model_b", "tie") * 4]
    path.write_text("\n".join(("model_a,model_b,winner,game", *rows, "")))
    table = table_of(path)
    assert table.headline == ("chess",)
    chess = {row.player: row.rating for row in table.games[0].rows}
    assert {row.player: plain(row.rating) for row in table.rows} == {name: plain(one) for name, one in chess.items()}
    told = " ".join(rank(path, "pairs").stdout.split())
    assert "Not part of the rating over all games: go, which at most half of the players play." in told


def rank(path: Path, form: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["arena", "rank", str(path), "--from", form, *options])


def test_the_table_says_first_that_nothing_was_verified(tmp_path: Path) -> None:
    path = csv_of(battles(), tmp_path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    printed = rank(path, "pairs")
    assert printed.exit_code == 0
    assert printed.stdout.splitlines()[0] == f"not verified: taken from {path} (sha256 {digest})"
    plain = json.loads(rank(path, "pairs", "--json").stdout)
    assert (plain["is_verified"], plain["source"]["sha256"]) == (False, digest)
    assert imported_bytes(table_of(path)).decode() == rank(path, "pairs", "--json").stdout


GOOD = "a,b,tie\n"
BAD_CSV = {
    "a column is missing": ("model_a,winner\na,b\n", 1, "model_b missing"),
    "nothing at all": ("", 0, "found nothing"),
    "lines of JSON": ('{"model_a": "a"}\n', 1, "expected a heading, found JSON; let the file's name end in .jsonl"),
    "a column is there twice": ("model_a,model_b,winner,winner\n", 1, "winner twice"),
    "an unknown word": (HEAD + GOOD + "a,b,left\n", 3, "found 'left'"),
    "a model against itself": (HEAD + "a,a,tie\n", 2, "a against itself"),
    "too few cells": (HEAD + GOOD + "a,b\n", 3, "expected 3 columns, found 2"),
    "no name": (HEAD + " ,b,tie\n", 2, "name of a player"),
    "an endless name": (HEAD + f"{'x' * 201},b,tie\n", 2, "at most 200 characters"),
    "a quote without an end": (HEAD + GOOD + '"a,b,tie\n', 3, "unexpected end of data"),
    "a weight that is no number": ("model_a,model_b,winner,weight\na,b,tie,nan\n", 2, "found 'nan'"),
    "a weight beyond all bounds": (f"model_a,model_b,winner,weight\na,b,tie,{'9' * 40}\n", 2, "a whole number"),
    "a weight of nothing": ("model_a,model_b,winner,weight\na,b,tie,0\n", 2, "found 0"),
    "a word for a forfeit": ("model_a,model_b,winner,forfeit\na,b,tie,perhaps\n", 2, "expected 1 or 0"),
    "an escape of the terminal": (HEAD + "a,b,\x1b[31m\n", 2, "found '\\x1b[31m'"),
}
LINE = '{"model_a": "a", "model_b": "b", "winner": "tie"}\n'
BAD_JSON = {
    "cut short": (LINE + LINE[:30], 2, "truncated"),
    "a field is missing": (LINE + '{"model_a": "a", "model_b": "b"}\n', 2, "`winner`"),
    "NaN for a weight": (LINE + LINE.replace("}", ', "weight": NaN}'), 2, "malformed"),
    "a fraction for a weight": (LINE + LINE.replace("}", ', "weight": 1.5}'), 2, "`int`"),
    "a huge weight": (LINE + LINE.replace("}", ', "weight": 99999999999}'), 2, "found 99999999999"),
    "a list": ("[" + LINE + "]", 1, "one object on each line"),
    "a number for a name": (LINE.replace('"a"', "1", 1), 1, "`str`"),
    "half a letter": (LINE.replace('"a"', '"\\ud800"', 1), 1, ""),
}


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        *(pytest.param("bad.csv", *case, id=name) for name, case in BAD_CSV.items()),
        *(pytest.param("bad.jsonl", *case, id=name) for name, case in BAD_JSON.items()),
    ],
)
def test_a_wrong_line_is_named(name: str, text: str, line: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    printed = rank(path, "pairs")
    assert printed.exit_code == 2
    (told,) = printed.stderr.splitlines()
    assert told.startswith(f"error: {path}, line {line}: ")
    assert words in told
    assert told.isprintable()


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(HEAD.encode() + b"a,\xff\xfe,tie\n")
    assert "line 2: expected UTF-8" in rank(path, "pairs").stderr


def test_the_mark_that_spreadsheets_write_first_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEAD + GOOD * 2).replace("\n", "\r\n").encode())
    assert {row.player for row in table_of(path).rows} == {"a", "b"}


def test_ten_gigabytes_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(10 * 2**30)  # a hole: it takes no room
    assert "expected at most 4,294,967,296 bytes, found 10,737,418,240" in rank(path, "pairs").stderr


def test_an_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_tables, "LINE_BYTES_MAX", 200)
    path = tmp_path / "long.csv"
    path.write_text(HEAD + f"a,b,{'x' * 300}\n")
    assert "line 2: expected at most 200 bytes in a line" in rank(path, "pairs").stderr


@pytest.mark.parametrize(
    ("limit", "size", "words"),
    [
        ("ROWS_MAX", 2, "at most 2 results"),
        ("PLAYERS_MAX", 2, "at most 2 players"),
        ("GAMES_MAX", 1, "at most 1 games"),
    ],
)
def test_every_count_has_a_limit(
    limit: str, size: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imported_results, limit, size)
    path = tmp_path / "many.csv"
    path.write_text("model_a,model_b,winner,game\na,b,tie,one\na,b,tie,two\na,c,tie,one\n")
    assert words in rank(path, "pairs").stderr


def test_a_file_of_another_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "battles.parquet"
    path.write_bytes(b"PAR1")
    assert "ends in .csv or .jsonl" in rank(path, "pairs").stderr


# --- episodes ------------------------------------------------------------------------------------


def episode(names: list[str], rewards: list[Any], number: int = 1, **more: Any) -> dict[str, Any]:
    """An episode with the fields that `Environment.toJSON` of kaggle-environments 1.33 writes."""
    states = [
        {"action": {"submission": 5}, "reward": reward, "info": {}, "observation": {"step": 1}, "status": "DONE"}
        for reward in rewards
    ]
    return {
        "id": f"{number:08x}-0000-11f0-8000-000000000000",
        "name": "open_spiel_chess",
        "title": "Open Spiel: chess",
        "description": "Chess",
        "version": "0.1.0",
        "module_version": "1.33.2",
        "configuration": {"openSpielGameString": "chess", "actTimeout": 3600},
        "specification": {},
        "steps": [[{**state, "reward": 0, "status": "ACTIVE"} for state in states], states],
        "rewards": rewards,
        "statuses": ["DONE"] * len(rewards),
        "schema_version": 1,
        "info": {"EpisodeId": number, "TeamNames": names, "LiveVideoPath": None, "actionHistory": ["5"]},
    } | more


def written(folder: Path, *told: dict[str, Any]) -> Path:
    for number, one in enumerate(told):
        path = folder / "episodes" / f"{number}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(one))
    return folder / "episodes"


def test_rewards_are_won_lost_and_drawn(tmp_path: Path) -> None:
    told = [episode(["a", "b"], rewards, number) for number, rewards in enumerate(([1, -1], [-1, 1], [0, 0], [1, -1]))]
    table = imported_table(read_episodes(written(tmp_path, *told)))
    (game,) = table.games
    assert (game.game, game.results, game.clusters) == ("chess", 4, 4)
    assert {row.player: row.points for row in game.rows} == {"a": 2.5, "b": 1.5}


def test_a_timeout_and_an_illegal_move_are_decided_by_the_harness(tmp_path: Path) -> None:
    late = episode(["a", "b"], [None, 1], 2, statuses=["TIMEOUT", "DONE"])
    illegal = episode(["a", "b"], [-1, 1], 3)
    illegal["steps"][-1][0]["info"] = {"actionSubmitted": -1, "actionApplied": None}
    legal = episode(["a", "b"], [-1, 1], 4)
    legal["steps"][-1][1]["info"] = {"actionSubmitted": 7, "actionApplied": 7}
    (game,) = imported_table(read_episodes(written(tmp_path, late, illegal, legal))).games
    assert {row.player: (row.points, row.forfeits) for row in game.rows} == {"a": (0, 2), "b": (3, 0)}


def test_episodes_without_a_result_are_counted_and_left_out(tmp_path: Path) -> None:
    void = episode(["a", "b"], [None, None], 1, statuses=["ERROR", "ERROR"])
    alone, again = episode(["a", "a"], [1, -1], 2), episode(["a", "b"], [1, -1], 3)
    werewolf = episode(["a", "b", "c"], [0, 0, 0], 4, name="werewolf")
    broken = episode(["a", "b", "c"], [1, 0, 0], 5, name="werewolf")
    broken["info"]["GAME_END"] = {"terminated_with_agent_error": True}
    place = written(tmp_path, void, alone, again, again, werewolf, broken)
    table = imported_table(read_episodes(place))
    assert sum(table.left_out.values()) == 5
    assert len(table.left_out) == 5
    assert [game.results for game in table.games] == [1]
    assert "a player against itself: 1" in rank(place, "episodes").stdout


def test_a_table_of_many_is_pairs_of_unlike_rewards_in_one_cluster(tmp_path: Path) -> None:
    names, told = ["a", "b", "c", "d"], []
    for number, wolves in enumerate(combinations(range(4), 2)):
        rewards = [int(seat in wolves) for seat in range(4)]
        told.append(episode(names, rewards, number, name="werewolf"))
    told[0]["info"] = {"EpisodeId": 0, "Agents": [{"Name": name, "ThumbnailUrl": ""} for name in names]}
    (game,) = imported_table(read_episodes(written(tmp_path, *told))).games
    assert (game.results, game.clusters) == (6 * 4, 6)
    assert {row.points for row in game.rows} == {6.0}


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda one: one["info"].pop("TeamNames"), "info.TeamNames"),
        (lambda one: one.pop("rewards"), "`rewards`"),
        (lambda one: one["rewards"].append(0), "one for each name, found 3 and 2"),
        (lambda one: one["rewards"].__setitem__(0, "won"), "`float | null`"),
        (lambda one: one["rewards"].__setitem__(0, float("nan")), "malformed"),
        (lambda one: one["rewards"].__setitem__(0, 10**400), ""),
        (lambda one: one["info"]["TeamNames"].__setitem__(0, "x" * 500), "at most 200 characters"),
        (lambda one: one.__setitem__("name", ""), "name of a game"),
    ],
)
def test_a_wrong_episode_is_named(spoil: Any, words: str, tmp_path: Path) -> None:
    good, bad = episode(["a", "b"], [1, -1], 1), episode(["a", "b"], [1, -1], 2)
    spoil(bad)
    place = written(tmp_path, good, bad)
    printed = rank(place, "episodes")
    assert printed.exit_code == 2
    (told,) = printed.stderr.splitlines()
    assert told.startswith(f"error: {place / '1.json'}: ")
    assert words in told


@pytest.mark.parametrize("text", [b"\xff", b'{"configuration":' + b"[" * 100_000])
def test_an_episode_of_odd_bytes_is_named(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(text)
    with pytest.raises(ManifestError, match="expected an episode"):
        read_episodes(tmp_path)


def test_a_deep_line_is_named(tmp_path: Path) -> None:
    table = tmp_path / "pairs.jsonl"
    table.write_bytes(b'{"model_a":"a","model_b":"b","winner":"tie","x":' + b"[" * 100_000 + b"\n")
    with pytest.raises(ManifestError, match="line 1"):
        read_pairs(table)


def test_an_interval_that_cannot_be_computed_leaves_the_game_without_ratings(tmp_path: Path) -> None:
    """A singular matrix ended the command with a traceback."""
    table = tmp_path / "pairs.jsonl"
    rows = [{"model_a": "b", "model_b": "c", "winner": "model_a", "weight": 1_000_000}]
    rows.append({"model_a": "b", "model_b": "a", "winner": "model_a"})
    table.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (game,) = imported_table(read_pairs(table)).games
    assert game.not_rated


def test_an_episode_that_was_cut_short_is_named(tmp_path: Path) -> None:
    place = written(tmp_path, episode(["a", "b"], [1, -1]))
    path = place / "0.json"
    path.write_bytes(path.read_bytes()[:-40])
    assert "truncated" in rank(place, "episodes").stderr


def test_a_folder_without_episodes_says_so(tmp_path: Path) -> None:
    assert "expected episodes" in rank(tmp_path, "episodes").stderr


def test_several_games_have_a_mean_of_equal_weight(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    rows = [f"{a},{b},{w},{g}\n" for g, n in (("one", 3), ("two", 30)) for a, b, w in battles()[:: 33 // n][: 10 * n]]
    path.write_text("model_a,model_b,winner,game\n" + "".join(rows))
    table = table_of(path)
    by_game = [{row.player: row.rating.elo for row in game.rows if row.rating} for game in table.games]
    for name, elo in ratings(table).items():
        assert elo == pytest.approx(sum(game[name] for game in by_game) / 2, abs=0.02)
    assert set(ratings(table)) == set(MODELS)
