"""scripts/engine: takes the engine that is there, says in one line why none can be had, and stops only its own."""

import os
import subprocess
from pathlib import Path
from typing import Any

from containers.engines import NO_ENGINE, SCRIPT


def ran(
    *arguments: str, code: int = 0, user: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["sh", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        user=user,
        check=False,
        timeout=60,
    )
    assert done.returncode == code, done.stderr
    return done


def test_an_engine_that_answers_is_taken_and_never_stopped(host: str, tmp_path: Path) -> None:
    nowhere: dict[str, Any] = {"AGZ_ENGINE_STATE": str(tmp_path)}
    assert ran("start", **nowhere).stdout.strip() == host
    ran("stop", **nowhere)
    assert ran("status", **nowhere).stdout.strip() == host


def test_where_none_can_be_had_one_line_says_why() -> None:
    user = "nobody" if os.geteuid() == 0 else None
    nowhere = {"DOCKER_HOST": "unix:///nowhere/docker.sock", "AGZ_ENGINE_STATE": "/nowhere"}
    started = ran("start", code=NO_ENGINE, user=user, **nowhere)
    (line,) = started.stderr.splitlines()
    assert line == "no container engine: none answers at unix:///nowhere/docker.sock, and only root can start one"
    assert "none answers" in ran("status", code=NO_ENGINE, user=user, **nowhere).stderr


def test_a_pid_file_that_names_another_process_is_not_believed(tmp_path: Path) -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        (tmp_path / "dockerd.pid").write_text(str(other.pid))
        ran("stop", AGZ_ENGINE_STATE=str(tmp_path))
        assert other.poll() is None
        other.kill()


def test_wrong_use_is_2() -> None:
    assert ran("juggle", code=2).stderr.startswith("usage: scripts/engine start")
