"""A model behind an OpenAI-compatible chat endpoint, as a ChatPort.

The `openai` client never retries for us (`max_retries=0`): every failed try is kept and stands in the
journal beside the answer. Only the parameters that the seat's `accepts` lists are sent. A reply that
the server filtered or refused is the model's (NoReply). Everything else that goes wrong is the
world's: 408, 409, 429, 5xx, timeouts, broken connections and answers that are no chat completion are
tried again with backoff; what persists, and what no retry can mend, is a PortFault.

The key comes from the environment and is scrubbed from every text that the server sends back.
"""

import secrets
from collections.abc import Mapping
from threading import BoundedSemaphore, Lock
from typing import Any, NoReturn

import openai
from openai.types.chat import ChatCompletion

from agzamov_verify.manifest import EndpointSeat
from agzamov_verify.questions import NoReply, Reply, Try

from ..ports import ChatRequest, Clock, PortFault, Wait

RETRIED_STATUS = frozenset({408, 409, 429})
BACKOFF_FIRST_S, BACKOFF_MAX_S = 0.5, 30.0
RETRY_AFTER_MAX_S = 300.0
REPLY_CHARACTERS_MAX = 100_000
DETAIL_CHARACTERS_MAX = 300
BYTES_PER_TOKEN_MAX = 12
NO_KEY = "none"
NANOSECONDS = 1_000_000_000


class Endpoint:
    """One seat's endpoint. `wait` sleeps, and raises when the run is to stop."""

    def __init__(self, name: str, seat: EndpointSeat, environment: Mapping[str, str], clock: Clock, wait: Wait) -> None:
        self._name, self._seat, self._wait = name, seat, wait
        self._key = _key_of(name, seat, environment)
        self._client = openai.OpenAI(
            api_key=self._key or NO_KEY,
            base_url=seat.base_url,
            timeout=float(seat.timeout_s),
            max_retries=0,
        )
        self._parameters = parameters_of(seat)
        self._slots = BoundedSemaphore(seat.concurrency)
        self._pace = Pace(seat.requests_per_minute, clock, wait)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        tries: list[Try] = []
        with self._slots:
            while True:
                self._pace.take()
                outcome = self._once(request)
                if not isinstance(outcome, _Failure):
                    return self._answer(outcome, request, tuple(tries))
                tries.append(Try(outcome.detail, outcome.kind))
                if len(tries) >= self._seat.attempts_max:
                    self._give_up(f"{len(tries)} tries failed, the last with {outcome.kind}: {outcome.detail}")
                self._wait(max(outcome.retry_after_s, backoff_s(len(tries))))

    def close(self) -> None:
        self._client.close()

    def _once(self, request: ChatRequest) -> "ChatCompletion | _Failure":
        """One call. Raises PortFault for what no retry can mend."""
        messages: Any = [{"role": message.role, "content": message.content} for message in request.messages]
        extra: dict[str, Any] = {"seed": request.seed} if "seed" in self._seat.accepts else {}
        try:
            answer = self._client.chat.completions.create(
                model=self._seat.model, messages=messages, **self._parameters, **extra
            )
        except openai.APIStatusError as error:
            return self._status_failure(error)
        except openai.APITimeoutError:
            return _Failure("timeout", f"no answer in {self._seat.timeout_s} s")
        except openai.APIConnectionError as error:
            return _Failure("connection", self._clean(f"{error} {error.__cause__ or ''}"))
        except (openai.OpenAIError, ValueError, RecursionError) as error:
            return _Failure("not_a_completion", self._clean(str(error)))
        if not isinstance(answer, ChatCompletion) or not answer.choices or not answer.choices[0].message:
            return _Failure("not_a_completion", self._clean(f"HTTP 200 with {str(answer)[:80]!r}"))
        return answer

    def _status_failure(self, error: openai.APIStatusError) -> "_Failure":
        detail = self._clean(error.message)
        if error.status_code in RETRIED_STATUS or error.status_code >= 500:
            return _Failure(f"http_{error.status_code}", detail, retry_after_s(error.response.headers))
        return self._give_up(f"HTTP {error.status_code}: {detail}")

    def _answer(self, completion: ChatCompletion, request: ChatRequest, tries: tuple[Try, ...]) -> Reply | NoReply:
        choice, usage = completion.choices[0], completion.usage
        finish, text = str(choice.finish_reason or ""), choice.message.content or ""
        if not text and (finish == "content_filter" or choice.message.refusal):
            return NoReply(attempts=tries, reason=self._clean(choice.message.refusal or finish))
        if len(text) > REPLY_CHARACTERS_MAX:
            text, finish = text[:REPLY_CHARACTERS_MAX], "length"
        details = usage.completion_tokens_details if usage else None
        cached = usage.prompt_tokens_details if usage else None
        reply = Reply(
            attempts=tries,
            cached_tokens=count(cached.cached_tokens if cached else 0),
            completion_tokens=count(usage.completion_tokens if usage else 0),
            finish=self._clean(finish),
            fingerprint=self._clean(completion.system_fingerprint or ""),
            id=self._clean(str(completion.id or "")),
            model=self._clean(str(completion.model or "")),
            prompt_tokens=count(usage.prompt_tokens if usage else 0),
            reasoning_tokens=count(details.reasoning_tokens if details else 0),
            text=self._scrub(text),
        )
        self._refuse_ignored_parameters(reply, request)
        return reply

    def _refuse_ignored_parameters(self, reply: Reply, request: ChatRequest) -> None:
        """A server that drops part of the prompt or overruns the token limit makes the run worthless."""
        sent_bytes = sum(len(message.content.encode()) for message in request.messages)
        if reply.prompt_tokens and sent_bytes > BYTES_PER_TOKEN_MAX * reply.prompt_tokens:
            self._give_up(
                f"the prompt of {sent_bytes} bytes was read as {reply.prompt_tokens} tokens: it was cut;"
                " give the server a larger context"
            )
        limited = {"max_tokens", "max_completion_tokens"} & set(self._seat.accepts)
        if limited and reply.completion_tokens > self._seat.tokens_max:
            self._give_up(
                f"asked for at most {self._seat.tokens_max} tokens, got {reply.completion_tokens}:"
                f" the server ignores {limited.pop()}; list the other parameter in accepts"
            )

    def _give_up(self, what: str) -> NoReturn:
        raise PortFault(f"seat {self._name} at {self._seat.base_url}: {what}")

    def _clean(self, text: str) -> str:
        return self._scrub(text)[:DETAIL_CHARACTERS_MAX]

    def _scrub(self, text: str) -> str:
        """Without the key, and without lone surrogates, which no UTF-8 file can hold."""
        text = text.encode("utf-8", "replace").decode()
        return text.replace(self._key, "[key]") if self._key else text


class Pace:
    """At most so many requests a minute, evenly spaced; 0 for no limit."""

    def __init__(self, requests_per_minute: int, clock: Clock, wait: Wait) -> None:
        self._gap_ns = 60 * NANOSECONDS // requests_per_minute if requests_per_minute else 0
        self._clock, self._wait = clock, wait
        self._next_ns = 0
        self._lock = Lock()

    def take(self) -> None:
        """Wait for this request's turn."""
        if not self._gap_ns:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next_ns)
            self._next_ns = turn + self._gap_ns
        if turn > now:
            self._wait((turn - now) / NANOSECONDS)


class _Failure:
    """A try that may be repeated."""

    def __init__(self, kind: str, detail: str, retry_after_s: float = 0.0) -> None:
        self.kind, self.detail, self.retry_after_s = kind, detail, retry_after_s


def parameters_of(seat: EndpointSeat) -> dict[str, Any]:
    """What is sent beside model, messages and seed: only what the seat's `accepts` lists."""
    wished: dict[str, Any] = {
        "temperature": float(seat.temperature),
        "top_p": float(seat.top_p),
        "max_tokens": seat.tokens_max,
        "max_completion_tokens": seat.tokens_max,
    }
    return {name: value for name, value in wished.items() if name in seat.accepts}


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


def count(value: object) -> int:
    """A server's token count, 0 for anything that is no sensible number."""
    return value if isinstance(value, int) and 0 <= value < 2**53 else 0


def _key_of(name: str, seat: EndpointSeat, environment: Mapping[str, str]) -> str:
    if not seat.api_key_env:
        return ""
    key = environment.get(seat.api_key_env, "").strip()
    if not key:
        raise PortFault(f"seat {name}: the environment variable {seat.api_key_env} holds no key; set it")
    return key
