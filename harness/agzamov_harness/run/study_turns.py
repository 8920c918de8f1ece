"""The turns of a study with people: each person plays their start pairs in the drawn order, one after another.

The order is `plan.study_order`'s, the same function that anybody computes from the revealed seed. People play side by
side, each at their own pace. Two things hide the arm:

    order    a pair begins when the one before it has ended, whichever stream it is of
    hold     a position is not shown to the person before a drawn time (`plan.study_hold`) after their last answer has
             passed, beside the game too, so that the machine's speed shows only where it is slower than that
"""

import time
from collections.abc import Callable, Mapping, Sequence

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat, Question
from agzamov_verify.core.seat_letters import survey_name
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.people_study import PERSON, settings_of
from agzamov_verify.plan.streams import unit_results
from agzamov_verify.plan.study_hold import hold_s
from agzamov_verify.plan.study_order import order_of_play
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.registry import GAMES

from .stop import Stop
from .streams_to_start import LOOK_S, StreamsToStart


class _Stream:
    """One stream: the first unit that is not done yet, and whether it waits, may play, or has ended."""

    def __init__(self, stream: StreamPlan, per_unit: int) -> None:
        self.plan, self.per_unit = stream, per_unit
        self.unit = stream.first // per_unit
        self.end = -(-(stream.first + stream.count) // per_unit)
        self.is_started = self.may_play = False
        self.answered_s: float | None = None

    def unit_of(self, question: Question) -> int:
        return GAMES[self.plan.match.game].number_in(question.game) // self.per_unit


class StudyTurns(StreamsToStart):
    """As `interleave.Turns`, for a study. `clock_s` never goes back. Thread-safe."""

    def __init__(
        self,
        streams: Sequence[StreamPlan],
        plan: Plan,
        dice: Dice,
        stop: Stop,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(len(streams), stop)
        self._dice, self._clock_s = dice, clock_s
        self._hold = settings_of(plan).hold
        self._streams = {stream.id: _Stream(stream, unit_results(stream.match, plan)) for stream in streams}
        by_unit = {
            (one.plan.match.id, unit): one for one in self._streams.values() for unit in range(one.unit, one.end)
        }
        self._orders: Mapping[str, list[tuple[_Stream, int]]] = {
            name: [(by_unit[key], turn.unit) for turn in order if (key := (turn.match, turn.unit)) in by_unit]
            for name, order in order_of_play(plan, dice).items()
        }

    def wait(self, stream: StreamPlan, question: Question) -> None:
        """Wait until the unit of a question may be played, and for a person until its hold is over. Raises Stopped."""
        own = self._streams[stream.id]
        with self._changed:
            self._reach(own, own.unit_of(question))
            while not own.may_play:
                self._changed.wait(LOOK_S)
                self._stop.check()
            if own.answered_s is None:
                own.answered_s = self._clock_s()
        if self._hold and isinstance(question, Chat) and question.to == stream.match.seats[PERSON]:
            until_s = own.answered_s + hold_s(self._hold, self._dice, question)
            while (left_s := until_s - self._clock_s()) > 0:
                self._stop.wait(left_s)

    def passed(self, stream: StreamPlan, question: Question) -> None:
        """Count an answer, new or recorded: the units before it are done."""
        own = self._streams[stream.id]
        if question.to in {stream.match.seats[PERSON], survey_name(PERSON)}:
            own.answered_s = self._clock_s()
        if own.unit_of(question) > own.unit:
            with self._changed:
                self._reach(own, own.unit_of(question))

    def finished(self, stream: StreamPlan) -> None:
        """Count a stream that has ended: no unit of it is to come."""
        with self._changed:
            own = self._streams[stream.id]
            self._reach(own, own.end)

    def _reach(self, own: _Stream, unit: int) -> None:
        """Count the units before this one as done, and give the turns that this frees."""
        if unit > own.unit:
            own.unit, own.may_play, own.answered_s = unit, False, None
        self._give()

    def _give(self) -> None:
        """For each person, the turn to the first pair of their order that is not done."""
        for order in self._orders.values():
            while order and order[0][1] < order[0][0].unit:
                order.pop(0)
            if not order:
                continue
            own, unit = order[0]
            if not own.is_started:
                own.is_started = True
                self._to_start.append(own.plan)
            own.may_play = own.may_play or own.unit == unit
        self._changed.notify_all()
