"""HTTP calls of all model seats to their servers: retries with backoff, a request rate, and upper limits.

Status 408, 409, 429 and 5xx, timeouts, broken connections and malformed answers are retried; every failed try is kept
in the journal beside the answer. Errors that persist, or that no retry can mend, raise PortFault.

Of a failed try the journal keeps its kind, and a sentence: ours, or the one in the server's own JSON error, cut short.
It never keeps a body: a server might repeat there what another service told it.

A key is scrubbed from every text that the server sends back, before that text is cut: half a key is a leak too.
"""

import json
import os
import secrets
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from itertools import islice
from threading import BoundedSemaphore, Lock
from typing import NoReturn, TypeVar

import httpx2
import msgspec

from agzamov_verify.core.questions import (
    ARGUMENTS_CHARACTERS_MAX,
    REPLY_CHARACTERS_MAX,
    TOOL_CALLS_MAX,
    TOOL_CHARACTERS_MAX,
    TOOL_NAME_CHARACTERS_MAX,
    ToolCall,
    Try,
)

from ..ports import Clock, Completion, PortFault, Wait
from .completion import NotACompletion, ServerAnswer, error_message
from .http_transport import refused_encoding

T = TypeVar("T")

RETRIED_STATUS = frozenset({408, 409, 429})
NOT_IMPLEMENTED = 501  # the server does not know this kind of request at all: a plain web server, for instance
BACKOFF_FIRST_S, BACKOFF_MAX_S = 0.5, 30.0
RETRY_AFTER_MAX_S = 300.0
DETAIL_CHARACTERS_MAX = 300
NO_ANSWER_IN = "no answer in"
ERROR_CHARACTERS_MAX = 200
CONTENT_TYPE_CHARACTERS_MAX = 40
SECRET_CHARACTERS_MIN = 8  # a shorter key ("ollama", "EMPTY") guards nothing, and may well be a word of a reply
NANOSECONDS = 1_000_000_000
TOO_LONG = "context"  # what both llama.cpp and Ollama name when they refuse a prompt that does not fit


class PromptTooLong(PortFault):
    """The server refuses a prompt that does not fit its context, as it should."""


class RefusedStatus(PortFault):
    """The server refuses the call, and would again; `status` is HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Faltering(PortFault):
    """Every try failed in a way that another one may mend; `kind` is the last one's."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class Failure:
    """A try that may be repeated. `detail` is recorded; `hint` is for the person whose last try it was."""

    def __init__(self, kind: str, detail: str, retry_after_s: float = 0.0, hint: str = "") -> None:
        self.kind, self.detail, self.retry_after_s, self.hint = kind, detail, retry_after_s, hint


class Patience(msgspec.Struct, frozen=True):
    """Timeout of a seat for one answer, and its maximum number of attempts."""

    timeout_s: int
    attempts_max: int


class CallLimits:
    """Limits shared by all seats of one server: calls in flight, and requests per minute."""

    def __init__(self, concurrency: int, requests_per_minute: int, clock: Clock) -> None:
        self.slots = BoundedSemaphore(concurrency)
        self.pace = Pace(requests_per_minute, clock)


class Pace:
    """Limit on requests a minute, evenly spaced; 0 for none."""

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

    def __init__(
        self, place: str, patience: Patience, clock: Clock, wait: Wait, limits: CallLimits, key: str = ""
    ) -> None:
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
                    count = "1 try failed" if len(tries) == 1 else f"{len(tries)} tries failed, the last"
                    told = "; ".join(filter(None, (outcome.detail, outcome.hint)))
                    raise Faltering(f"{self._place}: {count} with {outcome.kind}: {told}", outcome.kind)
                self._wait(max(outcome.retry_after_s, backoff_s(len(tries))))

    def give_up(self, what: str) -> NoReturn:
        raise PortFault(f"{self._place}: {what}")

    def status_failure(self, response: httpx2.Response, advice: Callable[[int], str], fit: str = "") -> Failure:
        """Classify an answer with an error status: return a Failure to be retried, or raise a PortFault with advice.

        `fit`: advice for a prompt that does not fit; empty: as for other errors.
        """
        status, detail = response.status_code, self.clean(error_message(response.content))[:ERROR_CHARACTERS_MAX]
        if response.is_redirect or 300 <= status < 400:
            self.give_up(f"HTTP {status}: redirects are not followed; write the final address in base_url")
        if status in RETRIED_STATUS or (status >= 500 and status != NOT_IMPLEMENTED):
            hint = "" if detail else self._exchanged(response)
            return Failure(f"http_{status}", detail, retry_after_s(response.headers), hint)
        what = f"{self._place}: HTTP {status}: {detail or self._exchanged(response)}"
        if status in (400, 413) and TOO_LONG in detail.lower():
            raise PromptTooLong(f"{what}{fit or advice(status)}")
        raise RefusedStatus(f"{what}{advice(status)}", status)

    def _exchanged(self, response: httpx2.Response) -> str:
        """What was asked and what came back, where the answer gives no reason."""
        asked = f"{response.request.method} {self.clean(response.request.url.path)}"
        kind = self.clean(response.headers.get("content-type", "")).partition(";")[0][:CONTENT_TYPE_CHARACTERS_MAX]
        came = (
            f"{len(response.content)} bytes of {kind or 'no content-type'}" if response.content else "an empty answer"
        )
        return f"no reason given, {came} to {asked}"

    def timeout(self) -> Failure:
        return Failure("timeout", f"{NO_ANSWER_IN} {self._patience.timeout_s} s")

    def broken(self, error: Exception) -> Failure:
        hint = "no server listens there" if was_refused(error) else ""
        return Failure("connection", self.clean(why_broken(error)), hint=hint)

    def no_answer(self, response: httpx2.Response, what: NotACompletion, hint: str = "") -> Failure:
        """An answer that is none: described, and never repeated but for the sentence of the server's own error."""
        encoding = refused_encoding(response)
        coding = f" of content-encoding {self.clean(encoding)[:20]}, which was not accepted" if encoding else ""
        description = f"HTTP {response.status_code} with {len(response.content)} bytes{coding}"
        told = self.clean(what.told)[:ERROR_CHARACTERS_MAX]
        return Failure("not_a_completion", ": ".join(filter(None, (description, str(what), told))), hint=hint)

    def reply(self, answer: ServerAnswer, tries: tuple[Try, ...]) -> Completion:
        """Build the completion of a seat, with all that its server wrote scrubbed, cleaned and bounded.

        Thoughts that the server counts in the total alone are part of the completion, as they are billed. A token count
        larger than the one that it is part of becomes 0: some providers count reasoning separately.
        """
        text, finish = self.scrub(answer.text), self.clean(answer.finish)
        if len(text) > REPLY_CHARACTERS_MAX:
            text, finish = text[:REPLY_CHARACTERS_MAX], "length"
        return Completion(
            attempts=tries,
            cached_tokens=answer.cached_tokens if answer.cached_tokens <= answer.prompt_tokens else 0,
            completion_tokens=answer.told_tokens,
            finish=finish,
            fingerprint=self.clean(answer.fingerprint),
            id=self.clean(answer.id),
            model=self.clean(answer.model),
            prompt_tokens=answer.prompt_tokens,
            reasoning_tokens=answer.reasoning_tokens if answer.reasoning_tokens <= answer.told_tokens else 0,
            text=text,
            tool_calls=self._tool_calls(answer.tool_calls),
        )

    def _tool_calls(self, calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
        """Tool calls without the key, cut at the limits of one reply."""
        kept: list[ToolCall] = []
        left = TOOL_CHARACTERS_MAX
        for call in islice(calls, TOOL_CALLS_MAX):
            name = self.scrub(call.name)[:TOOL_NAME_CHARACTERS_MAX]
            arguments = self.scrub(call.arguments)[:ARGUMENTS_CHARACTERS_MAX]
            left -= len(name) + len(arguments)
            if left < 0:
                break
            kept.append(ToolCall(arguments, name))
        return tuple(kept)

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


PROTOCOL_WORDS = {
    "an answer of more than": "the answer is too long",
    "Server disconnected": "the server closed the connection without an answer",
    "peer closed connection": "the answer broke off before its end",
}
"""Prefixes of the HTTP client's error messages, and our wording: the rest of a message may be bytes of the peer."""


def why_broken(error: BaseException) -> str:
    """Cause of a failed connection, in this machine's words, not in those of a peer that speaks no HTTP."""
    causes = list(_causes(error))
    words = next(filter(None, map(_system_words, causes)), "")
    for start, ours in PROTOCOL_WORDS.items():
        if not words and any(str(cause).startswith(start) for cause in causes):
            words = ours
    if words:
        return words
    foreign = any(isinstance(cause, httpx2.ProtocolError) for cause in causes)
    return "an answer that is not HTTP" if foreign else "the connection broke"


def was_refused(error: BaseException) -> bool:
    """True if a refused connection is the cause of an error."""
    return any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error))


def _system_words(cause: BaseException) -> str:
    """Error message of this machine for a failed connection; empty if the error lies in the data received."""
    match cause:
        case socket.gaierror():
            return "no address is known for this host name"
        case ssl.SSLCertVerificationError():
            return f"the server's certificate is not accepted: {cause.verify_message}"
        case ssl.SSLError():
            return f"no TLS connection: {cause.reason}"
        case httpx2.ProxyError():
            return f"the proxy answered {cause}"
        case OSError() if cause.errno:
            return os.strerror(cause.errno)
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and all that it came of, the innermost last.

    HTTP clients wrap an error: it is the cause, or an argument. What was being handled when it came is asked last: that
    may be something else.
    """
    while error is not None:
        yield error
        wrapped = next((one for one in error.args if isinstance(one, BaseException)), None)
        error = error.__cause__ or wrapped or error.__context__


def backoff_s(tries: int) -> float:
    """Exponential backoff with full jitter in its upper half: 0.25-0.5 s, 0.5-1 s, ... at most 30 s."""
    ceiling = min(BACKOFF_MAX_S, BACKOFF_FIRST_S * 2.0 ** (tries - 1))
    return float(ceiling * (0.5 + secrets.randbelow(1000) / 2000))


def retry_after_s(headers: Mapping[str, str]) -> float:
    """The Retry-After header in seconds (RFC 9110, 10.2.3), at most 300; 0 where it cannot be read.

    A date is compared with the answer's own (Date), so that a clock that is wrong there or here changes nothing.
    """
    told = headers.get("retry-after", "0")
    try:
        seconds = float(told)
    except ValueError:
        seconds = _seconds_between(headers.get("date", ""), told)
    return min(RETRY_AFTER_MAX_S, max(0.0, seconds))


def _seconds_between(start: str, end: str) -> float:
    """Seconds from one HTTP date to another; 0 where one is none."""
    try:
        return (parsedate_to_datetime(end) - parsedate_to_datetime(start)).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return 0.0
