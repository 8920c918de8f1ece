"""The digest of a question is SHA-256 of all its bytes, whichever of them were hashed before."""

import hashlib
from typing import Final

import pytest
from msgspec.structs import replace

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


def test_a_new_field_of_a_question_stands_in_its_digest_too() -> None:
    """The digest writes a question anew without its first message: what it does not copy would be left out."""
    assert Chat.__struct_fields__ == ("attempt", "game", "messages", "seed", "to", "turn", "with_tools")
