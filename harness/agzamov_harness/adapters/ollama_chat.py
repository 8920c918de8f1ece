"""A model in an Ollama server, as a ChatPort, over its own /api/chat.

Only there is a prompt that does not fit an error ("truncate": false), and only there does an answer not push its own
question out of the context ("shift": false); the server's OpenAI route does both in silence. What decides an answer is
sent with every call, defaults too, because a model's own parameters would else stand in for it.
"""

from collections.abc import Mapping
from typing import Any

import httpx2

from agzamov_verify.core.questions import Message, NoReply, Reply
from agzamov_verify.seats import OllamaSeat

from ..ports import ChatRequest, Clock, Wait
from .completion import NotACompletion, ServerAnswer, read_ollama
from .context_length import PLAIN, context_problem
from .http_transport import guard
from .images import base64_png
from .retries import CallLimits, Calls, Failure, Patience

CHAT = "/api/chat"


class Ollama:
    """One seat's model. `wait` sleeps, and raises when the run is to stop."""

    def __init__(self, name: str, seat: OllamaSeat, clock: Clock, wait: Wait, limits: CallLimits | None = None) -> None:
        limits = limits or CallLimits(seat.concurrency, 0, clock)
        place = f"seat {name} at {seat.base_url}"
        self._seat = seat
        self._calls = Calls(place, Patience(seat.timeout_s, seat.attempts_max), clock, wait, limits)
        self._client = httpx2.Client(
            base_url=seat.base_url,
            timeout=float(seat.timeout_s),
            follow_redirects=False,
            trust_env=False,  # a proxy of the environment is not for a model of one's own
        )
        guard(self._client, float(seat.timeout_s))

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        body = body_of(self._seat, request)
        answer, tries = self._calls.answered(lambda: self._once(body))
        problem = self._problem(answer)
        if problem:
            self._calls.give_up(problem)
        return self._calls.reply(answer, tries)

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> ServerAnswer:
        """First `tokens_max` tokens of the answer, with their log probabilities. Raises PortFault."""
        body = body_of(self._seat, request)
        body["options"]["num_predict"] = tokens_max
        body |= {"logprobs": True, "top_logprobs": likeliest}
        return self._calls.answered(lambda: self._once(body))[0]

    def close(self) -> None:
        self._client.close()

    def _once(self, body: Mapping[str, Any]) -> ServerAnswer | Failure:
        """One call. Raises PortFault for a failure that no retry can mend."""
        try:
            answer = self._client.post(CHAT, json=body)
            if answer.status_code != httpx2.codes.OK:
                return self._calls.status_failure(answer, self._advice)
        except httpx2.TimeoutException:
            return self._calls.timeout()
        except httpx2.HTTPError as error:
            return self._calls.broken(error)
        try:
            return read_ollama(answer.content)
        except NotACompletion as error:
            return self._calls.no_answer(answer, error)

    def _problem(self, answer: ServerAnswer) -> str:
        """Error message if an answer makes the run worthless; else empty."""
        if answer.completion_tokens > self._seat.tokens_max:
            limit = self._seat.tokens_max
            return f"asked for at most {limit} tokens, got {answer.completion_tokens}: the server ignores num_predict"
        return context_problem(answer, self._seat.context_tokens, self._seat.tokens_max)

    def _advice(self, status: int) -> str:
        match status:
            case 404 | 405 if self._seat.base_url.rstrip("/").endswith("/v1"):
                return "; drop /v1 from base_url: a seat of kind ollama speaks the server's own API"
            case 404 | 405:
                return f"; check base_url, and that the server has the model {self._seat.model}"
            case 400:
                return "; a prompt that does not fit needs a larger context_tokens"
            case _:
                return "; check the seat's base_url and model"


def options_of(seat: OllamaSeat) -> dict[str, Any]:
    """Options that decide an answer, all but the seed, by Ollama's names."""
    return {
        **PLAIN,
        "num_ctx": seat.context_tokens,
        "num_predict": seat.tokens_max,
        "num_thread": seat.threads,
        "temperature": float(seat.temperature),
        "top_p": float(seat.top_p),
    }


def _message(message: Message) -> dict[str, Any]:
    spelled: dict[str, Any] = {"role": message.role, "content": message.content}
    return {**spelled, "images": [base64_png(shown) for shown in message.shown]} if message.shown else spelled


def body_of(seat: OllamaSeat, request: ChatRequest) -> dict[str, Any]:
    """The whole request. It says nothing of how long the model stays loaded: that is the server's setting."""
    return {
        "model": seat.model,
        "messages": [_message(message) for message in request.messages],
        "stream": False,
        "truncate": False,
        "shift": False,
        "options": {**options_of(seat), "seed": request.seed},
    }
