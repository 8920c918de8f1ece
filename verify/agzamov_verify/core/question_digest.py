"""The digest of a question, under which it stands in a journal."""

import hashlib
from functools import lru_cache
from typing import Final

from .questions import Chat, Message, Question, encode

BEGINNINGS_KEPT: Final = 8


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _begun(attempt: int, game: str, first: Message) -> "tuple[hashlib._Hash, int]":
    """The hash of a game's questions up to the comma behind their first message, and the length up to before it."""
    end = b'],"seed":0,"to":"","turn":0}'
    beginning = encode(Chat(attempt, game, (first,), 0, "", 0)).removesuffix(end)
    without = encode(Chat(attempt, game, (), 0, "", 0)).removesuffix(end)
    return hashlib.sha256(beginning + b","), len(without)


def question_digest(question: Question) -> str:
    """SHA-256 of the whole question, prompt included.

    The system message is most of a question, and the same in all of a game: it is written and hashed once, and the hash
    goes on with the bytes of the question without it, from their first message on.
    """
    if type(question) is not Chat or len(question.messages) < 2:
        return hashlib.sha256(encode(question)).hexdigest()
    attempt, game, messages = question.attempt, question.game, question.messages
    begun, length = _begun(attempt, game, messages[0])
    rest = Chat(attempt, game, messages[1:], question.seed, question.to, question.turn, question.with_tools)
    digest = begun.copy()
    digest.update(encode(rest)[length:])
    return digest.hexdigest()
