"""What a run tells the person who waits: games, hands, calls per second, errors, cost, time left."""

from collections.abc import Iterable
from fractions import Fraction
from threading import Lock
from typing import Protocol

import msgspec

from agzamov_verify.games.decision import Tally
from agzamov_verify.manifest import ChessMatch, Plan, Price
from agzamov_verify.phases.streams import Block, ChessBlock, StreamPlan
from agzamov_verify.questions import Answer, Chat, Question, Reply
from agzamov_verify.scoring.conduct import cost_usd
from agzamov_verify.scoring.exact import fixed


class Counts(msgspec.Struct, frozen=True, tag="counts", tag_field="say"):
    """How far a run is. `cost_usd` with six decimal places; positions are those that the engine judges afterwards."""

    games: int
    games_planned: int
    hands: int
    hands_planned: int
    calls: int
    evaluations: int
    faults: int
    cost_usd: str
    positions: int = 0
    positions_planned: int = 0


class Watcher(Protocol):
    """Somebody who wants to see how far a run is."""

    def update(self, counts: Counts) -> None:
        """Called after each answer, from any thread, one call at a time."""
        ...


class State:
    """Counts of one run so far. Replayed answers count towards games and cost, not towards speed."""

    def __init__(self, plan: Plan, watcher: Watcher | None) -> None:
        self.games = self.hands = self.calls = self.evaluations = self.faults = 0
        self.games_planned = sum(match.games for match in plan.matches if isinstance(match, ChessMatch))
        self.hands_planned = sum(match.hands for match in plan.matches if not isinstance(match, ChessMatch))
        self.cost_usd = Fraction(0)
        self.positions = self.positions_planned = 0
        self._plan, self._watcher = plan, watcher
        self._current: dict[str, str] = {}
        self._lock = Lock()

    def answered(self, stream: StreamPlan, question: Question, answer: Answer) -> None:
        """Note one answer of a stream."""
        with self._lock:
            if self._current.get(stream.id, question.game) != question.game:
                self._count(stream, 1)
            self._current[stream.id] = question.game
            if isinstance(question, Chat):
                self.calls += 1
                if isinstance(answer, Reply):
                    self.cost_usd += self.cost_of(question.seat, answer)
            else:
                self.evaluations += 1
            self._tell()

    def finished(self, stream: StreamPlan, block: Block) -> None:
        """Note the end of a stream."""
        with self._lock:
            self._count(stream, 1)
            self.faults += _faults(block)
            self._tell()

    def judged(self, positions: int, planned: int) -> None:
        """Note how many positions of how many the engine has judged."""
        with self._lock:
            self.positions, self.positions_planned = positions, planned
            self._tell()

    def will_not_play(self, streams: Iterable[StreamPlan]) -> None:
        """Note streams that a failed Phase 0 or a declared rule leaves out."""
        with self._lock:
            for stream in streams:
                if isinstance(stream.match, ChessMatch):
                    self.games_planned -= stream.count
                else:
                    self.hands_planned -= stream.count

    def counts(self) -> Counts:
        """All of it as one value."""
        return Counts(
            self.games,
            self.games_planned,
            self.hands,
            self.hands_planned,
            self.calls,
            self.evaluations,
            self.faults,
            fixed(self.cost_usd),
            self.positions,
            self.positions_planned,
        )

    def _count(self, stream: StreamPlan, number: int) -> None:
        if isinstance(stream.match, ChessMatch):
            self.games += number
        else:
            self.hands += number

    def cost_of(self, seat: str, answer: Reply) -> Fraction:
        """What one reply of a seat costs, in US dollars."""
        tally = Tally(
            prompt_tokens=answer.prompt_tokens,
            cached_tokens=answer.cached_tokens,
            completion_tokens=answer.completion_tokens,
        )
        return cost_usd(tally, self._plan.prices.get(seat, Price()))

    def _tell(self) -> None:
        if self._watcher:
            self._watcher.update(self.counts())


def _faults(block: Block) -> int:
    if isinstance(block, ChessBlock):
        return sum(tally.faults for record in block.records for tally in record.tallies)
    return sum(tally.faults for tally in block.tallies)
