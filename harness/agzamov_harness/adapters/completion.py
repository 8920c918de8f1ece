"""What a chat completion says, as servers really send it: any field may be missing or of another type.

The `openai` client checks no types: its object for {"choices": "x"} breaks where it is used. So the
bytes are read here, once. What can be used is kept, what cannot counts as not sent, and only an
answer whose first choice holds no message is refused.
"""

import json
from typing import Any

import msgspec

from agzamov_verify.questions import TOKENS_MAX


class NotACompletion(ValueError):
    """The server answered with something else; the message holds all of it."""


class Said(msgspec.Struct, frozen=True, gc=False):
    """The first choice of a completion, and what the server counted."""

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


def read_completion(body: bytes) -> Said:
    """What the server's bytes say; bytes that are no UTF-8 become U+FFFD. Raises NotACompletion."""
    text = body.decode("utf-8", "replace")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotACompletion(text) from error
    choice = _first(_field(answer, "choices"))
    message = _field(choice, "message")
    if not isinstance(message, dict):
        raise NotACompletion(text)
    usage = _field(answer, "usage")
    return Said(
        text=_content(message.get("content")),
        refusal=_text(message.get("refusal")),
        finish=_text(_field(choice, "finish_reason")),
        fingerprint=_text(_field(answer, "system_fingerprint")),
        id=_text(_field(answer, "id")),
        model=_text(_field(answer, "model")),
        prompt_tokens=_count(_field(usage, "prompt_tokens")),
        cached_tokens=_count(_field(_field(usage, "prompt_tokens_details"), "cached_tokens")),
        completion_tokens=_count(_field(usage, "completion_tokens")),
        reasoning_tokens=_count(_field(_field(usage, "completion_tokens_details"), "reasoning_tokens")),
    )


def error_message(body: bytes) -> str:
    """The sentence in an error's body: OpenAI's error.message, others' error, detail or message, else all of it."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for place in (_field(value, "error"), value):
        for said in (place, _field(place, "message"), _field(place, "detail")):
            if isinstance(said, str) and said:
                return said
    return text


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
