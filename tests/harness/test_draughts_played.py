"""Draughts played whole: reference against random, sealed, packed, verified, shown, exported, reported."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.commands import Commands
from harness.sealed_runs import packed, said

pytestmark = pytest.mark.slow

PLAN = """
title: Draughts
protocol: arena-0.1
seats:
  agent: {kind: reference}
  dice: {kind: random}
matches:
  - {phase: 6, game: draughts, a: agent, b: dice, games: 4}
draughts: {illegal: retry_then_forfeit, plies_max: 120}
"""
MATCH = "p6-draughts-naked-agent-dice"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("commands")) as those:
        yield those


@pytest.fixture(scope="module")
def bundle(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(commands, tmp_path_factory.mktemp("played"), PLAN)


def test_a_match_is_verified_by_replay(commands: Commands, bundle: Path) -> None:
    verdict = json.loads(said(commands, bundle, "verify", "--json"))
    assert verdict["level"] == "V1"
    (result,) = [one["result"] for one in verdict["results"]["matches"] if one["id"].startswith(MATCH)][:1]
    assert (result["game"], result["games"], result["won"]) == ("draughts", 4, 4)


def test_a_doctored_figure_is_found(commands: Commands, bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    results = copy / "data" / "results" / "results.json"
    results.write_text(results.read_text().replace('"plies":', '"plies":1'))
    assert commands.run("verify", str(copy), cwd=tmp_path).code == 1


def test_a_person_sees_the_match_and_a_game(commands: Commands, bundle: Path) -> None:
    details = " ".join(said(commands, bundle, "verify", "--details").split())
    assert "4 games of English draughts" in details
    assert "games drawn 0.0000 " in details
    game = said(commands, bundle, "show", "--game", f"{MATCH}-g00001", "--prompts")
    assert "Ballot: " in game
    assert "It is drawn if it has not ended after 120 moves of both sides together" in " ".join(game.split())
    assert "asked again, 3 times at most" in " ".join(game.split())


def test_games_are_exported_in_pdn(commands: Commands, bundle: Path) -> None:
    said(commands, bundle, "export", "--to", "pdn", "--out", "games.pdn")
    text = (bundle.parent / "games.pdn").read_text()
    assert text.count('[GameType "21"]') == 4
    assert len(set(re.findall(r'\[Ballot "(.*)"\]', text))) == 2


def test_a_report_draws_the_board(commands: Commands, bundle: Path) -> None:
    said(commands, bundle, "report", "--out", "report.html")
    page = (bundle.parent / "report.html").read_text()
    assert page.count("GAMES.draughts =") == 1
    assert page.count('id="disc-king"') == 1
