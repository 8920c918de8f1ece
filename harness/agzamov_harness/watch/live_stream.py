"""One stream as far as its journal goes.

Prompts stand in no journal. So the stream's script asks its questions again, and the recorded answers are given to it:
what it asks next is what the run is waiting for.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from agzamov_verify.core.dice import Dice
from agzamov_verify.core.journal import BrokenJournal, Entry, asked
from agzamov_verify.core.questions import Chat, NoReply, Planted, Question, Reply
from agzamov_verify.core.script import Following, different
from agzamov_verify.plan.streams import block_script
from agzamov_verify.show.views import VIEWS
from agzamov_verify.table.decision import IllegalPolicy
from agzamov_verify.table.declared import FaultKind
from agzamov_verify.table.game import Block, StreamPlan
from agzamov_verify.table.registry import GAMES

from ..run.recorder import Follower
from ..run.run_folder import RunDirectory
from .seat_counts import CountsBySeat


class SeenDecision(NamedTuple):
    """A model's decision. `fault`: why its first answer is unusable; None where it gave a legal action."""

    seat: str
    turn: int
    fault: FaultKind | None


class LiveStream:
    """`asks`: the question that is open, since `asked_at` of the clock. `said`: the last reply
    of a model, or of any seat where none plays, with its question.

    `decision`: a model's last one in the game in progress, and `of_game` that game's counts. `results`: how many games
    or hands are over; `settled` are the calls by seat in them. `block`: once the stream has ended. `fault`: why the
    journal cannot be read on; empty while it can.
    """

    def __init__(self, directory: RunDirectory, plan: StreamPlan, dice: Dice, clock: Callable[[], float]) -> None:
        self.plan = plan
        self.asks: Question | None = None
        self.asked_at = clock()
        self.said: tuple[Chat, Reply | NoReply] | None = None
        self.decision: SeenDecision | None = None
        self.counts, self.of_game = CountsBySeat(), CountsBySeat()
        self.results = 0
        self.settled: dict[str, int] = {}
        self.block: Block | None = None
        self.fault = ""
        self._directory, self._dice, self._clock = directory, dice, clock
        self._number_in = GAMES[plan.match.game].number_in
        self._journal = Follower(directory.journal, directory.manifest.run_id, plan.id)
        self._script: Following[Block] | None = None
        self._chats: list[Chat] = []
        self._drawn: tuple[int, dict[str, Any]] = (0, {})

    @property
    def is_open(self) -> bool:
        """True while more may come."""
        return self.block is None and not self.fault

    @property
    def is_playing(self) -> bool:
        """True once it has begun, until it has ended."""
        return self.asks is not None and self.is_open

    @property
    def substitutes(self) -> bool:
        """Whether a random legal action is played in the place of an unusable answer."""
        rules = self._directory.manifest.plan.rules_of(self.plan.match.game)
        return getattr(rules, "illegal", None) is IllegalPolicy.SUBSTITUTE

    def look(self) -> int:
        """Read the entries since the last look, and return their number."""
        taken = 0
        try:
            for entry in self._journal.look():
                self._take(entry)
                taken += 1
                if not self.is_open:
                    break
        except BrokenJournal as error:
            self.fault = str(error)
        if taken:
            self.asked_at = self._clock()
        return taken

    def frame(self) -> dict[str, Any]:
        """The game in progress as its view draws it; empty where it does not."""
        if self._drawn[0] != len(self._chats):
            try:
                made = VIEWS[self.plan.match.game].live_frame([chat.messages for chat in self._chats])
            except ValueError:  # the last question is none about the position, such as what to keep of the game
                made = self._drawn[1]
            self._drawn = len(self._chats), made
        made = self._drawn[1]
        seen, turn = self.decision, self._chats[-1].turn if self._chats else 0
        if not made or not seen or not seen.fault or not self.substitutes:
            return made
        if seen.turn == turn - 1:
            return {**made, "drawn": True}
        return {**made, "earlier_drawn": True} if seen.turn == turn - 2 else made

    def _take(self, entry: Entry) -> None:
        if self._script is None:
            manifest = self._directory.manifest
            script = block_script(self.plan, manifest.plan, self._dice, manifest.memories, self._decided)
            self._script = Following(script)
            if self._script.question:
                self._ask(self._script.question)
        question = self.asks
        if question is None or entry.question != asked(question):
            self.fault = str(different(f"{self.plan.id} entry {entry.seq}", entry, question)) if question else ""
            return
        match question, entry.answer:
            case Chat(), Reply() | NoReply() if self._is_shown(question):
                self.said = (question, entry.answer)
        self.counts.answered(question, entry.answer)
        self._script.take(entry.answer)
        if self._script.question is None:
            self.block, self._script = self._script.value, None
            self._settle(len(self.block.records))
        else:
            self._ask(self._script.question)

    def _is_shown(self, question: Chat) -> bool:
        """Whether a reply is shown: where a model plays, those of models."""
        seats = self._directory.manifest.plan.seats
        has_model = any(seats[name].is_model for name in self.plan.match.seats)
        return not isinstance(question, Planted) and (seats[question.to].is_model or not has_model)

    def _ask(self, question: Question) -> None:
        """Turn to the next question, which may be of another game."""
        first, number = self.plan.first, self._number_in(question.game)
        if number - first > self.results and not isinstance(question, Planted):  # which may be named for an earlier one
            self._settle(number - first)
            self.decision = None
            self.of_game, self._chats, self._drawn = CountsBySeat(), [], (0, {})
        self.asks = question
        if isinstance(question, Chat) and not isinstance(question, Planted):
            self._chats.append(question)

    def _settle(self, results: int) -> None:
        self.results = results
        self.settled = {seat: counts.calls for seat, counts in self.counts.items()}

    def _decided(self, seat: str, fault: FaultKind | None) -> None:
        turn = self.asks.turn if self.asks else 0  # the question whose answer was just taken
        self.decision = SeenDecision(seat, turn, fault)
        self.counts.decided(seat, fault)
        self.of_game.decided(seat, fault)
