"""What a script may ask the outside world, and what may come back.

A question holds everything that its answer may depend on, so a replay that asks the same question
byte for byte has recomputed the prompt. Fields are declared in alphabetical order, which makes the
encoding canonical without sorting (a test compares it with rfc8785).
"""

import hashlib
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from . import canon

TOKENS_MAX = 10**9
"""Of one reply, so that the sum over a run stays an exact integer below 2^53."""

Tokens: TypeAlias = Annotated[int, Meta(ge=0, le=TOKENS_MAX)]
Score: TypeAlias = Annotated[int, Meta(ge=-canon.INTEGER_MAX, le=canon.INTEGER_MAX)]


class Message(msgspec.Struct, frozen=True, gc=False):
    """One chat message, in the terms of the OpenAI chat completions API."""

    content: str
    role: str


class Chat(msgspec.Struct, frozen=True, tag_field="ask", tag="chat"):
    """Ask the seat `seat` for its next reply. `seed` is the sampling seed sent where accepted."""

    attempt: int
    game: str
    messages: tuple[Message, ...]
    seat: str
    seed: int
    turn: int


class Evaluate(msgspec.Struct, frozen=True, tag_field="ask", tag="evaluate"):
    """Ask the pinned engine for the value of the position after `moves` from `start_fen`."""

    game: str
    moves: str
    start_fen: str
    turn: int


class Try(msgspec.Struct, frozen=True, gc=False):
    """A failed attempt at a call, before the one that was answered. A fault of the world."""

    detail: str
    kind: str


class Reply(msgspec.Struct, frozen=True, kw_only=True, tag_field="as", tag="reply", omit_defaults=True):
    """What a seat said, verbatim, with what its server reported. Token counts are the server's.

    Defaults are left out of the encoding, and msgspec compares them by identity: only empty ones will do.
    """

    attempts: tuple[Try, ...] = ()
    cached_tokens: Tokens = 0
    completion_tokens: Tokens = 0
    fingerprint: str = ""
    finish: str = ""
    id: str = ""
    model: str = ""
    prompt_tokens: Tokens = 0
    reasoning_tokens: Tokens = 0
    text: str


class NoReply(msgspec.Struct, frozen=True, kw_only=True, tag_field="as", tag="no_reply", omit_defaults=True):
    """The seat answered the call with nothing that could hold an action (a refusal, a filter)."""

    attempts: tuple[Try, ...] = ()
    reason: str


class Evaluation(msgspec.Struct, frozen=True, tag_field="as", tag="evaluation", gc=False):
    """The engine's last score before bestmove, from the side to move: centipawns, or mate in moves."""

    centipawns: Score | None
    mate: Score | None


Question: TypeAlias = Chat | Evaluate
Answer: TypeAlias = Reply | NoReply | Evaluation

ENGINE = "engine"

_encoder = msgspec.json.Encoder()


def encode(value: Question | Answer) -> bytes:
    """Canonical bytes of a question or an answer."""
    return _encoder.encode(value)


def question_digest(question: Question) -> str:
    """SHA-256 of the whole question, prompt included."""
    return hashlib.sha256(_encoder.encode(question)).hexdigest()
