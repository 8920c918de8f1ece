"""Check of scripted seats' answers against their prompts and seeds: the whole answer, not its text alone.

A scripted seat has exactly one possible answer to a question. If anything of it were only attested, whoever signs a
bundle could make such an opponent lose: the right words with finish "length" declare no action and forfeit a game.

Which check a seat's answers have is `check` of its kind (`AnswerCheck`):

    EVERY             random, benchmark: every answer computed again while its stream is replayed
    SAMPLED           reference: computed again; it costs time, so of a long run a random sample
    FORM, ENGINE      stockfish, uci: every answer's form (one legal move, no failed tries, no tokens); at full strength
                      the move too: the engine is asked again, of a long run about a random sample, of a UCI engine
                      where its program is at hand. Below full strength engines draw: their moves are attested
"""

import chess
import msgspec

from ..core.dice import Stream
from ..core.questions import Answer, Chat, Question, Reply
from ..plan.manifest import Plan
from ..protocols.norms import load_protocol
from ..seats import AnswerCheck, Seat
from ..table.scripted_players import position_of, stockfish_reply, with_words_as_tokens
from .check_log import Finding, Number
from .random_sample import RandomSample

TOLD_MAX = 3
LATER = (AnswerCheck.SAMPLED, AnswerCheck.ENGINE)
"""Checks that are made one by one after the replay, of a long run of a sample."""


def scripted_seats(plan: Plan) -> dict[str, Seat]:
    """The playing seats whose answers, or their form, follow from their prompts."""
    return {name: seat for name, seat in plan.playing.items() if seat.check is not AnswerCheck.ATTESTED}


def sample_key(name: str, seat: Seat) -> str:
    """Answers of a kind are sampled together; those of a UCI engine apart, since its program may not be at hand."""
    return f"{seat.kind} {name}" if seat.program_sha256 else seat.kind


class SeatAnswer(msgspec.Struct, frozen=True):
    """An answer of a scripted seat, to be computed again or compared with the engine's own."""

    question: Chat
    answer: Answer


class SeatReplies:
    """Compares the answers of scripted seats while a stream is replayed, and keeps a random sample of the others.

    `left`: those that are for later, by `sample_key`, at most `most` of each; `draws` are their priorities. At most
    `TOLD_MAX` findings are kept.
    """

    def __init__(self, plan: Plan, most: int, draws: Stream) -> None:
        self._seats, self._most, self._draws = scripted_seats(plan), most, draws
        self._engine = load_protocol(plan.protocol).engine.name
        self.findings: list[Finding] = []
        self.compared = 0
        self.left: dict[str, RandomSample[SeatAnswer]] = {}

    def note(self, question: Question, answer: Answer) -> None:
        """Take one answer; those of other seats are no matter."""
        if not isinstance(question, Chat) or len(self.findings) >= TOLD_MAX:
            return
        seat = self._seats.get(question.to)
        if seat is None:
            return
        if seat.check in LATER:
            left = self.left.setdefault(sample_key(question.to, seat), RandomSample(self._most))
            left.offer(self._draws.wide(), SeatAnswer(question, answer))
        if seat.check is AnswerCheck.EVERY:
            self._take(departure(question, answer, seat))
            self.compared += 1
        elif seat.check in {AnswerCheck.FORM, AnswerCheck.ENGINE}:
            self._take(misshapen(question, answer, seat, seat.engine_named or self._engine))

    def _take(self, finding: Finding | None) -> None:
        if finding:
            self.findings.append(finding)


def departure(question: Chat, answer: Answer, seat: Seat) -> Finding | None:
    """The departure of a scripted seat's answer from the only one that it can give, or None."""
    try:
        text = seat.reply_text(question.messages, question.seed)
    except ValueError as error:
        return Finding(Number.SEATS, place_of(question), str(error), "another prompt")
    expected = with_words_as_tokens(seat.kind, question.messages, text)
    return difference(question, answer, expected, seat.kind)


def difference(question: Chat, answer: Answer, expected: Reply, kind: str) -> Finding | None:
    """The first field of an answer that is not as expected; None where all are."""
    place, whose = place_of(question), f"the {kind} seat's"
    if not isinstance(answer, Reply):
        return Finding(Number.SEATS, place, f"{whose} {expected.text!r}", "no reply")
    if answer.text != expected.text:
        return Finding(Number.SEATS, place, f"{whose} {expected.text!r}", repr(answer.text)[:200])
    for name in Reply.__struct_fields__:
        expected_value, actual_value = getattr(expected, name), getattr(answer, name)
        if expected_value != actual_value:
            return Finding(Number.SEATS, place, f"{whose} {name} {expected_value!r}", repr(actual_value)[:200])
    return None


def misshapen(question: Chat, answer: Answer, seat: Seat, engine: str) -> Finding | None:
    """The departure of an engine's answer from the form of all of them (one legal move, no more), or None."""
    try:
        board = chess.Board(position_of(question.messages), chess960=True)
    except ValueError as error:
        return Finding(Number.SEATS, place_of(question), str(error), "another prompt")
    declared = answer.text.removeprefix("MOVE: ") if isinstance(answer, Reply) else ""
    if declared not in {board.uci(move) for move in board.legal_moves}:
        shown = repr(answer.text)[:200] if isinstance(answer, Reply) else "no reply"
        return Finding(Number.SEATS, place_of(question), f"MOVE: and a legal move of {seat.noun}", shown)
    return difference(question, answer, stockfish_reply(engine, declared), seat.kind)


def place_of(question: Chat) -> str:
    """The place of a question, for a finding."""
    return f"game {question.game} turn {question.turn}"
