"""Compares a recorded answer with the one that the same weights give now.

Another processor may compute another last bit, and where two tokens are nearly as likely, another word follows. So a
difference counts as *within the margin* if, by the replayer's own log probabilities, the recorded answer takes at its
first different token one that is nearly as likely as the likeliest. What follows there cannot be compared. No margin is
given where tokens are drawn at random (a temperature above 0).
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from agzamov_verify.questions import NoReply, Reply

from ..adapters.completion import Token

SHOWN_CHARACTERS_MAX = 60


class Outcome(StrEnum):
    """How a recorded answer compares."""

    SAME = "same"
    WITHIN_MARGIN = "within the margin"
    DIFFERENT = "different"


class Difference(msgspec.Struct, frozen=True):
    """Where an answer differs first: a character's number from 0, and what stands there."""

    game: str
    turn: int
    attempt: int
    seat: str
    character: int
    recorded: str
    found: str


def same(recorded: Reply | NoReply, again: Reply | NoReply) -> bool:
    """Whether two answers say the same to the last byte and end for the same reason."""
    if isinstance(recorded, Reply) and isinstance(again, Reply):
        return (recorded.text, recorded.finish) == (again.text, again.finish)
    return isinstance(recorded, NoReply) and isinstance(again, NoReply) and recorded.reason == again.reason


def counts_same(recorded: Reply | NoReply, again: Reply | NoReply) -> bool:
    """Whether the servers counted the same tokens."""
    if isinstance(recorded, Reply) and isinstance(again, Reply):
        wanted, found = (
            (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) for reply in (recorded, again)
        )
        return wanted == found
    return True


def within_margin(recorded: str, tokens: Sequence[Token], margin: float) -> bool:
    """Whether the recorded text leaves the replayer's tokens for one that is nearly as likely.

    `margin` is in nats: the natural logarithm of how many times likelier the replayer's token may be.
    """
    left = recorded.encode()
    for token in tokens:
        if token.piece and left.startswith(token.piece):
            left = left[len(token.piece) :]
            continue
        likely = [logprob for piece, logprob in token.likeliest if _takes(left, piece)]
        return any(token.logprob - logprob <= margin for logprob in likely)
    return False


def _takes(left: bytes, piece: bytes) -> bool:
    """Whether the recorded text goes on with a token; one without text ends the answer."""
    return left.startswith(piece) if piece else not left


def said(answer: Reply | NoReply) -> str:
    """An answer's words, and how it ended."""
    return f"{answer.text}\n[{answer.finish}]" if isinstance(answer, Reply) else f"[no reply: {answer.reason}]"


def first_difference(recorded: str, again: str) -> tuple[int, str, str]:
    """The number of the first character that differs, and both texts from there, cut short."""
    pairs = zip(recorded, again, strict=False)
    at = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(recorded), len(again)))
    end = at + SHOWN_CHARACTERS_MAX
    return at, recorded[at:end], again[at:end]
