"""Progress report of a run for the user: calls, games, hands, unusable answers, cost."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from threading import Lock
from typing import Protocol

import msgspec

from agzamov_verify.core.journal import Asked
from agzamov_verify.core.questions import Answer, Chat, Evaluate, Question, Reply
from agzamov_verify.plan.manifest import Plan, Price
from agzamov_verify.scoring.inference.exact import fixed
from agzamov_verify.scoring.seat_stats import cost_usd
from agzamov_verify.table.decision import Tally
from agzamov_verify.table.declared import FINISHED, FaultKind
from agzamov_verify.table.game import Block, StreamPlan

from .calls_to_come import CallsToCome


class SeatAnswers(msgspec.Struct, frozen=True):
    """Decisions of a model's seat, and how many of them had an unusable first answer, by `FaultKind` where any had.

    `empty`: replies that ended by themselves, without a word or a call of a tool.
    """

    decisions: int
    unusable: dict[str, int]
    empty: int = 0

    @property
    def unusable_total(self) -> int:
        """Decisions whose first answer gave no legal action."""
        return sum(self.unusable.values())


class CallCounts(msgspec.Struct, frozen=True):
    """Calls of the models of a run, or of all seats where no model plays.

    `done`: answered, `new` of them by this execution. `expected`: the estimated total of the run. `recorded`: answered
    before this execution, replayed yet or not.
    """

    done: int = 0
    new: int = 0
    expected: int = 0
    recorded: int = 0

    @property
    def to_come(self) -> int:
        """Calls that are still to be made: a recorded answer is none, though its game is not replayed yet."""
        return max(0, self.expected - max(self.done, self.recorded + self.new))


class ProgressCounts(msgspec.Struct, frozen=True, tag="counts", tag_field="say"):
    """Progress of a run.

    `results`: by game, how many games or hands are done, and how many are planned. `calls`: of all seats. `faults`:
    unusable first answers of all seats. `cost_usd` has six decimal places; positions are those that the engine judges
    afterwards. `seats`: the answers of each model's seat so far, those of unfinished games among them.
    """

    results: dict[str, tuple[int, int]]
    calls: int
    evaluations: int
    faults: int
    cost_usd: str
    positions: int = 0
    positions_planned: int = 0
    seats: dict[str, SeatAnswers] = msgspec.field(default_factory=dict)
    model_calls: CallCounts = CallCounts()


class Watcher(Protocol):
    """Somebody who wants to see how far a run is."""

    def update(self, counts: ProgressCounts) -> None:
        """Called after each answer, from any thread, one call at a time."""
        ...


class State:
    """Counts of one run so far. Replayed answers count towards all but `CallCounts.new`."""

    def __init__(self, plan: Plan, watcher: Watcher | None) -> None:
        self.calls = self.evaluations = 0
        self.done = dict.fromkeys(plan.games, 0)
        self.planned = dict.fromkeys(plan.games, 0)
        for match in plan.matches:
            self.planned[match.game] += match.planned
        self.cost_usd = Fraction(0)
        self.positions = self.positions_planned = 0
        self._plan, self._watcher = plan, watcher
        self._current: dict[str, str] = {}
        self._decisions = Counter[str]()
        self._unusable: dict[str, Counter[str]] = {}
        self._empty = Counter[str]()
        self._heard = set[str]()
        self._to_come = CallsToCome(plan)
        self._new = self._recorded = 0
        self._lock = Lock()

    @property
    def faults(self) -> int:
        """Decisions of all seats whose first answer gave no legal action."""
        return sum(kinds.total() for kinds in self._unusable.values())

    def asked(self, question: Question) -> None:
        """Note that this execution got an answer of the world; `answered` follows."""
        if self._to_come.counts(question):
            with self._lock:
                self._new += 1

    def recorded(self, questions: Iterable[Asked]) -> None:
        """Note the questions that were answered before this execution, whose replay is to come."""
        if self._watcher:
            self._recorded = sum(map(self._to_come.counts_recorded, questions))

    def answered(self, stream: StreamPlan, question: Question, answer: Answer) -> None:
        """Note one answer of a stream."""
        with self._lock:
            if self._current.get(stream.id, question.game) != question.game:
                self._result_over(stream)
            self._current[stream.id] = question.game
            match question:
                case Chat():
                    self.calls += 1
                    self._to_come.answered(stream, question)
                case Evaluate():
                    self.evaluations += 1
            if isinstance(answer, Reply):
                self.cost_usd += self.cost_of(question.to, answer)
                is_said = answer.text.strip() or answer.tool_calls or answer.finish.lower() not in FINISHED
                self._empty[question.to] += not is_said
            self._tell()

    def decided(self, stream: StreamPlan, seat: str, fault: FaultKind | None) -> None:
        """Note a decision of a model's seat as soon as its first answer is read; `fault`: why that is unusable."""
        with self._lock:
            self._heard.add(stream.id)
            self._decisions[seat] += 1
            if fault is not None:
                self._unusable.setdefault(seat, Counter())[fault.value] += 1
                self._tell()

    def finished(self, stream: StreamPlan, block: Block) -> None:
        """Note the end of a stream."""
        with self._lock:
            self._result_over(stream)
            if stream.id not in self._heard:
                self._take(stream, block)
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
                self._to_come.left_out(stream)

    def answers_of(self, seat: str) -> SeatAnswers:
        """The decisions of a model's seat so far."""
        return SeatAnswers(self._decisions[seat], dict(self._unusable.get(seat, {})), self._empty[seat])

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
            {seat: self.answers_of(seat) for seat in list(self._decisions)},
            CallCounts(self._to_come.done, self._new, self._to_come.expected, self._recorded),
        )

    def _result_over(self, stream: StreamPlan) -> None:
        self.done[stream.match.game] += 1
        self._to_come.result_over(stream)

    def _take(self, stream: StreamPlan, block: Block) -> None:
        """Take the decisions of a stream whose decisions were not heard one by one."""
        for seat, tally in zip(stream.match.seats, block.tallies, strict=True):
            if self._plan.seats[seat].is_model and tally.decisions:
                self._decisions[seat] += tally.decisions
                kinds = {kind.value: getattr(tally, f"first_{kind.value}") for kind in FaultKind}
                self._unusable.setdefault(seat, Counter()).update({kind: n for kind, n in kinds.items() if n})

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
