"""Plays one stream: its script asks, the recorder answers from the journal, then from the world.

The same wherever a stream is played: in a thread of the run, in a share of it, or on a worker of a cluster.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple, Protocol

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.questions import Answer, Question
from agzamov_verify.core.script import Exchanges
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.plan.streams import block_script
from agzamov_verify.table.declared import FaultKind
from agzamov_verify.table.game import Block, StreamPlan
from agzamov_verify.table.registry import GAMES

from ..ports import Clock
from .dispatch import Ports, World
from .questions_together import CallSlots
from .recorder import Recorder
from .run_folder import RunDirectory


class PlayedStream(NamedTuple):
    """A stream that was played to its end: its records, its number of entries and the digest of the last one."""

    block: Block
    entries: int
    head: str


class Hooks(NamedTuple):
    """Listeners to a stream that is played.

    `turn`: waits until the unit of a question may be played; then `before` each call, and may raise to stop; `after`
    each call, with its answer; `passed`: each answer that the script got, recorded or new; `decided`: each decision of
    a model's seat, as soon as its first answer is read, and why that is unusable. `in_flight`: entered for each call.
    `ended`: each result that is over, and whether no earlier process has gone on after it.
    Of questions that are asked together, `before`, `after` and `in_flight` are told in the threads of the calls.
    """

    turn: Callable[[StreamPlan, Question], None]
    before: Callable[[], None]
    after: Callable[[Question, Answer], None]
    passed: Callable[[StreamPlan, Question, Answer], None]
    decided: Callable[[StreamPlan, str, FaultKind | None], None]
    in_flight: Callable[[Question], AbstractContextManager[object]]
    ended: "Ended"


class Ended(Protocol):
    """Hears of results that are over."""

    def __call__(self, stream: StreamPlan, record: Any, /, *, is_new: bool) -> None:
        """Take a result of a stream. `is_new`: the journal held nothing after it."""
        ...


def heard_by_nobody(stream: StreamPlan, record: Any, /, *, is_new: bool) -> None:
    """Do nothing."""


class StreamsHere:
    """Plays streams of one run in this process, with at most `calls_max` calls in flight in all of them together."""

    def __init__(self, directory: RunDirectory, ports: Ports, clock: Clock, calls_max: int) -> None:
        self._directory, self._ports, self._clock = directory, ports, clock
        self._in_flight = CallSlots(calls_max)
        self._dice: Dice = directory.dice

    def play(self, stream: StreamPlan, hooks: Hooks, unit: Callable[[str], str] | None = None) -> PlayedStream:
        """Play one stream. `unit`: see Recorder; by default `durable_unit`. Raises PortFault, Divergence, OSError."""
        manifest = self._directory.manifest
        unit = unit or durable_unit(stream, manifest.plan)
        with self._ports.open(stream.id) as world:
            settings = (manifest.run_id, stream.id, _Paced(world, hooks), self._clock, unit, self._in_flight)
            with Recorder(self._directory.journal, *settings) as recorder:
                decided = partial(hooks.decided, stream)
                ended = _ended(stream, recorder, hooks.ended)
                script = block_script(stream, manifest.plan, self._dice, manifest.memories, decided, ended)
                in_turn = _InTurn(recorder, stream, hooks.turn)
                exchanges = Exchanges(script, in_turn.one, in_turn.together)
                for question, answer in exchanges:
                    hooks.passed(stream, question, answer)
                recorder.finish()
        return PlayedStream(exchanges.value, *recorder.head)


def _ended(stream: StreamPlan, recorder: Recorder, ended: Ended) -> Callable[[Any], None]:
    def told(record: Any) -> None:
        ended(stream, record, is_new=not recorder.recorded_left)

    return told


class _InTurn:
    """A stream's recorder that waits for the turn of what is to be asked, before it takes a slot for a call."""

    def __init__(self, recorder: Recorder, stream: StreamPlan, turn: Callable[[StreamPlan, Question], None]) -> None:
        self._recorder, self._stream, self._turn = recorder, stream, turn

    def one(self, question: Question) -> Answer:
        if not self._recorder.recorded_left:
            self._turn(self._stream, question)
        return self._recorder(question)

    def together(self, questions: Sequence[Question]) -> tuple[Answer, ...]:
        if self._recorder.recorded_left < len(questions):
            self._turn(self._stream, questions[0])
        return self._recorder.together(questions)


class _Paced:
    """A stream's world that checks before each call whether the run may go on, and reports each answer."""

    def __init__(self, world: World, hooks: Hooks) -> None:
        self._world, self._hooks = world, hooks
        self.restore, self.is_shared = world.restore, world.is_shared

    def __call__(self, question: Question) -> Answer:
        with self._hooks.in_flight(question):
            self._hooks.before()
            answer = self._world(question)
        self._hooks.after(question, answer)
        return answer


def durable_unit(stream: StreamPlan, plan: Plan) -> Callable[[str], str]:
    """Function from a game to the unit whose journal is synced to disk together: the game, or its session of hands."""
    game = GAMES[stream.match.game]
    together = game.durable_results(plan.rules_of(game.name))

    def unit(name: str) -> str:
        return str(game.number_in(name) // together)

    return unit


def unit_on_many_machines(stream: StreamPlan, plan: Plan) -> Callable[[str], str]:
    """As `durable_unit` where a machine may be lost, not only a process: each answer of its own if a model plays.

    A scripted answer costs nothing to have again, an answer of a model does.
    """
    if not any(plan.seats[name].is_model for name in stream.match.seats):
        return durable_unit(stream, plan)
    calls = itertools.count()
    return lambda _: str(next(calls))
