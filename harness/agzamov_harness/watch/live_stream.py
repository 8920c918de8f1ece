"""One stream of a run that another process plays: its script, driven by its journal as far as that goes.

Prompts stand in no journal. So the script asks its questions again, and the recorded answers are given to it: what it
asks next is what the run is waiting for.
"""

from collections.abc import Callable
from typing import TypeAlias

from agzamov_verify.dice import Dice
from agzamov_verify.games.game import Block, StreamPlan
from agzamov_verify.journal import BrokenJournal, Entry, asked
from agzamov_verify.questions import Answer, Chat, NoReply, Question, Reply
from agzamov_verify.script import Following, different
from agzamov_verify.streams import block_script

from ..follow import Follower
from ..rundir import RunDirectory

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
            case Chat(), Reply() | NoReply():
                self.said = (question, entry.answer)
        note(self.plan, question, entry.answer)
        self._script.take(entry.answer)
        if self._script.question is None:
            self.block, self._script = self._script.value, None
        else:
            self.asks = self._script.question
