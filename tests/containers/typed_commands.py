"""Commands as a person types them, `docker compose` among them, by each Compose of this machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

AGZAMOV = Path(sys.executable).with_name("agzamov")
PATIENCE_S = 300


def composes() -> dict[str, list[str]]:
    """Each Compose of this machine, by its version's first number."""
    found = {}
    if shutil.which("docker-compose"):
        found["1"] = ["docker-compose"]
    for docker in filter(None, (shutil.which("docker"), shutil.which("docker", path="/usr/bin"))):
        if not subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
            found.setdefault("2", [docker, "compose"])
    return found


def typed(*command: str | Path, cwd: Path) -> str:
    """A command as a person types it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("AGZ_", "COMPOSE_"))}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
