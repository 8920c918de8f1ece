"""What a server does with a prompt that does not fit: refuse it, or show by its counts that it read all of it.

A server that cuts a prompt in silence makes every later answer worthless, so it is refused before the first question.
"""

from enum import StrEnum

from agzamov_verify.questions import Message

from ..adapters.calls import PromptTooLong
from ..ports import ChatRequest
from .determinism import Probing
from .faults import ModelFault

SHORT_PART = 8


class Overlong(StrEnum):
    """What became of a prompt longer than the context."""

    REFUSED = "refused"
    READ_WHOLE = "read whole: the server's context is larger than the seat's"
    READ_IN_PART = "read in part, by the model's own template"


def probe_context(port: Probing, request: ChatRequest, context_tokens: int) -> Overlong:
    """Send a prompt of more than `context_tokens` tokens. Raises ModelFault if the server cuts it in silence.

    A template may read only a part of any prompt. Then a shorter prompt that differs only in what is not read has the
    same count of tokens, which no cut can bring about.
    """
    try:
        long = port.probe(_longer(request, context_tokens), 1, 1).prompt_tokens
    except PromptTooLong:
        return Overlong.REFUSED
    if long > context_tokens:
        return Overlong.READ_WHOLE
    short = port.probe(_longer(request, context_tokens // SHORT_PART), 1, 1).prompt_tokens
    if short == long:
        return Overlong.READ_IN_PART
    raise ModelFault(
        f"a prompt of more than {context_tokens} tokens was read as {long}: the server cuts prompts in silence;"
        " serve the model with a version that knows truncate: false, or by llama.cpp"
    )


def _longer(request: ChatRequest, numbers: int) -> ChatRequest:
    """The same prompt with a long profile of the opponent. A number in words of its own is a token at the least."""
    *before, last = request.messages
    profile = " ".join(map(str, range(numbers)))
    return ChatRequest((*before, Message(f"{last.content}\nOpponent profile:\n{profile}", last.role)), request.seed)
