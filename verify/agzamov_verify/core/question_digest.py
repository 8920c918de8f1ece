"""The digest of a question, under which it stands in a journal."""

import hashlib
from functools import lru_cache
from typing import Final

from .questions import Chat, Message, Question, encode

BEGINNINGS_KEPT: Final = 8


@lru_cache(maxsize=BEGINNINGS_KEPT)
def _beginning(attempt: int, game: str, first: Message) -> "tuple[bytes, hashlib._Hash]":
    """Bytes with which a game's questions begin, up to the end of their first message, and the hash so far."""
    chat = encode(Chat(attempt, game, (first,), 0, "", 0))
    beginning = chat.removesuffix(b'],"seed":0,"to":"","turn":0}')
    return beginning, hashlib.sha256(beginning)


def question_digest(question: Question) -> str:
    """SHA-256 of the whole question, prompt included.

    The system message is most of a question, and the same in all of a game: it is hashed once, and the hash goes on.
    """
    encoded = encode(question)
    if type(question) is Chat and question.messages:
        beginning, begun = _beginning(question.attempt, question.game, question.messages[0])
        if encoded.startswith(beginning):
            digest = begun.copy()
            digest.update(encoded[len(beginning) :])
            return digest.hexdigest()
    return hashlib.sha256(encoded).hexdigest()
