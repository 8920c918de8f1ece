"""Turns of a study: one pair after another for each person, people side by side, a hold before each question."""

from types import SimpleNamespace
from typing import Any

import pytest

from agzamov_harness.run.plan_file import plan_from
from agzamov_harness.run.stop import Stop, Stopped
from agzamov_harness.run.study_turns import StudyTurns
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Chat
from agzamov_verify.experiment.people_settings import Hold
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.plan.study_hold import hold_s
from agzamov_verify.plan.study_order import order_of_play
from agzamov_verify.table.game import StreamPlan
from agzamov_verify.table.registry import GAMES
from people.people_worlds import study

DICE = Dice(bytes(32))


class Clock:
    """A clock that only a wait moves."""

    def __init__(self, stop: Stop) -> None:
        self.now_s, self.waits = 0.0, list[float]()
        stop.wait = self.wait  # type: ignore[method-assign] # no test rests on the clock

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_s += seconds

    def __call__(self) -> float:
        return self.now_s


def question(stream: StreamPlan, index: int, to: str = "memory_a") -> Any:
    game = GAMES["chess960"].id_of(stream.match, index)
    return Chat(1, game, (), 0, to, 0) if to == "ada" else SimpleNamespace(game=game, to=to, turn=0, attempt=0)


def test_streams_start_in_the_order_of_play_and_a_career_waits_for_its_pairs() -> None:
    plan = plan_from(study({"ada": "random"}, games=6))
    order = order_of_play(plan, DICE)["ada"]
    streams = [stream for match in plan.matches for stream in streams_of(match)]
    turns = StudyTurns(streams, plan, DICE, Stop())
    starting, begun = turns.starting(), []
    started: dict[str, StreamPlan] = {}
    for turn in order:
        career = turn.sub_phase == "4c"
        if not career or turn.match not in started:
            stream = next(starting)
            started[stream.match.id] = stream
        stream = started[turn.match]
        for index in (2 * turn.unit, 2 * turn.unit + 1):
            turns.wait(stream, question(stream, index))  # does not block: it is its turn
            turns.passed(stream, question(stream, index))
        begun.append((stream.match.id, turn.unit))
        if not career or turn.unit == 2:
            turns.finished(stream)
        else:
            # The next pair of the career is not begun before its turn: the question alone ends the pair before it.
            turns.passed(stream, question(stream, 2 * turn.unit + 2))
    assert begun == [(turn.match, turn.unit) for turn in order]
    assert next(starting, None) is None


def test_a_stream_that_is_not_next_waits_until_a_stop() -> None:
    plan = plan_from(study({"ada": "random"}))
    order = order_of_play(plan, DICE)["ada"]
    streams = [stream for match in plan.matches for stream in streams_of(match)]
    stop = Stop()
    turns = StudyTurns(streams, plan, DICE, stop)
    later = next(one for one in streams if one.match.id == order[1].match)
    stop.request("test")
    with pytest.raises(Stopped):
        turns.wait(later, question(later, 0))


def test_people_play_side_by_side() -> None:
    plan = plan_from(study({"ada": "random", "ben": "random"}))
    streams = [stream for match in plan.matches for stream in streams_of(match)]
    starting = StudyTurns(streams, plan, DICE, Stop()).starting()
    assert {next(starting).match.seats[1], next(starting).match.seats[1]} == {"ada", "ben"}


def test_a_person_is_asked_after_the_hold_and_at_once_where_the_machine_was_slower() -> None:
    plan = plan_from({**study({"ada": "random"}), "people": {"hold": {"median_s": 10, "most_s": 30}}})
    streams = [stream for match in plan.matches for stream in streams_of(match)]
    stop = Stop()
    clock = Clock(stop)
    turns = StudyTurns(streams, plan, DICE, stop, clock)
    stream = next(turns.starting())
    asked = question(stream, 0, "ada")
    expected = hold_s(Hold(10, 30), DICE, asked)
    turns.wait(stream, question(stream, 0, stream.match.seats[0]))
    turns.wait(stream, asked)
    assert clock.waits == [pytest.approx(expected)]
    turns.passed(stream, asked)
    clock.now_s += 31  # the machine thinks longer than any hold
    turns.wait(stream, asked)
    assert len(clock.waits) == 1


def test_without_a_hold_nobody_waits() -> None:
    plan = plan_from(study({"ada": "random"}))
    streams = [stream for match in plan.matches for stream in streams_of(match)]
    stop = Stop()
    clock = Clock(stop)
    turns = StudyTurns(streams, plan, DICE, stop, clock)
    stream = next(turns.starting())
    turns.wait(stream, question(stream, 0, "ada"))
    assert clock.waits == []


def test_holds_have_the_median_and_limit_of_the_plan_and_depend_on_the_question_alone() -> None:
    hold = Hold(12, 40)
    drawn = sorted(hold_s(hold, DICE, Chat(1, f"g{number:05d}", (), 0, "ada", 3)) for number in range(2000))
    assert drawn[1000] == pytest.approx(12, rel=0.06)  # 4.5 standard errors
    assert drawn[-1] <= 40
    assert drawn[0] > 0
    one = Chat(1, "g00001", (), 0, "ada", 3)
    assert hold_s(hold, DICE, one) == hold_s(hold, Dice(bytes(32)), one)
