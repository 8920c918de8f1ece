"""Runs a sealed manifest: every stream side by side, Phase 0 first, its gate, then the rest.

A stream depends on nothing but the seed and its own answers, so the order in which streams are
played never shows in a journal. A match that may end early is played from look to look. A fault of
the world stops the run cleanly; running the same folder again goes on from the journals.
"""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from fractions import Fraction
from threading import Event

from agzamov_verify.checks.opening import seed_dice
from agzamov_verify.dice import Dice
from agzamov_verify.manifest import Match, Plan
from agzamov_verify.phases.gate import PHASES, matches_to_play
from agzamov_verify.phases.looks import streams_due
from agzamov_verify.phases.streams import Block, StreamPlan, block_script, streams_of
from agzamov_verify.questions import Answer, Question, Reply
from agzamov_verify.scoring.results import MatchResult, match_result
from agzamov_verify.script import drive
from agzamov_verify.workers import cores

from .ports import Clock
from .progress import State
from .recorder import Recorder, recorded
from .rundir import RunDirectory

Blocks = dict[str, list[Block]]


class Stopped(Exception):
    """The run stopped before its end and can be resumed; the message says why."""


class Stop:
    """A request to stop, from a signal, a budget or a fault, with its reason."""

    def __init__(self) -> None:
        self._event = Event()
        self.reason = ""

    def request(self, reason: str) -> None:
        """Ask every stream to stop before its next question. The first reason is kept."""
        self.reason = self.reason or reason
        self._event.set()

    def wait(self, seconds: float) -> None:
        """Sleep, unless or until a stop is requested. Raises Stopped."""
        self._event.wait(seconds)
        self.check()

    def check(self) -> None:
        """Raises Stopped once a stop was requested."""
        if self._event.is_set():
            raise Stopped(self.reason)


class Runner:
    """Plays the streams of one run directory."""

    def __init__(
        self,
        directory: RunDirectory,
        world: Callable[[Question], Answer],
        clock: Clock,
        state: State,
        stop: Stop,
        concurrency: int,
    ) -> None:
        self._directory, self._world, self._clock = directory, world, clock
        self._state, self._stop, self._concurrency = state, stop, concurrency
        self._plan: Plan = directory.manifest.plan
        self._dice: Dice = seed_dice(directory.manifest, directory.secret)
        self._spent_before_usd = self._recorded_usd() if Fraction(self._plan.budget.cost_usd_max) else Fraction(0)

    def play(self) -> Blocks:
        """All blocks by match id. Raises Stopped, or PortFault when the world fails."""
        blocks: Blocks = {}
        phase0: list[MatchResult] = []
        for phase in PHASES:
            allowed = matches_to_play(self._plan, phase, phase0)
            stopped = [match for match in self._plan.matches if match.phase == phase and match not in allowed]
            self._state.will_not_play(stream for match in stopped for stream in streams_of(match))
            while streams := [stream for match in allowed for stream in self._next_streams(match, blocks)]:
                self._play_all(streams, blocks)
            for match in allowed:
                self._state.will_not_play(list(streams_of(match))[len(blocks[match.id]) :])
            if phase == 0:
                phase0 = [match_result(match, blocks[match.id], self._plan, self._dice) for match in allowed]
        return blocks

    def _next_streams(self, match: Match, blocks: Blocks) -> list[StreamPlan]:
        """What is to be played of a match before it is looked at again; nothing once it has ended."""
        played = blocks.get(match.id, [])
        return streams_due(match, self._plan, played)[len(played) :]

    def _play_all(self, streams: Sequence[StreamPlan], blocks: Blocks) -> None:
        with ThreadPoolExecutor(self._concurrency, "stream", _keep_interrupts_out) as pool:
            futures = [pool.submit(self._play_one, stream) for stream in streams]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            except BaseException:
                self._stop.request("interrupted")
                raise
            finally:
                for future in futures:
                    future.cancel()
        _raise_fault(futures)
        for stream, future in zip(streams, futures, strict=True):
            blocks.setdefault(stream.match.id, []).append(future.result())

    def _play_one(self, stream: StreamPlan) -> Block:
        """Play one stream. Its fault stops the others here and now; after a stop, a fault is what came of stopping."""
        self._stop.check()
        try:
            return self._record(stream)
        except Exception as error:
            self._stop.check()
            self._stop.request(str(error))
            raise

    def _record(self, stream: StreamPlan) -> Block:
        run = self._directory.manifest.run_id
        unit = durable_unit(stream, self._plan)
        with Recorder(self._directory.journal, run, stream.id, self._ask, self._clock, unit) as recorder:

            def answer(question: Question) -> Answer:
                given = recorder(question)
                self._state.answered(stream, question, given)
                return given

            block = drive(block_script(stream, self._plan, self._dice), answer)
            recorder.finish()
        self._state.finished(stream, block)
        return block

    def _recorded_usd(self) -> Fraction:
        """What a run that goes on has spent: known before its first stream has been driven again."""
        total = Fraction(0)
        for entry in recorded(self._directory.journal):
            if isinstance(entry.answer, Reply):
                total += self._state.cost_of(entry.question.to, entry.answer)
        return total

    def _ask(self, question: Question) -> Answer:
        self._stop.check()
        limit = Fraction(self._plan.budget.cost_usd_max)
        if limit and max(self._spent_before_usd, self._state.cost_usd) >= limit:
            self._stop.request(f"the budget of {self._plan.budget.cost_usd_max} USD is spent")
            self._stop.check()
        return self._world(question)


def finished(directory: RunDirectory) -> Blocks:
    """All blocks of a run that has been played, driven again from its journals. Raises Stopped if some is missing."""

    def nobody(question: Question) -> Answer:
        raise Stopped(f"game {question.game} is not played to its end")

    state = State(directory.manifest.plan, None)
    return Runner(directory, nobody, lambda: 0, state, Stop(), cores()).play()


def _keep_interrupts_out() -> None:
    """Block SIGINT in a stream's thread, and so in the engines and workers that it starts.

    A terminal sends Ctrl-C to all of them: they must not die of it before the calls in flight are answered.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _raise_fault(futures: Sequence[Future[Block]]) -> None:
    """Raise what stopped the streams, once all have ended: the fault itself, not its echo in the others."""
    faults = [error for future in futures if not future.cancelled() and (error := future.exception())]
    if faults:
        raise next((error for error in faults if not isinstance(error, Stopped)), faults[0])


def durable_unit(stream: StreamPlan, plan: Plan) -> Callable[[str], str]:
    """What a game's journal is synced to disk with: the game itself, or its session of hands."""
    if stream.match.game == "chess960":
        return str

    def session(game: str) -> str:
        return str(int(game.rpartition("-h")[2]) // plan.holdem.session_hands)

    return session
