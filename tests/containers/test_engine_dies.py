"""The container engine itself is killed during a run: the run stops cleanly, and goes on when the engine is back."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agzamov_harness.containers.engine import connect
from agzamov_harness.containers.stage import RUN_LABEL
from containers.engines import OwnEngine, until
from containers.runs import SMALL, changed, require_v1, sealed
from harness.commands import Commands

PLAN = changed(SMALL, matches=[{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 24}])


@pytest.fixture
def there(own: OwnEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnEngine]:
    """Our engine, as the one that the environment names; it runs again afterwards."""
    monkeypatch.setenv("DOCKER_HOST", own.host)
    yield own
    own.start()


@pytest.mark.slow
def test_a_killed_engine_stops_the_run_which_goes_on_when_the_engine_is_back(
    there: OwnEngine, key: Path, tmp_path: Path
) -> None:
    directory = sealed(PLAN, tmp_path, key)
    labels = {RUN_LABEL: directory.manifest.run_id}
    resume = ("resume", directory.path, "--key", key, "--json")
    with Commands(tmp_path) as commands:
        running = commands.start(*resume, cwd=tmp_path)
        journals = lambda: any(path.stat().st_size for path in directory.journal.glob("*/*.jsonl"))  # noqa: E731
        until(lambda: journals() or not running.alive_after(0), 60, "something in the journal")
        os.kill(there.pid, signal.SIGKILL)
        ended = running.ended(60)
        assert (ended.code, "the container engine has stopped answering" in ended.err) == (4, True), ended
        assert f"go on with: agzamov resume {directory.path}" in ended.err
        again = commands.run(*resume, cwd=tmp_path)
        assert (again.code, "no container engine at" in again.err) == (4, True), again
        there.start()
        finished = commands.start(*resume, cwd=tmp_path).ended(120)
    assert finished.code == 0, finished
    require_v1(tmp_path / json.loads(finished.out)["bundle"])
    door = connect()
    until(lambda: not door.any_left(labels), 20, "everything is taken down")
    door.close()
