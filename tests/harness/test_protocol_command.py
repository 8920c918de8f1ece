"""All plans of a folder as one protocol: sealed before the first is played, gone on with, never played twice."""

import hashlib
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agzamov_harness.run import run_folder
from harness.commands import Commands, Ended
from harness.sealed_runs import wait_for

CHESS = {"game": "chess960", "games": 4}
HOLDEM = {"game": "holdem", "hands": 40}


def plan(title: str, match: dict[str, Any]) -> str:
    return yaml.safe_dump(
        {
            "title": title,
            "seats": {"agent": {"kind": "random"}, "dice": {"kind": "random"}},
            "chess960": {"adjudication": {"policy": "none"}, "plies_max": 12},
            "holdem": {"session_hands": 4},
            "matches": [{"phase": 0, "a": "agent", "b": "dice", **match}],
        }
    )


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    with Commands(tmp_path) as made:
        made.run("keygen", "key.pem", cwd=tmp_path)
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two plans."""
    folder = tmp_path / "protocol"
    folder.mkdir()
    (folder / "1-chess.yaml").write_text(plan("Chess", CHESS))
    (folder / "2-holdem.yaml").write_text(plan("Hold'em", HOLDEM))
    return folder


def played(commands: Commands, folder: Path) -> Ended:
    return commands.run("protocol", "run", folder, "--key", "key.pem", "--json", cwd=folder.parent)


def statuses(commands: Commands, folder: Path) -> list[str]:
    return commands.run("protocol", "status", folder, cwd=folder.parent).out.splitlines()


def refused(commands: Commands, folder: Path, why: str) -> None:
    ended = played(commands, folder)
    assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
    assert why in ended.err


@pytest.mark.slow
def test_all_plans_are_sealed_then_played_and_scored_and_nothing_is_played_twice(
    commands: Commands, folder: Path
) -> None:
    assert statuses(commands, folder) == ["1-chess.yaml: not sealed", "2-holdem.yaml: not sealed"]
    ended = played(commands, folder)
    assert ended.code == 0, ended
    runs = [line.split(" ")[-1] for line in ended.err.splitlines() if ": sealed as " in line]
    bundles = [str(folder / "bundles" / Path(run).name) for run in runs]
    chess, holdem = ("1-chess.yaml: ", "2-holdem.yaml: ")
    assert ended.err.splitlines() == [
        f"{chess}sealed as {runs[0]}",
        f"{holdem}sealed as {runs[1]}",
        f"{chess}playing {runs[0]}",
        f"{chess}{bundles[0]}",
        f"{holdem}playing {runs[1]}",
        f"{holdem}{bundles[1]}",
    ]
    assert {source["run"] for source in json.loads(ended.out)["bundles"]} == {Path(run).name for run in runs}
    assert statuses(commands, folder) == [f"{chess}{bundles[0]}", f"{holdem}{bundles[1]}"]
    (folder / "bundles" / "report-of-one").mkdir()  # no bundle, so no matter
    again = played(commands, folder)
    assert again.err.splitlines() == [f"{chess}{bundles[0]}", f"{holdem}{bundles[1]}"]
    assert again.out == ended.out
    shutil.rmtree(bundles[1])
    assert statuses(commands, folder)[1] == f"{holdem}sealed as {runs[1]}, not played to its end"
    assert played(commands, folder).out == ended.out
    (folder / "3-later.yaml").write_text(plan("Later", HOLDEM))
    refused(commands, folder, "3-later.yaml: expected all plans to be sealed before the first is played, but 1-chess")
    (folder / "3-later.yaml").rename(folder / ".3-later.yaml")  # hidden, as an editor leaves files
    shutil.move(bundles[0], folder / "0")
    shutil.copytree(bundles[1], bundles[0])
    refused(commands, folder, f"{bundles[0]}: expected the bundle of {runs[0]}, found something else")
    shutil.rmtree(bundles[0])
    shutil.move(folder / "0", bundles[0])
    assert played(commands, folder).out == ended.out
    (folder / "2-holdem.yaml").write_text(plan("Hold'em again", HOLDEM))
    refused(commands, folder, "a plan that was changed after it was sealed, or whose")
    chess_status, holdem_status, changed = statuses(commands, folder)
    assert (chess_status, holdem_status) == (f"{chess}{bundles[0]}", f"{holdem}not sealed")
    assert changed.startswith(f'"Hold\'em": {bundles[1]}; no plan here says what was sealed: a plan that was changed')
    (folder / "2-holdem.yaml").write_text("title: [")
    ended = commands.run("protocol", "status", folder, cwd=folder.parent)
    assert (ended.code, ended.out.splitlines()) == (2, [chess_status, changed])
    assert "2-holdem.yaml: " in ended.err


@pytest.mark.slow
def test_plans_are_copied_into_a_new_folder_and_played_in_their_small_profile(
    commands: Commands, folder: Path, tmp_path: Path
) -> None:
    made, plans = tmp_path / "made", sorted(folder.glob("*.yaml"))
    plans[0].write_text("title: [")
    assert commands.run("protocol", "run", made, *plans, cwd=tmp_path).code == 2
    assert not made.exists()
    plans[0].write_text(plan("Chess", CHESS))

    def run(*more: object) -> Ended:
        return commands.run("protocol", "run", made, *more, "--key", "key.pem", "--json", cwd=tmp_path)

    ended = run(*plans, "--small")
    assert ended.code == 0, ended
    titles = [json.loads(path.read_text())["plan"]["title"] for path in made.glob("runs/*/manifest.json")]
    assert sorted(titles) == ["Chess (small)", "Hold'em (small)"]
    assert run(*plans, "--small").out == run("--small").out == ended.out
    assert "say --small as then" in run().err
    plans[0].write_text(plan("Another", CHESS))
    refused_again = run(*plans, "--small")
    assert refused_again.code == 2
    assert f"expected the plan {plans[0]}, found another" in refused_again.err


@pytest.mark.slow
def test_a_protocol_that_was_killed_goes_on(commands: Commands, folder: Path) -> None:
    (folder / "1-chess.yaml").write_text(plan("Chess", {"game": "chess960", "games": 400, "block_games": 20}))
    running = commands.start("protocol", "run", folder, "--key", "key.pem", "--json", cwd=folder.parent)
    wait_for(lambda: [*folder.glob("runs/[!.]*/journal/p*/*.jsonl")] or not running.alive_after(0))
    running.signal(signal.SIGKILL)
    assert running.ended().code == -signal.SIGKILL
    ended = played(commands, folder)
    assert ended.code == 0, ended
    assert "sealed as" not in ended.err
    assert len([*folder.glob("bundles/*")]) == 2


def test_a_protocol_that_is_stopped_says_the_command_that_goes_on_with_all_of_it(
    commands: Commands, folder: Path
) -> None:
    (folder / "1-chess.yaml").write_text(plan("Chess", {"game": "chess960", "games": 1_920, "block_games": 20}))
    (folder / "2-holdem.yaml").write_text(plan("Hold'em", {"game": "holdem", "hands": 100_000}))
    running = commands.start("protocol", "run", folder, "--key", "key.pem", "--json", cwd=folder.parent)
    wait_for(lambda: [*folder.glob("runs/[!.]*/journal/p*/*.jsonl")] or not running.alive_after(0))
    running.signal(signal.SIGINT)
    ended = running.ended()
    assert ended.code == 4, ended
    assert f"protocol run {folder} --key key.pem --json" in ended.err
    assert "resume" not in ended.err


def test_two_runs_of_one_plan_are_refused(commands: Commands, folder: Path) -> None:
    for _ in range(2):
        sealed = commands.run(
            "seal", folder / "1-chess.yaml", "--key", "key.pem", "--runs", folder / "runs", cwd=folder.parent
        )
        assert sealed.code == 0, sealed
    refused(commands, folder, "1-chess.yaml: expected one run of this plan, found ")


def test_a_folder_that_another_process_plays_is_refused(commands: Commands, folder: Path) -> None:
    (folder / "runs").mkdir()
    with run_folder.held(folder / "runs" / "lock", "held by another test"):
        refused(commands, folder, "protocol: another process is playing this folder")
    assert not [*folder.glob("runs/*/")]


def test_a_run_whose_manifest_cannot_be_read_is_named(commands: Commands, folder: Path) -> None:
    broken = folder / "runs" / "broken"
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{")
    (broken / "manifest.sha256").write_text(hashlib.sha256(b"{").hexdigest())
    refused(commands, folder, "runs/broken/manifest.json: expected JSON")
    (broken / "manifest.json").write_text("{}")
    refused(
        commands, folder, "runs/broken/manifest.json: expected the sealed one, SHA-256 021fb596db81e6d0, found 4413"
    )


def test_nothing_is_played_again_where_a_run_or_its_manifest_is_gone(commands: Commands, folder: Path) -> None:
    run = folder / "runs" / "0123456789abcdef"
    run.mkdir(parents=True)
    refused(commands, folder, f"{run}/manifest.json: No such file or directory; move its run away")
    run.rmdir()
    bundle = folder / "bundles" / run.name
    (bundle / "data").mkdir(parents=True)
    (bundle / "data" / "manifest.json").touch()
    refused(commands, folder, f"{bundle}: expected its run in {folder}/runs, found none; move the bundle away")
    shutil.rmtree(bundle)
    assert statuses(commands, folder) == ["1-chess.yaml: not sealed", "2-holdem.yaml: not sealed"]


def test_two_plans_of_one_text_are_refused(commands: Commands, folder: Path) -> None:
    shutil.copy(folder / "1-chess.yaml", folder / "3-again.yaml")
    refused(commands, folder, "expected one plan with this text, found 1-chess.yaml, 3-again.yaml")


def test_plans_that_have_no_score_together_are_refused_before_anything_is_sealed_or_copied(
    commands: Commands, folder: Path
) -> None:
    """It came to light after the last game."""
    arena = yaml.safe_load(plan("Arena", {"phase": 6, **HOLDEM})) | {"protocol": "arena-0.1"}
    del arena["chess960"]
    (other := folder.parent / "3-arena.yaml").write_text(yaml.safe_dump(arena))
    study = Path("manifests/phase4.yaml").absolute()
    for given, why in (
        (other, "expected a plan of agz-0.1, as protocol/1-chess.yaml is, found one of arena-0.1"),
        (study, "a study with people is no part of the Agzamov Score; play it by: agzamov run"),
    ):
        ended = commands.run("protocol", "run", folder.name, given, "--key", "key.pem", cwd=folder.parent)
        assert (ended.code, len(ended.err.splitlines())) == (2, 1), ended
        assert why in ended.err
        assert not [*folder.glob("runs/*/")]
        assert not (folder / given.name).exists()
    shutil.copy(other, folder)
    refused(commands, folder, "3-arena.yaml: expected a plan of agz-0.1")


def test_plans_with_the_same_cell_are_refused_before_a_game_is_played(commands: Commands, folder: Path) -> None:
    baseline = {"phase": 1, "b": "agent", "game": "chess960"}
    for name, games in (("3-first.yaml", 4), ("4-second.yaml", 6)):
        (folder / name).write_text(plan(name, {**baseline, "games": games}).replace("dice: {kind: random}", ""))
    ended = played(commands, folder)
    last = ended.err.splitlines()[-1]
    assert (ended.code, "3-first.yaml and 4-second.yaml: expected once in all plans: " in last) == (2, True), ended.err
    assert "move one of the plans away with its run" in last
    assert not list((folder / "runs").glob("*/journal/*"))


def test_a_plan_whose_server_does_not_answer_is_named_with_those_that_are_sealed(
    commands: Commands, folder: Path
) -> None:
    late = yaml.safe_load(plan("Late", CHESS))
    late["seats"]["agent"] = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1", "attempts_max": 1}
    (folder / "3-late.yaml").write_text(yaml.safe_dump(late))
    ended = played(commands, folder)
    assert ended.code == 2
    last = ended.err.splitlines()[-1]
    assert last.startswith("error: 3-late.yaml: seat agent at http://127.0.0.1:9/v1: ")
    assert last.endswith("it was not sealed; 1-chess.yaml and 2-holdem.yaml: sealed, and not played")
    assert len(list((folder / "runs").glob("*/manifest.json"))) == 2


def test_a_folder_without_plans_and_a_broken_plan_are_refused(commands: Commands, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "misspelt"):
        refused(commands, tmp_path / name, "expected plans (*.yaml), found none")
    assert not [*(tmp_path / "empty").iterdir()]
    assert not (tmp_path / "misspelt").exists()
    (folder / "runs").touch()
    refused(commands, folder, "protocol/runs: the runs cannot be kept there (File exists); play in another FOLDER")
    (folder / "runs").unlink()
    (folder / "2-holdem.yaml").write_text("title: [")
    refused(commands, folder, "2-holdem.yaml")
    assert not [*folder.glob("runs/*/")], "nothing is sealed where one plan is wrong"
