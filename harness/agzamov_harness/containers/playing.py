"""The harness inside its container: plays a sealed run beside its servers, and neither signs nor packs.

With somebody attending, what it says goes to standard output (`talk`), and it stops when its standard input ends.
Started by hand (`docker compose run`), it keeps a sitting itself, of which only the images are known, because whoever
started it named them in AGZ_IMAGES.
"""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread

from agzamov_verify.feasible import starts_engine
from agzamov_verify.manifest import ImagePin, Manifest, ManifestError
from agzamov_verify.seats import EndpointSeat, GgufSeat, OllamaSeat

from ..environment import about_machine
from ..ports import Wait
from ..progress import Counts, State, Watcher
from ..quality.promised import judge_promised
from ..run import Runner, Stop
from ..rundir import RunDirectory
from ..world import concurrency_of, open_world
from . import places, sitting, talk
from .ready import wait_for_address, wait_for_model, wait_for_socket

COUNTS_EVERY_NS = 200_000_000
IMAGES_VARIABLE = "AGZ_IMAGES"


def play_attended(directory: RunDirectory, stop: Stop, concurrency: int | None) -> None:
    """Play, telling standard output how far it is. Raises as a run does."""
    os.environ.update(talk.keys_in(sys.stdin.buffer.readline()).keys)
    Thread(target=_stop_when_left, args=(stop,), daemon=True).start()
    _say(talk.Hello(about_machine()))
    _play(directory, stop, _Teller(time.monotonic_ns), concurrency)
    _say(talk.Bye())


def play_alone(directory: RunDirectory, stop: Stop, watcher: Watcher | None, concurrency: int | None) -> None:
    """Play, and keep what is known of the containers. Raises as a run does, and ManifestError for other images."""
    if directory.manifest.plan.isolation != "container":
        raise ManifestError(f"{directory.path}: expected a run with isolation: container; go on with agzamov resume")
    rows = told_images(directory.manifest.images, os.environ.get(IMAGES_VARIABLE, ""))
    sitting.write(sitting.next_folder(directory), sitting.Sitting(rows, environment=about_machine()))
    _play(directory, stop, watcher, concurrency)


def told_images(pins: Mapping[str, ImagePin], told: str) -> tuple[sitting.Container, ...]:
    """The containers in "part=sha256:<64 digits>,part=…". Raises ManifestError unless all are the sealed ones."""
    images = dict(word.partition("=sha256:")[::2] for word in told.split(","))
    for part, pin in pins.items():
        if images.get(part) != pin.config_digest:
            found = images.get(part) or "none"
            raise ManifestError(
                f"{IMAGES_VARIABLE}: expected {part}=sha256:{pin.config_digest} as sealed, found {found};"
                " start it with the variables that `agzamov compose-env` prints"
            )
    return tuple(sitting.Container(part, part, pin.config_digest) for part, pin in pins.items())


def served_at(manifest: Manifest) -> dict[str, str]:
    """Where the harness finds each local model's server: the path of a socket, or an address."""
    served = {}
    for name, seat in manifest.plan.playing.items():
        if isinstance(seat, GgufSeat):
            served[name] = str(places.model_socket(name))
        elif isinstance(seat, OllamaSeat):
            served[name] = f"http://{places.OLLAMA}:{places.OLLAMA_PORT}"
    return served


def _play(directory: RunDirectory, stop: Stop, watcher: Watcher | None, concurrency: int | None) -> None:
    manifest = directory.manifest
    plan, engine, served = manifest.plan, Path(places.ENGINE_SOCKET), served_at(manifest)
    with directory.playing():
        _wait_for_servers(manifest, stop.wait)
        path = engine if starts_engine(plan) else None
        with open_world(manifest, path, stop.wait, served, directory.notes) as world:
            state, limit = State(plan, watcher), concurrency or concurrency_of(plan)
            blocks = Runner(directory, world, time.monotonic_ns, state, stop, limit).play()
        judge_promised(directory, blocks, path, stop, state.judged)
    if watcher:
        watcher.update(state.counts())


def _wait_for_servers(manifest: Manifest, wait: Wait) -> None:
    plan = manifest.plan
    if starts_engine(plan):
        wait_for_socket(Path(places.ENGINE_SOCKET), wait)
    for name, seat in plan.playing.items():
        match seat:
            case GgufSeat():
                wait_for_model(Path(places.model_socket(name)), wait)
            case OllamaSeat():
                wait_for_address(places.OLLAMA, places.OLLAMA_PORT, wait)
            case EndpointSeat():
                wait_for_address(places.PROXY, places.PROXY_PORT, wait)
            case _:
                pass


class _Teller:
    """A Watcher that tells standard output, a few times a second."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock, self._told_ns = clock, 0

    def update(self, counts: Counts) -> None:
        now = self._clock()
        if now - self._told_ns >= COUNTS_EVERY_NS:
            self._told_ns = now
            _say(counts)


def _say(said: talk.Said) -> None:
    sys.stdout.buffer.write(talk.encoded(said))
    sys.stdout.buffer.flush()


def _stop_when_left(stop: Stop) -> None:
    """Standard input ends with whoever attends us."""
    while os.read(0, 4096):  # past the buffer, whose lock a thread must not hold when the program ends
        pass
    stop.request("whoever attended the run has gone")
