"""A career with a memory server, asked through the port of a run: texts are stored, searched and exported."""

import time
from collections.abc import Sequence
from pathlib import Path

from agzamov_verify.core.questions import (
    MEMORY,
    Answer,
    EndGame,
    Export,
    Exported,
    Hits,
    Kept,
    MemoryQuestion,
    Search,
    Settled,
    Store,
    Stored,
)

from .launch import Setup
from .memory_port import REFUSAL_ADVICE, MemoryPort

HITS_MAX = 5


class CheckFailed(Exception):
    """A check found something other than expected."""

    def __init__(self, expected: str, found: str, advice: str = "") -> None:
        super().__init__(expected, found)
        self.expected, self.found, self.advice = expected, found, advice


class CanarySession:
    """A career with one server, through the port; all that was asked and answered is kept."""

    def __init__(self, setup: Setup, log: Path) -> None:
        self.waits = 0
        self.answered: list[tuple[MemoryQuestion, Answer]] = []
        self.port = MemoryPort(setup, log, self._wait)
        self.number = 1
        adapter = setup.system.adapter
        self.exports, self.is_traced = adapter.exports, adapter.is_traced
        self._given = adapter.given(native=False)
        self._entries = self._asked = 0

    def store(self, content: str) -> Stored:
        self._entries += 1
        entry, (attempt, game) = f"e{self._entries:05}", self._place()
        answer = self._ask(
            Store(
                attempt=attempt,
                content=content,
                entry=entry,
                game=game,
                kind="observation",
                number=self.number,
                turn=0,
                to=MEMORY,
            )
        )
        assert isinstance(answer, Stored)
        if answer.refused:
            raise CheckFailed(f"{content!a:.60} to be stored", f"a refusal: {answer.refused!a:.100}", REFUSAL_ADVICE)
        return answer

    def search(self, query: str, hits_max: int = HITS_MAX) -> tuple[str, ...]:
        """The texts that a search gives."""
        attempt, game = self._place()
        question = Search(
            attempt=attempt, game=game, hits_max=hits_max, number=self.number, query=query, turn=0, to=MEMORY
        )
        answer = self._ask(question)
        assert isinstance(answer, Hits)
        return tuple(hit.content for hit in answer.hits)

    def holds(self, found: Sequence[str], text: str) -> bool:
        """Whether a stored text, or a declared part of it, is among those that a search gave."""
        return any(self._given.fits(given, text) for given in found)

    def end_game(self) -> int:
        """End a game; the number of live entries."""
        attempt, game = self._place()
        answer = self._ask(EndGame(attempt=attempt, game=game, number=self.number, turn=0, to=MEMORY))
        self.number += 1
        assert isinstance(answer, Settled)
        return answer.entries

    def export(self) -> tuple[Kept, ...]:
        """Every live entry, page by page."""
        entries: tuple[Kept, ...] = ()
        while True:
            attempt, game = self._place()
            answer = self._ask(Export(attempt=attempt, game=game, offset=len(entries), turn=0, to=MEMORY))
            assert isinstance(answer, Exported)
            entries += answer.entries
            if not answer.more:
                return entries

    def remember(self, contents: Sequence[str]) -> None:
        """Store texts, each in a game of its own."""
        for content in contents:
            self.store(content)
            self.end_game()

    def _place(self) -> tuple[int, str]:
        """Number of the next question, and the game in which it is asked."""
        self._asked += 1
        return self._asked, f"g{self.number:05}"

    def _ask(self, question: MemoryQuestion) -> Answer:
        answer = self.port.answer(question)
        self.answered.append((question, answer))
        return answer

    def _wait(self, seconds: float) -> None:
        self.waits += 1
        time.sleep(seconds)


class Candidate:
    """The system under check. Checks share a server as long as it does nothing wrong."""

    def __init__(self, setup: Setup, log: Path) -> None:
        self.setup, self._log = setup, log
        self._session: CanarySession | None = None
        self.kept: list[tuple[MemoryQuestion, Answer]] = []

    @property
    def session(self) -> CanarySession:
        """The server that is there, or a fresh one."""
        if not self._session:
            self._session = CanarySession(self.setup, self._log)
        return self._session

    def fresh(self) -> CanarySession:
        """A fresh server, in an empty folder; the one before is ended."""
        self.drop()
        return self.session

    def keep(self) -> None:
        """Keep the questions and answers so far, for a fresh server."""
        self.kept = list(self.session.answered)

    def drop(self) -> None:
        if self._session:
            self._session.port.close()
            self._session = None
