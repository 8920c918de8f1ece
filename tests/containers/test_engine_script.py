"""scripts/engine: takes the engine that is there, says in one line why none can be had, and stops only its own."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from containers import engines
from containers.engines import NO_ENGINE, SCRIPT


def ran(
    *arguments: str, code: int = 0, user: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The script from its standard input: another user may not be let into the folder where it stands."""
    done = subprocess.run(
        ["sh", "-s", "--", *arguments],
        input=SCRIPT.read_text(),
        cwd="/",
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        user=user,
        check=False,
        timeout=300,
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


FAILING = """#!/bin/sh
echo started >>"$(dirname "$0")/tries"
echo 'time="now" level=info msg="Starting up"' >&2
echo 'failed to start daemon: Devices cgroup is not mounted' >&2
exit 1
"""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root starts an engine")
def test_an_engine_that_cannot_start_is_tried_a_few_times_and_its_last_error_told(tmp_path: Path) -> None:
    """A machine without control groups: dockerd was started 146 times here, and its reason never said."""
    for name, text in {"dockerd": FAILING, "iptables": "#!/bin/sh\n", "docker": "#!/bin/sh\nexit 1\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "DOCKER_HOST": "unix:///nowhere/docker.sock",
        "AGZ_ENGINE_STATE": str(tmp_path / "state"),
    }
    started = ran("start", code=NO_ENGINE, **environment)
    (line,) = started.stderr.splitlines()
    wanted = "dockerd does not start, 3 tries: failed to start daemon: Devices cgroup is not mounted"
    assert line == f"no container engine: {wanted}"
    assert len((tmp_path / "tries").read_text().splitlines()) == 3


def test_wrong_use_is_2() -> None:
    done = subprocess.run(["sh", SCRIPT, "juggle"], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr.startswith("usage: scripts/engine start")) == (2, True)


def test_no_engine_is_installed_or_started_for_tests_that_did_not_ask_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on a bare Debian: the order to start one must not reach the script."""
    monkeypatch.delenv("AGZ_REQUIRE_ENGINE", raising=False)
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.setenv("AGZ_ENGINE_STATE", str(tmp_path / "state"))
    with pytest.raises(pytest.skip.Exception, match=r"none answers at .*; AGZ_REQUIRE_ENGINE=1 make test"):
        engines.started()
    assert not (tmp_path / "state").exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="an engine of the tests' own needs dockerd and iptables; AGZ_REQ"):
        engines.started("true")
    monkeypatch.setenv("AGZ_REQUIRE_ENGINE", "1")
    with pytest.raises(pytest.fail.Exception, match="AGZ_REQUIRE_ENGINE=1, and nothing"):
        engines.unavailable("nothing")
