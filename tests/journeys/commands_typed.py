"""Commands as a person types them, in a folder of the test."""

import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
TIMEOUT_S = 7_200
"""A small profile takes minutes on an idle machine."""


def agzamov(*arguments: str | Path, cwd: Path, code: int = 0) -> str:
    """The standard output of a command, which must end with this code and without a traceback."""
    typed = [BIN / "agzamov", *arguments]
    done = subprocess.run(typed, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout
