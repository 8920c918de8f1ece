"""Plays a sealed run in containers, and attends it from outside.

The images are compared with the manifest's pins first. Then servers and harness start side by side; the harness waits
for the servers' sockets, plays, and ends. Meanwhile this process shows its progress, looks after every container twice
a second, and passes on a wish to stop. What it saw is kept in the run's folder, and all of it is taken down.
"""

import os
import time
from collections.abc import Mapping
from contextlib import closing

import msgspec

from agzamov_verify.manifest import ImagePin

from ..exits import HarnessEnded
from ..images import records
from ..images.engine import ensure_loaded
from ..images.faults import ImageFault
from ..pinning import IMAGE_OF
from ..ports import PortFault
from ..progress import Watcher
from ..run import Stop, Stopped
from ..rundir import RunDirectory
from . import egress, places, sitting, talk
from .engine import Ending, Engine, connect
from .folder import hand_over, require_plain_files
from .hearing import Hearing
from .lookout import Lookout
from .stage import Stage, side_by_side, sweep
from .topology import Topology, topology
from .verdict import EXIT_STOPPED, SIGNAL_BASE, outcome

LOOK_S = 0.5
ENDED_LOOK_S = 0.05
LEAVE_S_MAX = 10.0
STOP_S_MAX = 2


def attend(directory: RunDirectory, stop: Stop, watcher: Watcher | None, concurrency: int | None) -> None:
    """Play the run in `directory` to its end. Raises Stopped or PortFault when it can be resumed, or HarnessEnded."""
    manifest = directory.manifest
    keys = egress.keys(manifest, os.environ)
    with closing(connect()) as engine:
        sweep(engine)
        with directory.playing():  # nobody has survived the sweep
            images = {part: image_in(engine, part, pin) for part, pin in manifest.images.items()}
        machine = engine.machine()
        command = ("play", str(places.RUN), "--attended", *(("--concurrency", str(concurrency)) if concurrency else ()))
        egress.write(directory)
        planned = topology(manifest, directory.path.resolve(), directory.plan_folder, machine, command)
        hand_over(directory, machine.user)
        with Stage(engine, manifest.run_id, planned, images) as stage:
            _Attendance(directory, engine, stage, planned, keys).attend(stop, watcher)
    require_plain_files(directory)


def image_in(engine: Engine, part: str, pin: ImagePin) -> str:
    """The id of the image that plays a part, loaded from its build if need be. Raises PortFault."""
    found = engine.image_id(part, pin)
    if found:
        return found
    name = IMAGE_OF[part]
    missing = f"image of {part}: sha256:{pin.config_digest} is not in the container engine"
    try:
        record = records.load(name)
        if record.config_digest != pin.config_digest:
            built = f"the last build here is sha256:{record.config_digest}"
            raise PortFault(f"{missing}, and {built}; check out the version that sealed the run, and build it")
        return ensure_loaded(engine.client, record).image_id
    except ImageFault as error:
        raise PortFault(f"{missing}; run `agzamov images build {name} --load` ({error})") from error


class _Attendance:
    """One sitting, from the start of its harness to the last log."""

    def __init__(
        self, directory: RunDirectory, engine: Engine, stage: Stage, planned: Topology, keys: dict[str, str]
    ) -> None:
        self._engine, self._stage, self._planned = engine, stage, planned
        self._pins = directory.manifest.images
        self._keys = keys
        self._folder = sitting.next_folder(directory)
        self._lookout = Lookout(engine, stage, planned)

    def attend(self, stop: Stop, watcher: Watcher | None) -> None:
        """Let the harness play to its end. Raises what `attend` of the module does."""
        self._keep({}, {}, {}, "")
        harness = self._stage.ids[self._planned.harness.name]
        with closing(self._engine.attach(harness)) as attached:
            self._engine.start(harness)
            attached.send(talk.encoded(talk.Keys(self._keys)))
            hearing = Hearing(attached, watcher, self._lookout.note_peaks)
            trouble = self._wait(hearing, harness, stop)
        endings = self._endings(harness)
        stopped = self._stop_servers(endings)
        told = outcome(self._planned, endings, stopped, trouble, hearing.complaint)
        self._keep(hearing.environment, endings, stopped, told)
        self._keep_logs()
        code = endings[self._planned.harness.name].exit_code
        if told and (not code or code == EXIT_STOPPED or code > SIGNAL_BASE or trouble):
            raise Stopped(told)
        if code:
            raise HarnessEnded(told, code)

    def _wait(self, hearing: Hearing, harness: str, stop: Stop) -> str:
        """Until the harness has ended; why it was told to, empty if it was not."""
        while not hearing.ended_after(LOOK_S):
            trouble = stop.reason or self._lookout.look()
            if trouble:
                for signal in ("SIGTERM", "SIGKILL"):
                    self._engine.signal(harness, signal)
                    if hearing.ended_after(LEAVE_S_MAX):
                        break
                return trouble
        return ""

    def _endings(self, harness: str) -> dict[str, Ending]:
        """How each container stands when the harness has ended, which the engine may know a moment later."""
        deadline = time.monotonic() + LEAVE_S_MAX
        while self._engine.ending(harness).running and time.monotonic() < deadline:
            time.sleep(ENDED_LOOK_S)
        return {name: self._engine.ending(made) for name, made in self._stage.ids.items()}

    def _stop_servers(self, endings: Mapping[str, Ending]) -> dict[str, Ending]:
        """End what still runs, and say how that ended."""
        running = {name: self._stage.ids[name] for name, ending in endings.items() if ending.running}
        side_by_side(lambda made: self._engine.stop(made, STOP_S_MAX), running.values())
        return {name: self._engine.ending(made) for name, made in running.items()}

    def _keep(
        self,
        environment: dict[str, str | int],
        endings: Mapping[str, Ending],
        stopped: Mapping[str, Ending],
        told: str,
    ) -> None:
        """Keep what is known so far."""
        rows = []
        for box in self._planned.boxes:
            row = sitting.Container(box.name, box.part, self._pins[box.part].config_digest, box.limits)
            ending = stopped.get(box.name) or endings.get(box.name)
            if ending:
                ended = "stopped" if box.name in stopped else "alone"
                peak = self._lookout.peaks_bytes.get(box.name, 0)
                row = msgspec.structs.replace(
                    row, ended=ended, exit_code=ending.exit_code, oom_killed=ending.oom_killed, memory_peak_bytes=peak
                )
            rows.append(row)
        sitting.write(self._folder, sitting.Sitting(tuple(rows), self._engine.facts(), environment, told))

    def _keep_logs(self) -> None:
        """Keep what every container printed, less what an attended one said to us."""
        for box in self._planned.boxes:
            log = self._engine.log(self._stage.ids[box.name], errors_only=box.attended)
            sitting.write_log(self._folder, box.name, log, self._keys)
