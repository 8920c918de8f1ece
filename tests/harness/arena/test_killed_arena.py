"""An arena is killed again and again, continued on two machines' folders and on a cluster, and has the same table.

Two rounds are sealed once. They are played whole in one folder; and again, one in each of two folders, by commands that
are killed when the journals have grown to a length that was drawn. The commands of the second folder take turns: one
plays on the workers of a cluster, the next one here. Then the bundles are copied together. What is compared to the
byte: the printed table, the table as JSON without the digests of the bundles (which hold the times of their runs), and
every journal.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest

from agzamov_harness.arena.arena_table import arena_table, table_bytes
from agzamov_harness.arena.table_text import table_text
from agzamov_harness.commands.arena_bundles import checked_arena
from agzamov_verify.checks.limits import VerificationLimits
from agzamov_verify.core.dice import Stream
from harness import sealed_runs
from harness.commands import Commands, Ended, Running
from harness.test_cluster import dask

pytestmark = pytest.mark.slow

ROUNDS: Final = 2
LATEST_PERCENT: Final = 90
"""The last part of a round in which a command is killed: in what is left of it, it is surely still running."""
PATIENCE_S: Final = 1800
"""For a command: a round of twenty players takes a minute of one idle core."""


class Size(NamedTuple):
    """How many players, and how often the command of each round is killed."""

    players: int
    kills: int


SMALL, WHOLE = Size(3, 2), Size(20, 10)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    with Commands(tmp_path_factory.mktemp("printed")) as made:
        yield made


@pytest.mark.parametrize("size", [SMALL, pytest.param(WHOLE, marks=pytest.mark.exhaustive)], ids=["small", "whole"])
def test_a_killed_arena_on_two_machines_and_a_cluster_has_the_same_table(
    commands: Commands, tmp_path: Path, size: Size
) -> None:
    sealed = sealed_arena(commands, tmp_path / "sealed", size.players)
    runs = sorted(path.name for path in (sealed / "runs").glob("[!.]*/"))
    whole = copy_of(sealed, tmp_path / "whole", runs)
    assert played(commands, whole).code == 0
    lengths = [length_of(whole / "runs" / run) for run in runs]
    dice = Stream(b"arena", f"kills of {size.players} players")
    here, there = (copy_of(sealed, tmp_path / f"machine-{number}", [run]) for number, run in enumerate(runs))
    points = [sorted(1 + dice.below(one * LATEST_PERCENT // 100) for _ in range(size.kills)) for one in lengths]
    killed_and_played(commands, here, points[0], [()])
    with dask(tmp_path) as (address, _):
        killed_and_played(commands, there, points[1], [("--cluster", address), ()])
    shutil.copytree(there / "bundles" / runs[1], here / "bundles" / runs[1])
    told = played(commands, here)
    assert (told.code, "2 of 2 rounds" in told.out, sorted_names(here / "runs")) == (0, True, runs[:1])
    assert tables(here) == tables(whole)
    for run in runs:
        assert journals(here / "bundles" / run) == journals(whole / "bundles" / run)


def sealed_arena(commands: Commands, folder: Path, players: int) -> Path:
    """An arena of random players whose rounds are sealed and not played."""
    folder.mkdir()
    roster = "".join(f"  p{number:02d}: {{kind: random}}\n" for number in range(players))
    text = f"title: Killed\nrounds: {ROUNDS}\nroster:\n{roster}games: {{draughts: {{}}}}\n"
    (folder / "arena.yaml").write_text(text)
    assert commands.run("keygen", "key.pem", cwd=folder).code == 0
    assert played(commands, folder, "--seal-only").code == 0
    return folder


def copy_of(sealed: Path, folder: Path, runs: list[str]) -> Path:
    """The arena's file and key in a folder of its own, with these of its sealed runs."""
    folder.mkdir()
    for name in ("arena.yaml", "key.pem", "key.pem.pub"):
        shutil.copy(sealed / name, folder)
    for run in runs:
        shutil.copytree(sealed / "runs" / run, folder / "runs" / run)
    return folder


def arguments(options: tuple[str, ...]) -> tuple[str, ...]:
    return ("arena", "run", "arena.yaml", "--key", "key.pem", "--quiet", *options)


def played(commands: Commands, folder: Path, *options: str) -> Ended:
    return commands.start(*arguments(options), cwd=folder).ended(PATIENCE_S)


def killed_and_played(commands: Commands, folder: Path, points: Sequence[int], ways: Sequence[tuple[str, ...]]) -> None:
    """Play the one run of a folder to its end, killed at each of these lengths of its journals; `ways` take turns."""
    (run,) = sorted_names(folder / "runs")
    options = cycle(ways)
    for point in points:
        killed_at(commands, folder, run, point, next(options))
    assert played(commands, folder, "--rounds", "1", *next(options)).code == 0


def killed_at(commands: Commands, folder: Path, run: str, point: int, options: tuple[str, ...]) -> None:
    """Play on, and kill the command once the journals have so many bytes: at once, where they have them already."""
    running: Running = commands.start(*arguments(("--rounds", "1", *options)), cwd=folder)
    journals_of = folder / "runs" / run
    sealed_runs.wait_for(lambda: length_of(journals_of) >= point or not running.alive_after(0.01), PATIENCE_S)
    ended = running.kill()
    assert ended.code < 0, ended
    assert not (folder / "bundles" / run).exists()


def length_of(run: Path) -> int:
    """Bytes of all journals of a run."""
    return sum(path.stat().st_size for path in (run / "journal").rglob("*.jsonl"))


def sorted_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("[!.]*/"))


def tables(folder: Path) -> tuple[str, str]:
    """The table as `arena table` prints it, and as its JSON, without the digests of its bundles."""
    limits = msgspec.structs.asdict(VerificationLimits())
    checked = checked_arena(folder / "arena.yaml", None, limits)
    table = arena_table(checked.found, checked.rounds)
    assert not table.left_out
    made = json.loads(table_bytes(table))
    return table_text(table), json.dumps({**made, "bundles": [one["run"] for one in made["bundles"]]})


def journals(bundle: Path) -> dict[str, bytes]:
    folder = bundle / "data" / "journal"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.gz")}
