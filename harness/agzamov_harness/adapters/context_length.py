"""The context of a model's server: large enough for a prompt and its answer, and prompts that are cut in silence.

A seat of open weights gets plain sampling and a context that holds a prompt and its answer whole. If the context is too
small, the run stops; this is never counted as a bad move. So it does at an endpoint whose server cuts a reply well
below the limit that it was sent. A server that cuts prompts without a word is found by the
token counts that it reports over a run:

    bytes by token    no tokenizer makes so few tokens of these prompts, or twice as few as it made of shorter ones
    constant count    prompts of one game that differ in length by a fifth were read as the very same number of tokens

Only first tries are compared, each with those of its own game (its system message): a rejected reply may be anything.
Small counts are not judged: a model whose template reads only part of a prompt leaves few tokens.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Final

from agzamov_verify.core.questions import Message
from agzamov_verify.seats import Determinism
from agzamov_verify.table.prompt_lines import without_example

from .completion import ServerAnswer

PLAIN: dict[str, float] = {
    "frequency_penalty": 0.0,
    "min_p": 0.0,
    "presence_penalty": 0.0,
    "repeat_penalty": 1.0,
    "top_k": 40,
}
"""Sampling that a plan does not name, as llama.cpp and Ollama both spell it: no penalties, which change even the
likeliest answer, and the top_k that both have by default."""
CONTEXT_STEP_TOKENS = 256
"""llama.cpp rounds a context up to a multiple of this."""


DATE_VARIABLE: Final = "date_string"
DATE: Final = "26 Jul 2024"


def llama_body(determinism: Determinism) -> dict[str, float | bool | dict[str, str]]:
    """Additional fields of a request to llama.cpp. Strict determinism: no prompt cache, as history must not matter.

    Nor may the day: a chat template that writes today's date (Llama 3.1 and later) takes DATE in its place, which is
    the date that those templates write where they know no other.

    With unquantised weights, a prompt processed in other batches differs in the last bits (docs/decisions/0011).
    """
    is_strict = determinism is Determinism.STRICT
    dated = {"chat_template_kwargs": {DATE_VARIABLE: DATE}} if is_strict else {}
    return {**PLAIN, "cache_prompt": not is_strict, **dated}


def rounded_up(context_tokens: int) -> int:
    """The context that a server makes of the one it was asked for."""
    return -(-context_tokens // CONTEXT_STEP_TOKENS) * CONTEXT_STEP_TOKENS


def context_problem(answer: ServerAnswer, context_tokens: int, tokens_max: int) -> str:
    """Error in an answer's token counts; empty if there is none. The last token of an answer takes no place."""
    used = answer.prompt_tokens + answer.completion_tokens
    if used > rounded_up(context_tokens) + 1:
        return (
            f"prompt and answer took {used} tokens, more than the seat's context of {context_tokens}:"
            " the server has another context, or shifts it; serve the one that the seat names"
        )
    if answer.finish == "length" and answer.completion_tokens < tokens_max:
        return (
            f"the context of {context_tokens} tokens ended an answer after {answer.completion_tokens} of {tokens_max}"
            " tokens; give the seat a larger context_tokens"
        )
    return ""


CUT_LENGTHS: Final = frozenset({"length", "max_tokens"})
"""Finish reasons of a reply that met a limit of tokens."""
MADE_SHARE_MIN: Final = 0.75
"""Of the limit that was sent: a reply that met it has about as many tokens, whether or not its end counts."""


def early_cut_problem(answer: ServerAnswer, tokens_max: int) -> str:
    """Error where a reply was cut well below the limit that was sent; empty if it was not, or nobody counted tokens.

    So ends a reply for which the server's context has no room, and longer prompts, as those with a memory, meet that
    first: it would count as the model's fault.
    """
    made = answer.made_tokens
    if answer.finish.lower() not in CUT_LENGTHS or not made or made >= MADE_SHARE_MIN * tokens_max:
        return ""
    return (
        f"the server cut a reply after {made} of {tokens_max} tokens (finish reason {answer.finish.lower()}): its"
        " context is full, or it has a limit of its own; give the server a larger context or limit, or the seat a"
        " smaller tokens_max"
    )


BYTES_PER_TOKEN_MAX = 8.0
"""English, numbers and chess notation take 2 to 5 bytes a token in every tokenizer in use."""
RATIO_GROWTH_MAX = 2.0
COUNTED_TOKENS_MIN = 128
SPREAD_MIN = 1.2
SAME_COUNTS_MIN = 4
COUNTS_KEPT_MAX = 10_000


class CutPrompts:
    """The counts of one seat, from all threads that ask it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._least_ratio: dict[str, float] = {}
        self._lengths: dict[tuple[str, int], set[int]] = {}

    def problem(self, messages: Sequence[Message], prompt_tokens: int) -> str:
        """Error message if this count shows a cut, given all counts before it; else empty."""
        sent_bytes = sum(_bytes(message) for message in messages)
        if prompt_tokens < COUNTED_TOKENS_MIN:
            return ""
        ratio = sent_bytes / prompt_tokens
        if ratio > BYTES_PER_TOKEN_MAX:
            return _words(sent_bytes, prompt_tokens)
        if any(message.role == "assistant" for message in without_example(messages)):
            return ""
        game = messages[0].content
        with self._lock:
            least = self._least_ratio[game] = min(ratio, self._least_ratio.get(game, ratio))
            if ratio > RATIO_GROWTH_MAX * least:
                before = f"; before, a token stood for {least:.1f} bytes"
                return _words(sent_bytes, prompt_tokens) + before
            return self._constant(game, sent_bytes, prompt_tokens)

    def _constant(self, game: str, sent_bytes: int, prompt_tokens: int) -> str:
        if len(self._lengths) >= COUNTS_KEPT_MAX:
            return ""
        lengths = self._lengths.setdefault((game, prompt_tokens), set())
        lengths.add(sent_bytes)
        if len(lengths) < SAME_COUNTS_MIN or max(lengths) < SPREAD_MIN * min(lengths):
            return ""
        return (
            f"prompts of {min(lengths)} to {max(lengths)} bytes were all read as {prompt_tokens} tokens: they were cut;"
            " give the server a larger context"
        )


def _bytes(message: Message) -> int:
    calls = sum(len(call.name.encode()) + len(call.arguments.encode()) for call in message.tool_calls)
    return len(message.content.encode()) + calls


def _words(sent_bytes: int, tokens: int) -> str:
    return f"the prompt of {sent_bytes} bytes was read as {tokens} tokens: it was cut; give the server a larger context"
