"""Is an answer a function of its request alone? Measured: the same requests alone, in reverse, all at once, reloaded.

A server may answer otherwise because of what it was asked before (its prompt cache) or beside (the shape of a batch).
Text is compared, and the exact log probabilities where the server gives them: they differ long before a word does.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import NamedTuple, Protocol, runtime_checkable

import msgspec

from ..adapters.completion import Said, Token
from ..ports import ChatRequest

TOKENS_MAX = 32
LIKELIEST = 2
PASSES = 3
"""How often each request is asked when all are asked at once: whether two share a batch is a matter of luck."""
REVERSED, TOGETHER, RELOADED = "in reverse order", "all at once", "after a reload"


@runtime_checkable
class Probing(Protocol):
    """A seat's model that shows the log probabilities of its tokens."""

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> Said:
        """At most so many tokens of the answer. Raises PortFault."""
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

    answers: tuple[Said, ...]
    rounds: tuple[Round, ...]

    @property
    def same(self) -> bool:
        """Whether every answer came back to the last bit, as far as was shown."""
        return all(one.same(len(self.answers)) for one in self.rounds)


def measure(
    port: Probing, requests: Sequence[ChatRequest], tokens_max: int, together: int, reload: Callable[[], object] | None
) -> Measured:
    """Ask `requests` alone and in order, then in the other ways. `together` is how many at once. Raises PortFault."""

    def ask(request: ChatRequest) -> Said:
        return port.probe(request, tokens_max, LIKELIEST)

    first = tuple(map(ask, requests))
    backwards = [ask(request) for request in reversed(requests)][::-1]
    with ThreadPoolExecutor(together, "preflight") as pool:
        at_once = list(pool.map(ask, [*requests] * PASSES))
    rounds = [_round(REVERSED, first, backwards), _round(TOGETHER, first, at_once)]
    if reload:
        reload()
        rounds.append(_round(RELOADED, first, list(map(ask, requests))))
    return Measured(first, tuple(rounds))


def _round(how: str, first: Sequence[Said], again: Sequence[Said]) -> Round:
    """Compare a round with the first; a request that was asked several times is the same if every answer is."""
    by_request = [(one, again[at :: len(first)]) for at, one in enumerate(first)]
    given = any(said.tokens for said in chain(first, again))  # a server holds back those of half a character
    common = chain.from_iterable(_common(one.tokens, other.tokens) for one, others in by_request for other in others)
    differences = [abs(a.logprob - b.logprob) for a, b in common if a.logprob != b.logprob]
    return Round(
        how,
        sum(all((one.text, one.finish) == (two.text, two.finish) for two in others) for one, others in by_request),
        sum(all(one.tokens == two.tokens for two in others) for one, others in by_request) if given else None,
        f"{max(differences, default=0.0):.9f}",
    )


def _common(one: Sequence[Token], two: Sequence[Token]) -> list[tuple[Token, Token]]:
    """The tokens of two answers up to where they part."""
    pairs = list(zip(one, two, strict=False))
    until = next((at for at, (a, b) in enumerate(pairs) if a.piece != b.piece), len(pairs))
    return pairs[:until]
