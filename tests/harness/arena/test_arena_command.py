"""`agzamov arena`: played, added to, shown as a page; the table follows from the bundles alone."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.commands import Commands, Ended

pytestmark = pytest.mark.slow

ARENA = """\
title: A small arena
rounds: 2
roster:
  reference: {kind: reference}
  one: {kind: random}
games: {chess: {}, holdem: {}}
"""


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.fixture(scope="module")
def sealed(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena whose rounds are sealed and not played."""
    folder = tmp_path_factory.mktemp("arena")
    (folder / "arena.yaml").write_text(ARENA)
    assert commands.run("keygen", "key.pem", cwd=folder).code == 0
    assert arena_run(commands, folder, "--seal-only").code == 0
    assert len(list((folder / "runs").glob("[!.]*/"))) == 2
    return folder


@pytest.fixture(scope="module")
def played(commands: Commands, sealed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_of(sealed, tmp_path_factory.mktemp("played"))
    ended = arena_run(commands, folder)
    assert ended.code == 0, ended
    assert "2 of 2 rounds" in ended.out
    return folder


def copy_of(folder: Path, to: Path) -> Path:
    shutil.copytree(folder, to / "arena")
    return to / "arena"


def arena_run(commands: Commands, folder: Path, *options: str) -> Ended:
    return commands.run("arena", "run", "arena.yaml", "--key", "key.pem", "--quiet", *options, cwd=folder)


def table(commands: Commands, folder: Path, place: str = "arena.yaml", code: int = 0) -> Any:
    ended = commands.run("arena", "table", place, "--json", cwd=folder)
    assert ended.code == code, ended
    return json.loads(ended.out)


def test_the_reference_player_leads_in_both_games(commands: Commands, played: Path) -> None:
    made = table(commands, played)
    assert made["rows"][0]["player"] == "reference"
    assert [game["game"] for game in made["games"]] == ["chess", "holdem"]
    (chess, holdem) = made["games"]
    assert (chess["results"], chess["units"], holdem["results"], holdem["units"]) == (4, 2, 200, 2)
    reference, other = chess["rows"]
    assert reference["points"] + other["points"] == 4.0
    won_all = reference["points"] == 4.0  # nearly always: the secret of a run is drawn
    assert (reference["rating"]["high"] is None) == won_all
    assert made["left_out"] == []
    text = commands.run("arena", "table", "arena.yaml", cwd=played).out
    assert ("at least" in text) == won_all
    assert "scripted reference player" in text


def test_a_bundle_that_was_changed_is_left_out_and_said(commands: Commands, played: Path, tmp_path: Path) -> None:
    folder = copy_of(played, tmp_path)
    bundle = min((folder / "bundles").glob("[!.]*/"))
    results = bundle / "data" / "results" / "results.json"
    results.write_bytes(results.read_bytes().replace(b'"games":2', b'"games":3', 1))
    made = table(commands, folder, code=1)
    assert [one["bundle"] for one in made["left_out"]] == [bundle.name]
    assert "does not verify" in made["left_out"][0]["reason"]
    assert len(made["bundles"]) == 1


def test_a_bundle_of_a_round_points_to_the_table(commands: Commands, played: Path) -> None:
    """It had a sentence for each pairing that one unit is too few."""
    bundle = min((played / "bundles").glob("[!.]*/"))
    told = " ".join(commands.run("show", str(bundle), cwd=played).out.split())
    assert "Rounds of an arena are ranked together: agzamov arena table FOLDER" in told
    assert "No result" not in told
    ended = commands.run("report", str(bundle), "--out", "round", cwd=played)
    assert ended.code == 0, ended
    page = (played / "round" / "index.html").read_text()
    assert "One round shows nothing by itself." in page
    assert "No result" not in page.partition('id="more"')[0]
    links = set(re.findall(r'href="#m=([^"]+)"', page.partition("<h2>What to believe")[0]))
    assert {link.split("-")[1] for link in links} == {"chess", "holdem"}


def test_the_report_leads_from_every_pairing_to_its_games(commands: Commands, played: Path) -> None:
    ended = commands.run("arena", "report", "arena.yaml", cwd=played)
    assert ended.code == 0, ended
    site = played / "arena-report"
    page = (site / "index.html").read_text()
    assert "<h1>A small arena</h1>" in page
    assert "agzamov arena table arena.yaml" in page
    assert json.loads((site / "table.json").read_bytes()) == table(commands, played)
    links = re.findall(r'href="(\w{16})/index\.html#([mg])=([^"]+)"', page)
    assert {run for run, _, _ in links} == {path.name for path in (played / "bundles").glob("[!.]*/")}
    assert {kind for _, kind, _ in links} == {"m", "g"}
    for run, _, name in links:
        assert re.sub(r"-[gh][0-9]+$", "", name) in (site / run / "index.html").read_text()
    (site / run / "mine.txt").write_text("mine")
    again = commands.run("arena", "report", "arena.yaml", cwd=played)
    assert (again.code, "mine.txt, which this command did not write: move it away" in again.err) == (2, True)
    (site / run / "mine.txt").unlink()
    (site / "index.html").write_text("old")
    assert commands.run("arena", "report", "arena.yaml", cwd=played).code == 0
    assert (site / "index.html").read_text() == page


def test_one_file_has_the_table_and_what_was_left_out(commands: Commands, played: Path, tmp_path: Path) -> None:
    folder = copy_of(played, tmp_path)
    bundle = min((folder / "bundles").glob("[!.]*/"))
    (bundle / "data" / "results" / "results.json").write_bytes(b"{}")
    ended = commands.run("arena", "report", "bundles", "--out", "arena.html", cwd=folder)
    assert ended.code == 1, ended
    page = (folder / "arena.html").read_text()
    assert commands.run("arena", "report", "bundles", "--out", "arena.html", cwd=folder).code == 1
    (folder / "other.html").write_text("<!doctype html>")
    other = commands.run("arena", "report", "bundles", "--out", "other.html", cwd=folder)
    assert (other.code, "is no page of an arena" in other.err) == (2, True)
    assert all(one.startswith("#") for one in re.findall(r'href="([^"]+)"', page))
    assert bundle.name in page
    assert "does not verify" in page


def test_a_player_who_is_added_plays_alone_what_is_missing(commands: Commands, played: Path, tmp_path: Path) -> None:
    folder = copy_of(played, tmp_path)
    ended = commands.run("arena", "add", "arena.yaml", "three", "--kind", "random", cwd=folder)
    assert ended.code == 0, ended
    assert "0 of 2 rounds" in ended.out
    assert arena_run(commands, folder, "--rounds", "1").code == 0
    made = table(commands, folder)
    assert {row["player"]: row["results"] for row in made["games"][0]["rows"]} == {
        "reference": 6,
        "one": 6,
        "three": 4,
    }
    again = commands.run("arena", "add", "arena.yaml", "three", "--kind", "random", cwd=folder)
    assert (again.code, "expected another name" in again.err) == (2, True)
