"""Plays a sealed run in containers, and supervises it from outside.

The images are compared with the manifest's pins first. Then servers and harness start side by side; the harness waits
for the servers' sockets, plays, and ends. Meanwhile this process shows its progress, looks at every container twice
a second, and passes on a wish to stop. What it saw is kept in the run's folder, and all of it is taken down.
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal

import msgspec

from agzamov_verify.plan.manifest import ImagePin, ManifestError, Plan
from agzamov_verify.plan.plan_problems import local_models

from ..run import execution_record
from ..run.exit_status import HarnessEnded
from ..run.progress import Watcher
from ..run.run_folder import RunDirectory
from ..run.stop import Stop, StoppedAsAsked
from . import container_paths, control_protocol, egress
from .container_engine import REMOVED, ContainerEnding, ContainerEngine, NoGpu, connect
from .container_lifecycle import RunContainers, image_in, in_parallel, remove_orphans
from .container_logs import ContainerLogs
from .container_monitor import EXIT_STOPPED, SIGNAL_BASE, ContainerMonitor, outcome
from .control_protocol import OutputReader
from .engine_socket import NoEngine
from .folder_transfer import FolderBounds, hand_over, require_plain_files, take_back
from .topology import Topology, topology

LOOK_S = 0.5
ENDED_LOOK_S = 0.05
LEAVE_S_MAX = 10.0
STOP_S_MAX = 2


class SecondSignal:
    """The user's wish to drop the replies in flight, which the harness in its container is told by a second signal."""

    def __init__(self) -> None:
        self.is_wanted = False

    def leave(self) -> bool:
        """Note the wish; a third signal may end this process too."""
        was_wanted, self.is_wanted = self.is_wanted, True
        return was_wanted


def end_harness(
    signal: Callable[[str], None],
    ended_after: Callable[[float], bool],
    stop: Stop,
    second: SecondSignal,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Have the harness stop: after the replies in flight, then without them, then at once.

    `signal` sends one to it, `ended_after` waits so many seconds for its end. Where trouble stops it, and nobody's
    wish, no reply is waited for.
    """
    signal("SIGTERM")
    end_s = clock() + LEAVE_S_MAX + (stop.reply_s_max if stop.is_requested else 0)
    while clock() < end_s and not second.is_wanted:
        if ended_after(LOOK_S):
            return
    for name in ("SIGTERM", "SIGKILL"):
        signal(name)
        if ended_after(LEAVE_S_MAX):
            return


def require_engine(plan: Plan) -> None:
    """Require an engine that answers and fits the plan, before anything is sealed. Raises ManifestError."""
    try:
        with closing(connect()) as engine:
            if any(seat.gpus for seat in local_models(plan).values()):
                engine.require_gpus()
    except NoEngine as error:
        raise ManifestError(f"isolation: {error}") from error
    except NoGpu as error:
        raise ManifestError(f"gpus: {error}") from error


def play_in_containers(
    directory: RunDirectory,
    stop: Stop,
    watcher: Watcher | None,
    concurrency: int | None,
    warn: Callable[[str], None] = lambda _: None,
) -> None:
    """Play the run in `directory` to its end. Raises Stopped or PortFault when it can be resumed, or HarnessEnded.

    `warn` gets the limits that the engine does not enforce, before the start.
    """
    manifest = directory.manifest
    keys = egress.keys(manifest, os.environ)
    with closing(connect()) as engine:
        warn(engine.enforced.warning())
        remove_orphans(engine)
        with directory.playing():  # no harness of another process is left
            images = {part: image_in(engine, part, pin) for part, pin in manifest.images.items()}
        machine = engine.machine()
        command = (
            "play",
            str(container_paths.RUN),
            "--attended",
            *(("--concurrency", str(concurrency)) if concurrency else ()),
        )
        endpoints = egress.write(directory, engine.host_address)
        planned = topology(manifest, directory.path.resolve(), directory.plan_folder, machine, command)
        hand_over(directory, machine.user)
        folder = execution_record.next_folder(directory)
        record = _RecordWriter(folder, planned, manifest.images, engine, endpoints)
        record.write({}, {}, {}, "", {}, {})
        logs = ContainerLogs(folder, keys)
        second = SecondSignal()
        with (
            stop.leaving(second.leave),
            RunContainers(engine, manifest.run_id, planned, images, logs) as containers,
        ):
            supervisor = _Supervisor(engine, containers, planned, keys, FolderBounds(directory), logs)
            supervisor.supervise(stop, second, watcher, record)
    take_back(directory)
    require_plain_files(directory)


class _RecordWriter:
    """Writer of the execution's record: the state of its containers so far."""

    def __init__(
        self,
        folder: Path,
        planned: Topology,
        pins: Mapping[str, ImagePin],
        engine: ContainerEngine,
        endpoints: tuple[execution_record.OutsideServer, ...],
    ) -> None:
        self._folder, self._planned, self._pins, self._engine = folder, planned, pins, engine
        self._endpoints = endpoints

    def write(
        self,
        environment: dict[str, str | int],
        endings: Mapping[str, ContainerEnding],
        stopped: Mapping[str, ContainerEnding],
        error: str,
        peaks_bytes: Mapping[str, int],
        logs: Mapping[str, execution_record.Log],
    ) -> None:
        """Write it. `stopped` are the containers that we ended, `endings` how all stood when the harness had ended."""
        rows = []
        for box in self._planned.boxes:
            limits = self._engine.enforced.of(box.limits)
            row = execution_record.Container(box.name, box.part, self._pins[box.part].config_digest, limits)
            ending = stopped.get(box.name) or endings.get(box.name)
            if ending:
                row = msgspec.structs.replace(
                    row,
                    ended=_how_ended(ending, stopped=box.name in stopped),
                    exit_code=ending.exit_code,
                    oom_killed=ending.oom_killed,
                    network=ending.network,
                    memory_peak_bytes=peaks_bytes.get(box.name),
                    log=logs.get(box.name),
                )
            rows.append(row)
        facts = self._engine.facts()
        execution_record.write(
            self._folder, execution_record.ContainerExecution(tuple(rows), self._endpoints, facts, environment, error)
        )


def _how_ended(ending: ContainerEnding, *, stopped: bool) -> Literal["alone", "stopped", "removed"]:
    if ending.state == REMOVED:
        return "removed"
    return "stopped" if stopped else "alone"


class _Supervisor:
    """One execution, from the start of its harness to the last log."""

    def __init__(
        self,
        engine: ContainerEngine,
        containers: RunContainers,
        planned: Topology,
        keys: dict[str, str],
        bounds: FolderBounds,
        logs: ContainerLogs,
    ) -> None:
        self._engine, self._containers, self._planned = engine, containers, planned
        self._keys, self._logs = keys, logs
        self._monitor = ContainerMonitor(engine, containers, planned, bounds)

    def supervise(self, stop: Stop, second: SecondSignal, watcher: Watcher | None, record: _RecordWriter) -> None:
        """Let the harness play to its end. Raises what `play_in_containers` does."""
        harness = self._containers.ids[self._planned.harness.name]
        errors = self._logs.open(self._planned.harness.name)
        with closing(self._engine.attach(harness, stdin=True)) as attached:
            self._engine.start(harness)
            attached.send(control_protocol.encoded(control_protocol.Keys(self._keys)))
            output = OutputReader(attached, watcher, self._monitor.note_peaks, errors.write)
            trouble = self._wait(output, harness, stop, second)
        endings = self._endings(harness)
        stopped = self._stop_servers(endings)
        error = outcome(self._planned, endings, stopped, trouble, output.complaint)
        record.write(output.environment, endings, stopped, error, self._monitor.peaks_bytes, self._logs.close())
        code = endings[self._planned.harness.name].exit_code
        if error and (not code or code == EXIT_STOPPED or code > SIGNAL_BASE or trouble):
            if output.stopped_as_asked and error == output.complaint:
                raise StoppedAsAsked(error)
            raise stop.stopped(error)
        if code:
            raise HarnessEnded(error, code)

    def _wait(self, output: OutputReader, harness: str, stop: Stop, second: SecondSignal) -> str:
        """Wait until the harness has ended; return the reason for which it was stopped, empty if it was not."""
        while not output.ended_after(LOOK_S):
            trouble = stop.reason or self._monitor.look()
            if trouble:
                end_harness(lambda name: self._engine.signal(harness, name), output.ended_after, stop, second)
                return trouble
        return ""

    def _endings(self, harness: str) -> dict[str, ContainerEnding]:
        """State of each container when the harness has ended, which the engine may report with a short delay."""
        deadline = time.monotonic() + LEAVE_S_MAX
        while self._engine.ending(harness).running and time.monotonic() < deadline:
            time.sleep(ENDED_LOOK_S)
        return {name: self._engine.ending(container) for name, container in self._containers.ids.items()}

    def _stop_servers(self, endings: Mapping[str, ContainerEnding]) -> dict[str, ContainerEnding]:
        """Stop the servers that still run, and return how they ended."""
        running = {name: self._containers.ids[name] for name, ending in endings.items() if ending.running}
        in_parallel(lambda container: self._engine.stop(container, STOP_S_MAX), running.values())
        return {name: self._engine.ending(container) for name, container in running.items()}
