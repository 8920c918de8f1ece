"""Containers that are killed, stopped, paused and starved during a run, and the command that attends them, too.

Each time the run says what happened, can be resumed, and leaves nothing in the engine; at last it is played to its end,
and verifies.
"""

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agzamov_harness import seat_kind
from agzamov_harness.containers import container_monitor, supervise, topology
from agzamov_harness.containers.container_engine import ContainerEngine
from agzamov_harness.containers.container_lifecycle import RUN_LABEL
from agzamov_harness.containers.supervise import play_in_containers
from agzamov_harness.foundation.container_spec import MIB
from agzamov_harness.run.run_folder import RunDirectory
from agzamov_harness.run.stop import Stop, Stopped
from containers.engines import out_of_memory, pause, until
from containers.runs import BABBLER, SMALL, changed, require_v1, sealed
from harness.commands import Commands, Ended, Running

MODEL = "model-babbler"
ENDED_S, FINISHED_S = 300, 900
JUDGED = changed(SMALL, matches=[{"phase": 0, "game": "chess960", "a": "fish", "b": "dice", "games": 14}])
BABBLED = changed(
    SMALL,
    seats={"babbler": BABBLER, "dice": {"kind": "random"}},
    chess960={"plies_max": 40, "adjudication": {"policy": "none"}},
    matches=[{"phase": 0, "game": "chess960", "a": "babbler", "b": "dice", "games": 14}],
)


class Fire:
    """One run, and what happens to it."""

    def __init__(self, directory: RunDirectory, key: Path, engine: ContainerEngine, commands: Commands) -> None:
        self.directory, self.key, self.engine, self.commands = directory, key, engine, commands
        self.folder = directory.path.parent.parent

    @property
    def labels(self) -> dict[str, str]:
        return {RUN_LABEL: self.directory.manifest.run_id}

    def recorded(self) -> int:
        """Bytes of journal so far."""
        return sum(path.stat().st_size for path in self.directory.journal.glob("*/*.jsonl"))

    @contextlib.contextmanager
    def burning(self) -> Iterator[Running]:
        """The run on its way, once it has recorded something new."""
        before = self.recorded()
        running = self.commands.start("resume", self.directory.path, "--key", self.key, "--json", cwd=self.folder)
        until(lambda: self.recorded() > before or not running.alive_after(0), "something new in the journal")
        assert running.alive_after(0), running.ended()
        yield running

    def container(self, name: str) -> str:
        """The id of the run's container of that name."""
        return next(row.id for row in self.engine.seen(self.labels) if row.name.endswith(f"-{name}"))

    def pause(self, name: str) -> str:
        """Pause a container, and give its id."""
        made = self.container(name)
        pause(self.engine, made)
        return made

    def left(self) -> bool:
        return self.engine.any_left(self.labels)

    def hit(self, name: str, with_signal: str) -> Ended:
        """Send a signal to one container of the run on its way; its end."""
        with self.burning() as running:
            self.engine.signal(self.container(name), with_signal)
            return running.ended(ENDED_S)

    def finish(self) -> None:
        """Play it to its end, and verify."""
        resume = ("resume", self.directory.path, "--key", self.key, "--json")
        ended = self.commands.start(*resume, cwd=self.folder).ended(FINISHED_S)
        assert ended.code == 0, ended
        require_v1(self.folder / json.loads(ended.out)["bundle"])
        assert not self.left()


@pytest.fixture
def fire(tmp_path: Path, key: Path, engine: ContainerEngine, commands: Commands) -> Iterator[Fire]:
    """A run in which Stockfish plays and judges."""
    fire = Fire(sealed(JUDGED, tmp_path, key), key, engine, commands)
    yield fire
    engine.remove_all(fire.labels)


@pytest.fixture
def babbling(tmp_path: Path, key: Path, engine: ContainerEngine, commands: Commands) -> Iterator[Fire]:
    """A run in which a local model plays."""
    fire = Fire(sealed(BABBLED, tmp_path, key), key, engine, commands)
    yield fire
    engine.remove_all(fire.labels)


KILLS = [
    ("engine", "SIGKILL", "container engine ended with exit code 137"),
    ("harness", "SIGKILL", "container harness was killed by signal 9"),
]
STOPS = [
    ("engine", "SIGTERM", "container engine ended with exit code 143"),
    ("harness", "SIGTERM", "stopped by SIGTERM"),
]
MODEL_KILL = (MODEL, "SIGKILL", f"container {MODEL} ended with exit code 137")
MODEL_STOP = (MODEL, "SIGTERM", f"container {MODEL} ended with exit code 0")


def goes_on_after(fire: Fire, hits: list[tuple[str, str, str]]) -> None:
    """After each hit the run says what happened and leaves nothing; then it is played to its end."""
    for name, with_signal, told in hits:
        ended = fire.hit(name, with_signal)
        assert (ended.code, told in ended.err) == (4, True), ended
        assert f"go on with: agzamov resume {fire.directory.path}" in ended.err
        assert not fire.left(), f"after {with_signal} to {name}"
    fire.finish()


@pytest.mark.slow
def test_an_engine_or_a_harness_that_is_killed_is_named_and_the_run_goes_on(fire: Fire) -> None:
    goes_on_after(fire, KILLS)


@pytest.mark.exhaustive
def test_an_engine_or_a_harness_that_is_stopped_is_named_and_the_run_goes_on(fire: Fire) -> None:
    """A server that is stopped is the model's below; a harness that is, is in test_run."""
    goes_on_after(fire, STOPS)


@pytest.mark.parametrize(
    "hits",
    [
        pytest.param([MODEL_STOP], marks=pytest.mark.exhaustive),
        pytest.param([MODEL_KILL, MODEL_STOP], marks=pytest.mark.exhaustive),
    ],
    ids=["stopped", "killed and stopped"],
)
def test_a_models_server_that_is_killed_or_stopped_is_named_and_the_run_goes_on(
    babbling: Fire, hits: list[tuple[str, str, str]]
) -> None:
    goes_on_after(babbling, hits)


@pytest.mark.parametrize(
    "name",
    [pytest.param("engine", marks=pytest.mark.exhaustive), pytest.param("harness", marks=pytest.mark.slow)],
)
def test_a_container_that_stays_paused_stops_the_run(fire: Fire, name: str) -> None:
    """One that serves is paused in test_memory too."""
    with fire.burning() as running:
        fire.pause(name)
        ended = running.ended(ENDED_S)
    assert (ended.code, f"container {name} is paused" in ended.err) == (4, True), ended
    assert not fire.left()


@pytest.mark.exhaustive
def test_a_models_server_that_stays_paused_stops_the_run(babbling: Fire) -> None:
    with babbling.burning() as running:
        babbling.pause(MODEL)
        ended = running.ended(ENDED_S)
    assert (ended.code, f"container {MODEL} is paused" in ended.err) == (4, True), ended
    assert not babbling.left()


@pytest.mark.slow
def test_a_short_pause_is_waited_out(fire: Fire) -> None:
    with fire.burning() as running:
        made = fire.pause("engine")
        assert running.alive_after(2)
        fire.engine.client.api.unpause(made)
        assert running.ended(FINISHED_S).code == 0
    assert not fire.left()


STARVED = {"ENGINE_BYTES": 40 * MIB, "HARNESS_BYTES": 24 * MIB, "MODEL_PERMILLE": 1}


def starved(fire: Fire, name: str, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run stops because the container of that name has too little memory, and leaves nothing."""
    with monkeypatch.context() as patched:
        where = seat_kind if limit == "MODEL_PERMILLE" else topology
        patched.setattr(where, limit, STARVED[limit])
        if limit == "ENGINE_BYTES":
            patched.setattr(topology, "ENGINE_EACH_BYTES", 0)
        with pytest.raises(Stopped, match=out_of_memory(name)):
            play_in_containers(fire.directory, Stop(), None, None)
    assert not fire.left()


@pytest.mark.slow
def test_an_engine_that_runs_out_of_memory_is_named(fire: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    starved(fire, "engine", "ENGINE_BYTES", monkeypatch)


@pytest.mark.slow
def test_a_harness_that_runs_out_of_memory_is_named(fire: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    starved(fire, "harness", "HARNESS_BYTES", monkeypatch)


def test_a_models_server_that_runs_out_of_memory_is_named(babbling: Fire, monkeypatch: pytest.MonkeyPatch) -> None:
    starved(babbling, MODEL, "MODEL_PERMILLE", monkeypatch)


@pytest.mark.slow
def test_a_process_that_is_killed_for_its_memory_spoils_the_execution_whatever_the_exit_code(
    fire: Fire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topology, "HARNESS_BYTES", 256 * MIB)
    with ThreadPoolExecutor(1) as pool:
        execution = pool.submit(play_in_containers, fire.directory, Stop(), None, None)
        until(lambda: fire.recorded() or execution.done(), "something in the journal")
        made = fire.engine.client.containers.get(fire.container("harness"))
        greedy = made.exec_run(["/usr/bin/python3.11", "-c", "b'x' * (300 << 20)"])
        with pytest.raises(Stopped, match=out_of_memory("harness", "256")):
            execution.result()
    assert greedy.exit_code == 137
    monkeypatch.undo()
    fire.finish()


@pytest.mark.slow
def test_a_command_that_is_killed_leaves_nothing(fire: Fire) -> None:
    with fire.burning() as running:
        assert fire.left()
        running.kill()
    until(lambda: not fire.left(), "everything is taken down")


@pytest.mark.slow
def test_where_the_reaper_dies_too_the_next_run_removes_what_is_left(fire: Fire) -> None:
    with fire.burning() as running:
        reaper = next(pid for pid in reapers() if f":{running.pid}:" in owner_of(pid))
        os.kill(reaper, signal.SIGKILL)
        running.kill()
    states = lambda: {row.name.rpartition("-")[2]: row.state for row in fire.engine.seen(fire.labels)}  # noqa: E731
    until(lambda: states()["harness"] == "exited", "the harness ends by itself when nobody attends it")
    assert states()["engine"] == "running", "nobody was there to take it down"
    with fire.burning() as running:
        running.signal(signal.SIGTERM)
        ended = running.ended(ENDED_S)
    assert (ended.code, "stopped by SIGTERM" in ended.err) == (4, True), ended
    assert not fire.left()


def reapers() -> list[int]:
    """The reapers of all runs on this machine."""
    return [
        int(folder.name) for folder in Path("/proc").glob("[0-9]*") if "containers.reaper" in owner_of(int(folder.name))
    ]


def owner_of(pid: int) -> str:
    """A process's command line, in which a reaper has its labels."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def test_the_limits_of_this_file_are_those_of_the_code() -> None:
    assert (container_monitor.PAUSE_S_MAX, supervise.LEAVE_S_MAX) == (10, 10)
