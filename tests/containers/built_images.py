"""The images that tests start, built from this checkout and loaded into the engine, each once in a process of tests."""

import subprocess
import sys
from pathlib import Path

from containers.engines import ROOT, unavailable

AGZAMOV = Path(sys.executable).with_name("agzamov")
OF_RUNS = (
    "stockfish",
    "harness",
    "verify",
    "model-server",
    "proxy",
    "mcp-memory",
    "memory",
    "memory-server-memory",
    "tools",
)
BUILD_S = 900
RELOCKED = "resolving anew"
"""Said of an image some of whose Debian packages are superseded."""

_SAID: dict[str, str] = {}
"""What was said when an image was built, by the image."""


class Unreachable(Exception):
    """The line that says which packages cannot be reached."""


def build(*names: str) -> str:
    """Build images and load them into the engine, if this process has not done so; what was said of them.

    Raises Unreachable.
    """
    missing = [name for name in names if name not in _SAID]
    if missing:
        command = [AGZAMOV, "images", "build", "--load", "--relock", *missing]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=BUILD_S, check=False)
        if done.returncode and "must reach" in done.stderr:
            raise Unreachable(done.stderr.splitlines()[-1])
        assert done.returncode == 0, done.stderr
        _SAID.update(dict.fromkeys(missing, done.stderr))
    return "".join(dict.fromkeys(_SAID[name] for name in names))


def built_or_unavailable(*names: str) -> str:
    """What was said of the images when they were built; the test is skipped or fails where they cannot be."""
    try:
        return build(*names)
    except Unreachable as error:
        unavailable(str(error))
