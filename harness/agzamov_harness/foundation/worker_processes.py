"""Worker processes for what takes a run's threads too long. A new one imports this module: it must stay light."""

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

from agzamov_verify.core.workers import cores, end_with_parent, forget_environment


@contextmanager
def worker_processes() -> Iterator[Executor | None]:
    """As many processes as there are cores, which end with this one; None on one core.

    They are started anew and not forked: the threads of a run hold locks.
    """
    if cores() < 2:
        yield None
        return
    os.environ["PYTHONSAFEPATH"] = "1"  # else a new interpreter loads modules of the present folder: a stranger's
    with ProcessPoolExecutor(cores(), multiprocessing.get_context("spawn"), _begin) as pool:
        yield pool


def _begin() -> None:
    forget_environment()
    end_with_parent()
