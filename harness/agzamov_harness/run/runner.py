"""Runs a sealed manifest: Phase 0 first, its gate, then the rest, the arms of each phase side by side (`interleave`).

A stream depends on nothing but the seed and its own answers, so the order in which streams are
played never shows in a journal. A match that may end early is played from look to look. A fault of
the world stops the run cleanly; running the same folder again goes on from the journals.
"""

import signal
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction

from agzamov_verify.core.journal import Entry
from agzamov_verify.core.questions import Answer, Chat, NoReply, Question, Reply
from agzamov_verify.core.workers import cores
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.manifest import ManifestError, Plan
from agzamov_verify.plan.people_study import is_study
from agzamov_verify.plan.streams import streams_of
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.scoring.early_stopping import matches_to_play, stopping_rule, streams_due
from agzamov_verify.scoring.gate import is_gate
from agzamov_verify.scoring.results import MatchResult, match_results
from agzamov_verify.table.game import Block, StreamPlan

from ..ports import Clock
from .budget import Budget, tokens_max_of
from .dispatch import Answering, Ports
from .error_limit import ErrorLimit
from .execution_log import ExecutionLog, execution
from .interleave import Turns
from .play_stream import Ended, Hooks, PlayedStream, StreamsHere, heard_by_nobody
from .progress import State
from .recorder import JOURNAL_SUFFIX, last_recorded, recorded
from .run_folder import RunDirectory
from .stop import CallsInFlight, Stop, Stopped, go_on_words
from .study_turns import StudyTurns

Blocks = dict[str, list[Block]]
_NOBODY: AbstractContextManager[object] = nullcontext()


class Runner:
    """Plays the streams of one run directory."""

    def __init__(
        self,
        directory: RunDirectory,
        ports: Ports,
        clock: Clock,
        state: State,
        stop: Stop,
        concurrency: int,
        ended: Ended = heard_by_nobody,
    ) -> None:
        self._ended = ended
        self._directory, self._streams = directory, StreamsHere(directory, ports, clock, concurrency)
        self._state, self._stop, self._concurrency = state, stop, concurrency
        self._log: ExecutionLog | None = None
        self._plan: Plan = directory.manifest.plan
        self._budget = self._budget_of(recorded(directory.journal))
        state.recorded(entry.question for entry in recorded(directory.journal))
        self._limit = ErrorLimit(self._plan, state)
        self._models = {name for name, seat in self._plan.playing.items() if seat.is_model}
        stop.wait_for_replies_of(self._plan.playing)
        self._calls = stop.in_flight = CallsInFlight()

    def _budget_of(self, entries: Iterable[Entry]) -> Budget:
        """The budget, less what was recorded before."""
        budget = Budget(self._plan.budget.cost_usd_max, self._state.cost_of, tokens_max_of(self._plan))
        budget.pay_recorded(entries)
        return budget

    def play(self) -> Blocks:
        """All blocks by match id, in an execution that is logged.

        Raises Stopped, PortFault when the world fails, ManifestError for a journal of another plan.
        """
        self._require_own_journals()
        with self._execution() as self._log, self._stop.leaving(self._log.leave):
            return self.drive()

    def _require_own_journals(self) -> None:
        """Raises ManifestError for a journal of no stream of the plan: packing would find it once all was played."""
        journal, own = self._directory.journal, {s.id for match in self._plan.matches for s in streams_of(match)}
        for folder in sorted(journal.iterdir()) if journal.is_dir() else ():
            if folder.name not in own and folder.is_dir() and any(folder.glob(f"*{JOURNAL_SUFFIX}")):
                raise ManifestError(
                    f"{folder}: expected the journal of a stream of the plan, found another; move it out of the run"
                )

    def drive(self) -> Blocks:
        """All blocks by match id. Raises as `play` does."""
        blocks: Blocks = {}
        phase0: list[MatchResult] = []
        for phase in PROTOCOLS[self._plan.protocol].phases:
            allowed = matches_to_play(self._plan, phase, phase0)
            stopped = [match for match in self._plan.matches if match.phase == phase and match not in allowed]
            self._will_not_play(stream for match in stopped for stream in streams_of(match))
            while streams := self._due(allowed, blocks):
                self._play_all(streams, blocks)
            for match in allowed:
                self._will_not_play(list(streams_of(match))[len(blocks[match.id]) :])
            if is_gate(self._plan, phase):
                phase0 = [row for match in allowed for row in match_results(match, blocks[match.id], self._plan)]
        return blocks

    def _due(self, matches: Sequence[Match], blocks: Blocks) -> list[StreamPlan]:
        """Streams of a phase to play before a match is looked at.

        Of the arms that it is compared with none that begins after the part that is looked at.
        """
        due = {match.id: self._next_streams(match, blocks) for match in matches}
        upto: dict[str, Fraction] = {}
        for match in matches:
            if stopping_rule(match, self._plan) and due[match.id]:
                last = due[match.id][-1]
                end = Fraction(last.first + last.count, match.planned)
                upto[match.draws] = min(end, upto.get(match.draws, end))
        streams = [stream for match in matches for stream in due[match.id]]
        return [
            one
            for one in streams
            if stopping_rule(one.match, self._plan) or one.first < upto.get(one.match.draws, 1) * one.match.planned
        ]

    def _next_streams(self, match: Match, blocks: Blocks) -> list[StreamPlan]:
        """Streams of a match to play before it is looked at again; empty once it has ended."""
        played = blocks.get(match.id, [])
        return streams_due(match, self._plan, played)[len(played) :]

    def _will_not_play(self, streams: Iterable[StreamPlan]) -> None:
        self._state.will_not_play(streams)

    def _execution(self) -> AbstractContextManager[ExecutionLog]:
        return execution(self._directory.journal)

    def _play_all(self, streams: Sequence[StreamPlan], blocks: Blocks) -> None:
        """Play streams side by side, each when its turn comes, and add their blocks in order."""
        matches = {stream.match.id: stream.match for stream in streams}.values()
        everything = [stream for match in matches for stream in streams_of(match) if self._plays(stream)]
        turns = self._turns(streams, everything)
        futures: dict[str, Future[Block]] = {}
        with ThreadPoolExecutor(max(1, len(streams)), "stream", _keep_interrupts_out) as pool:
            try:
                for stream in turns.starting():
                    futures[stream.id] = pool.submit(self._play_one, stream, turns)
                wait(futures.values(), return_when=FIRST_EXCEPTION)
            except BaseException:
                self._stop.request("interrupted")
                raise
        _raise_fault(futures.values())
        self._stop.check()
        for stream in streams:
            blocks.setdefault(stream.match.id, []).append(futures[stream.id].result())

    def _turns(self, streams: Sequence[StreamPlan], everything: Sequence[StreamPlan]) -> Turns | StudyTurns:
        dice = self._directory.dice
        if is_study(self._plan):
            return StudyTurns(streams, self._plan, dice, self._stop)
        return Turns(streams, everything, self._plan, dice, self._concurrency, self._stop, self._last_recorded)

    def _last_recorded(self, stream: StreamPlan) -> str:
        return last_recorded(self._directory.journal, stream.id)

    def _plays(self, stream: StreamPlan) -> bool:  # noqa: ARG002 - see shares
        """Whether this runner plays a stream of the plan."""
        return True

    def _play_one(self, stream: StreamPlan, turns: Turns | StudyTurns) -> Block:
        """Play one stream. Its fault stops the others at once; a fault after a stop is an effect of stopping."""
        try:
            self._stop.check()
            return self._play_in_turn(stream, turns)
        finally:
            turns.finished(stream)

    def _play_in_turn(self, stream: StreamPlan, turns: Turns | StudyTurns) -> Block:
        def passed(stream: StreamPlan, question: Question, answer: Answer) -> None:
            turns.passed(stream, question)
            self._state.answered(stream, question, answer)

        try:
            heard = passed, self._state.decided, self._in_flight, self._ended
            hooks = Hooks(turns.wait, self._before_call, self._after_call, *heard)
            played = self._played(stream, hooks)
            if self._log:
                self._log.finished(stream.id, played.entries, played.head)
            self._state.finished(stream, played.block)
        except Exception as error:
            self._stop.check()
            self._stop.request(str(error))
            raise
        return played.block

    def _played(self, stream: StreamPlan, hooks: Hooks) -> PlayedStream:
        """The stream, once it was played to its end."""
        return self._streams.play(stream, hooks)

    def _before_call(self) -> None:
        """Raises Stopped where the run is to stop, its budget is spent, or a seat's answers are too often unusable."""
        self._stop.check()
        self._budget.stop_if_spent(self._stop)
        self._limit.stop_if_reached(self._stop)

    def _in_flight(self, question: Question) -> AbstractContextManager[object]:
        return self._calls if isinstance(question, Chat) and question.to in self._models else _NOBODY

    def _after_call(self, question: Question, answer: Answer) -> None:
        self._state.asked(question)
        if isinstance(answer, Reply | NoReply):
            self._budget.pay(question.to, answer)


def finished(directory: RunDirectory) -> Blocks:
    """All blocks of a run that has been played, driven again from its journals. Raises Stopped if some is missing."""

    def nobody(question: Question) -> Answer:
        go_on = go_on_words(directory.path)
        raise Stopped(f"{directory.path}: game {question.game} is not played to its end; {go_on}")

    state = State(directory.manifest.plan, None)
    return Runner(directory, Answering(nobody), lambda: 0, state, Stop(), cores()).drive()


def _keep_interrupts_out() -> None:
    """Block SIGINT in a stream's thread, and so in the engines and workers that it starts.

    A terminal sends Ctrl-C to all of them: they must not die of it before the calls in flight are answered.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _raise_fault(futures: Collection[Future[Block]]) -> None:
    """Raise the fault that stopped the streams, once all have ended, not the Stopped that it caused in the others."""
    faults = [error for future in futures if not future.cancelled() and (error := future.exception())]
    if faults:
        raise next((error for error in faults if not isinstance(error, Stopped)), faults[0])
