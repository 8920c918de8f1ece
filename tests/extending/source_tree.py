"""A copy of the source tree, to which a test adds what a person would add: a folder or a file, and one line."""

import json
import os
import shutil
import subprocess
import sys
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import finalize

from harness.commands import Commands

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PACKAGES = ("verify/agzamov_verify", "harness/agzamov_harness")
GOLDEN = ROOT / "tests" / "bundles" / "golden" / "agz-0.1"
BUNDLES = ("bundle", "systems")
PATIENCE_S = 600
NO_ENGINE = "/nowhere/stockfish"
"""What an engine would be asked again is drawn anew each time; without one, two verdicts can be compared."""
REPLIES_MAX = 60
"""Replies of players that a verdict on a golden bundle computes again: tests/bundles/test_golden.py has them all."""


class SourceTree:
    """Both packages in a folder of their own, and their commands run from there.

    What is added to the packages is added before the first `run`: its commands are forks of one process that has
    imported them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.verify = folder / "agzamov_verify"
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / Path(package).name)

    def add_line(self, file: Path, before: str, line: str) -> None:
        """Add `line` in front of the first line that is `before`."""
        lines = file.read_text().splitlines(keepends=True)
        at = lines.index(f"{before}\n")
        file.write_text("".join([*lines[:at], f"{line}\n", *lines[at:]]))

    def add_game(self, name: str) -> None:
        """Add a game of this folder: its folder, and its line in the registry."""
        shutil.copytree(HERE / name, self.verify / "games" / name)
        self.add_line(self.verify / "table" / "registry.py", ")", f'    "{name}",')

    def add_protocol(self) -> None:
        """Add the protocol agz-next, which has all that this tree has by now.

        Its numbers are those of agz-0.1, and of standard chess those of Chess960.
        """
        protocols = self.verify / "protocols"
        shutil.copytree(HERE / "agz_next", protocols / "agz_next")
        for name in ("norms", "score", "quality"):
            numbers = {**with_chess(json.loads((protocols / "agz_0_1" / f"{name}.json").read_text())), "id": "agz-next"}
            (protocols / "agz_next" / f"{name}.json").write_text(json.dumps(numbers, sort_keys=True))
        first = "from .agz_0_1 import PROTOCOL as AGZ_0_1"
        registry = protocols / "__init__.py"
        text = registry.read_text()
        assert text.count(f"{first}\n") == 1
        registry.write_text(text.replace(f"{first}\n", f"{first}\nfrom .agz_next import PROTOCOL as AGZ_NEXT\n"))
        self.script(ROOT / "scripts" / "write_formats.py", "agz-next")

    def script(self, path: Path, *arguments: str) -> str:
        """What a program that imports this tree prints; it must succeed."""
        command = [sys.executable, path, *arguments]
        done = subprocess.run(
            command, env=self._environment, check=True, timeout=PATIENCE_S, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def golden_verdicts(self) -> list[str]:
        """What this tree says of the golden bundles of agz-0.1, as JSON."""
        return [self.verdict(GOLDEN / name) for name in BUNDLES]

    def verdict(self, bundle: Path) -> str:
        """What `verify --json` prints of a bundle without an engine."""
        return self._commands.run(
            *("verify", bundle, "--engine", NO_ENGINE, "--seat-replies-max", REPLIES_MAX, "--json"), cwd=self.folder
        ).out

    @cached_property
    def _commands(self) -> Commands:
        printed = self.folder / "printed"
        printed.mkdir()
        commands = Commands(printed, self._environment)
        finalize(self, commands.close)
        return commands

    @property
    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.folder)}

    def run(self, *arguments: str, cwd: Path, code: int = 0, errors: bool = False) -> str:
        """What the command `agzamov` of this tree prints, or its errors; its exit code must be `code`."""
        ended = self._commands.start(*arguments, cwd=cwd).ended(PATIENCE_S)
        assert ended.code == code, ended
        return ended.err if errors else ended.out

    def played(self, folder: Path, plan: str) -> Path:
        """The bundle of a run of a plan in a folder, with a key of its own."""
        (folder / "plan.yaml").write_text(plan)
        self.run("keygen", "key.pem", cwd=folder)
        told = self.run("run", "plan.yaml", "--key", "key.pem", "--out", "run", cwd=folder)
        return folder / told.splitlines()[-1].removeprefix("bundle: ")

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        """The command `agzamov` of this tree, started as a process that is no fork."""
        command = [sys.executable, "-m", "agzamov_harness", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=cwd, env=self._environment, stdout=pipe, stderr=pipe, text=True)


def with_chess(numbers: Any) -> Any:
    """The same numbers; where there is one for Chess960, standard chess has it too."""
    if not isinstance(numbers, dict):
        return numbers
    found = {name: with_chess(value) for name, value in numbers.items()}
    return {**found, "chess": found["chess960"]} if "chess960" in found else found


@cache
def golden_verdicts_here() -> list[str]:
    """What an untouched copy of the source tree says of the golden bundles."""
    with TemporaryDirectory() as folder:
        return SourceTree(Path(folder)).golden_verdicts()


def require_golden(tree: SourceTree) -> None:
    """The golden bundles of agz-0.1 come to the same verdict in a tree that was added to, byte for byte."""
    before, after = golden_verdicts_here(), tree.golden_verdicts()
    assert all('"level":"V0"' in verdict and '"fail"' not in verdict for verdict in before), "V1 but for the engine"
    assert after == before
