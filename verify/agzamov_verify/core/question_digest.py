"""The digest of a question, under which it stands in a journal."""

import hashlib
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from .questions import Chat, Message, Question, encode

BEGINNINGS_KEPT: Final = 8


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _begun(attempt: int, game: str, first: Message) -> "tuple[hashlib._Hash, bytes]":
    """The hash of a game's questions up to the comma behind their first message, and the bytes up to before it."""
    end = b'],"seed":0,"to":"","turn":0}'
    beginning = encode(Chat(attempt, game, (first,), 0, "", 0)).removesuffix(end)
    without = encode(Chat(attempt, game, (), 0, "", 0)).removesuffix(end)
    return hashlib.sha256(beginning + b","), without


def question_digest(question: Question) -> str:
    """SHA-256 of the whole question, prompt included.

    The system message is most of a question, and the same in all of a game: it is written and hashed once, and the hash
    goes on with the bytes of the question without it, from their first message on.
    """
    if type(question) is not Chat or len(question.messages) < 2:
        return hashlib.sha256(encode(question)).hexdigest()
    messages = question.messages
    begun, without = _begun(question.attempt, question.game, messages[0])
    rest = encode(replace(question, messages=messages[1:]))
    if not rest.startswith(without):  # another field stands before the messages
        return hashlib.sha256(encode(question)).hexdigest()
    digest = begun.copy()
    digest.update(rest[len(without) :])
    return digest.hexdigest()
