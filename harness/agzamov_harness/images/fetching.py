"""The package managers of this machine, as it configures them: where packages come from is its business."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .faults import ImageFault

TIMEOUT_S = 1200
TOLD_LINES = 3


def told(command: Sequence[str], folder: Path, advice: str, environment: Mapping[str, str] | None = None) -> str:
    """What a package manager printed. Raises ImageFault with its last words and the advice."""
    program = command[2] if command[1] == "-m" else command[0]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ImageFault(f"no {program} here; {advice}") from error
    except subprocess.TimeoutExpired as error:
        raise ImageFault(f"{program} took more than {TIMEOUT_S} s; {advice}") from error
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        words = "; ".join(lines[-TOLD_LINES:]) or f"exit code {done.returncode}"
        raise ImageFault(f"{program}: {words}; {advice}")
    return done.stdout
