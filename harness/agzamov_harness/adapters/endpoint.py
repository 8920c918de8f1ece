"""A model behind an OpenAI-compatible chat endpoint, as a ChatPort.

The `openai` client never retries for us (`max_retries=0`): `calls` does, and every failed try stands in the journal.
Only the parameters that the seat's `accepts` lists are sent. A reply that the server filtered or refused is the model's
(NoReply); everything else that goes wrong is the world's.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx2
import openai

from agzamov_verify.questions import NoReply, Reply
from agzamov_verify.seats import EndpointSeat, GgufSeat

from ..ports import ChatRequest, Clock, PortFault, Wait
from .calls import Calls, Failure, Limits, Patience
from .completion import NotACompletion, Said, read_completion
from .open_weights import context_problem

BYTES_PER_TOKEN_MAX = 12
CUT_TOKENS_MIN = 256
"""A server that cuts leaves about half of its context, which is no smaller; a model whose template reads only part of a
prompt leaves fewer tokens."""
NO_KEY = "none"
GGUF_ALIAS = "model"
LIMITS = {"max_tokens", "max_completion_tokens"}


class Door(NamedTuple):
    """Where the server really listens (a unix socket instead of base_url's host), its context in tokens, and
    what every request says besides."""

    socket: str = ""
    context_tokens: int = 0
    body: Mapping[str, Any] | None = None


NO_DOOR = Door()


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
        door: Door = NO_DOOR,
    ) -> None:
        key = _key_of(name, seat, environment)
        place = f"seat {name} at {door.socket or seat.base_url}"
        limits = limits or Limits(seat.concurrency, seat.requests_per_minute, clock)
        self._seat, self._door = seat, door
        self._calls = Calls(place, Patience(seat.timeout_s, seat.attempts_max), clock, wait, limits, key)
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=seat.base_url,
            timeout=float(seat.timeout_s),
            max_retries=0,
            default_headers={"Accept-Encoding": "identity", "Authorization": f"Bearer {key or NO_KEY}"},
            http_client=openai.DefaultHttpxClient(
                transport=httpx2.HTTPTransport(uds=door.socket) if door.socket else None,
                event_hooks={"response": [self._calls.bound]},
            ),
        )
        self._client.organization = self._client.project = None  # the client takes them from the environment
        self._parameters = parameters_of(seat)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        said, tries = self._calls.answered(lambda: self._once(request, self._parameters))
        if not self._calls.scrub(said.text) and (self._calls.clean(said.finish) == "content_filter" or said.refusal):
            return NoReply(attempts=tries, reason=self._calls.clean(said.refusal) or self._calls.clean(said.finish))
        reply = self._calls.reply(said, tries)
        self._refuse_what_is_worthless(said, request)
        return reply

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> Said:
        """At most so many tokens of the answer, with their log probabilities. Raises PortFault."""
        wanted = {**self._parameters, "logprobs": True, "top_logprobs": likeliest}
        wanted |= {name: tokens_max for name in LIMITS if name in wanted}
        return self._calls.answered(lambda: self._once(request, wanted))[0]

    def close(self) -> None:
        self._client.close()

    def _once(self, request: ChatRequest, parameters: Mapping[str, Any]) -> Said | Failure:
        """One call. Raises PortFault for what no retry can mend."""
        messages: Any = [{"role": message.role, "content": message.content} for message in request.messages]
        extra: dict[str, Any] = {"seed": request.seed} if "seed" in self._seat.accepts else {}
        try:
            answer = self._client.chat.completions.with_raw_response.create(
                model=self._seat.model, messages=messages, extra_body=self._door.body, **parameters, **extra
            )
            return read_completion(answer.content)
        except openai.APIStatusError as error:
            return self._calls.status_failure(error.response, self._advice)
        except openai.APITimeoutError:
            return self._calls.timeout()
        except openai.APIConnectionError as error:
            return self._calls.broken(error)
        except NotACompletion as error:
            return self._calls.no_answer(f"HTTP 200 with {error}")
        except Exception as error:  # noqa: BLE001 - a server's bytes must not get further, whatever the client makes of them
            return self._calls.no_answer(f"{type(error).__name__}: {error}")

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

    def _refuse_what_is_worthless(self, said: Said, request: ChatRequest) -> None:
        """A server that drops part of the prompt or overruns the token limit makes the run worthless."""
        sent_bytes = sum(len(message.content.encode()) for message in request.messages)
        if self._door.context_tokens:
            problem = context_problem(said, self._door.context_tokens, self._seat.tokens_max)
            if problem:
                self._calls.give_up(problem)
        elif said.prompt_tokens >= CUT_TOKENS_MIN and sent_bytes > BYTES_PER_TOKEN_MAX * said.prompt_tokens:
            self._calls.give_up(
                f"the prompt of {sent_bytes} bytes was read as {said.prompt_tokens} tokens: it was cut;"
                " give the server a larger context"
            )
        limited = LIMITS & set(self._seat.accepts)
        if limited and said.completion_tokens > self._seat.tokens_max:
            self._calls.give_up(
                f"asked for at most {self._seat.tokens_max} tokens, got {said.completion_tokens}:"
                f" the server ignores {limited.pop()}; list the other parameter in accepts"
            )


def parameters_of(seat: EndpointSeat) -> dict[str, Any]:
    """What is sent beside model, messages and seed: only what the seat's `accepts` lists."""
    wished: dict[str, Any] = {
        "temperature": float(seat.temperature),
        "top_p": float(seat.top_p),
        "max_tokens": seat.tokens_max,
        "max_completion_tokens": seat.tokens_max,
    }
    return {name: value for name, value in wished.items() if name in seat.accepts}


def served(seat: GgufSeat, base_url: str) -> EndpointSeat:
    """How a seat of open weights is asked, once llama.cpp serves them at `base_url`."""
    return EndpointSeat(
        patterns=seat.patterns,
        briefing=seat.briefing,
        base_url=base_url,
        model=GGUF_ALIAS,
        accepts=("temperature", "top_p", "seed", "max_tokens"),
        temperature=seat.temperature,
        top_p=seat.top_p,
        tokens_max=seat.tokens_max,
        timeout_s=seat.timeout_s,
        attempts_max=seat.attempts_max,
        concurrency=seat.concurrency,
    )


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
