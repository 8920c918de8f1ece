"""The order of play within a phase: all arms side by side, unit by unit.

Arms that are played one after another meet another world each: an endpoint that is updated, loaded or routed anew
between them makes a difference that looks like an effect. So streams take turns at their units (start pairs, sessions):

    next            of the match that has begun the least share of its planned units, the earliest unit
    equal shares    which of these matches comes first is drawn for each unit from the sealed seed: by the plan's order
                    an endpoint that meets one deck twice would know the placebo as the earlier one
    careers         of all arms begin together, so many of each as keep the run busy
    lead            no arm begins a unit that is more than `lead_units` of the protocol ahead of the slowest arm that it
                    is compared with: matches of one label of draws (`Match.draws`) differ in their conditions alone

What the journals hold of all streams is counted before the first one begins, so a resumed run first plays what is
behind. A stream that waits for its turn keeps its thread and its memory server, and leaves its slot to another.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Question
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import unit_results
from agzamov_verify.protocols.norms import load_protocol
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.registry import GAMES

from .stop import Stop
from .streams_to_start import LOOK_S, StreamsToStart


class Turn(NamedTuple):
    """The place of a unit in the order of play of its match. Careers of one wave are played side by side."""

    wave: int
    unit: int
    career: int


class PacedMatch:
    """One match: its units that are done, of the `planned` ones that this runner plays, and its streams to come.

    `per_career`: units of a career; `wave`: careers that are played side by side.
    """

    def __init__(self, streams: Sequence["PacedStream"], planned: int, done: int, per_career: int, wave: int) -> None:
        self.planned, self.done, self.left = planned, done, len(streams)
        self._per_career, self._wave = per_career, wave
        self.playing = 0
        self.unstarted = sorted(streams, key=lambda paced: self.place(paced.first), reverse=True)
        self.waiting: list[PacedStream] = []

    def place(self, unit: int) -> Turn:
        """The place of a unit by its number in the match."""
        career, within = divmod(unit, self._per_career)
        return Turn(career // self._wave, within, career)

    @property
    def begun(self) -> Fraction:
        """The share of its units that were begun."""
        return Fraction(self.done + self.playing, self.planned)

    def next(self) -> "PacedStream | None":
        """The stream whose unit comes next, of those that wait or were not started."""
        ready = [*self.waiting, *self.unstarted[-1:]]
        return min(ready, key=lambda paced: self.place(paced.unit)) if ready else None

    @property
    def next_unit(self) -> int:
        """The unit that is begun next. A stream that a journal holds whole is started, but begins none."""
        to_come = next((paced for paced in reversed(self.unstarted) if paced.counted < paced.end), None)
        units = [max(paced.unit, paced.counted) for paced in [*self.waiting, to_come] if paced]
        return min(units, key=self.place, default=0)


class PacedStream:
    """One stream: the unit that it plays or waits for, and the result that was answered last."""

    def __init__(self, stream: StreamPlan, unit_results: int) -> None:
        self.stream, self.unit_results = stream, unit_results
        self.first, self.end = stream.first // unit_results, -(-(stream.first + stream.count) // unit_results)
        self.unit, self.counted, self.result = self.first, self.first, ""
        self.may_play = False

    @property
    def units(self) -> int:
        """Number of its units."""
        return self.end - self.first

    def unit_of(self, result: str) -> int:
        """The unit that a result of this stream belongs to, by the result's name."""
        return GAMES[self.stream.match.game].number_in(result) // self.unit_results

    def units_recorded(self, result: str) -> int:
        """The unit after those that its journal has begun, by the name of its last result, which nobody has checked."""
        with suppress(ValueError):
            return max(self.first, min(self.unit_of(result) + 1, self.end))
        return self.first


class Turns(StreamsToStart):
    """The turns of streams that are played side by side, `slots` of them at any time. Thread-safe.

    `everything`: all streams of the same matches that this runner plays, of which some may be done already.
    `recorded`: the name of the last result in a stream's journal, empty where there is none.
    """

    def __init__(
        self,
        streams: Sequence[StreamPlan],
        everything: Sequence[StreamPlan],
        plan: Plan,
        dice: Dice,
        slots: int,
        stop: Stop,
        recorded: Callable[[StreamPlan], str] = lambda _: "",
    ) -> None:
        super().__init__(len(streams), stop)
        self._slots, self._dice = slots, dice
        self._lead = load_protocol(plan.protocol).interleaving.lead_units
        self._arms = _arms(streams, everything, plan, slots)
        self._paced = {paced.stream.id: paced for arm in self._arms.values() for paced in arm.unstarted}
        self._compared: dict[str, list[PacedMatch]] = {}
        for match in {stream.match.id: stream.match for stream in streams}.values():
            self._compared.setdefault(match.draws, []).append(self._arms[match.id])
        for paced in self._paced.values():
            self._reach(paced, paced.units_recorded(recorded(paced.stream)))

    def wait(self, stream: StreamPlan, question: Question) -> None:
        """Wait until the unit of a question may be played. Raises Stopped."""
        paced = self._paced[stream.id]
        if paced.may_play and question.game == paced.result:
            return
        with self._changed:
            unit = paced.unit_of(question.game)
            self._reach(paced, unit)
            if paced.may_play and unit == paced.unit:
                return
            self._leave(paced)
            paced.unit = unit
            arm = self._arms[stream.match.id]
            arm.waiting.append(paced)
            self._give()
            while not paced.may_play:
                self._changed.wait(LOOK_S)
                self._stop.check()

    def passed(self, stream: StreamPlan, question: Question) -> None:
        """Count an answer, new or recorded: the units before it are done."""
        paced = self._paced[stream.id]
        if question.game == paced.result:
            return
        with self._changed:
            paced.result, paced.unit = question.game, paced.unit_of(question.game)
            if self._reach(paced, paced.unit):
                self._give()

    def finished(self, stream: StreamPlan) -> None:
        """Count a stream that has ended: all of its units are done, or it failed and the run stops."""
        with self._changed:
            paced, arm = self._paced[stream.id], self._arms[stream.match.id]
            self._leave(paced)
            self._reach(paced, paced.end)
            arm.left -= 1
            self._give()

    def _reach(self, paced: PacedStream, unit: int) -> bool:
        """Count the units of a stream before this one as done; whether some were not yet."""
        more = unit - paced.counted
        if more > 0:
            self._arms[paced.stream.match.id].done += more
            paced.counted = unit
        return more > 0

    def _leave(self, paced: PacedStream) -> None:
        """Take a stream's turn back."""
        if paced.may_play:
            paced.may_play = False
            self._slots += 1
            self._arms[paced.stream.match.id].playing -= 1

    def _give(self) -> None:
        """Give free slots to the streams that come next."""
        while self._slots and (paced := self._next()):
            arm = self._arms[paced.stream.match.id]
            if paced in arm.waiting:
                arm.waiting.remove(paced)
            else:
                arm.unstarted.pop()
                self._to_start.append(paced.stream)
            paced.may_play = True
            self._slots -= 1
            arm.playing += 1
        self._changed.notify_all()

    def _next(self) -> PacedStream | None:
        """The stream whose turn it is, of the match that has begun the least share of its units."""
        for _, arm in sorted(self._arms.items(), key=lambda row: (row[1].begun, self._drawn(*row))):
            paced = arm.next()
            if paced and not self._is_ahead(arm, paced):
                return paced
        return None

    def _drawn(self, match: str, arm: PacedMatch) -> int:
        """The draw of an arm's next unit: of arms that have begun equal shares, the one with the least comes first."""
        return self._dice.stream(f"turns/{match}/{arm.next_unit}").wide()

    def _is_ahead(self, arm: PacedMatch, paced: PacedStream) -> bool:
        """Whether an arm would begin a unit too far ahead of the slowest one that it is compared with."""
        others = (one for one in self._compared[paced.stream.match.draws] if one is not arm and one.left)
        slowest = min((one.begun for one in others), default=None)
        return slowest is not None and arm.done + arm.playing + 1 > slowest * arm.planned + self._lead


def _arms(
    streams: Sequence[StreamPlan], everything: Sequence[StreamPlan], plan: Plan, slots: int
) -> dict[str, PacedMatch]:
    """The arms of these streams by the id of their match. `everything`: all streams of their matches, as `Turns`."""
    matches = {stream.match.id: stream.match for stream in streams}
    own_streams: dict[str, list[PacedStream]] = {}
    for stream in everything:
        own_streams.setdefault(stream.match.id, []).append(PacedStream(stream, unit_results(stream.match, plan)))
    arms, ids = {}, {stream.id for stream in streams}
    for name, match in matches.items():
        own = own_streams[name]
        to_play = [paced for paced in own if paced.stream.id in ids]
        planned = sum(paced.units for paced in own)
        before = sum(paced.units for paced in own if paced.first < to_play[0].first)
        per_career = max(1, match.planned // own[0].unit_results // max(1, match.careers))
        arms[name] = PacedMatch(to_play, planned, before, per_career, max(1, -(-slots // len(matches))))
    return arms
