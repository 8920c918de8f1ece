"""Words of a prompt about answers: the limit on their length, and the treatment of one without legal action."""

from typing import assert_never

from .decision import RETRIES_MAX, IllegalPolicy

LIMITED = "Your answer, thoughts included, may have at most {tokens_max} tokens. "
CUT = "An answer that is cut off counts as no {action}."
SUBSTITUTED = "If your answer holds no legal {action}, a random legal {action} is played for you."
RETRIED = (
    "If your answer holds no legal {action}, you are told why and asked again, {retries} times at most; "
    "after that you lose the {game}."
)

TEMPLATES = {
    "terms/limited": LIMITED,
    "terms/cut": CUT,
    "terms/substituted": SUBSTITUTED,
    "terms/retried": RETRIED,
}


def answer_terms(illegal: IllegalPolicy, tokens_max: int, action: str, game: str) -> str:
    """The sentences for a seat with this token limit (0: none); `action` and `game` are the game's own words."""
    limited = LIMITED.format(tokens_max=tokens_max) if tokens_max else ""
    match illegal:
        case IllegalPolicy.SUBSTITUTE:
            consequence = SUBSTITUTED.format(action=action)
        case IllegalPolicy.RETRY_THEN_FORFEIT:
            consequence = RETRIED.format(action=action, retries=RETRIES_MAX, game=game)
        case _:
            assert_never(illegal)
    return f"{limited}{CUT.format(action=action)} {consequence}"
