"""The digest of a question is SHA-256 of all its bytes, whichever of them were hashed before."""

import hashlib
from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

from agzamov_verify.core import question_digest as module
from agzamov_verify.core.question_digest import question_digest
from agzamov_verify.core.questions import Chat, Message, Planted, Question, Tool, encode

SYSTEM: Final = Message('The rules, "quoted",\nand é.', "system")
ASKED: Final = Message("Your move?\n", "user")
AGAIN: Final = (Message("MOVE: e2e5", "assistant"), Message("Rejected: illegal.", "user"))
CHAT: Final = Chat(0, "p6-chess-g00001", (SYSTEM, ASKED), 7, "one", 3)
CHATS: Final = (
    CHAT,
    replace(CHAT, messages=()),
    replace(CHAT, messages=(SYSTEM,)),
    replace(CHAT, messages=(SYSTEM, ASKED, *AGAIN), attempt=1),
    replace(CHAT, with_tools=(Tool("Adds.", "add", "{}"),)),
    Planted(0, "p6-chess-g00001", (SYSTEM, ASKED), 7, "one", 3),
)


@pytest.mark.parametrize("question", CHATS)
def test_a_digest_is_of_the_bytes_of_the_whole_question(question: Question) -> None:
    for _ in range(2):  # the second time its beginning is known
        assert question_digest(question) == hashlib.sha256(encode(question)).hexdigest()


def test_a_question_that_differs_in_one_field_has_another_digest() -> None:
    others = (
        replace(CHAT, attempt=1),
        replace(CHAT, game="p6-chess-g00002"),
        replace(CHAT, messages=(replace(SYSTEM, content="The rules"), ASKED)),
        replace(CHAT, messages=(SYSTEM, replace(ASKED, content="Your move?"))),
        replace(CHAT, messages=(ASKED, SYSTEM)),
        replace(CHAT, seed=8),
        replace(CHAT, to="two"),
        replace(CHAT, turn=4),
        *CHATS[1:],
    )
    assert len({question_digest(one) for one in (CHAT, *others)}) == len(others) + 1


class Illustrated(Chat, frozen=True, tag_field="ask", tag="chat", omit_defaults=True):
    """A question with a field that the digest knows nothing of."""

    image: str = ""


class Advised(msgspec.Struct, frozen=True, tag_field="ask", tag="chat", omit_defaults=True):
    """A question with such a field before its messages."""

    advice: str
    attempt: int
    game: str
    messages: tuple[Message, ...]
    seed: int
    to: str
    turn: int


def test_a_field_that_a_question_gets_later_stands_in_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest wrote a question anew from the fields that it knew: an optional one in their midst moved them."""
    for image in ("", "a board"):
        shown = Illustrated(0, "p6-chess-g00001", (SYSTEM, ASKED), 7, "one", 3, image=image)
        monkeypatch.setattr(module, "Chat", Illustrated)
        module._begun.cache_clear()
        assert question_digest(shown) == hashlib.sha256(encode(shown)).hexdigest()
    monkeypatch.undo()
    monkeypatch.setattr(module, "type", lambda _: Chat, raising=False)
    advised = Advised("Look left.", 0, "p6-chess-g00001", (SYSTEM, ASKED), 7, "one", 3)
    assert question_digest(advised) == hashlib.sha256(encode(advised)).hexdigest()  # type: ignore[arg-type]
