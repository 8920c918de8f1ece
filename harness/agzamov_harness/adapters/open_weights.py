"""Common settings of seats of open weights: plain sampling, and a context that holds a prompt and its answer whole.

If the context is too small, the run stops; this is never counted as a bad move.
"""

from agzamov_verify.seats import Determinism

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


def llama_body(determinism: Determinism) -> dict[str, float | bool]:
    """Additional fields of a request to llama.cpp. Strict determinism: no prompt cache, as history must not matter.

    With unquantised weights, a prompt processed in other batches differs in the last bits (docs/decisions/0011).
    """
    return {**PLAIN, "cache_prompt": determinism is not Determinism.STRICT}


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
