"""The harness inside its container: plays a sealed run beside its servers, and neither signs nor packs.

Attended by `agzamov run`, it talks on standard output (`control_protocol`), and stops when its standard input ends.
Started by hand (`docker compose run`), it keeps the record of the execution itself, in which only the images are
known, because whoever started it named them in AGZ_IMAGES.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread

from agzamov_verify.plan.manifest import ImagePin, Manifest, ManifestError
from agzamov_verify.plan.plan_problems import starts_engine

from ..build_ports import concurrency_of, open_world
from ..foundation.program_and_machine import about_machine
from ..foundation.unix_clock import unix_ns
from ..memory.launch import Places
from ..ports import Wait
from ..run import execution_record
from ..run.move_evaluations import judge_promised
from ..run.progress import ProgressCounts, State, Watcher
from ..run.run_folder import RunDirectory
from ..run.runner import Runner
from ..run.stop import Stop
from ..seat_kind import kind_of
from ..servers.server_readiness import wait_for_socket
from . import container_paths, control_protocol
from .topology import memory_sockets, tool_sockets

COUNTS_EVERY_NS = 200_000_000
IMAGES_VARIABLE = "AGZ_IMAGES"


def play_attended(directory: RunDirectory, stop: Stop, concurrency: int | None) -> None:
    """Play, telling standard output how far it is. Raises as a run does."""
    os.environ.update(control_protocol.keys_in(sys.stdin.buffer.readline()).keys)
    Thread(target=_stop_when_left, args=(stop,), daemon=True).start()
    _say(control_protocol.Hello(about_machine()))
    _play(directory, stop, _Teller(time.monotonic_ns), concurrency)
    _say(control_protocol.Bye())


def play_alone(directory: RunDirectory, stop: Stop, watcher: Watcher | None, concurrency: int | None) -> None:
    """Play, and keep the containers' record. Raises as a run does, and ManifestError for other images."""
    if directory.manifest.plan.isolation != "container":
        raise ManifestError(f"{directory.path}: expected a run with isolation: container; go on with agzamov resume")
    rows = told_images(directory.manifest.images, os.environ.get(IMAGES_VARIABLE, ""))
    execution_record.write(
        execution_record.next_folder(directory), execution_record.ContainerExecution(rows, environment=about_machine())
    )
    _play(directory, stop, watcher, concurrency)


def told_images(pins: Mapping[str, ImagePin], listed: str) -> tuple[execution_record.Container, ...]:
    """The containers in "part=sha256:<64 digits>,part=…". Raises ManifestError unless all are the sealed ones."""
    images = dict(word.partition("=sha256:")[::2] for word in listed.split(","))
    for part, pin in pins.items():
        if images.get(part) != pin.config_digest:
            actual = images.get(part) or "none"
            raise ManifestError(
                f"{IMAGES_VARIABLE}: expected {part}=sha256:{pin.config_digest} as sealed, found {actual};"
                " start it with the variables that `agzamov compose-env` prints"
            )
    return tuple(execution_record.Container(part, part, pin.config_digest) for part, pin in pins.items())


def served_at(manifest: Manifest) -> dict[str, str]:
    """Address of each local model's server in the harness's container: the path of a socket, or a URL."""
    served = {name: kind_of(seat).served_at(name) for name, seat in manifest.plan.playing.items()}
    return {name: where for name, where in served.items() if where}


def _play(directory: RunDirectory, stop: Stop, watcher: Watcher | None, concurrency: int | None) -> None:
    manifest = directory.manifest
    plan, engine, served = manifest.plan, Path(container_paths.ENGINE_SOCKET), served_at(manifest)
    with directory.playing():
        _wait_for_servers(manifest, stop.wait)
        path = engine if starts_engine(plan) else None
        places = Places(sockets=memory_sockets(plan), tool_sockets=tool_sockets(plan))
        with open_world(manifest, path, stop.wait, served, directory.notes, places) as world:
            state, limit = State(plan, watcher), concurrency or concurrency_of(plan)
            blocks = Runner(directory, world, unix_ns, state, stop, limit).play()
        judge_promised(directory, blocks, path, stop, state.judged)
    if watcher:
        watcher.update(state.counts())


def _wait_for_servers(manifest: Manifest, wait: Wait) -> None:
    plan = manifest.plan
    if starts_engine(plan):
        wait_for_socket(Path(container_paths.ENGINE_SOCKET), wait)
    for tool in tool_sockets(plan).values():
        wait_for_socket(tool, wait)
    for name, seat in plan.playing.items():
        kind_of(seat).wait_until_ready(name, seat, wait)


class _Teller:
    """A Watcher that writes counts to standard output, a few times a second."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock, self._told_ns = clock, 0

    def update(self, counts: ProgressCounts) -> None:
        now = self._clock()
        if now - self._told_ns >= COUNTS_EVERY_NS:
            self._told_ns = now
            _say(counts)


def _say(message: control_protocol.HarnessMessage) -> None:
    sys.stdout.buffer.write(control_protocol.encoded(message))
    sys.stdout.buffer.flush()


def _stop_when_left(stop: Stop) -> None:
    """Stop the run when standard input ends: the command that attends it has ended."""
    while os.read(0, 4096):  # past the buffer, whose lock a thread must not hold when the program ends
        pass
    stop.request("whoever attended the run has gone")
