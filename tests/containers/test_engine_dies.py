"""The container engine itself is killed, stopped or paused during a run, which stops cleanly and goes on afterwards."""

import json
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from agzamov_harness.containers import container_engine
from agzamov_harness.containers.container_engine import NoEngine, connect
from agzamov_harness.containers.container_lifecycle import RUN_LABEL, _start_ticks
from agzamov_harness.containers.supervise import play_in_containers
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.runner import finished
from agzamov_harness.run.stop import Stop
from containers.engines import UNTIL_S, OwnEngine, until
from containers.runs import SMALL, changed, require_v1, sealed
from harness.commands import Commands

SILENT = "the container engine has stopped answering"
PLAN = changed(SMALL, matches=[{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 24}])


@pytest.fixture
def there(own: OwnEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnEngine]:
    """Our engine, as the one that the environment names; it runs again afterwards."""
    monkeypatch.setenv("DOCKER_HOST", own.host)
    yield own
    own.start()


@pytest.mark.parametrize(
    ("hit", "told"),
    [
        pytest.param(signal.SIGKILL, SILENT, marks=pytest.mark.exhaustive),
        pytest.param(signal.SIGTERM, f"{SILENT}|container engine ended with exit code 143", marks=pytest.mark.slow),
    ],
)
def test_an_engine_that_ends_stops_the_run_which_goes_on_when_the_engine_is_back(
    there: OwnEngine, key: Path, tmp_path: Path, hit: int, told: str
) -> None:
    """An engine that is told to end stops its containers first: whoever looks then still hears how they ended."""
    directory = sealed(PLAN, tmp_path, key)
    resume = ("resume", directory.path, "--key", key, "--json")
    with Commands(tmp_path) as commands:
        running = commands.start(*resume, cwd=tmp_path)
        until(lambda: plays(directory) or not running.alive_after(0), "something in the journal")
        dockerd = there.pid
        os.kill(dockerd, hit)
        ended = running.ended()
        assert (ended.code, bool(re.search(told, ended.err))) == (4, True), ended
        until(lambda: not _start_ticks(dockerd), "the engine's process is gone")
        assert f"go on with: agzamov resume {directory.path}" in ended.err
        again = commands.run(*resume, cwd=tmp_path)
        assert (again.code, "no container engine at" in again.err) == (4, True), again
        there.start()
        done = commands.start(*resume, cwd=tmp_path).ended()
    assert done.code == 0, done
    require_v1(tmp_path / json.loads(done.out)["bundle"])
    require_nothing_left(directory)


@pytest.mark.exhaustive
def test_an_engine_that_stands_still_stops_the_run_and_clears_up_when_it_moves_again(
    there: OwnEngine, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = sealed(PLAN, tmp_path, key)
    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patched:
        patched.setattr(container_engine, "TIMEOUT_S", 15)
        execution = pool.submit(play_in_containers, directory, Stop(), None, None)
        until(lambda: plays(directory) or execution.done(), "something in the journal")
        os.kill(there.pid, signal.SIGSTOP)
        try:
            with pytest.raises(NoEngine, match="the container engine has stopped answering; start it again"):
                execution.result(UNTIL_S)
        finally:
            os.kill(there.pid, signal.SIGCONT)
    require_nothing_left(directory)
    play_in_containers(directory, Stop(), None, None)
    assert finished(directory)


def plays(directory: RunDirectory) -> bool:
    return any(path.stat().st_size for path in directory.journal.glob("*/*.jsonl"))


def require_nothing_left(directory: RunDirectory) -> None:
    with closing(connect()) as door:
        until(lambda: not door.any_left({RUN_LABEL: directory.manifest.run_id}), "everything is taken down")
