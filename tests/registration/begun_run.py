"""`agzamov register run` in a world: typed, and what it left."""

from pathlib import Path
from typing import Any, Final

import yaml
from click.testing import CliRunner, Result

from agzamov_harness.cli import main
from agzamov_verify.registration.log_entry import read_entry
from agzamov_verify.transparency_log.folder_log import FolderLog
from registration.registered_run import PLAN, World

SMALL: Final[dict[str, Any]] = {
    "holdem": {"session_hands": 4},
    "matches": [{"phase": 0, "game": "holdem", "a": "agent", "b": "dice", "hands": 8}],
}


def small_world(folder: Path) -> World:
    """A submitter, a log, a witness, and a small plan."""
    world = World(folder)
    world.create()
    (folder / "plan.yaml").write_text(yaml.safe_dump({**PLAN, **SMALL}))
    return world


def words_of(world: World, target: Path, *options: object) -> list[str]:
    where = ("--runs", world.folder / "runs", "--out", world.folder / "bundles", "--quiet")
    words = ("register", "run", target, "--key", world.folder / "submitter.pem", *where, *options)
    return [str(word) for word in words]


def begun(world: World, target: Path | None = None, *options: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, words_of(world, target or world.folder / "plan.yaml", *options))
    assert done.exit_code == code, (done.output, done.exception)
    return done


def own_log(world: World, key: str = "log.pem") -> tuple[object, ...]:
    return "--log", world.log, "--log-key", world.folder / key


def last_line(done: Result) -> str:
    return str(done.stderr.splitlines()[-1])


def the_run(world: World) -> Path:
    (run,) = (world.folder / "runs").iterdir()
    return run


def events(world: World) -> list[str]:
    return [type(read_entry(entry).entry).__name__ for entry in FolderLog(world.log).entries()]
