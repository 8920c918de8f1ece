"""Bundles of an arena in other people's formats: five games, two models, forfeits among them."""

import csv
import hashlib
import io
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess.pgn
import jsonschema
import msgspec
import pokerkit
import pytest
from click.testing import CliRunner, Result

from agzamov_harness.arena.game_arena_episodes import read_episodes
from agzamov_harness.arena.imported_table import imported_table
from agzamov_harness.arena.pair_tables import read_pairs
from agzamov_harness.cli import main
from agzamov_verify.core.questions import Answer, Chat, Question, Reply
from agzamov_verify.plan.manifest import Plan
from bundles.bundle_factory import MODEL, make, world_of
from bundles.test_export_records import RECORD

pytestmark = pytest.mark.slow

SEATS: dict[str, Any] = {
    "one": {**MODEL, "model": "maker/one"},
    "two": {**MODEL, "model": "maker/two"},
    "three": {"kind": "random"},
}
SCRIPTED = {"one": {"kind": "reference"}, "two": {"kind": "random"}, "three": {"kind": "random"}}
RULES = {name: {"illegal": "retry_then_forfeit"} for name in ("chess", "draughts", "holdem", "holdem_ring", "werewolf")}
RULES["chess"]["adjudication"] = {"policy": "none"}  # type: ignore[assignment]
AT_TABLE = [{"seat": "three"}]
EIGHT = [{"seat": name} for name in ("three", "one", "two", "three", "one", "two")]
MATCHES = [
    {"game": "chess", "a": "one", "b": "two", "games": 4, "block_games": 2},
    {"game": "draughts", "a": "two", "b": "one", "games": 4, "block_games": 2},
    {"game": "holdem", "a": "one", "b": "two", "hands": 200, "block_hands": 100},
    {"game": "holdem_ring", "a": "one", "b": "two", "others": AT_TABLE, "hands": 6, "block_hands": 3},
    {"game": "werewolf", "a": "one", "b": "two", "others": EIGHT, "games": 8, "block_games": 8},
]
PLAN: dict[str, Any] = {
    "title": "Five games",
    "protocol": "arena-0.1",
    "seats": SEATS,
    "matches": [{"phase": 6, **match} for match in MATCHES],
    **RULES,
}
GAMES = {"chess", "draughts", "holdem", "holdem_ring", "werewolf"}
BABBLE_ONE_IN = 23
SIT_AND_GO = {"illegal": "retry_then_forfeit"}
SIT_AND_GOS = {"game": "holdem_sit_and_go", "phase": 6, "sit_and_gos": 6, "block_sit_and_gos": 3}


def babbling(world: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
    """Now and then, at the same turns in all attempts, the second player says nothing that can be read.

    Not in draughts, whose games are so long that forfeits would decide them all: of such a match there is no figure.
    """

    def answer(question: Question) -> Answer:
        assert isinstance(question, Chat)
        place = hashlib.sha256(f"{question.game} {question.turn}".encode()).digest()
        if question.to == "two" and "-draughts-" not in question.game and not place[0] % BABBLE_ONE_IN:
            return Reply(text="I would rather not say.", model="m", finish="stop")
        return world(question)

    return answer


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    world = world_of(msgspec.convert({**PLAN, "seats": SCRIPTED}, Plan), None)
    made: Path = make(PLAN, tmp_path_factory.mktemp("arena"), babbling(world))
    return made


def run(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def exported(bundle: Path, to: str, *more: object) -> str:
    ran = run("export", bundle, "--to", to, *more)
    assert ran.exit_code == 0, ran.output
    return ran.stdout


def match_of(game: str) -> str:
    rest = {"holdem_ring": "-three", "werewolf": "-three-one-two-three-one-two"}.get(game, "")
    first = "two-one" if game == "draughts" else "one-two"
    return f"p6-{game}-naked-{first}{rest}"


def test_python_chess_reads_the_games(bundle: Path) -> None:
    text = io.StringIO(exported(bundle, "pgn"))
    games = [game for _ in range(4) if (game := chess.pgn.read_game(text))]
    assert len(games) == 4
    assert not any(game.errors for game in games)


@pytest.mark.parametrize(("game", "hands"), [("holdem", 200), ("holdem_ring", 6)])
def test_pokerkit_reads_every_hand_given_up_ones_too(bundle: Path, game: str, hands: int) -> None:
    text = exported(bundle, "phh", "--match", match_of(game))
    found = list(pokerkit.HandHistory.loads_all(text))
    assert len(found) == hands
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "no reason for this player to fold"
        for hand in found:
            *_, last = hand
            if game == "holdem_ring":
                assert list(last.stacks) == list(hand.finishing_stacks or ())


def test_draughts_are_written(bundle: Path) -> None:
    assert exported(bundle, "pdn").count('[GameType "21') == 4


def test_each_model_has_a_record_with_all_five_games(bundle: Path) -> None:
    records = [json.loads(line) for line in exported(bundle, "every-eval-ever").splitlines()]
    assert [record["model_info"]["id"] for record in records] == ["maker/one", "maker/two"]
    for record in records:
        jsonschema.validate(record, RECORD)
        games = [row["evaluation_name"].split("/")[2] for row in record["evaluation_results"]]
        assert set(games) == GAMES
    chess_scores = [
        row["score_details"]["score"]
        for record in records
        for row in record["evaluation_results"]
        if "/chess/" in row["evaluation_name"]
    ]
    assert sum(chess_scores) == pytest.approx(1)


def test_a_summary_has_a_claim_of_each_player(bundle: Path) -> None:
    claims = json.loads(exported(bundle, "in-toto"))["predicate"]["claims"]
    told = {(claim["match"].split("-")[1], claim["model"]) for claim in claims}
    games = ["chess", "draughts", "holdem"]
    assert {(game, name) for game in games for name in ("one", "two")} <= told
    assert ("werewolf", "three") in told


def test_an_arenas_pairs_and_episodes_are_read_back(bundle: Path, tmp_path: Path) -> None:
    pairs, folder = tmp_path / "pairs.csv", tmp_path / "episodes"
    assert run("arena", "export", bundle.parent, "--to", "pairs", "--out", pairs).exit_code == 0
    assert run("arena", "export", bundle.parent, "--to", "episodes", "--out", folder).exit_code == 0
    with pairs.open() as file:
        rows = list(csv.DictReader(file))
    assert {row["game"] for row in rows} == GAMES
    assert {row["forfeit"] for row in rows if row["game"] == "chess"} <= {"0", "1"}
    made = json.loads(run("arena", "table", bundle.parent, "--json").stdout)
    by_pairs = imported_table(read_pairs(pairs))
    for name in ("chess", "draughts"):
        own = next(game for game in made["games"] if game["game"] == name)
        other = next(game for game in by_pairs.games if game.game == name)
        assert own["distinct"] == other.distinct
        ratings = {row["player"]: row["rating"]["elo"] for row in own["rows"]}
        assert {row.player: row.rating.elo for row in other.rows if row.rating} == pytest.approx(ratings, abs=0.02)
    by_episodes = imported_table(read_episodes(folder))
    points = [
        {row.player: row.points for row in game.rows} for game in by_episodes.games if game.game == "agzamov_chess"
    ]
    assert points == [{row["player"]: row["points"] for row in made["games"][0]["rows"]}]
    first = json.loads(min(folder.glob("*chess*")).read_text())
    told = [state["action"]["submission"] for step in first["steps"] for state in step if state["action"]]
    assert len(told) == len(first["steps"]) - 1
    assert first["info"]["Agzamov"]["run"] == bundle.name


@pytest.fixture(scope="module")
def sit_and_gos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    match = {**SIT_AND_GOS, "a": "one", "b": "two", "others": AT_TABLE}
    wished = {**PLAN, "seats": SCRIPTED, "matches": [match], "holdem_sit_and_go": SIT_AND_GO}
    rest = {name: rules for name, rules in wished.items() if name not in RULES}
    made: Path = make(rest, tmp_path_factory.mktemp("sit-and-gos"))
    return made


def test_orders_of_finish_are_exported_whole(sit_and_gos: Path, tmp_path: Path) -> None:
    """All but the first were exported as tied, and the table counted first places as points."""
    bundle, folder, pairs = sit_and_gos, tmp_path / "episodes", tmp_path / "pairs.csv"
    assert run("arena", "export", bundle.parent, "--to", "pairs", "--out", pairs).exit_code == 0
    assert run("arena", "export", bundle.parent, "--to", "episodes", "--out", folder).exit_code == 0
    (game,) = (
        game
        for game in json.loads(run("arena", "table", bundle.parent, "--json").stdout)["games"]
        if game["game"] == "holdem_sit_and_go"
    )
    points = {row["player"]: row["points"] for row in game["rows"]}
    assert sum(points.values()) == pytest.approx(6 * 1.5), "of three players 1, a half and 0"
    met = {(one["player"], one["opponent"]): one["points"] for one in game["pairings"]}
    assert points == {name: sum(won / 2 for (own, _), won in met.items() if own == name) for name in points}
    with pairs.open() as file:
        rows = [row for row in csv.DictReader(file) if row["game"] == "holdem_sit_and_go"]
    worth = {"model_a": 1.0, "model_b": 0.0}
    told = {
        pair: sum(worth.get(row["winner"], 0.5) for row in rows if (row["model_a"], row["model_b"]) == pair)
        + sum(1 - worth.get(row["winner"], 0.5) for row in rows if (row["model_b"], row["model_a"]) == pair)
        for pair in met
    }
    assert told == met
    found = [json.loads(path.read_text()) for path in folder.glob("*sit_and_go*")]
    assert len(found) == 6
    assert all(sum(one["rewards"]) == pytest.approx(1.5) for one in found)
    assert {
        name: sum(one["rewards"][one["info"]["TeamNames"].index(name)] for one in found) for name in points
    } == points
    (read,) = (game for game in imported_table(read_episodes(folder)).games if "sit_and_go" in game.game)
    assert read.tables == sum(len(set(one["rewards"])) > 2 for one in found) > 0


def test_a_folder_of_episodes_is_there_whole_or_not_at_all(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk left one file, cut, and the next try was refused since the folder was there."""
    out, write_text, written = tmp_path / "episodes", Path.write_text, []

    def full(path: Path, *given: Any, **named: Any) -> int:
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return write_text(path, *given, **named)

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_text", full)
        ended = run("arena", "export", bundle.parent, "--to", "episodes", "--out", out)
    assert (ended.exit_code, f"{out}: No space left on device" in ended.output) == (2, True), ended.output
    assert not list(tmp_path.iterdir())


def test_games_of_one_opening_are_one_cluster_as_episodes_too(bundle: Path, tmp_path: Path) -> None:
    pairs, folder = tmp_path / "pairs.csv", tmp_path / "episodes"
    assert run("arena", "export", bundle.parent, "--to", "pairs", "--out", pairs).exit_code == 0
    assert run("arena", "export", bundle.parent, "--to", "episodes", "--out", folder).exit_code == 0
    by_pairs, by_episodes = read_pairs(pairs).games, read_episodes(folder).games
    for name in ("draughts", "holdem_ring"):
        own, other = by_episodes[f"agzamov_{name}"].cluster, by_pairs[name].cluster
        assert len(set(own)) == len(set(other)) < len(other)


def test_what_is_there_is_not_written_over(bundle: Path, tmp_path: Path) -> None:
    ran = run("arena", "export", bundle.parent, "--to", "pairs", "--out", tmp_path)
    assert (ran.exit_code, "exists already" in ran.stderr) == (2, True)
