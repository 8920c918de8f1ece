"""Parser of chat completions as servers really send them: any field may be missing or of another type.

The `openai` client checks no types: its object for {"choices": "x"} breaks where it is used. So the
bytes are read here, once. Usable fields are kept, others count as missing, and only an
answer that holds no reply of the model is refused: no message, nothing in it, or the server's own error, which routers
send with status 200. Two forms are known: OpenAI's, and that of Ollama's /api/chat.
"""

import json
import math
from typing import Any, Final

import msgspec

from agzamov_verify.core.questions import TOKENS_MAX, ToolCall

NOT_JSON: Final = "it is not JSON"
BROKEN_OFF: Final = frozenset(
    {"abort", "aborted", "cancelled", "canceled", "insufficient_system_resource", "load", "unload"}
)
"""Finish reasons of a reply that its server broke off itself: vLLM and SGLang (abort), DeepSeek
(insufficient_system_resource), Ollama (load, unload)."""
ENDED_BY_MODEL: Final = frozenset({"content_filter", "length"})
"""Finish reasons with which a message without content is still the model's."""


class NotACompletion(ValueError):
    """The server's answer is no completion; the message names the missing part and repeats nothing of the answer.

    `told`: the sentence of the server's own error, where there is one.
    """

    def __init__(self, what: str, told: str = "") -> None:
        super().__init__(what)
        self.told = told


class Token(msgspec.Struct, frozen=True, gc=False):
    """One token of an answer, its log probability, and the likeliest tokens in its place; as bytes of UTF-8."""

    piece: bytes
    logprob: float
    likeliest: tuple[tuple[bytes, float], ...] = ()


class ServerAnswer(msgspec.Struct, frozen=True, gc=False):
    """The first choice of a completion, with the server's counts. `tokens` are there where they were requested."""

    text: str
    refusal: str
    finish: str
    fingerprint: str
    id: str
    model: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    tokens: tuple[Token, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    total_tokens: int = 0

    @property
    def made_tokens(self) -> int:
        """Tokens that the model made, at most; 0 where the server counts none.

        Some servers count thoughts apart from the completion, and some in the total alone.
        """
        is_known = self.prompt_tokens and self.total_tokens
        return self.told_tokens if is_known else self.completion_tokens + self.reasoning_tokens

    @property
    def told_tokens(self) -> int:
        """Tokens of the reply as they are billed: thoughts that the server counts in the total alone are in it."""
        if self.prompt_tokens and self.total_tokens:
            return max(self.completion_tokens, self.total_tokens - self.prompt_tokens)
        return self.completion_tokens


def read_completion(body: bytes) -> ServerAnswer:
    """Parse a chat completion; bytes that are not UTF-8 become U+FFFD. Raises NotACompletion."""
    answer = _parsed(body)
    choice = _first(_field(answer, "choices"))
    message = _field(choice, "message")
    finish = _text(_field(choice, "finish_reason"))
    _refuse_an_error(answer, choice, message, finish)
    if not isinstance(message, dict):
        raise NotACompletion("no choice with a message in it")
    usage = _field(answer, "usage")
    read = ServerAnswer(
        text=_content(message.get("content")),
        refusal=_text(message.get("refusal")),
        finish=finish,
        fingerprint=_text(_field(answer, "system_fingerprint")),
        id=_text(_field(answer, "id")),
        model=_text(_field(answer, "model")),
        prompt_tokens=_count(_field(usage, "prompt_tokens")),
        cached_tokens=_count(_field(_field(usage, "prompt_tokens_details"), "cached_tokens")),
        completion_tokens=_count(_field(usage, "completion_tokens")),
        reasoning_tokens=_count(_field(_field(usage, "completion_tokens_details"), "reasoning_tokens")),
        tokens=_tokens(_field(_field(choice, "logprobs"), "content")),
        tool_calls=_tool_calls(message.get("tool_calls")),
        total_tokens=_count(_field(usage, "total_tokens")),
    )
    if not _is_of_the_model(message, read):
        raise NotACompletion("a message with nothing in it: no content, no refusal and no call of a tool")
    return read


def _refuse_an_error(answer: Any, choice: Any, message: Any, finish: str) -> None:
    """Raises NotACompletion for an error of the server's own beside a choice or in its place."""
    errors = [error for place in (answer, choice, message) if (error := _field(place, "error"))]
    if errors or finish.lower() == "error":
        told = next(filter(None, (_text(error) or _text(_field(error, "message")) for error in errors)), "")
        raise NotACompletion("an error of the server's own", told)
    if (reason := finish.lower()) in BROKEN_OFF:
        raise NotACompletion(f"a reply that the server broke off itself, finish reason {reason}")


def _is_of_the_model(message: Any, read: ServerAnswer) -> bool:
    """Whether a model has made a message: an empty text counts, and so do thoughts that left nothing to say."""
    has_content = isinstance(message.get("content"), str | list)
    has_thoughts = any(_text(message.get(name)) for name in ("reasoning_content", "reasoning"))
    is_ended = read.finish.lower() in ENDED_BY_MODEL
    return bool(has_content or read.refusal or read.tool_calls or has_thoughts or read.reasoning_tokens or is_ended)


def read_ollama(body: bytes) -> ServerAnswer:
    """Parse an answer of Ollama's /api/chat. Raises NotACompletion if malformed, unfinished or of a remote model."""
    answer = _parsed(body)
    message = _field(answer, "message")
    _refuse_an_error(answer, None, message, _text(_field(answer, "done_reason")))
    if not isinstance(message, dict) or _field(answer, "done") is not True:
        raise NotACompletion("no message that is done")
    if _text(_field(answer, "remote_host")):
        raise NotACompletion("a reply of another machine (remote_host)")
    return ServerAnswer(
        text=_text(message.get("content")),
        refusal="",
        finish=_text(_field(answer, "done_reason")),
        fingerprint="",
        id="",
        model=_text(_field(answer, "model")),
        prompt_tokens=_count(_field(answer, "prompt_eval_count")),
        cached_tokens=0,
        completion_tokens=_count(_field(answer, "eval_count")),
        reasoning_tokens=0,
        tokens=_tokens(_field(answer, "logprobs")),
    )


def error_message(body: bytes) -> str:
    """The sentence in a JSON error: OpenAI's error.message, or error, message or detail. Other bodies have none."""
    try:
        value = _parsed(body)
    except NotACompletion:
        return ""
    if not isinstance(value, dict):
        return ""
    for place in (value.get("error"), value):
        detail = _field(place, "detail")
        for candidate in (place, _field(place, "message"), detail, _field(_first(detail), "msg")):
            if isinstance(candidate, str) and candidate:
                return candidate
    return ""


def _parsed(body: bytes) -> Any:
    """The JSON value that a body spells. Raises NotACompletion."""
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise NotACompletion(NOT_JSON) from error


def _tokens(value: Any) -> tuple[Token, ...]:
    rows = value if isinstance(value, list) else []
    return tuple(
        Token(
            _piece(row),
            _logprob(row),
            tuple((_piece(other), _logprob(other)) for other in _others(row)),
        )
        for row in rows
    )


def _tool_calls(value: Any) -> tuple[ToolCall, ...]:
    """Calls of functions, in order; a call without a name or arguments has empty ones, so that it counts as a call."""
    rows = value if isinstance(value, list) else []
    functions = [_field(row, "function") for row in rows]
    return tuple(
        ToolCall(_arguments(_field(function, "arguments")), _text(_field(function, "name"))) for function in functions
    )


def _arguments(value: Any) -> str:
    """Arguments as JSON text. Some servers give the value that the text would spell."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, dict) else _text(value)


def _others(row: Any) -> list[Any]:
    value = _field(row, "top_logprobs")
    return value if isinstance(value, list) else []


def _piece(row: Any) -> bytes:
    """A token's bytes, which may be part of a character; its text where a server sends none."""
    value = _field(row, "bytes")
    if isinstance(value, list) and all(type(byte) is int and 0 <= byte < 256 for byte in value):
        return bytes(value)
    return _text(_field(row, "token")).encode("utf-8", "replace")


def _logprob(row: Any) -> float:
    """A log probability; minus infinity for anything that is no number."""
    value = _field(row, "logprob")
    return float(value) if isinstance(value, float) or (type(value) is int and abs(value) <= TOKENS_MAX) else -math.inf


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _content(value: Any) -> str:
    """A message's text: plain, or in parts."""
    if isinstance(value, list):
        return "".join(_text(_field(part, "text")) for part in value)
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    """A server's token count, 0 for anything that is no sensible number (and True is none)."""
    return value if type(value) is int and 0 <= value <= TOKENS_MAX else 0
