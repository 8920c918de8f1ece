"""Plays a run on the workers of a Dask cluster: hands out streams, and replays their journals as they grow.

The workers write the journals. This side drives each script with what they record, so it knows the results, progress
and cost at every moment, and a worker that records anything else than the plan asks for is found at once. A worker
that is lost loses its calls in flight: the scheduler hands its streams to others, which go on from the journals.
"""

import logging
import secrets
import socket
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from distributed import Client, Future, KilledWorker
from distributed.comm import CommClosedError, get_address_host_port

from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.script import Exchanges, Replay
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.streams import block_script
from agzamov_verify.seats.model_seat import keeps_secrets
from agzamov_verify.table.game import StreamPlan

from ..ports import PortFault
from ..run.dispatch import Answering
from ..run.execution_log import stream_lines
from ..run.play_stream import Hooks, PlayedStream
from ..run.progress import State
from ..run.recorder import followed
from ..run.run_folder import RunDirectory
from ..run.runner import Blocks, Runner
from ..run.stop import Stop, Stopped
from . import worker
from .session import beating, program_here

LISTENS_S = 10
CONNECT_S = 120
STOP_S_MAX = 120.0
UNSEEN_S_MAX = 120.0
STREAMS_AHEAD = 4
"""Streams that are handed out for each thread of the workers: one that ends finds the next one waiting."""
STREAMS_MAX = 1024


class Cluster:
    """A connection to a scheduler whose workers have this program."""

    def __init__(self, client: Client, address: str) -> None:
        self.client, self.address = client, address

    @property
    def threads(self) -> int:
        """The streams that the workers of this moment play at once."""
        return sum(self.client.nthreads().values())


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster at the address of its scheduler. Raises ManifestError where it cannot play."""
    try:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it has to say is in our error
        # A client that finds nobody ends minutes later: first see whether anybody listens there at all.
        socket.create_connection(get_address_host_port(address), LISTENS_S).close()
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        message = f"--cluster {address}: expected a Dask scheduler, found none that answers ({error})"
        raise ManifestError(" ".join(message.split())) from error
    with client:
        _require_workers(client, address)
        yield Cluster(client, address)


def _require_workers(client: Client, address: str) -> None:
    """Raises ManifestError unless there is a worker, and all there are have the program of this side."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError as error:
        message = f"--cluster {address}: expected workers, found none; start some: dask worker {address}"
        raise ManifestError(message) from error
    here = program_here()
    for where, found in client.run(program_here, on_error="return").items():
        difference = f"agzamov, found {found}" if isinstance(found, BaseException) else here.difference(found)
        if difference:
            raise ManifestError(f"--cluster {address}: worker {where}: expected {difference}")


def warning(address: str) -> str:
    """Warning about the connection to the scheduler; empty where it is private."""
    scheme, _, rest = address.rpartition("://")
    if scheme in {"tls", "wss"} or keeps_secrets(f"http://{rest}"):
        return ""
    return f"{address} is not encrypted: whoever reaches it can run any program on its workers; see docs/cluster.md"


class ClusterRunner(Runner):
    """Plays the streams of a run on workers. Everything else is as in a run of this machine."""

    def __init__(
        self,
        directory: RunDirectory,
        state: State,
        stop: Stop,
        concurrency: int | None,
        cluster: Cluster,
        settings: worker.WorkerSettings,
    ) -> None:
        limit = concurrency or min(STREAMS_MAX, STREAMS_AHEAD * max(1, cluster.threads))
        super().__init__(directory, Answering(_nobody), lambda: 0, state, stop, limit)
        stop.in_flight = None  # they are the workers'
        self._client, self._session = cluster.client, secrets.token_hex(8)
        self._dice = directory.dice
        self._settings = settings

    def play(self) -> Blocks:
        with beating(self._directory.path, self._session, self._stop):
            try:
                return super().play()
            finally:
                self._close_ports()

    def _played(self, stream: StreamPlan, hooks: Hooks) -> PlayedStream:
        hooks.before()
        manifest, journal = self._directory.manifest, self._directory.journal
        there = len(stream_lines(journal / stream.id))
        job = worker.Job(
            str(self._directory.path.resolve()),
            manifest.run_id,
            self._session,
            stream.id,
            program_here(),
            self._settings,
        )
        key = f"agzamov-{stream.id}-{self._session}"
        future = self._client.submit(worker.play, job, key=key, pure=False)
        playing = _Playing(future, hooks, stream.id, self._stop)
        try:
            entries = followed(journal, manifest.run_id, stream.id, playing.wait)
            replay = Replay(stream.id, entries)
            heard = partial(hooks.decided, stream)
            script = block_script(stream, manifest.plan, self._dice, manifest.memories, heard)
            exchanges = Exchanges(script, replay)
            for question, answer in exchanges:
                if replay.answered > there:
                    hooks.after(question, answer)
                hooks.passed(stream, question, answer)
            done = playing.outcome()
        except Stopped:
            playing.leave()
            raise
        except BaseException:
            playing.drop()
            raise
        if done.entries != replay.answered:
            expected = f"{replay.answered} entries as its worker tells"
            raise BrokenJournal(stream.id, expected, str(done.entries))
        return PlayedStream(exchanges.value, done.entries, done.head)

    def _close_ports(self) -> None:
        """Have the workers close engines and memory servers. What a worker that is lost leaves ends with it."""
        with suppress(OSError, CommClosedError, TimeoutError, RuntimeError):
            self._client.run(worker.close, on_error="ignore")


class _Playing:
    """A stream on a worker."""

    def __init__(self, future: Future, hooks: Hooks, stream: str, stop: Stop) -> None:
        self._future, self._hooks, self._stream, self._stop = future, hooks, stream, stop
        self._done_s: float | None = None

    def wait(self, seconds: float) -> None:
        """Sleep while the worker plays. Raises its failure, and Stopped."""
        self._hooks.before()
        if self._future.done():
            self._result()
            self._done_s = self._done_s or time.monotonic()
            if time.monotonic() - self._done_s > UNSEEN_S_MAX:
                raise PortFault(
                    f"{self._stream}: its worker has played it, but its journal is not seen here; workers and this"
                    " command must see one folder by one path"
                )
        time.sleep(seconds)

    def outcome(self) -> worker.Done:
        """Wait for the end of the stream, and return it. Raises as `wait` does."""
        while not self._future.done():
            self._hooks.before()
            time.sleep(0.01)
        return self._result()

    def leave(self) -> None:
        """Give the worker time to finish its calls in flight, since the run is to stop; then drop the stream."""
        end_s = time.monotonic() + max(STOP_S_MAX, self._stop.patience_s)
        while not self._future.done() and time.monotonic() < end_s:
            time.sleep(0.05)
        self.drop()

    def drop(self) -> None:
        """Let the scheduler forget the stream; its worker stops when the session says so."""
        self._future.cancel()

    def _result(self) -> worker.Done:
        try:
            result: Any = self._future.result()
        except KilledWorker as error:
            raise PortFault(
                f"{self._stream}: every worker that played it was lost, the last one {error.last_worker}"
            ) from error
        except (CancelledError, CommClosedError, OSError) as error:
            raise PortFault(f"{self._stream}: the scheduler is gone") from error
        except Exception as error:
            raise PortFault(f"{self._stream}: its worker failed: {type(error).__name__}: {error}") from error
        if isinstance(result, worker.Done):
            return result
        if result.why == "stopped":
            raise Stopped(result.message)
        if result.why == "journal":
            raise BrokenJournal(self._stream, "what was recorded", result.message)
        raise PortFault(result.message)


def _nobody(question: Question) -> Answer:
    raise Stopped(f"game {question.game} is played on workers")
