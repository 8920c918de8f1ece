"""A model behind an OpenAI-compatible chat endpoint, as a ChatPort.

The `openai` client never retries for us (`max_retries=0`): every failed try is kept and stands in the
journal beside the answer. Only the parameters that the seat's `accepts` lists are sent. A reply that
the server filtered or refused is the model's (NoReply). Everything else that goes wrong is the
world's: 408, 409, 429, 5xx, timeouts, broken connections and answers that are no chat completion are
tried again with backoff; what persists, and what no retry can mend, is a PortFault.

The key comes from the environment and is scrubbed from every text that the server sends back, before
that text is cut: half a key is a leak too.
"""

import json
import secrets
from collections.abc import Iterator, Mapping
from threading import BoundedSemaphore, Lock
from typing import Any, NoReturn

import httpx2
import openai

from agzamov_verify.questions import NoReply, Reply, Try
from agzamov_verify.seats import EndpointSeat

from ..ports import ChatRequest, Clock, PortFault, Wait
from .completion import NotACompletion, Said, error_message, read_completion

RETRIED_STATUS = frozenset({408, 409, 429})
BACKOFF_FIRST_S, BACKOFF_MAX_S = 0.5, 30.0
RETRY_AFTER_MAX_S = 300.0
BODY_BYTES_MAX = 2**26
REPLY_CHARACTERS_MAX = 100_000
DETAIL_CHARACTERS_MAX = 300
BYTES_PER_TOKEN_MAX = 12
NO_KEY = "none"
SECRET_CHARACTERS_MIN = 8  # a shorter key ("ollama", "EMPTY") guards nothing, and may well be a word of a reply
NANOSECONDS = 1_000_000_000


class Limits:
    """What all seats of one endpoint share: calls in flight, and requests a minute."""

    def __init__(self, seat: EndpointSeat, clock: Clock) -> None:
        self.slots = BoundedSemaphore(seat.concurrency)
        self.pace = Pace(seat.requests_per_minute, clock)


class Endpoint:
    """One seat's endpoint. `wait` sleeps, and raises when the run is to stop."""

    def __init__(
        self,
        name: str,
        seat: EndpointSeat,
        environment: Mapping[str, str],
        clock: Clock,
        wait: Wait,
        limits: Limits | None = None,
    ) -> None:
        self._name, self._seat, self._clock, self._wait = name, seat, clock, wait
        self._limits = limits or Limits(seat, clock)
        key = _key_of(name, seat, environment)
        self._secrets = (key, json.dumps(key)[1:-1]) if len(key) >= SECRET_CHARACTERS_MIN else ()
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=seat.base_url,
            timeout=float(seat.timeout_s),
            max_retries=0,
            default_headers={"Accept-Encoding": "identity", "Authorization": f"Bearer {key or NO_KEY}"},
            http_client=openai.DefaultHttpxClient(event_hooks={"response": [self._bound]}),
        )
        self._client.organization = self._client.project = None  # the client takes them from the environment
        self._parameters = parameters_of(seat)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        tries: list[Try] = []
        with self._limits.slots:
            while True:
                self._wait(self._limits.pace.turn_s())
                outcome = self._once(request)
                if not isinstance(outcome, _Failure):
                    return self._answer(outcome, request, tuple(tries))
                tries.append(Try(outcome.detail, outcome.kind))
                if len(tries) >= self._seat.attempts_max:
                    self._give_up(f"{len(tries)} tries failed, the last with {outcome.kind}: {outcome.detail}")
                self._wait(max(outcome.retry_after_s, backoff_s(len(tries))))

    def close(self) -> None:
        self._client.close()

    def _once(self, request: ChatRequest) -> "Said | _Failure":
        """One call. Raises PortFault for what no retry can mend."""
        messages: Any = [{"role": message.role, "content": message.content} for message in request.messages]
        extra: dict[str, Any] = {"seed": request.seed} if "seed" in self._seat.accepts else {}
        try:
            answer = self._client.chat.completions.with_raw_response.create(
                model=self._seat.model, messages=messages, **self._parameters, **extra
            )
            return read_completion(answer.content)
        except openai.APIStatusError as error:
            return self._status_failure(error.response)
        except openai.APITimeoutError:
            return _Failure("timeout", f"no answer in {self._seat.timeout_s} s")
        except openai.APIConnectionError as error:
            return _Failure("connection", self._clean(f"{error} {error.__cause__ or ''}"))
        except NotACompletion as error:
            return _Failure("not_a_completion", self._clean(f"HTTP 200 with {error}"))
        except Exception as error:  # noqa: BLE001 - a server's bytes must not get further, whatever the client makes of them
            return _Failure("not_a_completion", self._clean(f"{type(error).__name__}: {error}"))

    def _status_failure(self, response: httpx2.Response) -> "_Failure":
        status, detail = response.status_code, self._clean(error_message(response.content))
        if status in RETRIED_STATUS or status >= 500:
            return _Failure(f"http_{status}", detail, retry_after_s(response.headers))
        return self._give_up(f"HTTP {status}: {detail or 'no reason given'}{self._advice(status)}")

    def _advice(self, status: int) -> str:
        match status:
            case 401 | 403 if self._seat.api_key_env:
                return f"; check the key in {self._seat.api_key_env}"
            case 401 | 403:
                return "; the seat has no key: name the variable that holds it in api_key_env"
            case 404 | 405:
                return f"; check base_url, and that the server has the model {self._seat.model}"
            case _:
                return f"; check the seat's model, accepts ({', '.join(self._seat.accepts)}) and tokens_max"

    def _answer(self, said: Said, request: ChatRequest, tries: tuple[Try, ...]) -> Reply | NoReply:
        text, finish = self._scrub(said.text), self._clean(said.finish)
        if not text and (finish == "content_filter" or said.refusal):
            return NoReply(attempts=tries, reason=self._clean(said.refusal) or finish)
        if len(text) > REPLY_CHARACTERS_MAX:
            text, finish = text[:REPLY_CHARACTERS_MAX], "length"
        self._refuse_ignored_parameters(said, request)
        return Reply(
            attempts=tries,
            cached_tokens=said.cached_tokens,
            completion_tokens=said.completion_tokens,
            finish=finish,
            fingerprint=self._clean(said.fingerprint),
            id=self._clean(said.id),
            model=self._clean(said.model),
            prompt_tokens=said.prompt_tokens,
            reasoning_tokens=said.reasoning_tokens,
            text=text,
        )

    def _refuse_ignored_parameters(self, said: Said, request: ChatRequest) -> None:
        """A server that drops part of the prompt or overruns the token limit makes the run worthless."""
        sent_bytes = sum(len(message.content.encode()) for message in request.messages)
        if said.prompt_tokens and sent_bytes > BYTES_PER_TOKEN_MAX * said.prompt_tokens:
            self._give_up(
                f"the prompt of {sent_bytes} bytes was read as {said.prompt_tokens} tokens: it was cut;"
                " give the server a larger context"
            )
        limited = {"max_tokens", "max_completion_tokens"} & set(self._seat.accepts)
        if limited and said.completion_tokens > self._seat.tokens_max:
            self._give_up(
                f"asked for at most {self._seat.tokens_max} tokens, got {said.completion_tokens}:"
                f" the server ignores {limited.pop()}; list the other parameter in accepts"
            )

    def _give_up(self, what: str) -> NoReturn:
        raise PortFault(f"seat {self._name} at {self._seat.base_url}: {what}")

    def _bound(self, response: httpx2.Response) -> None:
        """Limit the size and the time of a body: the client's timeout is for each read alone."""
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, self._clock, self._seat.timeout_s)

    def _clean(self, text: str) -> str:
        """Part of a message for people: one line without the key or control characters, and not too long."""
        line = " ".join(self._scrub(text)[: 2 * DETAIL_CHARACTERS_MAX].split())
        return "".join(c if c.isprintable() else "\ufffd" for c in line[:DETAIL_CHARACTERS_MAX])

    def _scrub(self, text: str) -> str:
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


def _key_of(name: str, seat: EndpointSeat, environment: Mapping[str, str]) -> str:
    """The seat's key. Raises PortFault without it, and for one that no header can carry, which a client would print."""
    if not seat.api_key_env:
        return ""
    key = environment.get(seat.api_key_env, "").strip()
    if not key:
        raise PortFault(f"seat {name}: the environment variable {seat.api_key_env} holds no key; set it")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise PortFault(
            f"seat {name}: expected a key of printable ASCII in {seat.api_key_env}, found other characters or spaces"
        )
    return key
