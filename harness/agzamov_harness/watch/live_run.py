"""What a run has come to so far, by its journals alone: the same whoever plays it, here, in shares or on a cluster.

Prompts stand in no journal. So the script of each stream asks its questions again, and the recorded answers are given
to it as far as the journal goes: what it asks next is what the run is waiting for.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

import msgspec

from agzamov_verify.checks.opened_bundle import seed_dice
from agzamov_verify.core.dice import Dice
from agzamov_verify.core.journal import BrokenJournal, Entry, asked
from agzamov_verify.core.questions import Answer, Chat, Message, NoReply, Planted, Question, Reply
from agzamov_verify.core.script import Following, different
from agzamov_verify.experiment.matches import Match
from agzamov_verify.plan.streams import block_script, streams_of
from agzamov_verify.protocols import PROTOCOLS
from agzamov_verify.scoring.analysis import analysis_of
from agzamov_verify.scoring.early_stopping import matches_to_play, streams_due
from agzamov_verify.scoring.gate import is_gate
from agzamov_verify.scoring.results import match_results
from agzamov_verify.show.game_view import GameView
from agzamov_verify.show.replayed_game import named_seat
from agzamov_verify.show.text.headline import Headline, headlines
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.game import Block, StreamPlan

from ..run.progress import State
from ..run.recorder import Follower
from ..run.run_folder import RunDirectory
from .snapshot import GameRow, MatchRow, Snapshot, shortened

Note: TypeAlias = Callable[[StreamPlan, Question, Answer], None]


class LiveStream:
    """`asks`: the question that is open. `said`: a seat's last reply, with its question. `block`: once it has ended.

    `fault`: why the journal cannot be read on; empty while it can.
    """

    def __init__(self, directory: RunDirectory, plan: StreamPlan, dice: Dice) -> None:
        self.plan = plan
        self.asks: Question | None = None
        self.said: tuple[Chat, Reply | NoReply] | None = None
        self.block: Block | None = None
        self.fault = ""
        self._manifest, self._dice = directory.manifest, dice
        self._journal = Follower(directory.journal, directory.manifest.run_id, plan.id)
        self._script: Following[Block] | None = None

    @property
    def is_open(self) -> bool:
        """True while more may come."""
        return self.block is None and not self.fault

    @property
    def is_playing(self) -> bool:
        """True once it has begun, until it has ended."""
        return self.asks is not None and self.is_open

    def look(self, note: Note) -> int:
        """Read the entries since the last look, give each answer to `note`, and return their number."""
        taken = 0
        try:
            for entry in self._journal.look():
                self._take(entry, note)
                taken += 1
                if not self.is_open:
                    break
        except BrokenJournal as error:
            self.fault = str(error)
        return taken

    def _take(self, entry: Entry, note: Note) -> None:
        if self._script is None:
            manifest = self._manifest
            self._script = Following(block_script(self.plan, manifest.plan, self._dice, manifest.memories))
            self.asks = self._script.question
        question = self.asks
        if question is None or entry.question != asked(question):
            self.fault = str(different(f"{self.plan.id} entry {entry.seq}", entry, question)) if question else ""
            return
        match question, entry.answer:
            case Chat(), Reply() | NoReply() if not isinstance(question, Planted):
                self.said = (question, entry.answer)
        note(self.plan, question, entry.answer)
        self._script.take(entry.answer)
        if self._script.question is None:
            self.block, self._script = self._script.value, None
        else:
            self.asks = self._script.question


RATE_OVER_S: Final = 60.0
SCORE_EVERY_S: Final = 10.0
PAUSE_SHARE: Final = 9
"""After a figure was computed, at least so many times as long nothing is computed for its match."""
GAMES_SHOWN_MAX: Final = 24


class LiveRun:
    """Reads the journals at every `look`, and holds a snapshot. `clock`: monotonic seconds."""

    def __init__(self, directory: RunDirectory, clock: Callable[[], float]) -> None:
        self._directory, self._plan, self._clock = directory, directory.manifest.plan, clock
        self._dice = seed_dice(directory.manifest, directory.secret)
        self._state = State(self._plan, None)
        self._live = {match.id: self._streams(match) for match in self._plan.matches}
        self._failed = self._unanswered = self._prompt_tokens = self._completion_tokens = 0
        self._over: dict[str, tuple[int, bool]] = {}
        self._left_out: set[str] = set()
        self._is_gated = False
        self._scores: dict[str, _Score] = {match.id: _Score() for match in self._plan.matches}
        self._rates: deque[tuple[float, int]] = deque()
        self._changed_at: float | None = None
        self._caught_up = False

    def look(self) -> bool:
        """Read new entries. True if there were any."""
        taken = 0
        for streams in self._live.values():
            for stream in streams:
                if stream.is_open:
                    taken += stream.look(self._note)
                    if stream.block is not None:
                        self._state.finished(stream.plan, stream.block)
        now = self._clock()
        self._leave_out()
        if self._caught_up and taken:
            self._changed_at = now
        self._caught_up = True
        self._rates.append((now, self._state.calls))
        while self._rates[0][0] < now - RATE_OVER_S:
            self._rates.popleft()
        return taken > 0

    def score(self) -> None:
        """Compute figures again where matches have grown. It may take longer than looks, and run beside them."""
        for match in self._plan.matches:
            self._score(match)

    def snapshot(self) -> Snapshot:
        """All of it, as the page shows it."""
        counts, now = self._state.counts(), self._clock()
        playing = [stream for streams in self._live.values() for stream in streams if stream.is_playing]
        ends = [self._is_over(match) for match in self._plan.matches]
        budget = self._plan.budget.cost_usd_max
        return Snapshot(
            run=self._directory.manifest.run_id,
            title=self._plan.title,
            is_read=self._caught_up,
            is_over=all(ends),
            quiet_s=None if self._changed_at is None else round(now - self._changed_at, 1),
            results={VIEWS[game].game.result.many: pair for game, pair in counts.results.items()},
            calls=counts.calls,
            calls_per_s=self._rate(),
            evaluations=counts.evaluations,
            faults=counts.faults,
            failed_attempts=self._failed,
            without_reply=self._unanswered,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            cost_usd=counts.cost_usd,
            budget_usd=budget if Fraction(budget) else "",
            matches=[*map(self._row, self._plan.matches, ends)],
            games=[*map(_game, playing[:GAMES_SHOWN_MAX])],
            games_not_shown=max(0, len(playing) - GAMES_SHOWN_MAX),
            broken=[stream.fault for streams in self._live.values() for stream in streams if stream.fault],
        )

    def _streams(self, match: Match) -> list[LiveStream]:
        return [LiveStream(self._directory, stream, self._dice) for stream in streams_of(match)]

    def _note(self, stream: StreamPlan, question: Question, answer: Answer) -> None:
        self._state.answered(stream, question, answer)
        if isinstance(answer, Reply | NoReply):
            self._failed += len(answer.attempts)
            self._unanswered += isinstance(answer, NoReply)
        if isinstance(answer, Reply):
            self._prompt_tokens += answer.prompt_tokens
            self._completion_tokens += answer.completion_tokens

    def _blocks(self, match: Match) -> list[Block]:
        """The blocks of a match in order, up to the first that is not there."""
        return [*_leading(self._live[match.id])]

    def _leave_out(self) -> None:
        """Once Phase 0 is played, its failed seats go no further."""
        gates = [match for match in self._plan.matches if is_gate(self._plan, match.phase)]
        if self._is_gated or not all(self._is_over(match) for match in gates):
            return
        self._is_gated = True
        results = [row for match in gates for row in match_results(match, self._blocks(match), self._plan)]
        allowed = {
            match.id
            for phase in PROTOCOLS[self._plan.protocol].phases
            for match in matches_to_play(self._plan, phase, [] if is_gate(self._plan, phase) else results)
        }
        left = [match for match in self._plan.matches if match.id not in allowed]
        for match in left:
            self._left_out.add(match.id)
            self._state.will_not_play(streams_of(match))

    def _is_over(self, match: Match) -> bool:
        if match.id in self._left_out:
            return True
        blocks = self._blocks(match)
        at, is_over = self._over.get(match.id, (-1, False))
        if at != len(blocks):
            is_over = len(streams_due(match, self._plan, blocks)) == len(blocks)
            self._over[match.id] = len(blocks), is_over
        return is_over

    def _score(self, match: Match) -> None:
        """Compute a match's figure again, where it has more blocks; not so often that it takes much of the time."""
        score, blocks, began = self._scores[match.id], self._blocks(match), self._clock()
        if len(blocks) == score.blocks or (began < score.next_at and not self._is_over(match)):
            return
        result, *_ = match_results(match, blocks, self._plan, self._directory.manifest.run_id)
        analysis = analysis_of(self._directory.manifest, self._dice, {match.id: blocks})
        figure, results = headlines((result,), analysis)[result.id], sum(len(block.records) for block in blocks)
        now = self._clock()
        pause_s = max(SCORE_EVERY_S, PAUSE_SHARE * (now - began))
        self._scores[match.id] = _Score(len(blocks), now + pause_s, figure, results, result.is_baseline)

    def _rate(self) -> float | None:
        """Calls of a second over the last minute; None until there are two looks."""
        if not self._rates:
            return None
        (then, before), (now, calls) = self._rates[0], self._rates[-1]
        return round((calls - before) / (now - then), 2) if now > then else None

    def _row(self, match: Match, is_over: bool) -> MatchRow:  # noqa: FBT001 - one of a list
        score, streams = self._scores[match.id], self._live[match.id]
        finished = sum(len(stream.block.records) for stream in streams if stream.block)
        return MatchRow(
            match=match.id,
            phase=int(match.phase),
            game=VIEWS[match.game].game.title,
            seats=[named_seat(match.seats, seat_index) for seat_index in range(len(match.table))],
            condition=f"{match.condition.augmentation.value} {match.condition.arm.value}",
            finished=finished,
            planned=match.planned,
            scored=score.results,
            words=score.figure.words if score.figure and not score.is_baseline else "",
            is_over=is_over,
            is_left_out=match.id in self._left_out,
            is_baseline=score.is_baseline,
        )


class _Score(msgspec.Struct, frozen=True):
    """The figure of the first `blocks` blocks of a match, which have `results` results."""

    blocks: int = 0
    next_at: float = 0.0
    figure: Headline | None = None
    results: int = 0
    is_baseline: bool = False


def _leading(streams: Sequence[LiveStream]) -> Iterator[Block]:
    for stream in streams:
        if stream.block is None:
            return
        yield stream.block


def _game(stream: LiveStream) -> GameRow:
    """A game that is being played: the open question, and the last reply."""
    asks, view = stream.asks, VIEWS[stream.plan.match.game]
    assert asks is not None
    asked, said = stream.said or (None, None)
    answered = asked if asked and asked.game == asks.game else None
    shown = asks if isinstance(asks, Chat) and not isinstance(asks, Planted) else answered
    reply = "" if said is None else said.text if isinstance(said, Reply) else f"(no reply: {said.reason})"
    return GameRow(
        game=asks.game,
        match=stream.plan.match.id,
        turn=asks.turn,
        waits_for=asks.to,
        scene=_scene(view, shown.messages) if shown else {},
        asked=asked.to if asked else "",
        prompt=shortened(asked.messages[-1].content) if asked else "",
        reply=shortened(reply),
    )


def _scene(view: GameView, messages: tuple[Message, ...]) -> dict[str, str]:
    """The position or the hand; nothing where a seat was not asked about one."""
    try:
        return view.scene(messages)
    except ValueError:
        return {}
