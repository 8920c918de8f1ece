"""A game is one folder and one name in the registry: two are added here, and played to a verified bundle.

Noughts and crosses is for two seats, high card for two to twelve. What each adds to the source tree is its folder and
one line.
"""

import csv
import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extending.source_tree import SourceTree, require_golden

GAMES = ("noughts", "high_card")
PLAN = """
title: A new game
protocol: agz-next
seats:
  agent: {kind: reference}
  other: {kind: reference}
  dice: {kind: random}
  low: {kind: random}
  centred: {kind: reference, patterns: [takes_centre]}
matches:
  - {phase: 0, game: noughts, a: other, b: dice, games: 40}
  - {phase: 1, game: noughts, a: agent, b: agent, games: 6}
  - {phase: 0, game: high_card, a: other, b: dice, others: [{seat: dice}], rounds: 120}
  - {phase: 1, game: high_card, a: agent, b: agent, others: [{seat: agent}], rounds: 9, block_rounds: 9}
  - {phase: 0, game: high_card, a: other, b: dice, others: SEVEN, rounds: 180, block_rounds: 90}
  - {phase: 0, game: chess960, a: agent, b: dice, games: 2}
  - {phase: 2, game: noughts, a: agent, b: centred, games: 8, condition: {augmentation: memory, arm: naked}}
chess960: {plies_max: 4, adjudication: {policy: none}}
""".replace("SEVEN", f"[{', '.join(['{seat: dice}'] * 6)}, {{seat: low}}]")
NOUGHTS, HIGH_CARD = "p0-noughts-naked-other", "p0-high_card-naked-other-dice-dice"
PATTERNED = "p2-noughts-memory_naked-agent-centred"
NINE_SEATS = "-".join(("p0-high_card-naked-other", *["dice"] * 7, "low"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    tree = SourceTree(tmp_path_factory.mktemp("tree"))
    for game in GAMES:
        tree.add_game(game)
    tree.add_protocol()
    return tree


@pytest.fixture(scope="module")
def bundle(tree: SourceTree, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree.played(tmp_path_factory.mktemp("played"), PLAN)


@pytest.mark.slow
def test_the_golden_bundles_are_verified_as_before(tree: SourceTree) -> None:
    require_golden(tree)


@pytest.mark.slow
def test_a_game_outside_its_protocol_is_refused(tree: SourceTree, tmp_path: Path) -> None:
    plan = PLAN.replace("protocol: agz-next\n", "").replace("patterns: [takes_centre]", "patterns: []")
    (tmp_path / "plan.yaml").write_text(plan)
    tree.run("keygen", "key.pem", cwd=tmp_path)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    expected = "error: plan.yaml: matches[0]: expected a game of agz-0.1 (chess960, holdem), found noughts"
    assert told.splitlines()[0] == expected


@pytest.mark.slow
def test_a_pattern_of_no_game_of_the_protocol_is_refused(tree: SourceTree, tmp_path: Path) -> None:
    """The pattern of a game is one of the protocols that name the game, and of no other."""
    of_chess = "".join(line for line in PLAN.splitlines(keepends=True) if "noughts" not in line and "card" not in line)
    (tmp_path / "plan.yaml").write_text(of_chess.replace("protocol: agz-next\n", ""))
    tree.run("keygen", "key.pem", cwd=tmp_path)
    told = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    where, what = (
        "error: plan.yaml: seats.centred.patterns[0]: ",
        "found takes_centre, expected each once of a game of agz-0.1:",
    )
    assert told.startswith(where + what)


@pytest.mark.slow
def test_a_new_pattern_is_asked_for_and_counted(tree: SourceTree, bundle: Path) -> None:
    told = tree.run("verify", str(bundle), "--details", cwd=bundle.parent)
    (line,) = [one for one in told.splitlines() if "takes_centre" in one]
    assert re.search(r"centred \(B\), takes_centre: kept ([1-8]) of \1, 1\.0000 ", line), "in each game that allows it"
    one = tree.run("show", str(bundle), "--game", f"{PATTERNED}-g00000", "--prompts", cwd=bundle.parent)
    assert "You must keep this rule in every game: take square 5 as soon as it is free." in " ".join(one.split())


def test_both_games_are_played_and_verified(tree: SourceTree, bundle: Path) -> None:
    told = json.loads(tree.run("verify", str(bundle), "--json", cwd=bundle.parent))
    assert told["level"] == "V1"
    results = {match["id"]: match for match in told["results"]["matches"]}
    assert set(results[NOUGHTS]["gate"]) == {"passed", "reason"}
    assert results[NOUGHTS]["result"]["games"] == 40
    assert [seat["seat"] for seat in results[HIGH_CARD]["seat_stats"]] == ["other", "dice", "dice"]
    assert results[HIGH_CARD]["result"]["rounds"] == 120
    assert [seat["seat"] for seat in results[NINE_SEATS]["seat_stats"]] == ["other", *["dice"] * 7, "low"]
    assert [row["seat"] for row in results[NINE_SEATS]["table"]] == ["other", *["dice"] * 7, "low"]


def test_a_person_sees_both_games(tree: SourceTree, bundle: Path) -> None:
    told = " ".join(tree.run("verify", str(bundle), cwd=bundle.parent).split())
    assert "40 games of noughts and crosses" in told
    assert "120 rounds of high card" in told
    assert "other (scripted reference player) against dice" in told
    one = tree.run("show", str(bundle), "--game", f"{NOUGHTS}-g00000", cwd=bundle.parent)
    assert "Squares: " in one
    assert one.splitlines()[1] == one.splitlines()[-1]
    assert "card " in tree.run("show", str(bundle), "--game", f"{HIGH_CARD}-r000001", cwd=bundle.parent)
    listed = tree.run("show", str(bundle), "--games", "--match", HIGH_CARD, cwd=bundle.parent)
    assert f"{HIGH_CARD}-r000000" in listed


@pytest.mark.slow
def test_both_games_are_cells_of_the_matrix(tree: SourceTree, bundle: Path) -> None:
    table = json.loads(tree.run("matrix", str(bundle), "--json", cwd=bundle.parent))
    games: list[Any] = [entry["game"] for entry in table["matrix"]["entries"]]
    assert set(games) >= set(GAMES)


def test_a_doctored_record_of_a_new_game_is_found(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bundle, copy)
    results = copy / "data" / "results" / "results.json"
    results.write_text(results.read_text().replace('"won":', '"won":1'))
    tree.run("verify", str(copy), cwd=tmp_path, code=1)


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on(tree: SourceTree, bundle: Path, tmp_path: Path) -> None:
    run = interrupted(tree, tmp_path, streams=len(index_of(bundle)["streams"]))
    entries = sum(len(path.read_bytes().splitlines()) for path in journals(tmp_path))
    told = tree.run("resume", str(run), "--key", "key.pem", cwd=tmp_path)
    resumed = tmp_path / told.splitlines()[-1].removeprefix("bundle: ")
    checked = json.loads(tree.run("verify", str(resumed), "--json", cwd=tmp_path))
    assert checked["level"] == "V1"
    assert 0 < entries < sum(row["entries"] for row in index_of(resumed)["streams"])


def interrupted(tree: SourceTree, folder: Path, streams: int) -> Path:
    """A run that was killed before it began its last stream; one that was faster than the kill is thrown away."""
    (folder / "plan.yaml").write_text(PLAN)
    tree.run("keygen", "key.pem", cwd=folder)
    for _ in range(10):
        with tree.start("run", "plan.yaml", "--key", "key.pem", cwd=folder) as process:
            wait_for(lambda: len(journals(folder)) > 10 or process.poll() is not None)
            process.kill()
        (run,) = (folder / "runs").iterdir()
        if len(journals(folder)) < streams:
            return run
        shutil.rmtree(run)
    raise AssertionError("ten runs were too fast to be killed in their middle")


def index_of(bundle: Path) -> dict[str, Any]:
    index: dict[str, Any] = json.loads((bundle / "data" / "journal" / "index.json").read_bytes())
    return index


def journals(folder: Path) -> list[Path]:
    return list(folder.glob("runs/[!.]*/journal/**/*.jsonl"))


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_every_seat_of_a_table_is_shown_and_listed(tree: SourceTree, bundle: Path) -> None:
    details = tree.run("verify", str(bundle), "--details", cwd=bundle.parent)
    told = " ".join(details[details.index(NINE_SEATS) :].split())
    assert [f"({letter})" in told for letter in "ABCDEFGHI"] == [True] * 9
    tree.run("export", str(bundle), "--to", "csv", "--out", "games.csv", cwd=bundle.parent)
    rows = list(csv.DictReader((bundle.parent / "games.csv").open()))
    of_nine = next(row for row in rows if row["match"] == NINE_SEATS)
    assert len(of_nine["seats"].split(", ")) == 9
    assert "low" in of_nine["seats"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("{seat: low}", "{seat: nobody}"), "matches[4].others[6].seat: expected one of the seats"),
        (("{seat: low}", "{seat: agent}"), "matches[4].others[6].seat: expected a random seat in Phase 0"),
        (("{seat: low}", ", ".join(["{seat: dice}"] * 5)), "matches[4].others: expected 2 to 12 seats"),
        (
            ("b: dice, games", "b: dice, others: [{seat: dice}], games"),
            "matches[0].others: expected 2 seats in",
        ),
    ],
)
def test_a_seat_that_does_not_fit_is_named_by_its_place_in_the_plan(
    tree: SourceTree, tmp_path: Path, changed: tuple[str, str], told: str
) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.replace(*changed, 1))
    tree.run("keygen", "key.pem", cwd=tmp_path)
    errors = tree.run("run", "plan.yaml", "--key", "key.pem", cwd=tmp_path, code=2, errors=True)
    assert told in " ".join(errors.split())
    assert "Traceback" not in errors
