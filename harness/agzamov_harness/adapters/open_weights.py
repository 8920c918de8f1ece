"""What the seats of open weights share: plain sampling, and a context that holds a prompt and its answer whole.

Where it does not, the run stops. It is never a bad move.
"""

from agzamov_verify.seats import Determinism

from .completion import Said

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
    """What a request to llama.cpp says besides. Strictly, what was asked before must not matter: nothing of it is kept.

    With weights that are not quantised, a prompt read in other pieces has other last bits (docs/decisions/0011).
    """
    return {**PLAIN, "cache_prompt": determinism is not Determinism.STRICT}


def rounded_up(context_tokens: int) -> int:
    """The context that a server makes of the one it was asked for."""
    return -(-context_tokens // CONTEXT_STEP_TOKENS) * CONTEXT_STEP_TOKENS


def context_problem(said: Said, context_tokens: int, tokens_max: int) -> str:
    """What is wrong with an answer's counts; empty if nothing is. The last token of an answer takes no place."""
    used = said.prompt_tokens + said.completion_tokens
    if used > rounded_up(context_tokens) + 1:
        return (
            f"prompt and answer took {used} tokens, more than the seat's context of {context_tokens}:"
            " the server has another context, or shifts it; serve the one that the seat names"
        )
    if said.finish == "length" and said.completion_tokens < tokens_max:
        return (
            f"the context of {context_tokens} tokens ended an answer after {said.completion_tokens} of {tokens_max}"
            " tokens; give the seat a larger context_tokens"
        )
    return ""
