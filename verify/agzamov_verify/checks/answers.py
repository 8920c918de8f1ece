"""Check that answers agree with the sealed numbers and with themselves.

An honest harness writes none of what is found here: it gives up a call after the sealed number of tries, stops at a
server that overruns the token limit it was sent, cuts a text at its limit, and takes counts that contradict each other
for not sent. It asks nothing more once the budget is spent, so beyond the budget there are only the calls that were
under way then: one in each stream, or as many as its script asks together, and of all streams at most as many as a run
may have in flight.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final, NamedTuple, Self

from ..bundle import MANIFEST_FILE
from ..core.questions import (
    ARGUMENTS_CHARACTERS_MAX,
    HITS_MAX,
    REPLY,
    REPLY_CHARACTERS_MAX,
    SERVED_CHARACTERS_MAX,
    TOKENS_MAX,
    TOOL_CALLS_MAX,
    TOOL_CHARACTERS_MAX,
    TOOL_NAME_CHARACTERS_MAX,
    Answer,
    Called,
    CallTool,
    Chat,
    Evaluation,
    Exported,
    Hits,
    NoReply,
    Question,
    Reply,
    Search,
)
from ..plan.manifest import Plan
from ..scoring.inference.exact import figure
from ..scoring.seat_stats import cost_usd
from ..seats import Seat
from ..table.decision import Tally
from .check_log import Finding, Number

TOLD_MAX = 3
CONCURRENCY_MAX: Final = 1024
"""Greatest number of calls that a run has in flight; agzamov run --concurrency."""
BUDGET_PLACE: Final = f"{MANIFEST_FILE} plan.budget.cost_usd_max"


class Spent(NamedTuple):
    """Cost in USD of a stream's replies by the sealed prices: of all, and of the dearest.

    `together`: the most questions that its script asked together.
    """

    usd: Fraction = Fraction(0)
    dearest_usd: Fraction = Fraction(0)
    together: int = 1


def overspent(plan: Plan, streams: Iterable[Spent]) -> Iterator[Finding]:
    """A cost that no run of this harness can come to: one finding, or none."""
    spent = [stream for stream in streams if stream.usd]
    budget = Fraction(plan.budget.cost_usd_max)
    under_way = min(sum(stream.together for stream in spent), CONCURRENCY_MAX)
    total, dearest = (
        sum((stream.usd for stream in spent), Fraction(0)),
        max((stream.dearest_usd for stream in spent), default=0),
    )
    if budget and total >= budget + under_way * dearest:
        beyond = f"{under_way} calls under way, of {figure(Fraction(dearest)).decimal} USD at most"
        expected = f"less than the budget of {plan.budget.cost_usd_max} USD and {beyond}"
        yield Finding(Number.REPLAY, BUDGET_PLACE, expected, f"{figure(total).decimal} USD")


class Limits(NamedTuple):
    """What a seat's plan allows in one answer."""

    failed_tries: int
    tokens: int

    @classmethod
    def of(cls, seat: Seat) -> Self:
        """The limits of a seat."""
        return cls(seat.failed_tries_max, seat.tokens_limit or TOKENS_MAX)


class AnswerNumbers:
    """Looks at every answer while a stream is replayed. At most `TOLD_MAX` findings are kept."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._limits: dict[str, Limits] = {}
        self.findings: list[Finding] = []
        self.spent = Spent()

    def note(self, question: Question, answer: Answer) -> None:
        """Take one answer."""
        if isinstance(question, Chat) and isinstance(answer, Reply):
            if self._plan.prices:
                self._pay(question.to, answer)
            if self._is_plain(question.to, answer):
                return
        if len(self.findings) >= TOLD_MAX:
            return
        for expected, found in self._contradictions(question, answer):
            place = f"game {question.game} turn {question.turn}"
            self.findings.append(Finding(Number.REPLAY, place, expected, found))

    def _contradictions(self, question: Question, answer: Answer) -> Iterator[tuple[str, str]]:
        """Expected and found, for each contradiction within an answer."""
        if isinstance(question, Chat) and isinstance(answer, REPLY.types):
            return _of_seat(question, answer, self._limits_of(question.to))
        return _of_server(question, answer)

    def _is_plain(self, seat: str, reply: Reply) -> bool:
        """True of most replies, in which there is nothing that `_of_seat` could find."""
        return (
            not (reply.attempts or reply.tool_calls or reply.cached_tokens or reply.reasoning_tokens)
            and reply.completion_tokens <= self._limits_of(seat).tokens
            and len(reply.text) <= REPLY_CHARACTERS_MAX
        )

    def _limits_of(self, seat: str) -> Limits:
        limits = self._limits.get(seat)
        if limits is None:
            limits = self._limits[seat] = Limits.of(self._plan.seats[seat])
        return limits

    def _pay(self, seat: str, reply: Reply) -> None:
        price = self._plan.prices.get(seat)
        if price:
            tokens = Tally(
                prompt_tokens=reply.prompt_tokens,
                cached_tokens=reply.cached_tokens,
                completion_tokens=reply.completion_tokens,
            )
            usd = cost_usd(tokens, price)
            self.spent = Spent(self.spent.usd + usd, max(self.spent.dearest_usd, usd))


def _of_server(question: Question, answer: Answer) -> Iterator[tuple[str, str]]:
    """Of the engine and of memories."""
    match answer:
        case Evaluation():
            if (answer.centipawns is None) == (answer.mate is None):
                yield "an evaluation in centipawns or in moves to mate", "both" if answer.mate is not None else "none"
        case Hits() if isinstance(question, Search):
            if len(answer.hits) > question.hits_max:
                yield f"at most {question.hits_max} entries, as was asked", str(len(answer.hits))
            yield from _served([hit.content for hit in answer.hits])
        case Called() if isinstance(question, CallTool):
            if len(answer.hits) > HITS_MAX:
                yield f"at most {HITS_MAX} entries", str(len(answer.hits))
            yield from _served([answer.text, *(hit.content for hit in answer.hits)])
        case Exported():
            yield from _served([kept.content for kept in answer.entries])


def _of_seat(question: Chat, answer: Reply | NoReply, limits: Limits) -> Iterator[tuple[str, str]]:
    """Of a seat. This runs for every reply of a bundle, so it is one piece."""
    if len(answer.attempts) > limits.failed_tries:
        expected = f"at most {limits.failed_tries} failed tries of {question.to} before an answer"
        yield expected, str(len(answer.attempts))
    if not isinstance(answer, Reply):
        return
    if answer.completion_tokens > limits.tokens:
        yield f"at most {limits.tokens} completion tokens of {question.to}", str(answer.completion_tokens)
    if answer.cached_tokens > answer.prompt_tokens:
        yield f"at most {answer.prompt_tokens} cached tokens, as the prompt has", str(answer.cached_tokens)
    if answer.reasoning_tokens > answer.completion_tokens:
        expected = f"at most {answer.completion_tokens} reasoning tokens, as the completion has"
        yield expected, str(answer.reasoning_tokens)
    if len(answer.text) > REPLY_CHARACTERS_MAX:
        yield f"a text of at most {REPLY_CHARACTERS_MAX} characters", str(len(answer.text))
    if answer.tool_calls:
        yield from _calls(question, answer)


def _calls(question: Chat, reply: Reply) -> Iterator[tuple[str, str]]:
    """A harness keeps calls only of tools that were offered, and cuts them at the limits."""
    calls = reply.tool_calls
    if not question.with_tools:
        yield f"no tool calls of {question.to}, who was offered no tools", str(len(calls))
    if len(calls) > TOOL_CALLS_MAX:
        yield f"at most {TOOL_CALLS_MAX} tool calls in a reply", str(len(calls))
    characters = sum(len(call.name) + len(call.arguments) for call in calls)
    if characters > TOOL_CHARACTERS_MAX:
        yield f"tool calls of at most {TOOL_CHARACTERS_MAX} characters together", str(characters)
    for call in calls:
        if len(call.name) > TOOL_NAME_CHARACTERS_MAX or len(call.arguments) > ARGUMENTS_CHARACTERS_MAX:
            limits = f"{TOOL_NAME_CHARACTERS_MAX} characters of a name and {ARGUMENTS_CHARACTERS_MAX} of arguments"
            yield f"at most {limits}", f"{len(call.name)} and {len(call.arguments)}"


def _served(contents: list[str]) -> Iterator[tuple[str, str]]:
    characters = sum(map(len, contents))
    if characters > SERVED_CHARACTERS_MAX:
        yield f"entries of at most {SERVED_CHARACTERS_MAX} characters together", str(characters)
