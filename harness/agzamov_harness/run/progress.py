"""Progress report of a run for the user: games, hands, calls per second, errors, cost, time left."""

from collections.abc import Iterable
from fractions import Fraction
from threading import Lock
from typing import Protocol

import msgspec

from agzamov_verify.core.questions import Answer, Chat, Evaluate, Question, Reply
from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.scoring.inference.exact import fixed
from agzamov_verify.scoring.seat_stats import cost_usd
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.game import Block, StreamPlan


class ProgressCounts(msgspec.Struct, frozen=True, tag="counts", tag_field="say"):
    """Progress of a run.

    `results`: by game, how many games or hands are done, and how many are planned. `cost_usd` has six decimal places;
    positions are those that the engine judges afterwards.
    """

    results: dict[str, tuple[int, int]]
    calls: int
    evaluations: int
    faults: int
    cost_usd: str
    positions: int = 0
    positions_planned: int = 0


class Watcher(Protocol):
    """Somebody who wants to see how far a run is."""

    def update(self, counts: ProgressCounts) -> None:
        """Called after each answer, from any thread, one call at a time."""
        ...


class State:
    """Counts of one run so far. Replayed answers count towards games and cost, not towards speed."""

    def __init__(self, plan: Plan, watcher: Watcher | None) -> None:
        self.calls = self.evaluations = self.faults = 0
        self.done = dict.fromkeys(plan.games, 0)
        self.planned = dict.fromkeys(plan.games, 0)
        for match in plan.matches:
            self.planned[match.game] += match.planned
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
            match question:
                case Chat():
                    self.calls += 1
                case Evaluate():
                    self.evaluations += 1
            if isinstance(answer, Reply):
                self.cost_usd += self.cost_of(question.to, answer)
            self._tell()

    def finished(self, stream: StreamPlan, block: Block) -> None:
        """Note the end of a stream."""
        with self._lock:
            self._count(stream, 1)
            self.faults += sum(tally.faults for tally in block.tallies)
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
                self.planned[stream.match.game] -= stream.count

    def counts(self) -> ProgressCounts:
        """All of it as one value."""
        return ProgressCounts(
            {game: (done, self.planned[game]) for game, done in self.done.items()},
            self.calls,
            self.evaluations,
            self.faults,
            fixed(self.cost_usd),
            self.positions,
            self.positions_planned,
        )

    def _count(self, stream: StreamPlan, number: int) -> None:
        self.done[stream.match.game] += number

    def cost_of(self, seat: str, answer: Reply) -> Fraction:
        """Cost of one reply of a seat, in US dollars."""
        tally = Tally(
            prompt_tokens=answer.prompt_tokens,
            cached_tokens=answer.cached_tokens,
            completion_tokens=answer.completion_tokens,
        )
        return cost_usd(tally, self._plan.prices.get(seat, Price()))

    def _tell(self) -> None:
        if self._watcher:
            self._watcher.update(self.counts())
