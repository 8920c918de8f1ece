"""One person's place: what they are asked, what they answered, and which game they are in. Thread-safe.

A person plays one game at a time: while its end is not read and acknowledged, no other game's question is shown. A move
is sent for a question by its id. The same move sent twice is one move; another one for the same question is refused.
"""

import math
import time
from collections.abc import Callable
from threading import Condition
from typing import Any, Final, NamedTuple

from agzamov_verify.core.questions import Message

from .shown import Asked, Result

LOOK_S: Final = 0.2
"""Whoever waits for a move looks for a request to stop so often."""
ANSWERED_MAX: Final = 10_000
WRITTEN_CHARACTERS_MAX: Final = 4_000
RESIGNS: Final = None
"""In the place of an action: the person resigns."""


class Refused(Exception):
    """A move that is not taken. The message says why, for the person."""


class Keeping(NamedTuple):
    """Where a person's consent and answers are kept, so that a killed process loses neither. All may raise OSError.

    `accepts`: called once the page of consent is accepted. `keeps`: with the id of a question and its answer, before
    its arrival is confirmed; `kept`: what was kept last by an earlier process, with an empty id for nothing.
    """

    accepts: Callable[[], object]
    keeps: Callable[[str, str | None], object]
    kept: tuple[str, str | None]


class Place:
    """The state of one person's page."""

    def __init__(self, seat: str, planned: int, keeping: Keeping, *, has_accepted: bool) -> None:
        self.seat, self.planned, self.has_accepted, self._keeping = seat, planned, has_accepted, keeping
        self.results: list[Result] = []
        self.last: tuple[Asked, str] | None = None
        """The question that was answered last in the game under way, and its action."""
        self.has_declined = False
        self.over = ""
        """Why nothing more will be asked, and where the report is; empty while more may come."""
        self.is_final = False
        """Whether all is played; a run that has stopped may go on."""
        self.report: bytes = b""
        self.version = 1
        self._changed = Condition()
        self._waiting: dict[str, Asked] = {}
        self._given: dict[str, str | None] = {}
        self._answered: dict[str, str | None] = {}
        self._current = ""
        self._read = 0
        self._seen_at, self._seen_over = -math.inf, False
        self._resigned: set[str] = set()
        self._prompts: dict[str, list[tuple[Message, ...]]] = {}

    # --- the run's side

    def ask(self, asked: Asked, check: Callable[[], object]) -> str | None:
        """The action that the person chose; RESIGNS where they resign. `check` may raise, which ends the waiting."""
        with self._changed:
            if asked.game in self._resigned and not asked.is_beside:
                return RESIGNS
            self._waiting[asked.id] = asked
            if asked.id == self._keeping.kept[0] and asked.id not in self._answered:
                self._take(asked, self._keeping.kept[1])  # it had arrived, and the journal did not have it yet
            self._bump()
            try:
                while asked.id not in self._given:
                    self._changed.wait(LOOK_S)
                    if asked.id not in self._given:
                        check()
                return self._given.pop(asked.id)
            finally:
                self._waiting.pop(asked.id, None)

    def prompts(self, game: str) -> list[tuple[Message, ...]]:
        """The person's prompts in a game that is not over."""
        with self._changed:
            return list(self._prompts.get(game, ()))

    def note_prompt(self, game: str, messages: tuple[Message, ...]) -> None:
        """Keep a prompt of a game that is not over."""
        with self._changed:
            self._prompts.setdefault(game, []).append(messages)

    def restore(self, question: str, game: str, action: str | None) -> None:
        """Take up an answer of an earlier process, so that a move that is sent again is known."""
        with self._changed:
            self._remember(question, action)
            self._current = game
            if action is RESIGNS:
                self._resigned.add(game)

    def ended(self, result: Result, *, is_new: bool) -> None:
        """Take up a result. `is_new`: it has to be acknowledged before the next game is shown."""
        with self._changed:
            if result.game in self._resigned:
                result = result._replace(words=f"you resigned: {result.words}")
            self.results.append(result)
            if not is_new and self._read == len(self.results) - 1:
                self._read = len(self.results)
            self._prompts.pop(result.game, None)
            if self._current == result.game:
                self._current, self.last = "", None
            self._bump()

    def close(self, why: str, report: bytes = b"", *, is_final: bool) -> None:
        """Say that nothing more will be asked."""
        with self._changed:
            self.over, self.is_final, self.report = why, is_final, report or self.report
            self._bump()

    # --- the page's side

    def wait(self, version: int, seconds: float) -> None:
        """Wait until the state is newer than `version`, at most so long."""
        until = time.monotonic() + seconds
        with self._changed:
            while self.version <= version and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)

    def has_read(self) -> None:
        """Note that a page has read the state as it stands."""
        with self._changed:
            self._seen_at, self._seen_over = time.monotonic(), bool(self.over)

    def is_watched(self, within_s: float) -> bool:
        """Whether a page asked within so long."""
        with self._changed:
            return time.monotonic() - self._seen_at < within_s

    def is_open(self, within_s: float) -> bool:
        """Whether a page asked within so long and has not read yet that nothing more comes."""
        with self._changed:
            return time.monotonic() - self._seen_at < within_s and not self._seen_over

    @property
    def read_count(self) -> int:
        """Number of results whose end was acknowledged."""
        return self._read

    @property
    def unread(self) -> Result | None:
        """The end of a game that is to be acknowledged."""
        return self.results[self._read] if self._read < len(self.results) else None

    @property
    def question(self) -> Asked | None:
        """The question that is shown: of the game under way, or of the next one."""
        if not self.has_accepted or self.unread:
            return None
        open_ones = [one for one in self._waiting.values() if one.id not in self._given]
        return next((one for one in open_ones if not self._current or one.game == self._current), None)

    def snapshot(self, read: Callable[["Place"], dict[str, Any]]) -> dict[str, Any]:
        """What `read` makes of the place, while nothing changes."""
        with self._changed:
            return read(self)

    def accept(self, *, accepted: bool) -> None:
        """The person accepts the page of consent, or does not want to play."""
        with self._changed:
            if accepted and not self.has_declined:
                self._keeping.accepts()
                self.has_accepted = True
            elif not self.has_accepted:
                self.has_declined = True
            self._bump()

    def answer(self, question: str, action: str | None) -> None:
        """Take a move, or RESIGNS. Raises Refused; OSError where it cannot be kept."""
        with self._changed:
            if question in self._answered:
                if self._answered[question] != action:
                    raise Refused("another move was sent for this position already")
                return
            asked = self.question
            if asked is None or asked.id != question:
                raise Refused("it is not your turn, or this position is over")
            self._require(asked, action)
            self._keeping.keeps(question, action)
            self._take(asked, action)
            self._bump()

    def acknowledge(self, number: int) -> None:
        """Go on after result `number`, counted from 1; one that was acknowledged before is no error."""
        with self._changed:
            if number == self._read + 1 and self.unread:
                self._read = number
                self._bump()

    def _take(self, asked: Asked, action: str | None) -> None:
        self._given[asked.id] = action
        self._remember(asked.id, action)
        if not asked.is_beside:
            self._current = asked.game
        self.last = (asked, action) if action is not RESIGNS and not asked.is_beside else None
        if action is RESIGNS:
            self._resigned.add(asked.game)

    def _require(self, asked: Asked, action: str | None) -> None:
        if action is RESIGNS:
            if not asked.can_resign:
                raise Refused("these rules have no way to resign")
        elif asked.choices and not asked.choices.is_legal(action):
            raise Refused("that is not legal here")
        elif not action.strip() or len(action) > WRITTEN_CHARACTERS_MAX:
            raise Refused(f"expected an answer of 1 to {WRITTEN_CHARACTERS_MAX:,} characters")

    def _remember(self, question: str, action: str | None) -> None:
        self._answered[question] = action
        if len(self._answered) > ANSWERED_MAX:
            del self._answered[next(iter(self._answered))]

    def _bump(self) -> None:
        self.version += 1
        self._changed.notify_all()
