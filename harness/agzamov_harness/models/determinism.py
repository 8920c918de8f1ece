"""Determinism of a model server, measured: the same requests in three orders, all at once, and after a reload.

A server may answer otherwise because of what it was asked before (its prompt cache) or beside (the shape of a batch).
Text is compared, and the exact log probabilities where the server gives them: they differ long before a word does.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from ..adapters.completion import ServerAnswer, Token
from ..ports import ChatRequest

TOKENS_MAX = 32
LIKELIEST = 2
PASSES = 3
"""Number of times that each request is sent when all are sent at once: it is chance whether two share a batch."""
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


def measure(
    port: Probing, requests: Sequence[ChatRequest], tokens_max: int, together: int, reload: Callable[[], object] | None
) -> Measured:
    """Ask `requests` alone and in order, then in the other ways. `together` is how many at once. Raises PortFault."""

    def ask(request: ChatRequest) -> ServerAnswer:
        return port.probe(request, tokens_max, LIKELIEST)

    first = tuple(map(ask, requests))
    backwards = [ask(request) for request in reversed(requests)][::-1]
    order = [*range(1, len(requests), 2), *range(0, len(requests), 2)]
    crossed = dict(zip(order, [ask(requests[index]) for index in order], strict=True))
    with ThreadPoolExecutor(together, "preflight") as pool:
        at_once = list(pool.map(ask, [*requests] * PASSES))
    rounds = [
        _round(REVERSED, first, backwards),
        _round(CROSSED, first, [crossed[index] for index in range(len(requests))]),
        _round(TOGETHER, first, at_once),
    ]
    if reload:
        reload()
        rounds.append(_round(RELOADED, first, list(map(ask, requests))))
    return Measured(first, tuple(rounds))


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
