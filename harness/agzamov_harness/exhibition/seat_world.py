"""Answers an exhibition's script: the program by the desk, the seat by its own ports, in time or not at all.

A reply that does not come in time is recorded as no reply, and dropped when it comes: the script then draws a legal
move, as for any answer without one. A fault of a server or a machine is none of the seat's: it ends the exhibition.
"""

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Final, cast

from agzamov_verify.core.questions import Answer, Called, Chat, Examined, Hits, NoReply, Question, Reply
from agzamov_verify.table.exhibition import PROGRAM

from ..run.dispatch import World
from .desk import Desk, Ended, decided

LATE: Final = "no answer before the program needed a move"
TOLD_CHARACTERS: Final = 200


class SeatWorld:
    """The world of one exhibition. `tell` gets a line for a person; `moved` the script's moves."""

    def __init__(self, world: World, desk: Desk, tell: Callable[[str], None], moved: Callable[[str], None]) -> None:
        self._world, self._desk, self._tell, self._moved = world, desk, tell, moved

    def __call__(self, question: Question) -> Answer:
        if question.to == PROGRAM and isinstance(question, Chat):
            if move := decided(question.messages[0].content):
                self._moved(move)
            return Reply(text=self._desk.take().text)
        if isinstance(question, Chat):
            return self._in_time(question)
        answer = self._world(question)
        self._tell_of(question, answer)
        return answer

    def restore(self, question: Question, recorded: Answer) -> None:
        """Nothing is restored: an exhibition is not resumed."""

    def is_shared(self, question: Question) -> bool:
        """True if the port of a question may be asked several at once."""
        return self._world.is_shared(question)

    def _in_time(self, question: Chat) -> Answer:
        turn = self._desk.turn
        assert turn
        if turn.late.done():
            return self._late()
        answer = _in_thread(lambda: self._world(question))
        wait(cast("list[Future[object]]", [answer, turn.late]), return_when=FIRST_COMPLETED)
        if not answer.done():
            return self._late()
        reply = answer.result()
        if self._desk.closed:
            raise Ended
        self._tell_of(question, reply)
        return reply

    def _late(self) -> NoReply:
        if self._desk.closed:
            raise Ended
        self._tell(LATE)
        return NoReply(reason=LATE)

    def _tell_of(self, question: Question, answer: Answer) -> None:
        match answer:
            case Reply():
                self._tell(f"{question.to}: {answer.text[-TOLD_CHARACTERS:]}")
            case Hits():
                entries = " / ".join(hit.content for hit in answer.hits) or answer.text or "nothing"
                self._tell(f"{question.to}: {entries[:TOLD_CHARACTERS]}")
            case Called():
                self._tell(f"{question.to}: {answer.text[:TOLD_CHARACTERS]}")
            case Examined():
                lines = " / ".join(f"{move.line}" for move in answer.moves)
                self._tell(f"{question.to}: {lines[:TOLD_CHARACTERS]}")
            case _:
                pass


def _in_thread(work: Callable[[], Answer]) -> Future[Answer]:
    """The outcome of work in a thread that nobody waits for at the end."""
    outcome: Future[Answer] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits gets it
            outcome.set_exception(error)

    threading.Thread(target=run, name="reply", daemon=True).start()
    return outcome
