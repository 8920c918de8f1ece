"""Worker processes that end with their parent, however it ends."""

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """Call first in a worker: it leaves as soon as its parent is gone, even by kill -9."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_leave_after, args=(parent,), daemon=True).start()


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _leave_after(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
