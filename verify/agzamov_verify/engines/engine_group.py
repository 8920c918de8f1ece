"""Engines of one kind that share questions: one runs from the beginning, others once they are worth their start."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from .uci_engine import Answers, UciEngine

E = TypeVar("E", bound=UciEngine)


class EngineGroup(Generic[E]):
    """At most `most` engines from `start`, the first of which runs at once. Close it. Raises EngineFault."""

    def __init__(self, start: Callable[[], E], most: int) -> None:
        self.most = max(1, most)
        self._start = start
        self._answers: Answers | None = None
        self._growing = threading.Lock()
        self._running = [start()]

    @property
    def first(self) -> E:
        """The engine that always runs."""
        return self._running[0]

    def share(self, answers: Answers | None) -> None:
        """Give all engines these earlier answers, now and later."""
        self._answers = answers
        for engine in self._running:
            engine.answers = answers

    def running(self, index: int) -> E:
        """The engine with this index; it and those before it are started if they do not run. Raises EngineFault."""
        with self._growing:
            while index >= len(self._running):
                engine = self._start()
                engine.answers = self._answers
                self._running.append(engine)
            return self._running[index]

    @property
    def started(self) -> int:
        """How many run."""
        return len(self._running)

    @property
    def searched(self) -> int:
        """How often engines searched because there was no earlier answer."""
        return sum(engine.searches for engine in self._running) - self.first.stored_again

    @property
    def stored(self) -> int:
        """How many earlier answers were used."""
        return self.first.stored

    def close(self) -> None:
        """End all engines; safe to call twice."""
        for engine in self._running:
            engine.close()
