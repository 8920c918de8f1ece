"""How every model seat calls its server: tries with backoff, at a pace, and never past a limit.

408, 409, 429, 5xx, timeouts, broken connections and answers that are none are tried again; every failed try is kept and
stands in the journal beside the answer. What persists, and what no retry can mend, is a PortFault.

A key is scrubbed from every text that the server sends back, before that text is cut: half a key is a leak too.
"""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from threading import BoundedSemaphore, Lock
from typing import NoReturn, TypeVar

import httpx2
import msgspec

from agzamov_verify.questions import Reply, Try

from ..ports import Clock, PortFault, Wait
from .completion import Said, error_message

T = TypeVar("T")

RETRIED_STATUS = frozenset({408, 409, 429})
BACKOFF_FIRST_S, BACKOFF_MAX_S = 0.5, 30.0
RETRY_AFTER_MAX_S = 300.0
BODY_BYTES_MAX = 2**26
REPLY_CHARACTERS_MAX = 100_000
DETAIL_CHARACTERS_MAX = 300
SECRET_CHARACTERS_MIN = 8  # a shorter key ("ollama", "EMPTY") guards nothing, and may well be a word of a reply
NANOSECONDS = 1_000_000_000
TOO_LONG = "context"  # what both llama.cpp and Ollama name when they refuse a prompt that does not fit


class PromptTooLong(PortFault):
    """The server refuses a prompt that does not fit its context, as it should."""


class Failure:
    """A try that may be repeated."""

    def __init__(self, kind: str, detail: str, retry_after_s: float = 0.0) -> None:
        self.kind, self.detail, self.retry_after_s = kind, detail, retry_after_s


class Patience(msgspec.Struct, frozen=True):
    """How long a seat waits for one answer, and how often it asks."""

    timeout_s: int
    attempts_max: int


class Limits:
    """What all seats of one server share: calls in flight, and requests a minute."""

    def __init__(self, concurrency: int, requests_per_minute: int, clock: Clock) -> None:
        self.slots = BoundedSemaphore(concurrency)
        self.pace = Pace(requests_per_minute, clock)


class Pace:
    """At most so many requests a minute, evenly spaced; 0 for no limit."""

    def __init__(self, requests_per_minute: int, clock: Clock) -> None:
        self._gap_ns = 60 * NANOSECONDS // requests_per_minute if requests_per_minute else 0
        self._clock = clock
        self._next_ns = 0
        self._lock = Lock()

    def turn_s(self) -> float:
        """Take the next turn; it comes in so many seconds."""
        if not self._gap_ns:
            return 0.0
        with self._lock:
            now = self._clock()
            turn = max(now, self._next_ns)
            self._next_ns = turn + self._gap_ns
        return (turn - now) / NANOSECONDS


class Calls:
    """The calls of one seat. `place` names it in a fault; `wait` sleeps, and raises when the run is to stop."""

    def __init__(self, place: str, patience: Patience, clock: Clock, wait: Wait, limits: Limits, key: str = "") -> None:
        self._place, self._patience, self._clock, self._wait, self._limits = place, patience, clock, wait, limits
        self._secrets = (key, json.dumps(key)[1:-1]) if len(key) >= SECRET_CHARACTERS_MIN else ()

    def answered(self, once: Callable[[], T | Failure]) -> tuple[T, tuple[Try, ...]]:
        """The first answer of `once` that is none of the failures, and the tries before it. Raises PortFault."""
        tries: list[Try] = []
        with self._limits.slots:
            while True:
                self._wait(self._limits.pace.turn_s())
                outcome = once()
                if not isinstance(outcome, Failure):
                    return outcome, tuple(tries)
                tries.append(Try(outcome.detail, outcome.kind))
                if len(tries) >= self._patience.attempts_max:
                    self.give_up(f"{len(tries)} tries failed, the last with {outcome.kind}: {outcome.detail}")
                self._wait(max(outcome.retry_after_s, backoff_s(len(tries))))

    def give_up(self, what: str) -> NoReturn:
        raise PortFault(f"{self._place}: {what}")

    def status_failure(self, response: httpx2.Response, advice: Callable[[int], str]) -> Failure:
        """What an answer with an error status is: worth another try, or a PortFault with advice."""
        status, detail = response.status_code, self.clean(error_message(response.content))
        if status in RETRIED_STATUS or status >= 500:
            return Failure(f"http_{status}", detail, retry_after_s(response.headers))
        what = f"HTTP {status}: {detail or 'no reason given'}{advice(status)}"
        if status in (400, 413) and TOO_LONG in detail.lower():
            raise PromptTooLong(f"{self._place}: {what}")
        return self.give_up(what)

    def timeout(self) -> Failure:
        return Failure("timeout", f"no answer in {self._patience.timeout_s} s")

    def broken(self, error: Exception) -> Failure:
        return Failure("connection", self.clean(f"{error} {error.__cause__ or ''}"))

    def no_answer(self, what: str) -> Failure:
        """A failure whose words are the server's: HTTP 200 with something that is no reply."""
        return Failure("not_a_completion", self.clean(what))

    def reply(self, said: Said, tries: tuple[Try, ...]) -> Reply:
        """What a seat said, with all that its server wrote scrubbed, cleaned and bounded."""
        text, finish = self.scrub(said.text), self.clean(said.finish)
        if len(text) > REPLY_CHARACTERS_MAX:
            text, finish = text[:REPLY_CHARACTERS_MAX], "length"
        return Reply(
            attempts=tries,
            cached_tokens=said.cached_tokens,
            completion_tokens=said.completion_tokens,
            finish=finish,
            fingerprint=self.clean(said.fingerprint),
            id=self.clean(said.id),
            model=self.clean(said.model),
            prompt_tokens=said.prompt_tokens,
            reasoning_tokens=said.reasoning_tokens,
            text=text,
        )

    def bound(self, response: httpx2.Response) -> None:
        """Limit the size and the time of a body: a client's timeout is for each read alone. An event hook."""
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, self._clock, self._patience.timeout_s)

    def clean(self, text: str) -> str:
        """Part of a message for people: one line without the key or control characters, and not too long."""
        line = " ".join(self.scrub(text)[: 2 * DETAIL_CHARACTERS_MAX].split())
        return "".join(c if c.isprintable() else "\ufffd" for c in line[:DETAIL_CHARACTERS_MAX])

    def scrub(self, text: str) -> str:
        """Without the key, and without lone surrogates, which no UTF-8 file can hold."""
        text = text.encode("utf-8", "replace").decode()
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text


class _Bounded(httpx2.SyncByteStream):
    """A body that fails when it is too long or has not ended in time, as one that drips for ever."""

    def __init__(self, body: httpx2.SyncByteStream, clock: Clock, seconds: float) -> None:
        self._body, self._clock = body, clock
        self._end_ns = clock() + int(seconds * NANOSECONDS)

    def __iter__(self) -> Iterator[bytes]:
        left = BODY_BYTES_MAX
        for chunk in self._body:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(f"a body of more than {BODY_BYTES_MAX} bytes")
            if self._clock() > self._end_ns:
                raise httpx2.ReadTimeout("the body did not end in time")
            yield chunk

    def close(self) -> None:
        self._body.close()


def backoff_s(tries: int) -> float:
    """Exponential backoff with full jitter in its upper half: 0.25-0.5 s, 0.5-1 s, ... at most 30 s."""
    ceiling = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2.0 ** (tries - 1))
    return float(ceiling * (0.5 + secrets.randbelow(1000) / 2000))


def retry_after_s(headers: Mapping[str, str]) -> float:
    """The Retry-After header in seconds (RFC 9110, 10.2.3), at most 300; 0 if there is none or it is a date."""
    try:
        return min(RETRY_AFTER_MAX_S, max(0.0, float(headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0
