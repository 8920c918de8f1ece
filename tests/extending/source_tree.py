"""A copy of the source tree, to which a test adds what a person would add: a folder or a file, and one line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("verify/agzamov_verify", "harness/agzamov_harness")


class SourceTree:
    """Both packages in a folder of their own, and their commands run from there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.verify = folder / "agzamov_verify"
        ignored = shutil.ignore_patterns("__pycache__")
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / Path(package).name, ignore=ignored)

    def add_line(self, file: Path, before: str, line: str) -> None:
        """Add `line` in front of the first line that is `before`."""
        lines = file.read_text().splitlines(keepends=True)
        at = lines.index(f"{before}\n")
        file.write_text("".join([*lines[:at], f"{line}\n", *lines[at:]]))

    def run(self, *arguments: str, cwd: Path, code: int = 0) -> str:
        """What the command `agzamov` of this tree prints; its exit code must be `code`."""
        with self.start(*arguments, cwd=cwd) as process:
            told, errors = process.communicate(timeout=600)
        assert process.returncode == code, told + errors
        return told

    def start(self, *arguments: str, cwd: Path) -> subprocess.Popen[str]:
        """The command `agzamov` of this tree, started."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "agzamov_harness", *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True)
