"""Rounds of an arena are sealed one after another, and what a seal that failed began does not stay."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agzamov_harness.arena.arena_folder import ArenaFolder
from agzamov_harness.cli import main
from agzamov_harness.pipeline import play_and_pack
from agzamov_harness.run import run_folder

ARENA = """\
title: Two rounds
rounds: 2
roster: {best: {kind: reference}, dice: {kind: random}}
games: {draughts: {}}
"""


def invoke(*words: Any) -> tuple[int, str]:
    ended = CliRunner().invoke(main, [str(word) for word in words])
    return ended.exit_code, ended.output


@pytest.fixture
def arena(tmp_path: Path) -> Path:
    assert invoke("keygen", tmp_path / "key.pem")[0] == 0
    (tmp_path / "arena.yaml").write_text(ARENA)
    return tmp_path / "arena.yaml"


def arena_run(arena: Path, *options: str) -> tuple[int, str]:
    return invoke("arena", "run", arena, "--key", arena.parent / "key.pem", "--quiet", *options)


def names(arena: Path, folder: str) -> list[str]:
    return sorted(path.name for path in (arena.parent / folder).iterdir() if path.is_dir())


def failing(at: int) -> Callable[..., None]:
    """A step of sealing that fails at its n-th call, as with a full disk."""
    calls = []

    def step(*_: object) -> None:
        calls.append(1)
        if len(calls) == at:
            raise OSError(28, "No space left on device")

    return step


@pytest.mark.slow
def test_the_second_round_is_sealed_once_the_first_is_played(arena: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "remember", failing(at=2))
    code, told = arena_run(arena)
    assert (code, "the run cannot be sealed there (No space left on device)" in told) == (2, True), told
    assert names(arena, "runs") == names(arena, "bundles")  # the first one is whole, and nothing is half there
    assert len(names(arena, "bundles")) == 1
    code, told = arena_run(arena)
    assert code == 0, told
    assert "2 of 2 rounds" in told
    assert len(names(arena, "bundles")) == 2


def test_what_a_killed_seal_left_goes_with_the_next_run_and_nothing_else(arena: Path, tmp_path: Path) -> None:
    for name in (".0123456789abcdef.making", ".notes"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs" / ".link.making").symlink_to(tmp_path / "elsewhere")
    code, told = arena_run(arena, "--seal-only", "--rounds", "1")
    assert code == 0, told
    assert len(names(arena, "runs")) == 3
    assert names(arena, "runs")[:2] == [".link.making", ".notes"]


def test_rounds_that_wait_are_counted_by_seal_only(arena: Path) -> None:
    for _ in range(2):
        assert arena_run(arena, "--seal-only", "--rounds", "1")[0] == 0
    assert len(names(arena, "runs")) == 1
    assert arena_run(arena, "--seal-only")[0] == 0
    assert len(names(arena, "runs")) == 2


def test_a_bundle_that_comes_while_a_round_is_played_takes_its_round_away(arena: Path, tmp_path: Path) -> None:
    """It was sealed before: all missing rounds were, at the start."""
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(arena, other)
    shutil.copy(tmp_path / "key.pem", other)
    assert arena_run(other / "arena.yaml", "--rounds", "1")[0] == 0
    told = list[str]()
    folder = ArenaFolder(tmp_path, told.append)
    (tmp_path / "runs").mkdir()
    (tmp_path / "bundles").mkdir()
    assert folder.plans() == []
    (bundle,) = (other / "bundles").glob("[!.]*/")
    shutil.copytree(bundle, tmp_path / "bundles" / bundle.name)
    assert len(folder.plans()) == 1
    shutil.copytree(bundle, tmp_path / "bundles" / "forged")
    (tmp_path / "bundles" / "forged" / "data" / "manifest.json").write_bytes(b"{}")
    assert len(folder.plans()) == len(folder.plans()) == 1
    assert ["counts for nothing" in line for line in told] == [True]


def test_a_signal_while_a_round_is_packed_stops_before_the_next(arena: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was lost: the next round was sealed and played, with calls that somebody pays."""
    pack = play_and_pack.pack

    def stopped(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return pack(*given)

    monkeypatch.setattr(play_and_pack, "pack", stopped)
    code, told = arena_run(arena)
    assert (code, names(arena, "runs")) == (4, names(arena, "bundles")), told
    assert len(names(arena, "bundles")) == 1
    assert "stopped by SIGINT; this run is whole: " in told
    assert f"go on with: agzamov arena run {arena} --key " in told


def test_the_advice_to_go_on_keeps_the_number_of_rounds(arena: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_and_pack, "pack", failing(at=1))
    told = " ".join(arena_run(arena, "--rounds", "1")[1].split())
    assert "--rounds 1; to go on without this round, move" in told, told


def test_a_broken_bundle_of_ones_own_run_is_packed_again_and_not_played(arena: Path) -> None:
    """Its round was sealed and asked anew, though its journal was whole."""
    assert arena_run(arena, "--rounds", "1")[0] == 0
    (name,) = names(arena, "bundles")
    (arena.parent / "bundles" / name / "data" / "manifest.json").write_bytes(b"{}")
    code, told = arena_run(arena, "--rounds", "1")
    assert (code, names(arena, "runs")) == (2, [name])
    assert told.endswith(
        f"{name}: this bundle does not hold; remove it, and it is packed again from {arena.parent}/runs/{name}\n"
    )
    shutil.rmtree(arena.parent / "bundles" / name)
    assert arena_run(arena, "--rounds", "1")[0] == 0
    assert (names(arena, "runs"), names(arena, "bundles")) == ([name], [name])


ENGINE = "fairy-stockfish"


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which(ENGINE, path="/usr/games"), reason=f"no {ENGINE} here")
def test_an_engine_whose_digest_the_file_leaves_open_is_of_the_roster(arena: Path) -> None:
    """Sealing fills in digest and name, so no round counted: the arena never ended."""
    engine = f"{{kind: uci, program: {ENGINE}, depth: 1}}"
    arena.write_text(
        ARENA.replace("{kind: reference}", engine)
        .replace("draughts: {}", "chess: {}")
        .replace("rounds: 2", "rounds: 1")
    )
    code, told = arena_run(arena)
    assert (code, "If you trust it, add --start-programs" in told) == (2, True), told
    code, told = arena_run(arena, "--start-programs")
    assert (code, "1 of 1 rounds" in told) == (0, True), told
    assert len(names(arena, "bundles")) == 1
    code, told = invoke("arena", "table", arena)
    assert code == 0, told
    assert "not of this roster" not in told
    assert "(2)" not in told
