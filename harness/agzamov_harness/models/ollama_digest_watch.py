"""Asks an Ollama server every few seconds, while a run is played, which weights stand behind its models' names.

Weights are hashed before a run and after it; a swap in between, even for some seconds, is found by the digests that
/api/tags shows. It spoils the run for good. What was seen stands in notes/digests.json, one entry for each execution.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Literal

import msgspec

from agzamov_verify.core import canon
from agzamov_verify.core.questions import NoReply, Reply
from agzamov_verify.plan.manifest import Manifest
from agzamov_verify.seats import OllamaSeat

from ..foundation.append_only import write_whole
from ..ports import ChatPort, ChatRequest, ModelFault
from ..run.exit_status import EXIT_FAILED, HarnessEnded
from ..run.run_folder import DIGESTS
from .ollama_api import Inventory

FILE = DIGESTS
EVERY_S = 5.0


class SeenDigests(msgspec.Struct, frozen=True):
    """One seat in one execution: how often its digest was seen as sealed; `other` is the first other one, or empty."""

    looks: int
    other: str = ""


class WatchedExecution(msgspec.Struct, frozen=True):
    """Observations of each seat in one execution, and their interval in milliseconds."""

    every_ms: int
    seats: dict[str, SeenDigests]


class Digests(msgspec.Struct, frozen=True):
    """notes/digests.json."""

    executions: tuple[WatchedExecution, ...] = ()
    format: Literal["agz-digests-1"] = "agz-digests-1"


class DigestWatch:
    """A thread that polls the servers of a run's Ollama seats. `check` raises for weights that were swapped."""

    def __init__(self, manifest: Manifest, served: Mapping[str, str]) -> None:
        self._where = {
            name: (served.get(name, seat.base_url), seat.model, manifest.models[name].sha256)
            for name, seat in manifest.plan.playing.items()
            if isinstance(seat, OllamaSeat)
        }
        self.seen = {name: SeenDigests(0) for name in self._where}
        self._ended = Event()
        self._thread = Thread(target=self._watch, name="digests", daemon=True)

    def look(self) -> None:
        """Look at every server once. One that does not answer is left to the calls of the run."""
        for name, (base_url, model, sealed) in self._where.items():
            try:
                with Inventory(base_url) as server:
                    digest = server.digest(model)
            except ModelFault:
                continue
            old = self.seen[name]
            self.seen[name] = SeenDigests(
                old.looks + (digest == sealed), old.other or ("" if digest == sealed else digest)
            )

    def check(self) -> None:
        """Raises HarnessEnded once other weights were seen."""
        for name, seen in self.seen.items():
            if seen.other:
                raise _spoiled(name, seen.other)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Look a last time and stop."""
        self._ended.set()
        self._thread.join()
        self.look()

    def _watch(self) -> None:
        self.look()
        while not self._ended.wait(EVERY_S):
            self.look()


class WatchedSeat:
    """A seat of a model whose weights are watched: no answer is taken once others were seen."""

    def __init__(self, port: ChatPort, watch: DigestWatch) -> None:
        self._port, self._watch = port, watch

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The seat's reply. Raises PortFault, and HarnessEnded for weights that were swapped."""
        self._watch.check()
        answer = self._port.complete(request)
        self._watch.check()
        return answer

    def close(self) -> None:
        self._port.close()


@contextmanager
def digests_watched(manifest: Manifest, served: Mapping[str, str], notes: Path) -> Iterator[DigestWatch]:
    """Watch while a run is played, and note the digests. Raises HarnessEnded for weights that were swapped."""
    path = notes / FILE
    before = read_digests(path)
    for execution in before.executions:
        for name, seen in execution.seats.items():
            if seen.other:
                raise _spoiled(name, seen.other)
    watch = DigestWatch(manifest, served)
    watch.start()
    try:
        yield watch
    finally:
        watch.end()
        execution = WatchedExecution(int(EVERY_S * 1000), watch.seen)
        write_whole(path, canon.dumps(Digests((*before.executions, execution))))
    watch.check()


def read_digests(path: Path) -> Digests:
    """Read the digests that earlier executions saw. Raises ModelFault for notes that were altered."""
    if not path.exists():
        return Digests()
    try:
        return canon.loads_as(path.read_bytes(), Digests)
    except canon.NotCanonical as error:
        raise ModelFault(f"{path}: expected the digests that earlier executions saw: {error}") from error


def _spoiled(name: str, digest: str) -> HarnessEnded:
    finding = f"seat {name}: the server showed digest {digest} while this run was played, not the sealed one"
    return HarnessEnded(f"{finding}. Start a new run", EXIT_FAILED)
