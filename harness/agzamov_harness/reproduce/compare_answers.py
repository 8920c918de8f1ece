"""The answers in drawn games of a bundle, each compared with the one that the same seat gives now.

The submitter must not know the draw when the bundle is signed, so the seed is never taken from the bundle. It is
printed, and whoever has it draws the same games. Prompts are recomputed by replay, as a journal has only digests.

Another processor may compute another last bit, and where two tokens are nearly as likely, another word follows. So a
difference counts as *within the margin* if, by the new log probabilities, the recorded answer takes at its
first different token one that is nearly as likely as the likeliest. What follows there cannot be compared. No margin is
given where tokens are drawn at random (a temperature above 0).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import msgspec

from agzamov_verify.checks.drawn_games import streams_in
from agzamov_verify.checks.opened_bundle import Opened
from agzamov_verify.checks.replay_stream import exchanges_of
from agzamov_verify.core.questions import Chat, NoReply, Reply
from agzamov_verify.plan.manifest import Plan
from agzamov_verify.seats import ModelSeat
from agzamov_verify.table.game import StreamPlan

from ..adapters.completion import Token
from ..models.determinism import Probing
from ..ports import ChatPort, ChatRequest


class SampledExchange(NamedTuple):
    """One question to a seat, whole, and the answer that the journal holds."""

    question: Chat
    answer: Reply | NoReply


def exchanges(
    opened: Opened, drawn: Mapping[str, Collection[str]], seats: Collection[str]
) -> Iterator[SampledExchange]:
    """Every question to `seats` in the drawn games, by stream, in order."""
    for stream in streams_in(opened):
        if stream.id in drawn:
            yield from _of_stream(opened, stream, drawn[stream.id], seats)


def _of_stream(
    opened: Opened, stream: StreamPlan, games: Collection[str], seats: Collection[str]
) -> list[SampledExchange]:
    return [
        SampledExchange(question, answer)
        for question, answer in exchanges_of(opened, stream)
        if isinstance(question, Chat)
        and isinstance(answer, Reply | NoReply)
        and question.game in games
        and question.to in seats
    ]


SHOWN_CHARACTERS_MAX = 60
LIKELIEST = 20  # as many as servers show


class AnswerOutcome(StrEnum):
    """Result of comparing a recorded answer with a new one."""

    SAME = "same"
    WITHIN_MARGIN = "within the margin"
    DIFFERENT = "different"


class TextDifference(msgspec.Struct, frozen=True):
    """First difference of an answer: a character's index from 0, and the texts there."""

    game: str
    turn: int
    attempt: int
    seat: str
    character: int
    recorded: str
    found: str


class ComparedAnswer(NamedTuple):
    """One answer asked again."""

    game: str
    seat: str
    outcome: AnswerOutcome
    counts_same: bool
    difference: TextDifference | None


class Asker:
    """The ports of a run's seats, asked again; a margin is applied where the server shows log probabilities."""

    def __init__(self, plan: Plan, ports: Mapping[str, ChatPort], margin: Fraction) -> None:
        self._plan, self._ports, self._margin = plan, ports, margin

    def all(
        self, asked: Sequence[SampledExchange], together: int, tick: Callable[[], object] = lambda: None
    ) -> Iterator[ComparedAnswer]:
        """Ask again and compare every exchange, `together` at a time. Raises PortFault."""
        with ThreadPoolExecutor(together, "reproduce") as pool:
            for compared in pool.map(self.ask_again, asked):
                tick()
                yield compared

    def ask_again(self, exchange: SampledExchange) -> ComparedAnswer:
        """Ask one question again. Raises PortFault."""
        question, recorded = exchange
        request = ChatRequest(question.messages, question.seed, question.with_tools)
        again = self._ports[question.to].complete(request)
        if same(recorded, again):
            return ComparedAnswer(question.game, question.to, AnswerOutcome.SAME, counts_same(recorded, again), None)
        outcome = AnswerOutcome.WITHIN_MARGIN if self._nearly(exchange, request) else AnswerOutcome.DIFFERENT
        place = (question.game, question.turn, question.attempt, question.to)
        difference = TextDifference(*place, *first_difference(answer_words(recorded), answer_words(again)))
        return ComparedAnswer(question.game, question.to, outcome, counts_same(recorded, again), difference)

    def _nearly(self, exchange: SampledExchange, request: ChatRequest) -> bool:
        """True if the recorded answer is within the margin, by log probabilities that are requested only now."""
        seat, port = self._plan.seats[exchange.question.to], self._ports[exchange.question.to]
        if not self._margin or not isinstance(exchange.answer, Reply) or not isinstance(port, Probing):
            return False
        if exchange.answer.tool_calls or not isinstance(seat, ModelSeat) or Fraction(seat.temperature):
            return False
        tokens = port.probe(request, seat.tokens_max, LIKELIEST).tokens
        return within_margin(exchange.answer.text, tokens, float(self._margin))


def same(recorded: Reply | NoReply, again: Reply | NoReply) -> bool:
    """True if two answers have the same text to the last byte and end for the same reason."""
    if isinstance(recorded, Reply) and isinstance(again, Reply):
        return all(getattr(recorded, field) == getattr(again, field) for field in ("text", "tool_calls", "finish"))
    return isinstance(recorded, NoReply) and isinstance(again, NoReply) and recorded.reason == again.reason


def counts_same(recorded: Reply | NoReply, again: Reply | NoReply) -> bool:
    """True if the servers counted the same tokens, or if there are no two replies to compare."""
    if isinstance(recorded, Reply) and isinstance(again, Reply):
        recorded_counts, counts_again = (
            (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) for reply in (recorded, again)
        )
        return recorded_counts == counts_again
    return True


def within_margin(recorded: str, tokens: Sequence[Token], margin: float) -> bool:
    """True if the recorded text departs from the new tokens at one that is nearly as likely.

    `margin` is in nats: the natural logarithm of how many times likelier the new token may be.
    """
    left = recorded.encode()
    for token in tokens:
        if token.piece and left.startswith(token.piece):
            left = left[len(token.piece) :]
            continue
        likely = [logprob for piece, logprob in token.likeliest if _takes(left, piece)]
        return any(token.logprob - logprob <= margin for logprob in likely)
    return False


def _takes(left: bytes, piece: bytes) -> bool:
    """True if the recorded text continues with a token; one without text ends the answer."""
    return left.startswith(piece) if piece else not left


def answer_words(answer: Reply | NoReply) -> str:
    """Text of an answer, its tool calls, and its end."""
    if isinstance(answer, NoReply):
        return f"[no reply: {answer.reason}]"
    calls = "".join(f"\n[calls {call.name}: {call.arguments}]" for call in answer.tool_calls)
    return f"{answer.text}{calls}\n[{answer.finish}]"


def first_difference(recorded: str, again: str) -> tuple[int, str, str]:
    """Index of the first character that differs, and both texts from there, cut short."""
    pairs = zip(recorded, again, strict=False)
    index = next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(recorded), len(again)))
    end = index + SHOWN_CHARACTERS_MAX
    return index, recorded[index:end], again[index:end]
