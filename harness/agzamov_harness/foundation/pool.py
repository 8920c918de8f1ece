"""A bounded pool of things that are costly to start and serve one caller at a time: engines, tool servers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """An object that a pool lends."""

    def close(self) -> None:
        """End it; safe to call twice."""
        ...


T = TypeVar("T", bound=Closable)


class Pool(Generic[T]):
    """Up to `size` objects made by `start`, each started when first needed and shared by threads."""

    def __init__(self, start: Callable[[], T], size: int) -> None:
        self._start = start
        self._slots = BoundedSemaphore(size)
        self._idle: SimpleQueue[T] = SimpleQueue()
        self._all: list[T] = []

    @contextmanager
    def lent(self) -> Iterator[T]:
        """One of our own for a while; after an exception it is closed and not given back."""
        with self._slots:
            one = self._take()
            try:
                yield one
            except BaseException:
                one.close()
                raise
            self._idle.put(one)

    def close(self) -> None:
        """End all of them."""
        for one in self._all:
            one.close()

    def _take(self) -> T:
        try:
            return self._idle.get_nowait()  # to look first and take then, two threads may see the same one
        except Empty:
            one = self._start()
        self._all.append(one)
        return one
