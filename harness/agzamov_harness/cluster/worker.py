"""A worker of the cluster: plays one stream of a run in the folder that it shares with the coordinator.

The ports of a run are opened once in each worker's process and serve all of its streams. What goes wrong is returned,
not raised: an exception of ours would have to be the same class on both sides before it can be read.
"""

from contextlib import ExitStack, nullcontext
from pathlib import Path
from threading import Lock
from typing import Literal

import msgspec

from agzamov_verify.core.journal import BrokenJournal
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.script import Divergence
from agzamov_verify.engines.uci_engine import EngineFault, find_engine
from agzamov_verify.plan.manifest import ManifestError
from agzamov_verify.plan.plan_problems import starts_engine
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.table.declared import FaultKind
from agzamov_verify.table.game import StreamPlan

from ..build_ports import concurrency_of, open_world
from ..foundation.unix_clock import unix_ns
from ..memory.launch import Places
from ..ports import PortFault
from ..run.exit_status import os_error_words
from ..run.play_stream import Hooks, StreamsHere, heard_by_nobody, unit_on_many_machines
from ..run.recorder import StreamInUse
from ..run.run_folder import load
from ..run.stop import Stopped
from .session import ProgramVersion, Watch, program_here

IN_USE_LOOK_S = 1.0


class WorkerSettings(msgspec.Struct, frozen=True):
    """Settings of a worker: the option --engine, the folders of memory servers and of the plan's file, and the
    addresses of model servers by seat, where they are not those of the plan.

    The folders choose which programs are started, so they come with the job, and not from the shared folder.
    """

    engine: str | None
    installed: str
    plan_folder: str
    served: dict[str, str]


class Job(msgspec.Struct, frozen=True):
    """A stream to be played."""

    folder: str
    run: str
    session: str
    stream: str
    program: ProgramVersion
    settings: WorkerSettings


class Done(msgspec.Struct, frozen=True):
    """A stream that was played to its end: its number of entries, and the digest of the last one."""

    entries: int
    head: str


class FailedStream(msgspec.Struct, frozen=True):
    """A stream that was not played: stopped, by a fault of the world, or because its journal was changed."""

    why: Literal["stopped", "fault", "journal"]
    message: str


class _OpenRun:
    """A run that this process plays streams of."""

    def __init__(self, job: Job) -> None:
        self.session, self.watch = job.session, Watch(Path(job.folder), job.session)
        self.directory = load(Path(job.folder))
        manifest = self.directory.manifest
        if manifest.run_id != job.run:
            raise ManifestError(f"{job.folder}: expected run {job.run}, found {manifest.run_id}")
        self.streams = {stream.id: stream for match in manifest.plan.matches for stream in streams_of(match)}
        self._stack = ExitStack()
        path = find_engine(job.settings.engine) if starts_engine(manifest.plan) else None
        folders = Path(job.settings.installed), Path(job.settings.plan_folder)
        places = Places(*folders, part=f"{job.session}-{id(self)}")
        world = open_world(
            manifest, path, self.watch.wait, job.settings.served, self.directory.notes, places, has_processes=False
        )
        ports, calls_max = self._stack.enter_context(world), concurrency_of(manifest.plan)
        self.player = StreamsHere(self.directory, ports, unix_ns, calls_max)

    def close(self) -> None:
        self._stack.close()


_open: dict[str, _OpenRun] = {}
_opening = Lock()


def play(job: Job) -> Done | FailedStream:
    """Play a stream from where its journal stands to its end."""
    try:
        return _played(job)
    except Stopped as error:
        return FailedStream("stopped", str(error))
    except (BrokenJournal, Divergence) as error:
        return FailedStream("journal", str(error))
    except (PortFault, EngineFault, ManifestError) as error:
        return FailedStream("fault", str(error))
    except OSError as error:
        return FailedStream("fault", os_error_words(error))


def close() -> None:
    """Close the ports of every run, once none of its streams is played any more."""
    with _opening:
        for run in _open.values():
            run.close()
        _open.clear()


def _played(job: Job) -> Done:
    difference = job.program.difference(program_here())
    if difference:
        raise ManifestError(f"a worker has another program: expected {difference}")
    run = _opened(job)
    stream, plan = run.streams[job.stream], run.directory.manifest.plan
    hooks = Hooks(_at_once, run.watch.check, _nothing, _passed, _decided, lambda _: nullcontext(), heard_by_nobody)
    run.watch.check()
    while True:
        try:
            played = run.player.play(stream, hooks, unit_on_many_machines(stream, plan))
        except StreamInUse:
            run.watch.wait(IN_USE_LOOK_S)  # a worker that the scheduler lost may still be playing it
        else:
            return Done(played.entries, played.head)


def _opened(job: Job) -> _OpenRun:
    """The run of a job, opened once in this process; those of earlier sessions are over and are closed."""
    with _opening:
        for session in [session for session in _open if session != job.session]:
            _open.pop(session).close()
        if job.session not in _open:
            _open[job.session] = _OpenRun(job)
        return _open[job.session]


def _at_once(stream: StreamPlan, question: Question) -> None:
    """The coordinator lets a stream begin in its turn; on its worker it plays on."""


def _nothing(question: Question, answer: Answer) -> None:
    """The coordinator counts recorded answers itself."""


def _passed(stream: StreamPlan, question: Question, answer: Answer) -> None:
    """As `_nothing`."""


def _decided(stream: StreamPlan, seat: str, fault: FaultKind | None) -> None:
    """As `_nothing`."""
