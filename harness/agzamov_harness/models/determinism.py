"""Determinism of a model server, measured: the same requests in three orders, all at once, and after a reload.

A server may answer otherwise because of what it was asked before (its prompt cache) or beside (the shape of a batch).
Text is compared, and the exact log probabilities where the server gives them: they differ long before a word does. The
longest prompts are asked first, and how long the first takes decides how many are asked: a large model on a laptop
takes minutes for one.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from math import inf
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import msgspec

from agzamov_verify.core.waiting import Stage, busy

from ..adapters.completion import ServerAnswer, Token
from ..ports import ChatRequest

TOKENS_MAX = 32
LIKELIEST = 2
REVERSED, CROSSED, TOGETHER, RELOADED = "in reverse order", "every other first", "all at once", "after a reload"


@runtime_checkable
class Probing(Protocol):
    """A seat's model that shows the log probabilities of its tokens."""

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> ServerAnswer:
        """First `tokens_max` tokens of the answer. Raises PortFault."""
        ...


class Round(msgspec.Struct, frozen=True):
    """The same requests once more: how many answers were the same. `logprobs_same` is None where none were given."""

    how: str
    texts_same: int
    logprobs_same: int | None
    largest_difference: str

    def same(self, requests: int) -> bool:
        return self.texts_same == requests and self.logprobs_same in (None, requests)


class Measured(NamedTuple):
    """The answers of the first round, and how later rounds compare with them."""

    answers: tuple[ServerAnswer, ...]
    rounds: tuple[Round, ...]

    @property
    def same(self) -> bool:
        """True if every answer was the same in all rounds, and so were the log probabilities where they were given."""
        return all(repeat.same(len(self.answers)) for repeat in self.rounds)


class Effort(NamedTuple):
    """How much is measured: so many requests, in the third order too, and each so often when all are sent at once.

    More than once, since it is chance whether two share a batch.
    """

    requests: int
    is_crossed: bool
    passes: int

    def answers(self, *, reloads: bool) -> int:
        """The number of answers in all rounds."""
        return self.requests * (2 + self.is_crossed + self.passes + reloads)


def efforts(requests: int) -> tuple[Effort, ...]:
    """From the most to the least that shows anything: two requests, one after the other and at once."""
    few = min(2, requests)
    return (
        Effort(requests, True, 3),
        Effort(requests, False, 2),
        Effort(max(few, requests // 2), False, 2),
        Effort(few, False, 1),
    )


def effort_for(first_s: float, characters: Sequence[int], seconds_max: float, *, reloads: bool) -> Effort:
    """The greatest effort that takes `seconds_max` at most, or the least, if the first request took `first_s` seconds.

    A request takes time by its characters, the first one's the most.
    """
    for effort in efforts(len(characters)):
        mean = sum(characters[: effort.requests]) / effort.requests / characters[0]
        if first_s * mean * effort.answers(reloads=reloads) <= seconds_max:
            return effort
    return efforts(len(characters))[-1]


Tell: TypeAlias = Callable[[int, float], None]
"""Told the number of answers to come and about how many seconds they take."""


def measure(
    port: Probing,
    requests: Sequence[ChatRequest],
    tokens_max: int,
    together: int,
    reload: Callable[[], object] | None,
    seconds_max: float = inf,
    tell: Tell = lambda _answers, _seconds: None,
) -> Measured:
    """Ask `requests`, the longest first, alone and in order, then in the other ways, in about `seconds_max` or less.

    `together` is how many at once. Raises PortFault.
    """
    with busy("preflight") as stage:
        ask = counting(port, tokens_max, stage)
        began_s = time.monotonic()
        longest = ask(requests[0])
        first_s, lengths = time.monotonic() - began_s, [characters(request) for request in requests]
        effort = effort_for(first_s, lengths, seconds_max, reloads=reload is not None)
        requests = requests[: effort.requests]
        stage.total = effort.answers(reloads=reload is not None)
        mean_s = first_s * sum(lengths[: effort.requests]) / effort.requests / lengths[0]
        tell(stage.total - 1, mean_s * (stage.total - 1))
        first = (longest, *map(ask, requests[1:]))
        rounds = [_round(REVERSED, first, [ask(request) for request in reversed(requests)][::-1])]
        if effort.is_crossed:
            order = [*range(1, len(requests), 2), *range(0, len(requests), 2)]
            crossed = dict(zip(order, [ask(requests[index]) for index in order], strict=True))
            rounds.append(_round(CROSSED, first, [crossed[index] for index in range(len(requests))]))
        rounds.append(_round(TOGETHER, first, at_once(ask, [*requests] * effort.passes, together)))
        if reload:
            reload()
            rounds.append(_round(RELOADED, first, list(map(ask, requests))))
    return Measured(first, tuple(rounds))


def counting(port: Probing, tokens_max: int, stage: Stage) -> Callable[[ChatRequest], ServerAnswer]:
    """A function that asks for an answer and counts it in `stage`. It raises PortFault."""

    def ask(request: ChatRequest) -> ServerAnswer:
        answer = port.probe(request, tokens_max, LIKELIEST)
        stage.done += 1
        return answer

    return ask


def characters(request: ChatRequest) -> int:
    """Characters of a request's messages."""
    return sum(len(message.content) for message in request.messages)


def at_once(
    ask: Callable[[ChatRequest], ServerAnswer], requests: Sequence[ChatRequest], together: int
) -> list[ServerAnswer]:
    """The answers to requests of which so many are sent at once. Raises PortFault."""
    with ThreadPoolExecutor(together, "preflight") as pool:
        return list(pool.map(ask, requests))


def _round(name: str, first: Sequence[ServerAnswer], again: Sequence[ServerAnswer]) -> Round:
    """Compare a round with the first; a request that was asked several times is the same if every answer is."""
    by_request = [(answer, again[index :: len(first)]) for index, answer in enumerate(first)]
    has_tokens = any(answer.tokens for answer in chain(first, again))  # a server holds back those of half a character
    common = chain.from_iterable(
        _common(answer.tokens, later.tokens) for answer, repeats in by_request for later in repeats
    )
    differences = [abs(a.logprob - b.logprob) for a, b in common if a.logprob != b.logprob]
    same_tokens = sum(all(answer.tokens == later.tokens for later in repeats) for answer, repeats in by_request)
    return Round(
        name,
        sum(
            all((answer.text, answer.finish) == (later.text, later.finish) for later in repeats)
            for answer, repeats in by_request
        ),
        same_tokens if has_tokens else None,
        f"{max(differences, default=0.0):.9f}",
    )


def _common(first: Sequence[Token], second: Sequence[Token]) -> list[tuple[Token, Token]]:
    """The tokens of two answers up to where they part."""
    pairs = list(zip(first, second, strict=False))
    until = next((index for index, (a, b) in enumerate(pairs) if a.piece != b.piece), len(pairs))
    return pairs[:until]
