"""Processes of our own: they end with their parent, and have limits on memory and environment."""

import gc
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

try:
    import resource
except ImportError:  # no such limits on Windows
    resource = None  # type: ignore[assignment]

T = TypeVar("T")

CHILD_VARIABLES = frozenset({"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ"})
"""All that an engine or a worker process gets of the environment: keys and tokens stay here."""

MIB = 2**20
ALLOCATIONS = 100_000
_STATM = Path("/proc/self/statm")
_DATA_PAGES = 5


CAN_FORK = hasattr(os, "fork") and sys.platform != "emscripten"
"""Whether this system has processes that begin as copies: Windows has none, a browser no processes at all."""


class WorkerFailed(Exception):
    """An exception that a process of our own raised: type and message."""


class TimeIsUp(Exception):
    """A process of our own was ended because it took too long."""


def end_with_parent() -> None:
    """Call first in a worker: it leaves as soon as its parent is gone, even by kill -9."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def start_quietly() -> None:
    """`end_with_parent` in a worker of a pool: without memory to start, the worker exits without a traceback."""
    try:
        end_with_parent()
    except (MemoryError, RuntimeError):  # RuntimeError: no thread can be started
        os._exit(1)


def child_environment(environment: Mapping[str, str], *also: str) -> dict[str, str]:
    """Variables of `environment` for a child process: where programs and folders are, and the variables in `also`."""
    return {name: value for name, value in environment.items() if name in CHILD_VARIABLES or name in also}


def forget_environment() -> None:
    """Call first in a worker: forget every variable that `child_environment` would not hand over."""
    for name in os.environ.keys() - CHILD_VARIABLES:
        del os.environ[name]


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Have Python look for cycles of garbage once in `ALLOCATIONS` new objects, here and in workers that are forked.

    A check makes millions of objects, keeps many of them and makes hardly a cycle: the search, once in 700 new objects,
    took about a tenth of its time.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(ALLOCATIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@contextmanager
def memory_limit(mib: int) -> Iterator[bool]:
    """Let this process, and each that it starts, take `mib` more private memory than it holds now, and no more.

    Beyond it an allocation raises MemoryError. RLIMIT_DATA counts private writable pages, which is what memory costs,
    where RLIMIT_AS would count address space that is only reserved. Gives False where the system has no such limit
    (only Linux counts mappings by it): then memory is not bounded.
    """
    if resource is None or not _STATM.exists():
        yield False
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    held = int(_STATM.read_text().split()[_DATA_PAGES]) * resource.getpagesize()
    limit_bytes = held + mib * MIB
    tighter = [limit for limit in (soft, hard, limit_bytes) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(tighter), hard))
    try:
        yield True
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def in_process(compute: Callable[[], T], seconds: float) -> T:
    """The result of `compute`, computed in a process of its own that is ended after `seconds`.

    So nothing that it does can hold up its caller. Raises TimeIsUp, MemoryError, WorkerFailed for anything else that it
    raised, and BrokenProcessPool where the process died. Without `fork` it runs here, unlimited.
    """
    if not CAN_FORK:
        return compute()
    context = multiprocessing.get_context("fork")
    reading, writing = context.Pipe(duplex=False)
    process = context.Process(target=_compute, args=(writing, compute), daemon=True)
    process.start()
    writing.close()
    try:
        if not reading.poll(seconds):
            raise TimeIsUp
        kind, value = pickle.loads(reading.recv_bytes())  # noqa: S301 - written by our own child
    except EOFError as error:
        raise BrokenProcessPool("a process ended before it had an answer") from error
    finally:
        process.kill()
        process.join()
        reading.close()
    if kind == "memory":
        raise MemoryError
    if kind == "raised":
        raise WorkerFailed(value)
    return value  # type: ignore[no-any-return]


def _compute(writing: Connection, compute: Callable[[], T]) -> None:
    try:
        end_with_parent()
        answer: tuple[str, object] = ("done", compute())
        data = pickle.dumps(answer)
    except MemoryError:
        data = pickle.dumps(("memory", ""))
    except Exception as error:  # noqa: BLE001 - handed to whoever asked
        data = pickle.dumps(("raised", f"{type(error).__name__}: {error}"))
    writing.send_bytes(data)


def _leave_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
