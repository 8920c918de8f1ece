"""What was asked and answered in the drawn games: prompts are recomputed by replay, as a journal has only digests."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from agzamov_verify.checks.opening import Opened
from agzamov_verify.checks.replaying import journal_lines
from agzamov_verify.journal import Chain
from agzamov_verify.phases.streams import StreamPlan, block_script
from agzamov_verify.questions import Answer, Chat, Evaluation, NoReply, Question, Reply
from agzamov_verify.script import Replay, drive

from .sample import streams_in


class Exchange(NamedTuple):
    """One question to a seat, whole, and the answer that the journal holds."""

    question: Chat
    answer: Reply | NoReply


def exchanges(opened: Opened, drawn: Mapping[str, Collection[str]], seats: Collection[str]) -> Iterator[Exchange]:
    """Every question to `seats` in the drawn games, by stream, in order."""
    for stream in streams_in(opened):
        if stream.id in drawn:
            yield from _of_stream(opened, stream, drawn[stream.id], seats)


def _of_stream(opened: Opened, stream: StreamPlan, games: Collection[str], seats: Collection[str]) -> list[Exchange]:
    lines = journal_lines(opened.source, opened.digests, stream.id)
    replay = Replay(stream.id, Chain(opened.manifest.run_id, stream.id).read_all(lines))
    found: list[Exchange] = []

    def noting(question: Question) -> Answer:
        given = replay(question)
        if isinstance(question, Chat) and question.game in games and question.seat in seats:
            assert not isinstance(given, Evaluation)
            found.append(Exchange(question, given))
        return given

    drive(block_script(stream, opened.manifest.plan, opened.dice), noting)
    return found
