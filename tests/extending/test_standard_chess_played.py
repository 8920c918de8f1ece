"""Standard chess, the second game of the chess folder: no released protocol names it, and the next one plays it.

It is in the registry already, so that the tree is added nothing but the protocol.
"""

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.games.chess.openings import OPENINGS
from extending.source_tree import SourceTree, require_golden

pytestmark = pytest.mark.slow

PLAN = """
title: Standard chess
protocol: agz-next
seats:
  agent: {kind: reference}
  briefed: {kind: reference, patterns: [castles_early]}
  dice: {kind: random}
systems: {notes: {kind: memory, server: full_text}}
matches:
  - {phase: 0, game: chess, a: agent, b: dice, games: 12}
  - {phase: 1, game: chess, a: agent, b: agent, games: 2}
  - {phase: 2, game: chess, a: agent, b: briefed, games: 8, careers: 2,
     condition: {augmentation: memory, arm: real, system: notes}}
  - {phase: 0, game: chess960, a: agent, b: dice, games: 2}
chess: {plies_max: 60, adjudication: {policy: material, threshold_points: 3, plies: 4}}
chess960: {plies_max: 4, adjudication: {policy: none}}
"""
BY_ENGINE = """
title: Standard chess with an engine
protocol: agz-next
seats:
  fish: {kind: stockfish, nodes: 1000}
  dice: {kind: random}
matches:
  - {phase: 0, game: chess, a: fish, b: dice, games: 12}
  - {phase: 1, game: chess, a: fish, b: fish, games: 6}
engine: {nodes: 1000}
chess: {plies_max: 120, adjudication: {policy: stockfish, threshold_centipawns: 600, plies: 4}}
"""
MATCH = "p0-chess-naked-agent"
FENS = {opening.fen: opening for opening in OPENINGS}
ENGINE_STEP, SEATS_STEP = 9, 13
FEW_REPLIES = ("--seat-replies-max", "20")
"""Of commands after the first verification, which computes all replies of players again."""

try:
    ENGINE, MISSING = find_engine(), ""
except EngineFault as fault:
    ENGINE, MISSING = None, str(fault)
needs_engine = pytest.mark.skipif(ENGINE is None, reason=MISSING)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN)


@pytest.fixture(scope="module")
def by_engine(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("by_engine"), BY_ENGINE)


@pytest.mark.exhaustive
def test_the_golden_bundles_are_verified_as_before(tree: SourceTree) -> None:
    require_golden(tree)


def test_a_released_protocol_refuses_standard_chess_and_its_rules(tree: SourceTree, tmp_path: Path) -> None:
    tree.run("keygen", "key.pem", cwd=tmp_path)
    plan = PLAN.replace("protocol: agz-next\n", "")
    (tmp_path / "plan.yaml").write_text(plan)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert "expected a game of agz-0.1 (chess960, holdem), found chess" in told
    of_960 = re.sub("  - .*game: chess960.*\n", "", plan).replace("game: chess,", "game: chess960,")
    (tmp_path / "plan.yaml").write_text(of_960)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert "no such field" in told.splitlines()[0]


def test_standard_chess_is_played_and_verified(tree: SourceTree, bundle: Path) -> None:
    told = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent))
    assert told["level"] == "V1"
    results = {match["id"]: match for match in told["results"]["matches"]}
    assert results[MATCH]["result"]["game"] == "chess"
    assert results[MATCH]["result"]["games"] == 12


def test_a_small_profile_is_sealed(tree: SourceTree, bundle: Path) -> None:
    tree.run("seal", "plan.yaml", "--small", "--key", "key.pem", "--runs", "small", cwd=bundle.parents[1])
    (manifest,) = (bundle.parents[1] / "small").rglob("manifest.json")
    plan = json.loads(manifest.read_text())["plan"]
    assert plan["name"] == "Standard chess (small)"
    assert {match["game"] for match in plan["matches"]} == {"chess", "chess960"}


def test_a_doctored_figure_is_found(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    results = copy / "data" / "results" / "results.json"
    results.write_text(results.read_text().replace('"plies":', '"plies":1'))
    tree.run("verify", str(copy), cwd=tmp_path, code=1)


def test_a_person_sees_chess_and_no_word_of_the_other_variant(tree: SourceTree, bundle: Path) -> None:
    told = " ".join(tree.run("verify", str(bundle), "--details", *FEW_REPLIES, cwd=bundle.parent).split())
    assert "12 games of chess" in told or "of 12 games" in told
    assert f"{MATCH}: 12 games planned, 30 required" in told
    one = tree.run("show", str(bundle), "--game", f"{MATCH}-g00000", "--prompts", cwd=bundle.parent)
    assert "Start: " in one
    assert "in this game of chess" in " ".join(one.split())
    assert "Chess960" not in one


def games_of(text: str) -> list[chess.pgn.Game]:
    file, games = io.StringIO(text), []
    while game := chess.pgn.read_game(file):
        games.append(game)
    return games


def test_an_exported_game_is_one_of_chess_from_its_opening(tree: SourceTree, bundle: Path) -> None:
    tree.run("export", str(bundle), "--to", "pgn", "--out", "games.pgn", cwd=bundle.parent)
    games = games_of((bundle.parent / "games.pgn").read_text())
    standard = [game for game in games if game.headers["Match"].startswith("p0-chess-")]
    assert len(standard) == 12
    for game in standard:
        assert not game.errors
        assert "Variant" not in game.headers
        assert not game.board().chess960
        assert game.headers["SetUp"] == "1"
        assert game.headers["ECO"] == FENS[game.headers["FEN"]].eco
        assert len([*game.mainline_moves()]) == int(game.headers["PlyCount"]) > 0
    others = [game for game in games if game.headers["Match"].startswith("p0-chess960-")]
    assert {game.headers["Variant"] for game in others} == {"Chess960"}
    assert not any("ECO" in game.headers for game in others)


def test_standard_chess_is_a_row_of_the_matrix(tree: SourceTree, bundle: Path) -> None:
    table = json.loads(tree.run("matrix", str(bundle), "--json", *FEW_REPLIES, cwd=bundle.parent))
    entries: list[Any] = table["matrix"]["entries"]
    assert "chess" in {entry["game"] for entry in entries}


def test_a_report_draws_both_variants_with_one_script(tree: SourceTree, bundle: Path) -> None:
    tree.run("report", str(bundle), "--out", "report.html", *FEW_REPLIES, cwd=bundle.parent)
    page = (bundle.parent / "report.html").read_text()
    assert page.count("GAMES.chess = GAMES.chess960 =") == 1
    assert page.count('id="piece-k"') == 1


@needs_engine
def test_an_engine_plays_and_adjudicates_and_is_asked_again(tree: SourceTree, by_engine: Path) -> None:
    told = tree.run("verify", str(by_engine), "--sample", "1000", "--json", cwd=by_engine.parent)
    verdict = json.loads(told)
    steps = {step["number"]: step for step in verdict["steps"]}
    assert verdict["level"] == "V1"
    assert [steps[number]["status"] for number in (ENGINE_STEP, SEATS_STEP)] == ["pass", "pass"]
    assert "replies of stockfish players" in steps[SEATS_STEP]["remark"]


@needs_engine
def test_an_engine_castles_and_the_game_is_told_as_one_of_chess(tree: SourceTree, by_engine: Path) -> None:
    tree.run("export", str(by_engine), "--to", "pgn", "--out", "games.pgn", cwd=by_engine.parent)
    games = games_of((by_engine.parent / "games.pgn").read_text())
    assert len(games) == 18
    assert not any(game.errors or game.board().chess960 for game in games)
    assert {"O-O", "O-O-O"} & {node.san() for game in games for node in game.mainline()}
    assert "adjudication" in {game.headers["Termination"] for game in games}
