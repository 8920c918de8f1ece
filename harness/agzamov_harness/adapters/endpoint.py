"""A model behind an OpenAI-compatible chat endpoint, as a ChatPort.

The `openai` client never retries for us (`max_retries=0`): `retries` does, and every failed try stands in the journal.
Only the parameters that the seat's `accepts` lists are sent. A reply that the server filtered or refused is the model's
(NoReply); everything else that goes wrong is the world's.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import httpx2
import msgspec
import openai

from agzamov_verify.core.questions import Message, NoReply, Reply, SentCall, Tool
from agzamov_verify.core.shown import Shown
from agzamov_verify.core.untrusted_input import printable
from agzamov_verify.seats import EndpointSeat, GgufSeat
from agzamov_verify.seats.model_names import is_same_model
from agzamov_verify.seats.model_seat import is_loopback

from ..ports import ChatRequest, Clock, PortFault, Wait
from .api_key import key_in
from .completion import NotACompletion, ServerAnswer, read_completion
from .context_length import CutPrompts, context_problem, early_cut_problem
from .http_transport import guard
from .images import base64_png
from .retries import CallLimits, Calls, Failure, Patience

CHAT_PATH: Final = "/chat/completions"
"""What the client adds to an address."""
HAS_NO_KEY: Final = "the seat has no key: in a plan, api_key_env names the variable that holds it"


def wire_message(message: Message) -> dict[str, Any]:
    """A message. An assistant's without words beside its calls has null for content, as that API sends it."""
    spelled: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.shown:
        images = [{"type": "image_url", "image_url": _image(shown)} for shown in message.shown]
        spelled["content"] = [{"type": "text", "text": message.content}, *images]
    if message.tool_calls:
        spelled |= {"content": message.content or None, "tool_calls": [_call(call) for call in message.tool_calls]}
    if message.tool_call_id:
        spelled["tool_call_id"] = message.tool_call_id
    return spelled


def _image(shown: Shown) -> dict[str, str]:
    return {"url": f"data:image/png;base64,{base64_png(shown)}", "detail": shown.detail}


def wire_tools(tools: Iterable[Tool]) -> dict[str, Any]:
    """The fields of a request that offer tools; none where there are no tools."""
    spelled = [{"type": "function", "function": _function(tool)} for tool in tools]
    return {"tools": spelled, "tool_choice": "auto"} if spelled else {}


def _call(call: SentCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters)}


NO_KEY = "none"
GGUF_ALIAS = "model"
LIMITS = {"max_tokens", "max_completion_tokens"}


class Door(NamedTuple):
    """Connection settings of a server: the unix socket that replaces base_url's host, the context in tokens, the
    additional fields of every request body, and the name as which its first reply must come; empty: any."""

    socket: str = ""
    context_tokens: int = 0
    body: Mapping[str, Any] | None = None
    model: str = ""


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
        limits: CallLimits | None = None,
        door: Door = NO_DOOR,
    ) -> None:
        key = key_of(name, seat, environment)
        place = f"seat {name} at {door.socket or seat.base_url}"
        limits = limits or CallLimits(seat.concurrency, seat.requests_per_minute, clock)
        self._seat, self._door, self._cuts, self._model = seat, door, CutPrompts(), door.model
        self._calls = Calls(place, Patience(seat.timeout_s, seat.attempts_max), clock, wait, limits, key)
        http_client = openai.DefaultHttpxClient(
            transport=httpx2.HTTPTransport(uds=door.socket) if door.socket else None,
            follow_redirects=False,
            trust_env=not is_loopback(seat.base_url),  # a proxy of the environment is not for a server of one's own
        )
        guard(http_client, float(seat.timeout_s))
        self._client = openai.OpenAI(
            api_key=key or NO_KEY,
            base_url=seat.base_url,
            timeout=float(seat.timeout_s),
            max_retries=0,
            default_headers={"Accept-Encoding": "identity", "Authorization": f"Bearer {key or NO_KEY}"},
            http_client=http_client,
        )
        self._client.organization = self._client.project = None  # the client takes them from the environment
        self._parameters = parameters_of(seat)

    def complete(self, request: ChatRequest) -> Reply | NoReply:
        """The model's reply to `request`. Raises PortFault."""
        answer, tries = self._calls.answered(lambda: self._once(request, self._parameters))
        if not self._calls.scrub(answer.text) and (
            self._calls.clean(answer.finish) == "content_filter" or answer.refusal
        ):
            return NoReply(attempts=tries, reason=self._calls.clean(answer.refusal) or self._calls.clean(answer.finish))
        reply = self._calls.reply(answer, tries)
        self._refuse_another_model(reply.model)
        self._refuse_what_is_worthless(answer, request)
        return reply

    def probe(self, request: ChatRequest, tokens_max: int, likeliest: int) -> ServerAnswer:
        """First `tokens_max` tokens of the answer, with their log probabilities. Raises PortFault."""
        parameters = {**self._parameters, "logprobs": True, "top_logprobs": likeliest}
        parameters |= {name: tokens_max for name in LIMITS if name in parameters}
        return self._calls.answered(lambda: self._once(request, parameters))[0]

    def models(self) -> tuple[str, ...]:
        """The names of the models that the server lists; none where it has no such list, or gives it to nobody."""
        try:
            answer = self._client.models.with_raw_response.list()
            rows = json.loads(answer.content)["data"]
            return tuple(self._calls.clean(str(row["id"])) for row in rows)
        except Exception:  # noqa: BLE001 - whatever is wrong with a list, a completion will tell
            return ()

    def capabilities(self) -> frozenset[str] | None:
        """What the server says in its list that the model can do, as llama-server does; None where it says nothing."""
        try:
            rows = json.loads(self._client.models.with_raw_response.list().content)["models"]
            names = self._seat.names_served
            told = [row["capabilities"] for row in rows if len(rows) == 1 or row.get("name") in names]
            return frozenset(map(str, told[0]))
        except Exception:  # noqa: BLE001 - as `models`: a server that does not say is asked with an image
            return None

    def close(self) -> None:
        self._client.close()

    def _once(self, request: ChatRequest, parameters: Mapping[str, Any]) -> ServerAnswer | Failure:
        """One call. Raises PortFault for a failure that no retry can mend."""
        messages: Any = [wire_message(message) for message in request.messages]
        extra: dict[str, Any] = {"seed": request.seed} if "seed" in self._seat.accepts else {}
        extra |= wire_tools(request.tools)
        try:
            answer = self._client.chat.completions.with_raw_response.create(
                model=self._seat.model, messages=messages, extra_body=self._door.body, **parameters, **extra
            )
        except openai.APIStatusError as error:
            return self._calls.status_failure(error.response, self._advice, self._larger_context)
        except openai.APITimeoutError:
            return self._calls.timeout()
        except openai.APIConnectionError as error:
            return self._calls.broken(error)
        except Exception as error:  # noqa: BLE001 - a server's bytes must not get further, whatever the client makes of them
            return self._calls.broken(error)
        try:
            completion = read_completion(answer.content)
        except NotACompletion as error:
            return self._calls.no_answer(answer.http_response, error, self._path_hint)
        return completion if request.tools else msgspec.structs.replace(completion, tool_calls=())

    def _advice(self, status: int) -> str:
        match status:
            case 401 | 403 if self._seat.api_key_env:
                return f"; check the key in {self._seat.api_key_env}"
            case 401 | 403:
                return f"; {HAS_NO_KEY}"
            case 501:
                return "; what answers there is no model server: check base_url"
            case 404 | 405 if self._path_hint:
                return f"; {self._path_hint}"
            case 404 | 405:
                return f"; check base_url, and that the server has the model {self._seat.model}"
            case _:
                return f"; check the seat's model, accepts ({', '.join(self._seat.accepts)}) and tokens_max"

    @property
    def _larger_context(self) -> str:
        """Advice where a prompt does not fit."""
        if self._door.context_tokens:
            return "; give the seat a larger context_tokens"
        return "; serve the model with a larger context, or give the seat a smaller tokens_max"

    @property
    def _path_hint(self) -> str:
        """Advice where the address of the plan has no path, or the path of a question itself."""
        has_path = urlsplit(self._seat.base_url).path.rstrip("/")
        if has_path.endswith(CHAT_PATH):
            return f"check base_url: {CHAT_PATH} is added to it, so leave out {CHAT_PATH}"
        return "" if has_path else "check base_url: nearly every server needs /v1 at its end, so add /v1"

    def _refuse_another_model(self, answered: str) -> None:
        """The first reply that names a model shows whether it is the plan's; of later names `verify` warns."""
        expected = self._model
        if not expected or not answered:
            return
        if not is_same_model(expected, answered):
            told = printable(answered)
            self._calls.give_up(
                f"expected model {printable(expected)}, the server answers as {told}; serve the model of the plan"
                f" there, or, where a gateway renames it, write served_as: {told} into a new plan"
            )
        self._model = ""

    def _refuse_what_is_worthless(self, answer: ServerAnswer, request: ChatRequest) -> None:
        """A server that drops part of the prompt, or ends replies at another limit, makes the run worthless."""
        if self._door.context_tokens:
            problem = context_problem(answer, self._door.context_tokens, self._seat.tokens_max)
        else:
            problem = self._cuts.problem(request.messages, answer.prompt_tokens)
        limited = LIMITS & set(self._seat.accepts)
        if limited and not problem:
            problem = early_cut_problem(answer, self._seat.tokens_max)
        if problem:
            self._calls.give_up(problem)
        if limited and answer.completion_tokens > self._seat.tokens_max:
            self._calls.give_up(
                f"asked for at most {self._seat.tokens_max} tokens, got {answer.completion_tokens}:"
                f" the server ignores {limited.pop()}; list the other parameter in accepts"
            )


def parameters_of(seat: EndpointSeat) -> dict[str, Any]:
    """Sampling parameters to send beside model, messages and seed: only those that the seat's `accepts` lists."""
    wished: dict[str, Any] = {
        "temperature": float(seat.temperature),
        "top_p": float(seat.top_p),
        "max_tokens": seat.tokens_max,
        "max_completion_tokens": seat.tokens_max,
    }
    return {name: value for name, value in wished.items() if name in seat.accepts}


def served(seat: GgufSeat, base_url: str) -> EndpointSeat:
    """Endpoint seat for a seat of open weights that llama.cpp serves at `base_url`."""
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


def key_of(name: str, seat: EndpointSeat, environment: Mapping[str, str]) -> str:
    """The seat's key. Raises PortFault as `key_in` does, with the seat's name."""
    try:
        return key_in(seat.api_key_env, seat.base_url, environment)
    except PortFault as error:
        raise PortFault(f"seat {name}: {error}") from error
